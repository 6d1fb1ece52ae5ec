"""One partition as every host on Kafka folds it: when it looks at the log again, and when it halts."""

import logging
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_projections.graph.store.projector import Applied, Projector

_LOGGER: Final = logging.getLogger("yggdrasil.fold")
# A broker's files may be put back from a copy and grow again beyond our position: to the consumer that is the same log.
# It takes longer than this, so when nothing came for so long, the last record that was folded is read once more.
_TRUST_S: Final = 2.0


class Folding:
    """Folds what it is given, in order, and knows how far it is. Used by one thread at a time."""

    def __init__(self, projector: Projector) -> None:
        self.store = projector.store
        self.halted: str | None = None
        """Why this partition folds no more until a newer release takes over."""
        self._projector = projector
        self._folded_at = monotonic()  # or verified, which opening a projector does

    @property
    def position(self) -> int:
        """The offset of the next record to fold."""
        return self.store.state.position

    def trust(self) -> None:
        """Look at the log again if nothing was folded for a while. Raises LogError and LogMismatchError."""
        if monotonic() - self._folded_at > _TRUST_S:
            self.verify()
            self._folded_at = monotonic()

    def verify(self) -> None:
        """Raise LogMismatchError, with the remedy, when the log no longer holds what this store needs."""
        self._projector.verify()

    def apply(self, records: Sequence[LogRecord], enough: Callable[[], bool] | None = None) -> list[Applied]:
        """Fold the first of ``records`` in one durable batch, until ``enough``; return what was folded.

        An enabled version that this release does not know halts the partition where it stands; what was folded before
        it is durable, and is not returned. Raises BrokenInvariantError, LogDamagedError, and StorageError when a write
        failed; after these the process must end.
        """
        applied: list[Applied] = []
        try:
            applied = self._projector.apply(records, enough)
        except UnknownVersionError as error:
            self.halted = str(error)
            of = {"partition": self.store.pin.partition, "offset": error.offset}
            _LOGGER.critical("partition halted: %s", error, extra=of)
        self._folded_at = monotonic()
        return applied

    def left(self, records: Sequence[LogRecord]) -> Sequence[LogRecord]:
        """Return those of ``records`` that are still to be folded; none when the partition is halted."""
        position = self.position
        return [] if self.halted is not None else [record for record in records if record.offset >= position]

    def close(self) -> None:
        """Finish the digests under way and close the store."""
        self._projector.close()
