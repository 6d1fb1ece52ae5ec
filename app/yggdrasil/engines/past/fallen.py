"""What is in quarantine today of a memory: the nodes that are, and those that were when they went or were rejected.

So is what a command did that made no node: a word for a claim, a name, a relation, a report of use, a vector.

Of a node that is gone the graph says nothing any more, so the log is read for verdicts, once for all memories of a
partition, and then what is new.
"""

from collections.abc import Callable, Mapping, Sequence, Set
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
_LIFTED_OR_PUT: Final = ("quarantine", "release")
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
    """What so many verdicts of a memory took into quarantine and did not release.

    ``refs`` are references, with how far whoever said so is trusted.
    """

    taken: int
    refs: Mapping[str, int]


class _Given(NamedTuple):
    """A verdict in the log, accepted or not: where it stands, how far it is trusted, and of what it says which."""

    offset: int
    command_id: bytes
    trust: int
    items: tuple[tuple[str, str], ...]


class _Verdicts:
    """The verdicts in a partition that take into quarantine or release, by memory. For any thread.

    The partition is read once for all memories, and by one thread: the others wait for it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._end = 0
        self._given: dict[bytes, list[_Given]] = {}

    def of(self, log: LogReader, partition: int, memory: str, end: int, skip: int) -> list[_Given]:
        """Return those of a memory below an offset, without the first ``skip``. Raises LogError."""
        with self._lock:
            for record in records_in(log, partition, max(self._end, log.start_offset(partition)), end):
                given = _given_in(record)
                if given is not None and record.key is not None:
                    self._given.setdefault(record.key, []).append(given)
                self._end = record.offset + 1
            found = self._given.get(memory.encode(), [])
            return [each for each in found[skip:] if each.offset < end]


class Quarantines:
    """What is in quarantine, of a host's memories. For any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, tuple[Fallen, _Judged]] = {}
        self._verdicts: dict[int, _Verdicts] = {}  # by partition

    def of(self, log: LogReader, hosted: Hosted, memory: str) -> Fallen:
        """Return what of a memory is in quarantine as it stands. Raises LogError."""
        known = self._known.get(memory)
        with hosted.reading(memory) as graph:
            if graph is None:
                return Fallen(0, frozenset())
            seq, position = graph.header.seq, hosted.position
            if known is not None and known[0].seq == seq:
                return known[0]
        with self._lock:
            verdicts = self._verdicts.setdefault(hosted.number, _Verdicts())
        before = None if known is None else known[1]
        given = verdicts.of(log, hosted.number, memory, position, 0 if before is None else before.taken)
        with hosted.frozen(memory) as graph:
            if graph is None:
                return Fallen(0, frozenset())
            judged = _judged(log, hosted.number, graph, given, before)
            table = graph.node_table()
            now = table.keys[table.rows["status"] == Status.QUARANTINED].tolist()
            # Of what was folded since the turn, verdicts are not read yet: the next to ask does so.
            refs = judged.refs.keys()
            fallen = Fallen(seq, frozenset(now) | _still(graph, refs), _acts(graph, refs))
        with self._lock:
            self._known.pop(memory, None)
            if len(self._known) >= _MEMORIES_MAX:
                del self._known[next(iter(self._known))]
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


def _judged(log: LogReader, partition: int, graph: Graph, given: Sequence[_Given], known: _Judged | None) -> _Judged:
    """Take what verdicts of a memory have done since, of which the graph tells whether they were accepted."""
    refs = {} if known is None else dict(known.refs)
    for each in given:
        _note(graph, each, refs, lambda identity: _trust_at(log, partition, identity.offset))
    return _Judged((known.taken if known else 0) + len(given), refs)


def _note(graph: Graph, given: _Given, refs: dict[str, int], said: Callable[[Identity], int]) -> None:
    """Note what a verdict did. Of what is forgotten the law asks for no trust, since there it changes nothing.

    Here it would hide or show the past, so it takes as much as of what is there: that of what was ``said``, or judged.
    """
    identity = graph.identity(given.command_id)
    if identity is None or not identity.is_of(given.offset):
        return
    for node, verdict in given.items:
        ruled = refs.get(node, 0)
        of = accepted(graph, node)
        forgotten = of is not None and of.kind in _MAKE_NODES and made(graph, of) is None
        if verdict == "quarantine":
            if of is None or not forgotten or given.trust >= said(of):
                refs[node] = max(ruled, given.trust)
        elif not forgotten or given.trust >= ruled:
            refs.pop(node, None)


def _given_in(record: LogRecord) -> _Given | None:
    """Return the verdict that a record gives, if it takes something into quarantine or releases it."""
    if record.value is None or _MARK not in record.value:
        return None
    decoded = decode(record.value)
    if isinstance(decoded, Refused) or not isinstance(decoded.command, Judge):
        return None
    items = tuple((each.node, each.verdict) for each in decoded.command.body.items if each.verdict in _LIFTED_OR_PUT)
    return _Given(record.offset, decoded.command_id, trust_of(decoded.command), items) if items else None


def _trust_at(log: LogReader, partition: int, offset: int) -> int:
    """Return how far what a record says is trusted; as far as can be where it cannot be read any more."""
    found = next((each for each in records_in(log, partition, offset, offset + 1) if each.offset == offset), None)
    command = command_of(None if found is None else found.value)
    return TRUST_MAX if isinstance(command, Refused) else trust_of(command)
