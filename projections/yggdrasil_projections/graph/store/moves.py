"""Which memories of a store have moved lately, and where in the log.

Whoever looks at many memories again and again, as thinkers do, asks for those that moved since, and not one by one. It
is kept in memory alone: after a start nothing is known of what came before, and whoever asks for that lists them all.
"""

from collections.abc import Iterable
from itertools import takewhile
from typing import Final

MOVED_MAX: Final = 65_536
"""Of so many memories it is known where they moved last: some 10 MB. Older ones are forgotten first."""


class Moves:
    """The memories that moved since a position in the log, those that moved last at the end. For one thread."""

    def __init__(self, position: int, most: int = MOVED_MAX) -> None:
        """Know nothing of what came before ``position``, and at most ``most`` memories."""
        self._known_from = position
        self._most = most
        self._moved: dict[str, int] = {}

    def committed(self, memories: Iterable[str], position: int) -> None:
        """Take notice that ``memories`` have moved with a batch that ends before the offset ``position``."""
        for memory in memories:
            self._moved.pop(memory, None)
            self._moved[memory] = position
        while len(self._moved) > self._most:
            self._known_from = self._moved.pop(next(iter(self._moved)))

    def beyond(self, position: int) -> list[tuple[str, int]] | None:
        """Return the memories that moved in batches that ended beyond ``position``, with where these ended, in order.

        None where it is not known any more. A memory may be among them that stood so at ``position`` already.
        """
        if position < self._known_from:
            return None
        latest_first = takewhile(lambda each: each[1] > position, reversed(self._moved.items()))
        return list(latest_first)[::-1]
