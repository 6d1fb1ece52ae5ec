"""Where places stand closer together than chance has it: at any scale, and in a realm of any shape.

Of places that are spread evenly around one of them, the nearest ``j`` of its ``2 j`` nearest lie within a share of the
area with a probability that depends on nothing but that share: it is a beta distribution, whatever the density is. So
distances to neighbours are compared with each other, and no radius, no area and no number of villages has to be known.
"""

from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.retrieval.reads.places.distance import Spot, between, offsets, squares

MEMBERS_MIN: Final = 4
"""Fewer spots are no village."""
CHANCE: Final = 0.02
"""How probable it is at most, in one look at all places of a realm, that places which are spread evenly make one."""
_THIN: Final = 0.04  # a fifth as broad as long: along a road chance brings spots together more often than in a field
_CUT: Final = 2.0
"""In a corner of the known world only a quarter of the wider window is there, at the end of a road a half."""
_CHUNK: Final = 16  # where an anchor says no more than its chunk, nothing is nearer than that
_OTHERS_MIN: Final = MEMBERS_MIN - 1
_OTHERS_MAX: Final = 512
_HALVINGS: Final = 60
_GROWN_MAX: Final = 2
"""The sizes that are looked at stand close enough: what joins more leads out of the village."""
_ROUNDS_MAX: Final = 64
Numbers = npt.NDArray[np.int64]


class Window(NamedTuple):
    """That the ``others`` nearest to a spot are so near: how probable that is, and which spots these are, and it."""

    chance: float
    others: int
    members: list[int]


def clusters(spots: Sequence[Spot]) -> list[list[int]]:
    """Return the villages among spots of one realm, each of another place: sorted numbers, no spot in two of them.

    What is least probable comes first. It takes the square of the number of spots.
    """
    if len(spots) <= 2 * _OTHERS_MIN:
        return []
    field = _Field(spots)
    taken = set[int]()
    found: list[list[int]] = []
    for window in sorted(field.windows()):
        if taken.isdisjoint(window.members):
            members = field.grown(window.members, taken)
            taken.update(members)
            found.append(members)
    return found


class _Field:
    """The spots of a realm, as columns."""

    def __init__(self, spots: Sequence[Spot]) -> None:
        self._spots = spots
        self._x, self._y, self._z = (np.array([each[at] for each in spots], np.int64) for at in (1, 2, 3))
        self._flat = np.array([each.flat for each in spots])

    def windows(self) -> list[Window]:
        """Return around which spots too many are too near: of each the size that is least probable."""
        count = len(self._spots)
        sizes = _sizes(count)
        octaves = (2 * sizes[-1] // sizes[0]).bit_length()  # sizes of one octave tell much the same
        limit = CHANCE / (count * (1 + octaves))
        shares = [_share(size, limit) for size in sizes]
        inner, outer = np.array(sizes), 2 * np.array(sizes)
        rough = np.array(shares) * 1.1 / _CUT  # of areas; a share of lengths is the more, whatever it is
        found: list[Window] = []
        for centre in range(count):
            away = self._squares(centre)
            ranked = np.sort(away)
            likely = np.flatnonzero(np.maximum(ranked[inner], 1.0) <= rough * ranked[outer] + 4.0).tolist()
            if likely:
                order = [centre, *(each for each in np.argsort(away, kind="stable").tolist() if each != centre)]
                windows = (self._window(order, sizes[at], shares[at]) for at in likely)
                found += sorted(each for each in windows if each is not None)[:1]
        return found

    def _window(self, order: list[int], size: int, most: float) -> Window | None:
        """Return the window of the nearest ``size`` around a spot, by the order of all from there, if it is telling."""
        centre, members = order[0], order[: size + 1]
        near = max(self._apart(centre, each) for each in members[1:])
        far = self._apart(centre, order[2 * size])
        if near >= far:
            return None
        thin = self._is_thin(members) or self._is_thin(order[: 4 * size + 1])
        share = min(1.0, _CUT * near / far if thin else _CUT * near * near / (far * far))
        return Window(_tail(size, share), -size, sorted(members)) if share <= most else None

    def grown(self, members: list[int], taken: set[int]) -> list[int]:
        """Return a village with what is joined to it as closely as its members are to each other, sorted."""
        inside = set(members)
        steps = sorted(
            sorted(self._apart(one, other) for other in members if other != one)[_OTHERS_MIN - 1] for one in members
        )
        reach = steps[len(steps) * 9 // 10]
        beside = {each: 0 for each in range(len(self._spots)) if each not in inside and each not in taken}
        fresh = list(members)
        for _ in range(_ROUNDS_MAX):
            for one in fresh:
                likely = np.flatnonzero(self._squares(one) <= (reach + 2.0) ** 2 * 1.01)
                for other in likely.tolist():
                    if other in beside and self._apart(one, other) <= reach:
                        beside[other] += 1
            fresh = [each for each, near in beside.items() if near >= _OTHERS_MIN]
            if not fresh:
                break
            inside.update(fresh)
            for each in fresh:
                del beside[each]
            if len(inside) > _GROWN_MAX * len(members):
                return members
        return sorted(inside)

    def _squares(self, centre: int) -> npt.NDArray[np.float64]:
        up = np.where(self._flat | self._flat[centre], 0, self._y - self._y[centre])
        return squares(self._spots[centre], self._x, self._z, up)

    def _apart(self, one: int, other: int) -> int:
        least = _CHUNK if self._spots[one].flat or self._spots[other].flat else 1
        return max(least, between(self._spots[one], self._spots[other]) or 0)

    def _is_thin(self, members: list[int]) -> bool:
        east, north = offsets(self._spots[members[0]], self._x[members], self._z[members])
        east, north = east - east.mean(), north - north.mean()
        a, b, c = float((east * east).sum()), float((east * north).sum()), float((north * north).sum())
        root = sqrt((a - c) ** 2 + 4 * b * b)
        return a + c - root <= _THIN * (a + c + root)


def _sizes(count: int) -> list[int]:
    """Return how many others are looked at: each number an eighth more than the one before."""
    found, size = list[int](), _OTHERS_MIN
    while 2 * size < count and size <= _OTHERS_MAX:
        found.append(size)
        size = max(size + 1, size * 9 // 8)
    return found


@cache
def _share(others: int, chance: float) -> float:
    """Return within which share the nearest half of ``2 others`` lie with that probability."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(others, middle) <= chance else (low, middle)
    return low


def _tail(others: int, share: float) -> float:
    """Return how probable it is that ``others`` of ``2 others - 1`` lie within a share (a beta distribution)."""
    trials = 2 * others - 1
    term = 1.0
    for at in range(1, others + 1):  # of exactly ``others`` of them
        term *= share * (trials - at + 1) / at
        term *= 1.0 - share if at < others else 1.0
    total = term
    if share >= 1.0:
        return 1.0
    for at in range(others + 1, trials + 1):
        term *= share / (1.0 - share) * (trials - at + 1) / at
        total += term
    return total
