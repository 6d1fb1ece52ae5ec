"""The scalars of all nodes, or all edges, of a memory as arrays in key order: what the scans of pruning rank.

A table is a cache. It is made from the store by the first scan, and brought up to date by the next ones with only
those records that have changed since: to read 250,000 edges from the store takes 0.25 s, and a memory that is full is
scanned about every 1,500 commands.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_STALE_SHARE: Final = 2  # a table of which half has changed is as well read anew; so what is stale is bounded
_ROWS_PER_RECORD: Final = 4  # a row takes some 50 bytes, a cached record more than 200


class Table:
    """Encoded keys and rows, each of one width, sorted by key; ``keys`` and ``rows`` show them by their layouts.

    ``stale`` holds the encoded rows that were stored since the last scan, None for those that were removed.
    """

    __slots__ = ("_key_layout", "_keys", "_row_layout", "_rows", "stale")

    def __init__(
        self, stored: Collection[tuple[bytes, bytes]], key_layout: np.dtype[Any], row_layout: np.dtype[Any]
    ) -> None:
        """Take the ``stored`` pairs, which are in key order."""
        self._key_layout = key_layout
        self._row_layout = row_layout
        self._keys = _encoded([key for key, _ in stored], key_layout)
        self._rows = _encoded([row for _, row in stored], row_layout)
        self.stale: dict[bytes, bytes | None] = {}

    @property
    def keys(self) -> npt.NDArray[Any]:
        """The keys, ascending."""
        return self._keys.view(self._key_layout)

    @property
    def rows(self) -> npt.NDArray[np.void]:
        """The scalars of each key."""
        return self._rows.view(self._row_layout)

    @property
    def records(self) -> int:
        """How many cached records the table counts for."""
        return len(self._rows) // _ROWS_PER_RECORD

    @property
    def outdated(self) -> bool:
        """Whether so much has changed that the table is best dropped."""
        return len(self.stale) * _STALE_SHARE > len(self._rows)

    def refresh(self, fresh: dict[bytes, bytes | None]) -> None:
        """Bring the table up to date with what is stale and then with ``fresh``, which is not stored yet."""
        changed = self.stale | fresh
        keys = _encoded(changed, self._key_layout)
        rows = _encoded(filter(None, changed.values()), self._row_layout)
        live = np.fromiter(map(bool, changed.values()), np.bool_, len(changed))
        row_of = np.cumsum(live) - 1  # of integers; only live keys have a row
        order = np.argsort(keys)  # unique: they are those of a dict
        keys, live, row_of = keys[order], live[order], row_of[order]
        at = np.searchsorted(self._keys, keys)
        known = at < len(self._keys)
        known[known] = self._keys[at[known]] == keys[known]

        self._rows[at[known & live]] = rows[row_of[known & live]]
        gone, added = at[known & ~live], live & ~known
        places = at[added] - np.searchsorted(gone, at[added])  # after the removal of what is gone
        self._keys = np.insert(np.delete(self._keys, gone), places, keys[added])
        self._rows = np.insert(np.delete(self._rows, gone), places, rows[row_of[added]])
        self.stale = {}


def _encoded(parts: Iterable[bytes], layout: np.dtype[Any]) -> npt.NDArray[np.bytes_]:
    """Return keys or rows as byte strings, which numpy compares as the store does, and moves as fast as it can.

    As fields it would move them one by one: 17 ms for 250,000 rows instead of 0.5.
    """
    whole: npt.NDArray[np.bytes_] = np.frombuffer(b"".join(parts), f"S{layout.itemsize}")
    return whole.copy()  # what is made of bytes cannot be written to
