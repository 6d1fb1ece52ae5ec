"""The partitions of a log that one process folds and answers for itself: opened as they are needed, and looked after.

What is damaged stops its own partition and no other: it is met when a store is opened, read or folded.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock

from yggdrasil_infra.log import LogDamagedError, LogReader
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_infra.running.turns import Turns
from yggdrasil_projections.graph.store.projector import Applied, Projector
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_schemas.errors import YggdrasilError

from .damage import Damage
from .hosted import Hosted
from .opening import StoreOpening


class Hosting:
    """All partitions of ``log``, for the threads of one process."""

    def __init__(
        self,
        log: LogReader,
        stores: StoreOpening,
        turns: Turns,
        *,
        sliced: bool,
        read_only: bool,
        passed: Callable[[GraphStore], object] | None = None,
    ) -> None:
        """Open nothing yet. ``sliced``: fold in slices even while nobody waits; ``read_only``: fold nothing.

        ``passed`` is told of each store after each slice, in the fold's turn.
        """
        self._passed = passed
        self.damage = Damage()
        self._log = log
        self._stores = stores
        self._turns = turns
        self._sliced = sliced
        self._read_only = read_only
        self._opening = Lock()
        self._hosted: dict[int, Hosted] = {}
        self._ended: YggdrasilError | None = None

    def open(self, partition: int) -> Hosted:
        """Return a partition, opened and verified. Raises StorageDamagedError, and as ``StoreOpening.projector``.

        Once this has ended nothing is opened any more, since the directory may be another one's by then: it raises why.
        """
        self.damage.check_store(partition)
        hosted = self._hosted.get(partition)
        if hosted is not None:
            return hosted
        with self._opening, self._noticing(partition):
            hosted = self._hosted.get(partition)
            if hosted is None:
                if self._ended is not None:
                    self._log.end_offset(partition)  # or that it is closed, once it is
                    raise self._ended
                hosted = Hosted(self._projector(partition), self._turns, self._passed)
                self._hosted = {**self._hosted, partition: hosted}  # replaced and never changed: others read it
                if self._ended is not None:  # since then
                    hosted.end(self._ended)
            return hosted

    def whole(self, of: Iterable[int] | None = None) -> list[Hosted]:
        """Return all partitions that can be opened, or those ``of`` some; what is damaged is in ``damage`` then."""
        found: list[Hosted] = []
        for partition in range(self._log.partitions) if of is None else of:
            with suppress(LogDamagedError, StorageDamagedError):
                found.append(self.open(partition))
        return found

    def advance(self, hosted: Hosted) -> list[Applied]:
        """Fold what comes next, as ``Hosted.advance``; nothing when it can only be read."""
        if self._read_only:
            return []
        with self._noticing(hosted.number):
            return hosted.advance(sliced=self._sliced)

    def check(self) -> None:
        """Raise StorageError when a write has failed in any store. Damage stops no more than its partition."""
        for hosted in self._hosted.values():
            with suppress(StorageDamagedError), self._noticing(hosted.number):
                hosted.store.check()

    def check_folding(self, partition: int) -> Hosted:
        """Return a partition that can fold what is appended. Raises why it cannot, with the remedy."""
        hosted = self.open(partition)
        hosted.projector.check()
        self.damage.check_log(partition)
        return hosted

    def store_damaged(self, partition: int, error: StorageDamagedError) -> None:
        """Take notice of damage that somebody else has found in the store of ``partition``."""
        self.damage.of_store(partition, error)
        hosted = self._hosted.get(partition)
        if hosted is not None:
            hosted.store.damaged(str(error))

    def log_damaged(self, partition: int, error: LogDamagedError) -> None:
        """Take notice of damage that somebody else has found in the log of ``partition``."""
        self.damage.of_log(partition, error)

    def end(self, why: YggdrasilError) -> None:
        """Answer no more, and open nothing; whoever waits hears of it."""
        self._ended = why
        for hosted in self._hosted.values():
            hosted.end(why)

    def close(self) -> None:
        """Close all stores, in a turn of the caller's. Closing twice is allowed."""
        with self._opening, ExitStack() as closing:  # what fails to close keeps nothing open
            closing.callback(self._stores.close)
            for hosted in self._hosted.values():
                closing.callback(hosted.close)
            self._hosted = {}

    def _projector(self, partition: int) -> Projector:
        if self._read_only:
            return self._stores.read_only(partition)
        return self._stores.projector(partition, lambda _: None)

    @contextmanager
    def _noticing(self, partition: int) -> Generator[None]:
        try:
            yield
        except StorageDamagedError as error:
            self.damage.of_store(partition, error)
            raise
        except LogDamagedError as error:
            self.damage.of_log(partition, error)
            raise
