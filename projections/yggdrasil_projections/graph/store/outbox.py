"""The outbox: refusals that wait until the log has taken them, put there by the batch that folded the record."""

from collections.abc import Iterable, Iterator
from typing import Final

from yggdrasil_infra.rocks.database import Rocks
from yggdrasil_schemas.graph.codec import NUMBER

from .families import OUTBOX

_PAGE: Final = 10_000  # keys of one write; a broker that was away for a day may leave millions


class Outbox:
    """The refusals of one partition by log offset. Used by the fold's thread alone."""

    def __init__(self, db: Rocks) -> None:
        """Count what waits; that reads all of it, once."""
        self._db = db
        self.depth = sum(len(page) for page in self._pages(2**64 - 1))

    def waiting(self, after: int, count: int) -> list[tuple[int, bytes]]:
        """Return up to ``count`` refusals beyond offset ``after`` as (offset, JSON), in log order."""
        if count < 1:
            return []
        rows = self._db.scan(OUTBOX, b"", NUMBER.pack(after + 1), count)
        return [(int.from_bytes(key, "big"), data) for key, data in rows]

    def delete(self, offsets: Iterable[int]) -> None:
        """Forget what has been published; an offset at which nothing waits is passed over."""
        keys = [key for key in map(NUMBER.pack, set(offsets)) if self._db.get(OUTBOX, key) is not None]
        if not keys:
            return
        batch = self._db.batch()
        for key in keys:
            batch.delete(OUTBOX, key)
        self._db.write(batch)
        self.depth -= len(keys)

    def drop_below(self, offset: int) -> None:
        """Forget everything before ``offset``."""
        for page in self._pages(offset):
            self.delete(page)

    def _pages(self, end: int) -> Iterator[list[int]]:
        """Yield the offsets below ``end`` at which something waits; each page goes on behind the last one."""
        after = -1
        while page := [at for at, _ in self.waiting(after, _PAGE) if at < end]:
            yield page
            after = page[-1]
