"""What is damaged in a directory while it is open: which partitions answer no more, and which take nothing more."""

from collections.abc import Mapping
from threading import Lock

from yggdrasil_infra.log import LogDamagedError
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_projections.graph.store.store import GraphStore


class Damage:
    """Damaged partitions, as they are met. For any thread.

    A damaged store answers nothing, since an answer out of it could be any; its log has everything. A damaged log takes
    nothing more behind what it has lost, and what was folded from it before is answered as ever.
    """

    def __init__(self) -> None:
        self._changing = Lock()
        self._stores: dict[int, str] = {}  # replaced and never changed: others read it
        self._log: dict[int, str] = {}
        self._lost: frozenset[int] = frozenset()

    def of_store(self, partition: int, error: StorageDamagedError) -> None:
        """Take notice of damage to the store of ``partition``."""
        with self._changing:
            self._stores = {partition: str(error), **self._stores}

    def of_log(self, partition: int, error: LogDamagedError) -> None:
        """Take notice of damage to the log of ``partition``."""
        with self._changing:
            self._log = {partition: str(error), **self._log}

    def of_lost(self, partition: int) -> None:
        """Take notice that the log of ``partition`` no longer holds what its store needs."""
        with self._changing:
            self._lost |= {partition}

    def met(self, partition: int, error: Exception) -> None:
        """Take notice of ``error``, for which ``partition`` is not opened, or open no more."""
        if isinstance(error, StorageDamagedError):
            self.of_store(partition, error)
        else:
            self.of_lost(partition)

    def forget(self, partition: int) -> None:
        """Say no more of ``partition``: another process has it now."""
        with self._changing:
            self._stores = {at: why for at, why in self._stores.items() if at != partition}
            self._log = {at: why for at, why in self._log.items() if at != partition}
            self._lost -= {partition}

    @property
    def partitions(self) -> set[int]:
        """The partitions that are damaged in whatever way."""
        return {*self._stores, *self._log, *self._lost}

    def check_store(self, *partitions: int) -> None:
        """Raise StorageDamagedError, with the remedy, when the store of one of ``partitions`` is damaged."""
        for why in (self._stores[partition] for partition in partitions if partition in self._stores):
            raise StorageDamagedError(why)

    def check_log(self, partition: int) -> None:
        """Raise LogDamagedError, with the remedy, when the log of ``partition`` is damaged."""
        if why := self._log.get(partition):
            raise LogDamagedError(why)

    def told(self) -> str | None:
        """Return what is damaged, in a sentence without paths and with the remedy; None when nothing is."""
        stores, log, lost = sorted(self._stores), sorted(self._log), sorted(self._lost)
        said: list[str] = []
        if stores:
            said.append(
                f"the store of partition {_listed(stores)} is damaged, and answers nothing until it is mended: start "
                "once with --recover, or use `yggdrasil rebuild`"
            )
        if log:
            said.append(
                f"the log of partition {_listed(log)} is damaged, and takes nothing more: `yggdrasil verify` says what "
                "is lost, and `yggdrasil restore` brings a backup back"
            )
        return "; ".join([*said, *map(lost_words, lost)]) or None


def lost_words(partition: int) -> str:
    """Return what strangers are told of a partition whose log is not what its store needs."""
    return (
        f"partition {partition} is halted: its log has lost, altered or damaged what its store needs next; the last "
        "lines of this process say what, and what to do"
    )


def damaged_among(stores: Mapping[int, GraphStore]) -> dict[int, StorageDamagedError]:
    """Return those of ``stores``, by partition, that have met damage."""
    found: dict[int, StorageDamagedError] = {}
    for partition, store in stores.items():
        try:
            store.check()
        except StorageDamagedError as error:
            found[partition] = error
    return found


def _listed(partitions: list[int]) -> str:
    return ", ".join(map(str, partitions))
