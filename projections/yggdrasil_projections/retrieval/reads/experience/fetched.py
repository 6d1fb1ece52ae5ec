"""Records of the log that a reading turned out to need: fetched between two turns, so that nobody waits for brokers."""

from collections.abc import Sequence
from typing import Final

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_schemas.errors import YggdrasilError

_AHEAD: Final = 64  # one fetch costs about as much for so many as for one, and what is needed often stands together


class NotFetchedError(YggdrasilError):
    """A record is needed that was not fetched yet."""

    def __init__(self, partition: int, offset: int) -> None:
        super().__init__(f"partition {partition}: offset {offset} is to be fetched")
        self.partition = partition
        self.offset = offset


class Fetched:
    """The records of one reading. What reads them begins again whenever one was missing, and is given it then."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self._records: dict[int, LogRecord | None] = {}

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return the record at ``offset`` if it was fetched and is there. Raises NotFetchedError."""
        if offset not in self._records:
            raise NotFetchedError(partition, offset)
        record = self._records[offset]
        return [] if record is None else [record]

    def fetch(self, missing: NotFetchedError) -> None:
        """Read what was missing, and some of what follows it. Raises LogError."""
        self._records[missing.offset] = None
        for record in self._log.read(missing.partition, missing.offset, _AHEAD):
            self._records[record.offset] = record
