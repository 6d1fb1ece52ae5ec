"""The replay of one partition: from where it begins to where it is to end, with a stop wherever something is compared.

Where it stops, the digests of the memories are noted before anything else is folded. So whatever is interrupted, or
killed, is gone on with from where its store stands.
"""

import shutil
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.store.chain import record_hash
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX, Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.retrieval.past.moment import AsOf

from ..auditing.audit import Compared
from ..auditing.replay import AlteredRecordError, ReplayError, verify_chain
from .asked import Chosen, Edge, edge_of, records_of
from .beginning import Beginnings, begin, opened, seq_of
from .notes import SOME, WHOLE, Begun, Mark, Notes
from .told import Told, tell

_SEVERAL: Final = 2_000  # records of one read, of which few may be of the memories that are chosen
_COMPARED_EVERY: Final = 500


class Passing(Protocol):
    """Is told how far a replay is; it may raise to end it."""

    def __call__(self, records: int, /) -> object:
        """Take notice of so many more records that were passed."""
        ...

    def less(self, records: int, /) -> object:
        """Take notice that so many fewer are to be passed than there are in the log."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is to be replayed of ``partition``, into the directory ``into``; the log is read until before ``end``.

    The stretch is what comes after the moment ``since``, until ``until``. ``standing`` is the directory of a host whose
    store is compared, ``states`` where the replay may begin; without, with nothing. ``telling`` says that it is told
    what the records of the stretch did.
    """

    partition: int
    end: int
    into: Path
    chosen: Chosen = field(default_factory=Chosen)
    since: AsOf | None = None
    until: AsOf | None = None
    standing: Path | None = None
    states: Beginnings | None = None
    telling: bool = False

    @property
    def place(self) -> Path:
        """Where the replayed store is; one of some memories alone must not be taken for a whole one."""
        return self.into / (SOME if self.chosen.names else WHOLE) / f"{self.partition:04d}"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay of a partition found. ``at_end`` is how it stands; ``since`` how it stood as the stretch began.

    ``folded`` records were folded now, beyond those of an earlier replay that was ``resumed``. ``standing`` is how the
    store that is compared stands, and ``there`` how the replay stood at its position; None: there is no store, or the
    replay was not there. Where it was not, ``compared`` has what the store attested at the seqs of ``at_end``.
    """

    partition: int
    begun: Begun
    resumed: int | None
    folded: int
    records: int
    at_end: Mark
    since: Mark | None
    standing: Mark | None
    there: Mark | None
    compared: list[Compared]
    altered: AlteredRecordError | None
    told: Told | None

    @property
    def same(self) -> bool | None:
        """Whether nothing differs; None where nothing could be compared, or there was nothing yet."""
        if self.altered is not None:
            return False
        chains = self.standing is None or self.there is None or self.standing.chain == self.there.chain
        if not chains or not all(entry.same for entry in self.compared):
            return False
        return True if self.compared or (self.there is not None and self.there.position) else None


def replay_partition(task: Task, log: LogReader, progress: Passing) -> Replayed:
    """Replay a partition as ``task`` says; ``progress`` is told how many records were passed, and may raise to end it.

    Raises ReplayError where the stretch cannot be had, or where what stands in ``into`` is beyond it; LogMismatchError
    where the log begins later; and LogError, StoreError, StorageError and what folding raises.
    """
    pin = Pin(log.topic_id, log.partitions, task.partition)
    with ExitStack() as stack:
        standing = _standing(stack, task, pin)
        stretch = _stretch(log, task, None if standing is None else standing.state.position)
        notes = Notes.of(task.into, task.partition)
        projector, resumed = _opened(log, task, pin, notes, stretch)
        stack.callback(projector.close)
        store, folded = projector.store, projector.store.state.folded
        progress.less(store.state.position)
        end = _Walk(projector, task, notes, progress).through(stretch)
        progress.less(task.end - end)
        passed = None if stretch.there is None else notes.marks.get(stretch.there.named)
        since = None if stretch.since is None else notes.marks[stretch.since.named]
        begun = notes.begun or Begun()
        at_end = _mark(store, task.chosen, end)
        stands = None if standing is None else _mark(standing, task.chosen, standing.state.position)
        altered = None if standing is None else _altered(log, standing, task, end, passed, progress)
        told = None
        if task.telling:
            told = tell(log, store, task.chosen, since.position if since else begun.position, end, progress)
        return Replayed(
            partition=task.partition,
            begun=begun,
            resumed=resumed,
            folded=store.state.folded - folded,
            records=store.state.folded,
            at_end=at_end,
            since=since,
            standing=stands,
            there=passed,
            compared=[] if standing is None or stands is None else _compared(standing, stands, passed, at_end),
            altered=altered,
            told=told,
        )


class _Stretch(NamedTuple):
    """Where a replay stops: as the stretch begins, where the store stands that is compared, and at its end."""

    since: Edge | None
    there: Edge | None
    last: Edge

    @property
    def edges(self) -> list[Edge]:
        return [edge for edge in self if edge is not None]


def _stretch(log: LogReader, task: Task, position: int | None) -> _Stretch:
    """Return where to stop, given where the store stands that is compared. Raises ReplayError."""

    def edge(moment: AsOf | None) -> Edge | None:
        return None if moment is None else edge_of(log, task.partition, task.end, task.chosen, moment)

    since, last = edge(task.since), edge(task.until) or Edge(offset=task.end)
    if since is not None and since.offset is not None and last.offset is not None and since.offset > last.offset:
        raise _swapped(task)
    return _Stretch(since, None if position is None else Edge(offset=position), last)


def _swapped(task: Task) -> ReplayError:
    begins = task.since.written if task.since else ""
    ends = task.until.written if task.until else ""
    return ReplayError(f"partition {task.partition}: the stretch would begin at {begins} and end before, at {ends}")


def _standing(stack: ExitStack, task: Task, pin: Pin) -> GraphStore | None:
    """Open the store that is compared, read-only, if there is one."""
    path = None if task.standing is None else task.standing / "graph" / f"{task.partition:04d}"
    if path is None or not (path / "CURRENT").exists():
        return None
    return stack.enter_context(GraphStore(path, pin, MemoryBudget.of(), read_only=True))


def _opened(log: LogReader, task: Task, pin: Pin, notes: Notes, stretch: _Stretch) -> tuple[Projector, int | None]:
    """Open the store that was begun, and return with it where it stands, or begin one."""
    place = task.place
    if place.exists() and notes.begun is None:
        shutil.rmtree(place)  # of a process that was killed before it could say what it had begun with
    if not place.exists():
        projector, notes.begun = begin(log, place, pin, task.chosen, stretch.edges, task.states)
        notes.keep()
        return projector, None
    if notes.begun is not None and notes.begun.kind != Begun().kind and task.states is None:
        raise ReplayError(
            f"{place} was begun with a {notes.begun.kind}, and not with the log's first record: go on with "
            "--from-checkpoint, or name a fresh directory"
        )
    projector = opened(log, place, pin)
    return projector, projector.store.state.position


class _Walk:
    """The fold of a partition from stop to stop."""

    def __init__(self, projector: Projector, task: Task, notes: Notes, progress: Passing) -> None:
        self._projector = projector
        self._store = projector.store
        self._task = task
        self._notes = notes
        self._progress = progress
        self._offset = self._store.state.position
        self._seq = seq_of(self._store, task.chosen)

    def through(self, stretch: _Stretch) -> int:
        """Fold to the end of a stretch, and note how the memories stand at each stop; return the offset there."""
        left = [edge for edge in stretch.edges if not self._behind(edge, stretch)]
        while True:
            for edge in [each for each in left if each.reached(self._offset, self._seq)]:
                left.remove(edge)
                if edge.named not in self._notes.marks:
                    self._notes.marks[edge.named] = _mark(self._store, self._task.chosen, self._offset)
                    self._notes.keep()
            if stretch.last not in left:
                break
            if self._offset >= self._task.end:
                raise self._not_yet(stretch.last)
            offsets = [edge.offset for edge in left if edge.offset is not None]
            seqs = [edge.seq for edge in left if edge.seq is not None]
            self._fold(min([*offsets, self._task.end]), min(seqs, default=None))
        if stretch.since is not None and stretch.since in left:
            raise _swapped(self._task)
        return self._notes.marks[stretch.last.named].position

    def _behind(self, edge: Edge, stretch: _Stretch) -> bool:
        """Whether a stop was made by a replay that was interrupted, or is passed over. Raises ReplayError."""
        if not edge.passed(self._offset, self._seq):
            return False
        if edge != stretch.there and edge.named not in self._notes.marks:
            raise ReplayError(
                f"partition {self._task.partition} was replayed to offset {self._offset} in {self._task.into}, and "
                f"that is beyond {edge.named}, where the stretch begins or ends: name a fresh directory"
            )
        return True

    def _fold(self, until_offset: int, until_seq: int | None) -> None:
        """Fold on until an offset or a seq, whichever comes first."""
        log, partition = self._projector.log, self._task.partition
        while self._offset < until_offset and (until_seq is None or self._seq < until_seq):
            read = log.read(partition, self._offset, min(_SEVERAL, until_offset - self._offset))
            records: list[LogRecord] = [record for record in read if record.offset < until_offset]
            whole = not read or len(records) < len(read)  # then only a gap lies between these and the offset
            before, after = self._offset, until_offset if whole else records[-1].offset + 1
            left: list[LogRecord] = list(filter(self._task.chosen.takes, records))
            while left and (until_seq is None or self._seq < until_seq):
                # A record moves a memory by at most one seq, so this many cannot overshoot.
                most = BATCH_RECORDS_MAX if until_seq is None else min(BATCH_RECORDS_MAX, until_seq - self._seq)
                for _, answer in self._projector.apply(left[:most]):
                    if answer.memory == self._task.chosen.one:
                        self._seq = max(self._seq, answer.seq)
                left = [record for record in left if record.offset >= self._store.state.position]
                self._offset = self._store.state.position if left else after
                self._progress(self._offset - before)
                before = self._offset
            if not left:
                self._offset = after
                self._progress(after - before)

    def _not_yet(self, edge: Edge) -> ReplayError:
        memory = self._task.chosen.one
        return ReplayError(
            f"{memory} stands at seq {self._seq} at the end of the log; {edge.named} has not happened yet"
        )


def _mark(store: GraphStore, chosen: Chosen, position: int) -> Mark:
    """Return how a store stands."""
    seqs = {header.memory: header.seq for header in store.headers() if chosen.has(header.memory)}
    chain = "" if chosen.names else store.state.chain.hex()  # that of some memories alone is not the log's
    return Mark(position, chain, {memory: store.digest(memory) for memory in seqs}, seqs)


def _altered(
    log: LogReader, standing: GraphStore, task: Task, end: int, passed: Mark | None, progress: Passing
) -> AlteredRecordError | None:
    """Return the first record that is not the one that the store was folded from, as far as both were looked at."""
    position = standing.state.position
    if position > task.end:
        return AlteredRecordError(task.partition, task.end)
    whole = not task.chosen.names and log.start_offset(task.partition) == 0
    if whole and (passed is not None or task.until is None):
        try:
            verify_chain(log, standing, lambda _: progress(0))
        except AlteredRecordError as error:
            return error
        return None
    for number, record in enumerate(records_of(log, task.partition, min(end, position), task.chosen)):
        if standing.record_hash(record.offset) != record_hash(record):
            return AlteredRecordError(task.partition, record.offset)
        if number % _COMPARED_EVERY == 0:
            progress(0)
    return None


def _compared(standing: GraphStore, stands: Mark, passed: Mark | None, at_end: Mark) -> list[Compared]:
    """Compare the memories where the store stands; or, if the replay was not there, with what was attested before."""
    if passed is not None:
        names = sorted({*stands.digests, *passed.digests})
        return [Compared(name, stands.digests.get(name), passed.digests.get(name)) for name in names]
    attested = (
        (memory, standing.attestations(memory).get(seq)) for memory, seq in at_end.seqs.items() if memory in stands.seqs
    )
    return [Compared(memory, digest, at_end.digests[memory]) for memory, digest in attested if digest is not None]
