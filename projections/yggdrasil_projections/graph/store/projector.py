"""Fold a log's partition into its store: the loop that every host of the graph runs."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from yggdrasil_infra.log import LogDamagedError, LogReader, LogRecord
from yggdrasil_infra.rocks.database import StoragePoisonedError
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import AWAY, ExitCode, local

from ..fold import Answer, Fold, UnknownVersionError
from .chain import record_hash
from .digest import state_digest
from .store import GraphStore, StoreMismatchError

BATCH_RECORDS_MAX: Final = 500  # larger batches write hot records less often; smaller ones answer sooner
_ATTESTATIONS_WAITING_MAX: Final = 4  # each holds a snapshot open, which keeps old files on the disk


class LogMismatchError(StoreMismatchError):
    """The log no longer holds what the store was folded from."""

    kind = local("record_altered", ExitCode.DIFFERENT)


class ProjectorStoppedError(YggdrasilError):
    """An earlier batch failed half way; this projector folds no more. Open the store again."""

    kind = AWAY


class Folds(Protocol):
    """What folds records into the graphs of a store; the laws alone, unless something is to be otherwise."""

    def apply(self, record: LogRecord) -> Answer:
        """Fold one record, as ``Fold.apply`` does."""
        ...


class Applied(NamedTuple):
    """A record and what the fold said of it."""

    record: LogRecord
    answer: Answer


class Projector:
    """Folds one partition of ``log`` into ``store``, from the store's own position."""

    def __init__(self, log: LogReader, store: GraphStore, fold: Folds | None = None) -> None:
        """Verify that the store is the fold of a prefix of this log; ``fold`` is another than that of the laws alone.

        Raises LogMismatchError when the log is shorter than the store, no longer reaches back to its position, or
        holds another record where the store's last one was.
        """
        self.log = log
        self.store = store
        own = Fold(store.pin.partition, store.pin.partitions, store, store.state.enabled)
        self._fold: Folds = own if fold is None else fold
        self._stopped = False
        self._attestor = ThreadPoolExecutor(1, "attest")
        self._attesting: deque[Future[None]] = deque()
        self.verify()

    def verify(self) -> None:
        """Raise LogMismatchError when the store is not, or no longer, the fold of a prefix of the log."""
        verify_against_log(self.log, self.store)

    def advance(self, records_max: int = BATCH_RECORDS_MAX, enough: Callable[[], bool] | None = None) -> list[Applied]:
        """Read up to ``records_max`` further records from the store's position and ``apply`` them; none: caught up.

        Raises what ``apply`` raises, and LogError, which leaves the projector as it was.
        """
        self._check_running()
        return self.apply(self.log.read(self.store.pin.partition, self.store.state.position, records_max), enough)

    def apply(self, records: Sequence[LogRecord], enough: Callable[[], bool] | None = None) -> list[Applied]:
        """Fold ``records``, which follow each other in the log; return those that were folded, with their answers.

        1. A record at or below the position is done: it is passed over, as often as it is delivered.
        2. Fold each record into the working set, until the host has ``enough``: it may have to let others have their
           turn. An attest ends the batch too, so that the store stands at its seq.
        3. Commit records, position and chain in one write.
        4. Compute the digest of an attest from a snapshot, off this thread.

        What comes after is left for the next call. Raises UnknownVersionError after committing what came
        before it, BrokenInvariantError, and StorageError when the commit failed; then the projector is stopped, and
        after the last two the store refuses everything: its graphs hold what was not committed. Raises
        LogDamagedError when offsets do not rise: no checksum of Kafka covers them, and records would be passed over.
        """
        self._check_running()
        if any(before.offset >= after.offset for before, after in pairwise(records)):
            raise LogDamagedError(
                f"partition {self.store.pin.partition}: offsets between {records[0].offset} and {records[-1].offset} "
                "are not in order. The log's files were altered; restore the partition from another replica."
            )
        position, fold = self.store.state.position, self._fold.apply
        applied: list[Applied] = []
        try:
            for record in records:
                if record.offset < position:  # 1
                    continue
                answer = fold(record)  # 2
                applied.append(Applied(record, answer))
                if answer.attests or (enough is not None and enough()):
                    break
        except UnknownVersionError:
            self._stopped = True
            self._commit(applied)
            raise
        except BaseException as error:
            self._fail(error)
            raise
        self._commit(applied)  # 3
        if applied and applied[-1].answer.attests:
            self._attest(applied[-1].answer)  # 4
        return applied

    def check(self) -> None:
        """Raise StorageError or ProjectorStoppedError when nothing can be folded any more; safe from any thread."""
        self._check_running()
        self.store.check()

    def catch_up(self) -> int:
        """Fold everything that the log holds now; return how many records."""
        folded = 0
        while applied := self.advance():
            folded += len(applied)
        return folded

    @property
    def attestations_settled(self) -> bool:
        """Whether the digests of all attests so far are kept, or lost; safe from any thread."""
        return all(each.done() for each in list(self._attesting))

    def settle_attestations(self) -> None:
        """Wait until the digests of all attests so far are kept; raise what stopped one of them."""
        while self._attesting:
            self._attesting.popleft().result()

    def close(self) -> None:
        """Finish the digests under way and close the store."""
        try:
            self.settle_attestations()
        finally:
            self._attestor.shutdown()
            self.store.close()

    def _check_running(self) -> None:
        if self._stopped:
            with suppress(StoragePoisonedError):
                self.store.check()  # of damage it says what to do
            raise ProjectorStoppedError(f"{self.store.path}: an earlier batch failed; restart the process")

    def _commit(self, applied: list[Applied]) -> None:
        if not applied:
            return
        try:
            self.store.commit(applied)
        except BaseException as error:
            self._fail(error)
            raise

    def _fail(self, error: BaseException) -> None:
        self._stopped = True
        self.store.poison(f"a batch failed half way: {error!r}")

    def _attest(self, answer: Answer) -> None:
        frozen = self.store.frozen(answer.memory or "")

        def keep() -> None:
            try:
                self.store.put_attestation(frozen.prefix, answer.seq, state_digest(*frozen))
            finally:
                frozen.view.close()

        self._attesting.append(self._attestor.submit(keep))
        while len(self._attesting) > _ATTESTATIONS_WAITING_MAX:
            self._attesting.popleft().result()


def verify_against_log(log: LogReader, store: GraphStore) -> None:
    """Raise LogMismatchError for a store that is not the fold of a prefix of this log (design, section 6)."""
    partition, state = store.pin.partition, store.state
    start, end = log.start_offset(partition), log.end_offset(partition)
    if state.position > end:
        raise LogMismatchError(
            f"{store.path} has folded partition {partition} up to offset {state.position}, but the log ends at {end}: "
            "acknowledged records are missing from the log. Restore the log before anything else is appended."
        )
    if state.position < start:
        raise LogMismatchError(
            f"{store.path} needs partition {partition} from offset {state.position}, but the log begins at {start}: "
            "records were deleted. Restore them, or start from a checkpoint at or after that offset."
        )
    if state.last_offset < max(start, 0):
        return
    last = log.read(partition, state.last_offset, 1)
    if not last or last[0].offset != state.last_offset or record_hash(last[0]) != store.record_hash(state.last_offset):
        raise LogMismatchError(
            f"{store.path}: the record at offset {state.last_offset} of partition {partition} is not the one that was "
            "folded. The log was truncated or altered, or this store belongs to another log."
        )
