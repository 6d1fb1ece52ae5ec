"""Spare Python's garbage collector what lives on: a choice of the host of a fold, never of the library.

The collector looks at every new object at least once, and a fold leaves 18 of them per command that live for hours: to
look at these took 4 us of each command. Nothing of a fold is garbage that only the collector finds.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic
from typing import Final, Self

from .periodic import Periodic

_SETTLE_EVERY_S: Final = 60.0  # what others use at such a moment is kept for hours, and that must remain little
_ALL_EVERY_S: Final = 6 * 3_600.0  # it stops all threads for a second or two per million records in memory


class LongLived:
    """Puts what a fold leaves where the collector does not look. For the thread that folds."""

    def __init__(self, all_every_s: float = _ALL_EVERY_S) -> None:
        """``all_every_s`` seconds after it has last looked at everything, the collector does so again."""
        self._all_every_s = all_every_s
        self._looked = monotonic()

    @contextmanager
    def folding(self) -> Generator[None]:
        """Fold within this, as much as one turn of a host brings; nothing is collected meanwhile.

        1. Collect the garbage of whatever came before, also what a collection has passed over while it was in use: it
           must not be taken for what lives on.
        2. Fold.
        3. Take everything for long-lived. Cycles that other threads use at this moment become garbage later, which is
           found when everything is looked at.
        """
        gc.collect(1)  # 1
        gc.disable()
        try:
            yield  # 2
        finally:
            if monotonic() - self._looked > self._all_every_s:
                gc.unfreeze()
                gc.collect()
                self._looked = monotonic()
            gc.freeze()  # 3
            gc.enable()


class Settling(Periodic):
    """Does the same once a minute, from ``__enter__`` to ``__exit__``, for a host that folds between requests.

    After each slice would be too often: cycles of the requests that are under way at that moment would be kept, too.
    """

    def __init__(self, every_s: float = _SETTLE_EVERY_S, all_every_s: float = _ALL_EVERY_S) -> None:
        super().__init__("settling", self._settle, every_s)
        self._every_s = every_s
        self._long_lived = LongLived(all_every_s)

    def __enter__(self) -> Self:
        self._settle()
        return super().__enter__()

    def _settle(self) -> float:
        gc.collect()  # of what came since the last time: a minute may be long enough for the oldest generation
        with self._long_lived.folding():
            pass
        return self._every_s
