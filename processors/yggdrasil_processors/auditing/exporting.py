"""Give back the commands that a store still holds, when the log that they came from is gone.

A store holds the record of each event, outcome, episode and concept that the memory has not forgotten, as it was
appended. What else a memory was made of (recalls, uses, pins, policies, sleep) it has folded into numbers.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_schemas.commands import BY_NUMBER, CommitEpisode, FormConcept, LogOutcome, RecordEvent
from yggdrasil_schemas.graph.codec import NUMBER
from yggdrasil_schemas.graph.records import NodeKind, seq_of

_RECORDED: Final = {
    NodeKind.EVENT: RecordEvent.number,
    NodeKind.OUTCOME: LogOutcome.number,
    NodeKind.EPISODE: CommitEpisode.number,
    NodeKind.CONCEPT: FormConcept.number,
}


_REFERENCES: Final = ("informed_by", "caused_by")


@dataclass(slots=True)
class Exported:
    """How many commands of each kind were accepted in all, and how many of these a store gave back.

    ``references`` counts what events said of recalls and causes that are not in the export: a memory would refuse an
    event that speaks of what it never had, so these are left out of it.
    """

    accepted: Counter[str] = field(default_factory=Counter[str])
    exported: Counter[str] = field(default_factory=Counter[str])
    references: int = 0

    @property
    def missing(self) -> dict[str, int]:
        """How many commands are not in the export, by kind."""
        return {kind: left for kind in sorted(self.accepted) if (left := self.accepted[kind] - self.exported[kind])}


def commands(store: GraphStore, memory: str, found: Exported) -> Iterator[bytes]:
    """Yield the commands that ``store`` holds of ``memory``, a line of JSON each, in log order; count in ``found``."""
    for identity in store.identities(memory).values():
        if not identity.result:
            found.accepted[BY_NUMBER[identity.kind]] += 1
    graph = store.peek(memory)
    if graph is None:
        return
    known: set[str] = set()
    for key, _ in graph.source.node_rows():
        (number,) = NUMBER.unpack(key)
        node, content = graph.source.node(number), graph.source.content(number)
        kind = None if node is None else _RECORDED.get(NodeKind(node.kind))
        if kind is None or content is None or not graph.folded(seq_of(number), content):
            continue
        found.exported[BY_NUMBER[kind]] += 1
        fields: dict[str, Any] = orjson.loads(content)
        known.add(fields["id"])
        yield orjson.dumps(_without_unknown(fields, known, found))
    store.release(memory)


def _without_unknown(fields: dict[str, Any], known: set[str], found: Exported) -> dict[str, Any]:
    """Return a command without references to what is not in the export."""
    body: dict[str, Any] = dict(fields["body"])
    for name in _REFERENCES:
        if named := body.get(name):
            body[name] = [each for each in named if each in known]
            found.references += len(named) - len(body[name])
    return {**fields, "body": body}
