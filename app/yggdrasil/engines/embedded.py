"""The whole system in one process: the local log, the fold, the stores and retrieval, wired together.

One directory holds ``log/`` (the truth), ``graph/NNNN/`` (one store per partition) and ``views/`` (what is searched);
the last two are made from the log whenever they are missing. One process writes; others may read the log beside it.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from yggdrasil_infra.forking import stays
from yggdrasil_infra.locks import BriefHold
from yggdrasil_infra.log import CommandLog, DiskFullError, LogDamagedError, LogReader, Receipt
from yggdrasil_infra.paths import directory_at
from yggdrasil_infra.rocks.database import MemoryBudget, StorageDamagedError
from yggdrasil_infra.room import Room
from yggdrasil_infra.running.turns import Turns
from yggdrasil_infra.swap import settle
from yggdrasil_processors.auditing.rebuilding import VIEWS
from yggdrasil_processors.hosted import Hosted, once_in_the_log
from yggdrasil_processors.hosting import Hosting
from yggdrasil_processors.opening import Directories, StoreOpening
from yggdrasil_processors.past.ladder import Ladders, Spacing
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.graph.fold import Answer, known_answer
from yggdrasil_projections.graph.store.store import CACHED_RECORDS_MAX, GraphStore
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_projections.retrieval.errors import NotReadyError, NotYetError, UnknownMemoryError
from yggdrasil_projections.retrieval.index.view import BYTES_MAX, RetrievalView
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.partitions import partition_for

from .appending import APPEND_CHUNK, Placed
from .own_log import Hold, LogElsewhereError, brief, check_own_log, opened_log
from .past.attempts import Attempts
from .past.fallen import Quarantines
from .past.kept import PAST, Pasts
from .reading import Reading

__all__ = ["Embedded", "LogElsewhereError", "UnknownMemoryError", "check_own_log"]


class Embedded(Reading):
    """A log and its graphs in one directory. Safe to use from several threads; a context manager."""

    def __init__(
        self,
        path: Path,
        *,
        partitions: int | None = None,
        sliced: bool = False,
        index_bytes_max: int = BYTES_MAX,
        recover: bool = False,
        room_bytes: int | None = None,
        spacing: Spacing | None = None,
    ) -> None:
        """Open or create the directory; stores are opened, verified and caught up when they are first used.

        ``partitions`` is fixed when the directory is made (4 unless given); afterwards it may be left out. ``sliced``
        is for a host that serves: it folds in slices from the start, so that nobody waits long. Otherwise it does so
        as soon as a reader has had to wait. ``index_bytes_max`` is what the indexes may take in memory. ``recover``
        reads every store to its end first, sets a damaged one aside, and folds the log anew in its place.
        ``spacing`` says from which states a past can be begun.
        ``room_bytes`` of the disk stay free (256 MiB or 2 % unless given): appends end there. A directory on a disk
        that is full already is opened for reading alone, as far as it was folded. So is one in which this process may
        not write; what was not folded there yet is folded in a temporary directory.

        Raises PathError where no directory is or can be, LogElsewhereError for the directory of a worker, LogInUseError
        when another process writes here, ForkedError in a process forked from one that had a memory open, and LogError,
        StorageError or StoreError with the remedy in the message.
        """
        self.path = path = directory_at(path)  # once: what is made later belongs there, wherever a link leads by then
        check_own_log(path)
        self.ladders = ladders = Ladders(path, spacing)  # first, so that a slip leaves nothing held
        self._hold = Hold(path)
        self.turns = Turns()
        budget = MemoryBudget.of()
        self._caught_up: set[int] = set()  # partitions that have folded what was in the log when they were opened
        self.told: Callable[[Sequence[Draft]], object] | None = None
        """Is told of commands once they are appended and folded; it must not wait for anything."""
        self._counting = Lock()
        self._appending = 0  # callers that have appended, or are about to, and will fold it
        self.room = Room(path, room_bytes)
        self._brief: BriefHold | None = None
        try:
            self.log, self.only_read = opened_log(path, partitions, budget)
            self._brief = brief(path)
            if self.only_read is None:
                settle(path)  # now that nobody else is here: a rebuild may have ended half way
        except BaseException:
            self.served()
            self._hold.release()
            raise
        self.view = RetrievalView(path / VIEWS, index_bytes_max)
        self.quarantines = Quarantines()
        self.pasts = Pasts(lambda: self.log, self.reality_of, path / PAST, ladders=ladders, ranker=lambda: self.ranker)
        self.attempts = Attempts(path / PAST)
        full = isinstance(self.only_read, DiskFullError)
        places = Directories(path, None, recover, (self.view,), written=full or self.only_read is None)
        stores = StoreOpening(places, self.log, CACHED_RECORDS_MAX, budget)
        self.hosting = Hosting(
            self.log,
            stores,
            self.turns,
            sliced=sliced,
            read_only=full,
            passed=ladders.passed if self.only_read is None else None,
        )
        stays(self, f"the directory {path}")

    # What ``Reading`` needs of a host

    def place(self, drafts: Sequence[Draft], deadline_s: float | None = None) -> list[Placed]:
        """Append commands in order, fold up to the last, and return where each stands and what the fold said of it.

        It is this caller that folds, so there is no deadline. Raises NotFoldedError when a store fails once all of
        them are in the log.
        """
        self.check_room()
        hosts = {memory: self._check(self.partition(memory)) for memory in {draft.memory for draft in drafts}}
        with self._will_fold():
            receipts = self.log.append_many((draft.key, draft.value) for draft in drafts)
            with once_in_the_log([draft.value for draft in drafts]):
                answers = self._fold_to(receipts)
                placed = [
                    Placed(receipt, answers.get(receipt) or self._folded_by_others(hosts[draft.memory], draft, receipt))
                    for draft, receipt in zip(drafts, receipts, strict=True)
                ]
        if (told := self.told) is not None:  # read once: thinkers may be ended just now
            told(drafts)
        return placed

    def hosted(self, memory: str) -> Hosted:
        """Return the partition of ``memory``, caught up with the log but for what others are about to fold."""
        return self._fresh(self.partition(memory))

    def all_hosted(self) -> list[Hosted]:
        """Return all partitions, caught up with the log but for what others are about to fold."""
        return [self._fresh(partition) for partition in range(self.log.partitions)]

    def lags(self) -> list[Lag]:
        """Return how far every partition is whose store can be read."""
        opened = self.hosting.whole()
        return [Lag(hosted.number, hosted.position, self.log.end_offset(hosted.number)) for hosted in opened]

    @property
    def records(self) -> LogReader:
        """The log."""
        return self.log

    @property
    def where(self) -> str:
        """The directory."""
        return str(self.path)

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """As ``Reading.wait``, but not for what the log does not hold: whoever has a receipt has it from there."""
        hosted = self.hosted(memory)
        if after.partition == hosted.number and after.offset >= (end := self.log.end_offset(hosted.number)):
            raise NotYetError(after, hosted.position, end)
        super().wait(memory, after, deadline_s)

    @contextmanager
    def copying(self, memory: str) -> Generator[CommandLog]:
        """Lend the log, for appending to ``memory``. Raises DiskFullError, ReadOnlyError, LogError and StorageError."""
        self.check_room()
        self._check(self.partition(memory))
        yield self.log

    def fold_all(self, memory: str) -> None:
        """Fold what the log holds of the partition of ``memory``."""
        self.catch_up(memory=memory)

    # What only an engine in a directory offers

    def submit_many(self, drafts: Iterable[Draft], *, texts_first: bool = False) -> Iterator[tuple[Draft, Answer]]:
        """Append and fold commands chunk by chunk; yield each with its answer, in order.

        What has been answered before is answered again and not appended, so an import may be repeated at no cost.
        """
        drafts = iter(drafts)
        while chunk := list(islice(drafts, APPEND_CHUNK)):
            known = self._answered(chunk)
            new = [draft for at, draft in enumerate(chunk) if at not in known]
            fresh = iter(self.place(new))
            for at, draft in enumerate(chunk):
                answer = known.get(at) or next(fresh).answer
                if answer is not None:
                    yield draft, answer

    def behind(self, memory: str | None = None) -> int:
        """Return how many records the log holds beyond the stores, or beyond that of ``memory`` alone."""
        return sum(self.log.end_offset(hosted.number) - hosted.position for hosted in self._whole(memory))

    def catch_up(self, progress: Callable[[int], object] | None = None, memory: str | None = None) -> int:
        """Fold what the log holds beyond the stores, or beyond that of ``memory`` alone; return how many records.

        ``progress`` is called with the number of records of each batch.
        """
        folded = 0
        for hosted in self._whole(memory):
            with suppress(LogDamagedError, StorageDamagedError):  # which is told when this partition is used
                while batch := self.hosting.advance(hosted):
                    folded += len(batch)
                    if progress:
                        progress(len(batch))
        return folded

    def graph(self, memory: str) -> Graph:
        """Return the graph of ``memory``, for a caller that is alone here. Raises UnknownMemoryError."""
        graph = self.store(self.partition(memory)).peek(memory)
        if graph is None:
            raise UnknownMemoryError(memory, self.where)
        return graph

    def store(self, partition: int) -> GraphStore:
        """Return the store of ``partition``, caught up with the log, for a caller that is alone here."""
        hosted = self.hosting.open(partition)
        while self.hosting.advance(hosted):
            pass
        return hosted.store

    def partition(self, memory: str) -> int:
        """Return the partition of ``memory``."""
        return partition_for(memory.encode(), self.log.partitions)

    def check_room(self) -> None:
        """Raise DiskFullError or ReadOnlyError, with the remedy, when nothing is to be appended."""
        if self.only_read is not None:
            raise type(self.only_read)(str(self.only_read))
        self.room.check()

    def check(self) -> None:
        """Raise LogError or StorageError when a write has failed, in the log or in any store, and after closing.

        Damage that was met stops no more than its partition, and is in ``hosting.damage``.
        """
        self.log.end_offset(0)
        self.hosting.check()

    def close(self) -> None:
        """Close the stores, then the log; whoever waits for something hears of it. Closing twice is allowed."""
        self.hosting.end(NotReadyError("the memories here are being closed; open them again"))
        self.pasts.close()
        with self.turns.folding(), ExitStack() as closing:  # what fails to close keeps nothing open
            closing.callback(self.served)
            closing.callback(self._hold.release)
            closing.callback(self.log.close)
            closing.callback(self.view.close)
            closing.callback(self.hosting.close)

    def served(self) -> None:
        """Let nobody wait any longer for the directory, which was opened ``briefly``: it is served now, or not soon."""
        if self._brief is not None:
            self._brief.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Inside

    def _whole(self, memory: str | None) -> list[Hosted]:
        """Return the partitions that can be opened, or that of ``memory`` alone."""
        return self.hosting.whole(None if memory is None else [self.partition(memory)])

    def _check(self, partition: int) -> Hosted:
        """Raise before anything is appended that could not be folded: the log may be another one, or a write failed.

        A failed write in any partition stops them all, as it would end a process of our own; a version that one
        partition does not know stops that one alone.
        """
        hosted = self.hosting.check_folding(partition)
        self.check()
        return hosted

    def _fresh(self, partition: int) -> Hosted:
        """Return a partition that has folded all that was acknowledged: who appends now answers when it is folded."""
        hosted = self.hosting.open(partition)
        hosted.projector.check()
        end = self.log.end_offset(partition)
        while hosted.position < end and (partition not in self._caught_up or not self._appending):
            if not self.hosting.advance(hosted):
                break
        self._caught_up.add(partition)
        return hosted

    @contextmanager
    def _will_fold(self) -> Generator[None]:
        """Say that what is appended in here is folded in here too, so that readers need not."""
        with self._counting:
            self._appending += 1
        try:
            yield
        finally:
            with self._counting:
                self._appending -= 1

    def _fold_to(self, receipts: Sequence[Receipt]) -> dict[Receipt, Answer]:
        """Fold up to the last of ``receipts``; return the answers to those that this call has folded.

        Nothing else is kept: a store that is rebuilt has the whole log to fold.
        """
        wanted, answers = set(receipts), dict[Receipt, Answer]()
        for partition in {receipt.partition for receipt in receipts}:
            hosted = self.hosting.open(partition)
            last = max(receipt.offset for receipt in receipts if receipt.partition == partition)
            while hosted.position <= last and (batch := self.hosting.advance(hosted)):
                for record, answer in batch:
                    receipt = Receipt(record.partition, record.offset)
                    if receipt in wanted:
                        answers[receipt] = answer
        return answers

    def _folded_by_others(self, hosted: Hosted, draft: Draft, receipt: Receipt) -> Answer:
        """Return the answer to a command that another thread has folded."""
        with self.turns.folding():
            hosted.check()
            graph = hosted.store.peek(draft.memory)
            answer = known_answer(graph, draft.value, receipt.offset) if graph is not None else None
        if answer is None:
            raise BrokenInvariantError(f"{draft.memory}: command {draft.id} is in the log and was not folded")
        return answer

    def _answered(self, chunk: Sequence[Draft]) -> dict[int, Answer]:
        """Return the answers to those commands of ``chunk`` that were folded before, by their place in it."""
        hosts = {memory: self.hosted(memory) for memory in {draft.memory for draft in chunk}}
        with self.turns.folding():
            for hosted in hosts.values():
                hosted.check()
            graphs = {memory: hosted.store.peek(memory) for memory, hosted in hosts.items()}
            found = (
                (at, known_answer(graph, draft.value))
                for at, draft in enumerate(chunk)
                if (graph := graphs[draft.memory])
            )
            return {at: answer for at, answer in found if answer and answer.duplicate}
