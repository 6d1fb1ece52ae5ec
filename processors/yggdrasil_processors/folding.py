"""One partition as every host on Kafka folds it: when it looks at the log again, and when it halts."""

import logging
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.fold import UnknownVersionError
from yggdrasil_projections.graph.store.projector import Applied, Projector
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import SYSTEM_TENANT, EnableVersion, system_memory

from .telling import told_of

_SYSTEM: Final = f"{SYSTEM_TENANT}/".encode()
_LOGGER: Final = logging.getLogger("yggdrasil.fold")
# A broker's files may be put back from a copy and grow again beyond our position: to the consumer that is the same log.
# It takes longer than this, so when nothing came for so long, the last record that was folded is read once more.
_TRUST_S: Final = 2.0


class Folding:
    """Folds what it is given, in order, and knows how far it is. Used by one thread at a time."""

    def __init__(self, projector: Projector, operators: frozenset[str] | None = None) -> None:
        """``operators`` are the sources whose word enables a version; None: whoever may write to the log."""
        self.store = projector.store
        self.halted: str | None = None
        """Why this partition folds no more until somebody has done what it says."""
        self._operators = operators
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
        stop = self._unauthorized(records)
        before = records[:stop]
        try:
            applied = self._projector.apply(before, enough)
        except UnknownVersionError as error:
            self.halted = str(error)
            at = next((one for one in records if one.offset == error.offset), None)
            of = {"partition": self.store.pin.partition, "offset": error.offset} if at is None else told_of(at)
            _LOGGER.critical("partition halted: %s", error, extra=of)
        if stop is not None and all(record.offset < self.position for record in before):
            self.halt(
                f"partition {records[stop].partition}, offset {records[stop].offset}: a version is enabled by a source "
                f"that is not among {', '.join(sorted(self._operators or ()))} (--operators). Find out who may write "
                "to the topic. If it is as it should be, add the source and start again; nothing is lost."
            )
        self._folded_at = monotonic()
        return applied

    def halt(self, why: str, cause: str | None = None) -> None:
        """Fold no more, and say why; the ``cause``, which may name files, is for our own log."""
        if self.halted is None:
            self.halted = why
            _LOGGER.critical("partition halted: %s", cause or why, extra={"partition": self.store.pin.partition})

    def _unauthorized(self, records: Sequence[LogRecord]) -> int | None:
        """Return which of ``records`` is the first that enables a version and is of no operator, if there is one."""
        if self._operators is None:
            return None
        for at, record in enumerate(records):
            if record.offset < self.position or not (record.key or b"").startswith(_SYSTEM):
                continue
            decoded = decode(record.value)
            if not (isinstance(decoded, Decoded) and isinstance(decoded.command, EnableVersion)):
                continue
            command, enabled = decoded.command, self.store.state.enabled
            stands = record.key == command.memory.encode() == system_memory(record.partition).encode()
            raises = enabled.raised(command.body.schema_version, command.body.rules_version) != enabled
            if stands and raises and command.source not in self._operators:
                return at
        return None

    def left(self, records: Sequence[LogRecord]) -> Sequence[LogRecord]:
        """Return those of ``records`` that are still to be folded; none when the partition is halted."""
        position = self.position
        return [] if self.halted is not None else [record for record in records if record.offset >= position]

    def close(self) -> None:
        """Finish the digests under way and close the store."""
        self._projector.close()
