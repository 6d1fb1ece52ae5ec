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
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.service.reads import Progress
from yggdrasil_schemas.codec import command_of, decode
from yggdrasil_schemas.commands import AssertClaim, CommitEpisode, FormConcept, Judge, LogOutcome, RecordEvent
from yggdrasil_schemas.graph.records import Identity, Status, node_number
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.refusals import Refused

OF_ONE_MAX: Final = 100_000
"""So many parts of verdicts of a memory are kept, at some 300 bytes each."""
OF_ALL_MAX: Final = 500_000
"""So many are kept of all memories of a partition."""
_LOOK_RECORDS: Final = 256
_LOOK_S: Final = 0.1
_MEMORIES_MAX: Final = 256  # of which it is remembered
_MARK: Final = b'"judge"'
_LIFTED_OR_PUT: Final = ("quarantine", "release")
_OUT: Final = (Status.REJECTED, Status.RESOLVED, Status.SUPERSEDED)
_MAKE_NODES: Final = frozenset(
    each.number for each in (RecordEvent, LogOutcome, CommitEpisode, FormConcept, AssertClaim)
)


def _on(done: int, total: int) -> None:
    """Read on, however far it is."""


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

    The partition is read once for all memories, and by one thread: the others wait for it. Of a memory so many parts of
    verdicts are kept, and of all so many; beyond that those of the memory that has the most are let go of, for good.
    """

    def __init__(self, of_one_max: int, of_all_max: int) -> None:
        self._lock = Lock()
        self._end = 0
        self._given: dict[bytes, list[_Given]] = {}
        self._parts: dict[bytes, int] = {}  # how many are kept of each
        self._all = 0
        self._full: set[bytes] = set()
        self._of_one_max = of_one_max
        self._of_all_max = of_all_max

    def of(
        self, log: LogReader, partition: int, memory: str, end: int, skip: int, look: Progress = _on
    ) -> list[_Given]:
        """Return those of a memory below an offset, without the first ``skip``.

        ``look`` is told how far it is, and may raise: what was read by then is kept. Raises InvalidAskError for a
        memory that has too many, and LogError.
        """
        while not self._lock.acquire(timeout=_LOOK_S):
            look(self._end, end)
        try:
            records = records_in(log, partition, max(self._end, log.start_offset(partition)), end)
            for count, record in enumerate(records, 1):
                given = _given_in(record)
                if given is not None and record.key is not None:
                    self._keep(record.key, given)
                self._end = record.offset + 1
                if count % _LOOK_RECORDS == 0:
                    look(self._end, end)
            if memory.encode() in self._full:
                raise InvalidAskError(
                    f"{memory} has had so many verdicts that quarantine or release that its past cannot be shown as "
                    "they have it today; an auditor asks with quarantined, and sees all of it"
                )
            found = self._given.get(memory.encode(), [])
            return [each for each in found[skip:] if each.offset < end]
        finally:
            self._lock.release()

    def _keep(self, key: bytes, given: _Given) -> None:
        if key in self._full:
            return
        self._given.setdefault(key, []).append(given)
        self._parts[key] = self._parts.get(key, 0) + len(given.items)
        self._all += len(given.items)
        if self._parts[key] > self._of_one_max:
            self._let_go(key)
        elif self._all > self._of_all_max:
            self._let_go(max(self._parts, key=lambda each: self._parts[each]))

    def _let_go(self, key: bytes) -> None:
        self._full.add(key)
        self._all -= self._parts.pop(key)
        del self._given[key]


class Quarantines:
    """What is in quarantine, of a host's memories. For any thread."""

    def __init__(self, of_one_max: int = OF_ONE_MAX, of_all_max: int = OF_ALL_MAX) -> None:
        """Keep so many parts of verdicts of a memory, and of all of a partition."""
        self._bounds = of_one_max, of_all_max
        self._lock = Lock()
        self._known: dict[str, tuple[Fallen, _Judged]] = {}
        self._verdicts: dict[int, _Verdicts] = {}  # by partition

    def of(self, log: LogReader, hosted: Hosted, memory: str, look: Progress = _on) -> Fallen:
        """Return what of a memory is in quarantine as it stands.

        ``look`` is told how many records of the partition of how many are read, and may raise; whoever asks again goes
        on from there. Raises InvalidAskError for a memory with too many verdicts, and LogError.
        """
        known = self._known.get(memory)
        with hosted.reading(memory) as graph:
            if graph is None:
                return Fallen(0, frozenset())
            seq, position = graph.header.seq, hosted.position
            if known is not None and known[0].seq == seq:
                return known[0]
        with self._lock:
            verdicts = self._verdicts.setdefault(hosted.number, _Verdicts(*self._bounds))
        before = None if known is None else known[1]
        given = verdicts.of(log, hosted.number, memory, position, 0 if before is None else before.taken, look)
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
