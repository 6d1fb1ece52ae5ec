"""What is in quarantine today of a memory: the nodes that are, and those that were when they went or were rejected.

So is what a command did that made no node: a word for a claim, a name, a relation, a report of use, a vector.

Of a node that is gone the graph says nothing any more, so the log is read for verdicts, once, and then what is new.
"""

from collections.abc import Set
from threading import Lock
from typing import Final, NamedTuple

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_processors.hosted import Hosted
from yggdrasil_processors.past.building import records_in
from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted, made
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.commands import AssertClaim, CommitEpisode, FormConcept, Judge, LogOutcome, RecordEvent
from yggdrasil_schemas.graph.records import Status, node_number
from yggdrasil_schemas.refusals import Refused

_MEMORIES_MAX: Final = 256  # of which it is remembered
_MARK: Final = b'"judge"'
_MAKE_NODES: Final = frozenset(
    each.number for each in (RecordEvent, LogOutcome, CommitEpisode, FormConcept, AssertClaim)
)


class Fallen(NamedTuple):
    """The seq at which a memory stands today, and the nodes of it that are in quarantine.

    ``acts`` are the ids of the commands of which what they did beside a node is.
    """

    seq: int
    nodes: Set[int]
    acts: Set[str] = frozenset()


class _Judged(NamedTuple):
    """What verdicts took into quarantine and did not release, by reference, up to an offset."""

    end: int
    refs: Set[str]


class Quarantines:
    """What is in quarantine, of a host's memories. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, tuple[Fallen, _Judged]] = {}

    def of(self, log: LogReader, hosted: Hosted, memory: str) -> Fallen:
        """Return what of a memory is in quarantine as it stands. Raises LogError."""
        known = self._known.get(memory)
        with hosted.reading(memory) as graph:
            if graph is None:
                return Fallen(0, frozenset())
            seq, position = graph.header.seq, hosted.position
            if known is not None and known[0].seq == seq:
                return known[0]
        with hosted.frozen(memory) as graph:
            if graph is None:
                return Fallen(0, frozenset())
            judged = _judged(log, hosted.number, graph, position, None if known is None else known[1])
            table = graph.node_table()
            now = table.keys[table.rows["status"] == Status.QUARANTINED].tolist()
            # Of what was folded since the turn, verdicts are not read yet: the next to ask does so.
            fallen = Fallen(seq, frozenset(now) | _still(graph, judged.refs), _acts(graph, judged.refs))
        with self._lock:
            if len(self._known) >= _MEMORIES_MAX:
                self._known.clear()
            self._known[memory] = fallen, judged
        return fallen


def _still(graph: Graph, refs: Set[str]) -> Set[int]:
    """Return which of these nodes are gone, or rejected: neither lifts a quarantine."""
    found: set[int] = set()
    for ref in refs:
        known = accepted(graph, ref)
        number = graph.feature(ref.removeprefix("feature:")) if known is None else node_number(known.seq)
        node = None if number is None else graph.node(number)
        if number is not None and (node is None or node.status == Status.REJECTED):
            found.add(number)
    return found


def _acts(graph: Graph, refs: Set[str]) -> Set[str]:
    """Return the ids among these of commands of which what they did is out, or is not known any more."""
    return frozenset(each for each in refs if not each.startswith(FEATURE_PREFIX) and _is_out(graph, each))


def _is_out(graph: Graph, command_id: str) -> bool:
    known = accepted(graph, command_id)
    act = None if known is None else graph.act(known.seq)
    if known is None or act is not None:
        return act is not None and act.status != Status.ACTIVE
    if known.kind == AssertClaim.number:  # it may have been a word for a claim that is gone
        return made(graph, known) is None
    return known.kind not in _MAKE_NODES


def _judged(log: LogReader, partition: int, graph: Graph, end: int, known: _Judged | None) -> _Judged:
    """Read the verdicts of a memory up to ``end``, of which the graph tells whether they were accepted."""
    offset, refs = (log.start_offset(partition), set[str]()) if known is None else (known.end, set(known.refs))
    key = graph.header.memory.encode()
    for record in records_in(log, partition, offset, end):
        if record.key == key:
            _note(graph, record, refs)
    return _Judged(max(offset, end), frozenset(refs))


def _note(graph: Graph, record: LogRecord, refs: set[str]) -> None:
    if record.value is None or _MARK not in record.value:
        return
    decoded = decode(record.value)
    if isinstance(decoded, Refused) or not isinstance(decoded.command, Judge):
        return
    identity = graph.identity(decoded.command_id)
    if identity is None or identity.result or identity.offset != record.offset:
        return
    for item in decoded.command.body.items:
        if item.verdict == "quarantine":
            refs.add(item.node)
        elif item.verdict == "release":
            refs.discard(item.node)
