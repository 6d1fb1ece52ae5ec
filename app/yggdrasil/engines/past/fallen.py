"""What is in quarantine today of a memory: the nodes that are, and those that were when they went or were rejected.

So is what a command did that made no node: a word for a claim, a name, a relation, a report of use, a vector.

Of a node that is gone the graph says nothing any more, so the log is read for verdicts, once, and then what is new.
"""

from collections.abc import Callable, Mapping, Set
from threading import Lock
from typing import Final, NamedTuple

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_processors.hosted import Hosted
from yggdrasil_processors.past.building import records_in
from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted, made
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import command_of, decode
from yggdrasil_schemas.commands import AssertClaim, CommitEpisode, FormConcept, Judge, LogOutcome, RecordEvent
from yggdrasil_schemas.graph.records import Identity, Status, node_number
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.refusals import Refused

_MEMORIES_MAX: Final = 256  # of which it is remembered
_MARK: Final = b'"judge"'
_OUT: Final = (Status.REJECTED, Status.RESOLVED, Status.SUPERSEDED)
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
    """What verdicts took into quarantine and did not release, up to an offset.

    ``refs`` are references, with how far whoever said so is trusted.
    """

    end: int
    refs: Mapping[str, int]


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
            refs = judged.refs.keys()
            fallen = Fallen(seq, frozenset(now) | _still(graph, refs), _acts(graph, refs))
        with self._lock:
            self._known.pop(memory, None)
            if len(self._known) >= _MEMORIES_MAX:
                del self._known[next(iter(self._known))]  # one: of each other one the log would be read anew
            self._known[memory] = fallen, judged
        return fallen


def _still(graph: Graph, refs: Set[str]) -> Set[int]:
    """Return which of these nodes are gone, or out in another way: neither lifts a quarantine."""
    found: set[int] = set()
    for ref in refs:
        known = accepted(graph, ref)
        number = graph.feature(ref.removeprefix("feature:")) if known is None else node_number(known.seq)
        node = None if number is None else graph.node(number)
        if number is not None and (node is None or node.status in _OUT):
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
    offset, refs = (log.start_offset(partition), dict[str, int]()) if known is None else (known.end, dict(known.refs))
    key = graph.header.memory.encode()
    for record in records_in(log, partition, offset, end):
        if record.key == key:
            _note(graph, record, refs, lambda identity: _trust_at(log, partition, identity.offset))
    return _Judged(max(offset, end), refs)


def _note(graph: Graph, record: LogRecord, refs: dict[str, int], said: Callable[[Identity], int]) -> None:
    """Note what a verdict did. Of what is forgotten the law asks for no trust, since there it changes nothing.

    Here it would hide or show the past, so it takes as much as of what is there: that of what was ``said``, or judged.
    """
    if record.value is None or _MARK not in record.value:
        return
    decoded = decode(record.value)
    if isinstance(decoded, Refused) or not isinstance(decoded.command, Judge):
        return
    identity = graph.identity(decoded.command_id)
    if identity is None or identity.result or identity.offset != record.offset:
        return
    trust = trust_of(decoded.command)
    for item in decoded.command.body.items:
        ruled = refs.get(item.node, 0)
        of = accepted(graph, item.node)
        forgotten = of is not None and of.kind in _MAKE_NODES and made(graph, of) is None
        if item.verdict == "quarantine":
            if of is None or not forgotten or trust >= said(of):
                refs[item.node] = max(ruled, trust)
        elif item.verdict == "release" and (not forgotten or trust >= ruled):
            refs.pop(item.node, None)


def _trust_at(log: LogReader, partition: int, offset: int) -> int:
    """Return how far what a record says is trusted; as far as can be where it cannot be read any more."""
    found = next((each for each in records_in(log, partition, offset, offset + 1) if each.offset == offset), None)
    command = command_of(None if found is None else found.value)
    return TRUST_MAX if isinstance(command, Refused) else trust_of(command)
