"""A path as it is compared with others: up to its end, by where each feature first stands on it."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from .remembered import Path, Reflections


class Stands(NamedTuple):
    """Where each feature first stands on a path; ``features`` are all of them, ``opening`` those of its first step."""

    at: Mapping[str, int]
    features: frozenset[str]
    opening: frozenset[str]


class Compared(NamedTuple):
    """A path as it is compared: where each feature first stands on it, and how it ended.

    ``opening`` are the features of its first step. ``side`` is +1 where ``end`` is good and -1 where it is bad;
    ``total`` is the sum of its own end and of what came later.
    """

    id: str
    path: Path
    stands: Stands
    end: float
    total: float
    side: int = 0

    @property
    def at(self) -> Mapping[str, int]:
        """Where each feature first stands on it."""
        return self.stands.at


def compared(state: Reflections, id_: str, path: Path, end: float, total: float, *, whole: bool) -> Compared:
    """Return a path as it is compared: up to the step that was judged last, for that one is the end and no cause of it.

    ``whole``: all of it, for what comes later; so it is when the episode was judged as a whole.
    """
    before = len(path.members)
    if not whole and not path.late:
        before = next((place for place in range(before - 1, -1, -1) if _is_judged(state, path, place)), before)
    known = _STANDS.setdefault(path, {})
    stands = known.get(before)
    if stands is None:
        if len(known) > 1:  # all of it, and up to what was judged last: which is another step now
            known.clear()
        stands = known[before] = _stands(state, path, before)
    return Compared(id_, path, stands, end, total)


def _is_judged(state: Reflections, path: Path, place: int) -> bool:
    step = state.steps[path.members[place]]
    return step.good + step.bad > 0


def _stands(state: Reflections, path: Path, before: int) -> Stands:
    """Return where each feature first stands before a step; it is the same as long as the path is remembered."""
    steps = [state.steps[member] for member in path.members]
    at: dict[str, int] = {}
    for place, step in enumerate(steps[:before]):
        for feature in step.features:
            at.setdefault(feature, place)
    opening = next((frozenset(step.features) for step in steps if step.features), frozenset[str]())
    return Stands(at, frozenset(at), opening)


_STANDS: Final = WeakKeyDictionary[Path, dict[int, Stands]]()  # by path, and up to which step: none is made anew
