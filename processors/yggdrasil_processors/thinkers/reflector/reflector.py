"""The reflector: looks back over many episodes, and adjusts a little what they show (000, section 8)."""

from collections.abc import Sequence
from typing import ClassVar, Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Thinker
from .comparing import compare
from .deciding import decided
from .remembered import Reflections, take_in

EPISODES: Final = 8
"""After so many it reflects."""
EPISODES_SHARE: Final = 32
"""... or after one for so many that it remembers, if that is more: a few among many change little."""


class Reflector(Thinker[Reflections]):
    """Compares episodes that were alike and ended differently, and adjusts the steps by which they differ.

    It decides nothing but ``adjust``, at most 64 at once, and nothing at all where it finds nothing.
    """

    name: ClassVar[str] = "reflector"
    version: ClassVar[str] = "2"
    wakes: ClassVar[frozenset[str]] = frozenset({"commit_episode", "log_outcome"})
    follows: ClassVar[frozenset[str]] = frozenset({"chunker"})
    state = Reflections

    def observe(self, state: Reflections, happening: Happening) -> Sequence[Decision]:
        """Remember what happened; after every eighth episode, and seldomer with many, reflect."""
        if not take_in(state, happening):
            return ()
        state.since += 1
        return self._reflect(state) if state.since >= max(EPISODES, len(state.paths) // EPISODES_SHARE) else ()

    def rest(self, state: Reflections) -> Sequence[Decision]:
        """Reflect on what has come since the last time, if there is any."""
        return self._reflect(state) if state.since else ()

    def _reflect(self, state: Reflections) -> list[Decision]:
        state.since = 0
        found, gone = compare(state)
        return decided(state, found, gone)
