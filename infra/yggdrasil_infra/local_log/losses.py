"""Which records of a local log cannot be read any more: a damaged block hides some, and those behind it are sound."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from ..log import LogDamagedError, LogRecord
from .log import LocalLog

_PAGE: Final = 500

Read = Callable[[int], object]
"""Called with the bytes of each piece that was read; it may wait, and may raise."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Records that cannot be read: offsets ``first`` to ``last``, both included, and what was said of the first."""

    partition: int
    first: int
    last: int
    why: str

    @property
    def count(self) -> int:
        """How many records they are."""
        return self.last - self.first + 1

    def __str__(self) -> str:
        said = f"offset {self.first}" if self.count == 1 else f"offsets {self.first} to {self.last}"
        return f"partition {self.partition}, {said}: {self.count} records cannot be read. {self.why}"


def readable(log: LocalLog, partition: int, start: int = 0, read: Read | None = None) -> Iterator[LogRecord | Lost]:
    """Yield every record of ``partition`` from ``start`` on, and in their places those that are lost."""
    offset, end = start, log.end_offset(partition)
    lost: Lost | None = None
    count = _PAGE
    while offset < end:
        try:
            records = log.read(partition, offset, count)
        except LogDamagedError as error:
            if count > 1:
                count = 1  # one by one, until there is something to read again
                continue
            lost = (
                Lost(partition, lost.first, offset, lost.why) if lost else Lost(partition, offset, offset, str(error))
            )
            offset += 1
            continue
        if lost is not None:
            yield lost
            lost = None
            count = 1
        yield from records
        if read is not None:
            read(sum(len(record.value or b"") for record in records))
        offset += len(records)
        count = min(_PAGE, 2 * count)
    if lost is not None:
        yield lost


def losses(log: LocalLog, partition: int, read: Read | None = None) -> list[Lost]:
    """Read all of ``partition`` and return what cannot be read."""
    return [one for one in readable(log, partition, read=read) if isinstance(one, Lost)]
