"""Give back the commands that a store still holds, when the log that they came from is gone.

A store holds the record of each event, outcome, episode, concept and claim that the memory has not forgotten, as it was
appended, and those of the vectors and the relations that were given to them afterwards. What else a memory was made of
(recalls, uses, verdicts, pins, policies, sleep) it has folded into numbers.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import (
    BY_NUMBER,
    AssertClaim,
    AttachVector,
    CommitEpisode,
    FormConcept,
    LogOutcome,
    RecordEvent,
    Relate,
)
from yggdrasil_schemas.graph.codec import NUMBER
from yggdrasil_schemas.graph.records import EdgeKind, NodeKind, Status, seq_of

_RECORDED: Final = {
    NodeKind.EVENT: RecordEvent.number,
    NodeKind.OUTCOME: LogOutcome.number,
    NodeKind.EPISODE: CommitEpisode.number,
    NodeKind.CONCEPT: FormConcept.number,
    NodeKind.CLAIM: AssertClaim.number,
}
_WITHHELD: Final = (Status.QUARANTINED, Status.REJECTED)
"""What stands so does so by a verdict, and no store has that as a command: without it, it would stand again."""
_FEATURE: Final = "feature:"
_SEVERAL: Final = {
    "informed_by": 0, "caused_by": 0, "evidence": 0, "condenses": 0, "trajectory": 0, "events": 0, "episodes": 0,
    "members": 2,
}  # fmt: skip
"""Fields of a body that name others, and how many of these a command needs to be one."""
_MAY: Final = ("supersedes",)
_MUST: Final = ("event", "node", "source", "target")
_PAGE: Final = 256


@dataclass(slots=True)
class Exported:
    """How many commands of each kind were accepted in all, and how many of these a store gave back.

    ``references`` counts what commands said of others that are not in the export, such as recalls: a memory would
    refuse what speaks of something that it never had, so these are left out of it. ``withheld`` counts what is in
    quarantine, or was rejected.
    """

    accepted: Counter[str] = field(default_factory=Counter[str])
    exported: Counter[str] = field(default_factory=Counter[str])
    references: int = 0
    withheld: int = 0

    @property
    def missing(self) -> dict[str, int]:
        """How many commands are not in the export, by kind."""
        return {kind: left for kind in sorted(self.accepted) if (left := self.accepted[kind] - self.exported[kind])}


def commands(store: GraphStore, memory: str, found: Exported) -> Iterator[bytes]:
    """Yield the commands that ``store`` holds of ``memory``, a line of JSON each, in log order; count in ``found``.

    A thinker's decision is without how far the thinker had read: that counts commands, and some are missing.
    """
    for identity in store.identities(memory).values():
        if not identity.result:
            found.accepted[BY_NUMBER[identity.kind]] += 1
    graph = store.peek(memory)
    if graph is None:
        return
    known: set[str] = set()  # what later commands may speak of: ids, and features by their references
    for seq, number, kind, model in sorted(_held(graph, found)):
        record = _record(graph, seq, number, model)
        if record is None or not graph.folded(seq, record):
            continue
        fields = _alone(orjson.loads(record), known, found)
        if fields is None:
            continue
        found.exported[BY_NUMBER[kind]] += 1
        known.add(fields["id"])
        named = {*fields["body"].get("features", ()), fields["body"].get("subject")} - {None}
        known |= {_FEATURE + name for name in named}
        yield orjson.dumps(fields)
    store.release(memory)


def _held(graph: Graph, found: Exported) -> Iterator[tuple[int, int, int, str]]:
    """Yield where the records are that are whole: the seq of each, its node, its kind, and of a vector its model."""
    for key, _ in graph.source.node_rows():
        (number,) = NUMBER.unpack(key)
        node = graph.source.node(number)
        kind = None if node is None else _RECORDED.get(NodeKind(node.kind))
        if node is None or kind is None:
            continue
        if node.status in _WITHHELD:
            found.withheld += 1
            continue
        yield seq_of(number), number, kind, ""
    number = 0
    while page := graph.source.vectors_from(number, _PAGE):
        yield from ((seq, number, AttachVector.number, model) for number, model, seq, _ in page)
        number = page[-1][0] + 1
    keys = graph.edge_table().keys
    for edge in keys[keys["kind"] >= EdgeKind.SUPPORTS].tolist():
        relation = graph.relation(tuple(edge))
        for seq, _ in relation.said if relation is not None else ():
            act = graph.source.act(seq)
            if act is not None and act.status == Status.ACTIVE:
                yield seq, 0, Relate.number, ""


def _record(graph: Graph, seq: int, number: int, model: str) -> bytes | None:
    if model:
        return graph.source.vectors(number).get(model, (0, None))[1]
    if number:
        return graph.source.content(number)
    act = graph.source.act(seq)
    return None if act is None else act.record


def _alone(fields: dict[str, Any], known: set[str], found: Exported) -> dict[str, Any] | None:
    """Return a command as it can stand without what is not in the export; None if it cannot."""
    body: dict[str, Any] = {name: value for name, value in fields["body"].items() if name != "thinker"}
    if any(name in body and body[name] not in known for name in _MUST):
        return None
    for name, least in _SEVERAL.items():
        if not (named := body.get(name)):
            continue
        body[name] = [each for each in named if each in known]
        found.references += len(named) - len(body[name])
        if len(body[name]) < least:
            return None
    for name in _MAY:
        if body.get(name) is not None and body[name] not in known:
            del body[name]
            found.references += 1
    of_nothing = fields["type"] == "commit_episode" and not (body.get("events") or body.get("episodes"))
    unfounded = fields["type"] == "assert_claim" and fields["origin"] == "thinker" and not body.get("evidence")
    return None if of_nothing or unfounded else {**fields, "body": body}
