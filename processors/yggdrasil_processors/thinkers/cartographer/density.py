"""Where places stand closer together than chance has it: at any scale, and in a realm of any shape.

Of places that are spread evenly around one of them, the nearest ``j`` of its ``2 j`` nearest lie within a share of the
area with a probability that depends on nothing but that share: it is a beta distribution, whatever the density is. So
distances to neighbours are compared with each other, and no radius, no area and no number of villages has to be known.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import lgamma, log, log1p
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.retrieval.reads.places.distance import Spot, offsets, squares

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
_SHARES_MAX: Final = 4_096
Indices = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Window(NamedTuple):
    """That so many nearest to a spot are so near: the logarithm of how probable that is, how many these are, less than
    zero, and which spots, sorted, with it.
    """

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
        sizes = np.array(_sizes(count))
        octaves = int(2 * sizes[-1] // sizes[0]).bit_length()  # sizes of one octave tell much the same
        limit = CHANCE / (count * (1 + octaves))
        shares = np.array([_share(size, limit) for size in sizes.tolist()])
        rough = shares * 1.1 / _CUT  # of areas; a share of lengths is the more, whatever it is
        found: list[Window] = []
        for centre in range(count):
            away = self._squares(centre)
            away[centre] = -1.0  # it comes before what is at the same place
            ranked = np.sort(away)
            likely = np.flatnonzero(np.maximum(ranked[sizes], 1.0) <= rough * ranked[2 * sizes] + 4.0)
            if len(likely):
                last = min(count - 1, 4 * int(sizes[likely[-1]]))
                near = np.flatnonzero(away <= ranked[last])
                order = near[np.argsort(away[near], kind="stable")]
                window = self._window(order, away[order], sizes[likely], shares[likely])
                found += [] if window is None else [window]
        return found

    def _window(self, order: Indices, away: Floats, sizes: Indices, most: Floats) -> Window | None:
        """Return the window around a spot that is least probable of those that are telling, by the order from there."""
        apart = self._whole(away, self._flat[order] | self._flat[order[0]])
        apart[0] = 0.0
        near, far = np.maximum.accumulate(apart)[sizes], apart[2 * sizes]
        thin = self._are_thin(order)
        narrow = thin[sizes] | thin[np.minimum(4 * sizes, len(order) - 1)]
        share = near / np.maximum(far, near)
        share = np.minimum(1.0, _CUT * np.where(narrow, share, share * share))
        telling = np.flatnonzero((near < far) & (share <= most))
        if not len(telling):
            return None
        chances = [(_log_tail(int(sizes[each]), float(share[each])), -int(sizes[each])) for each in telling]
        chance, others = min(chances)
        return Window(chance, others, np.sort(order[: 1 - others]).tolist())

    def grown(self, members: list[int], taken: set[int]) -> list[int]:
        """Return a village with what is joined to it as closely as its members are to each other, sorted."""
        own = np.array(members)
        steps = np.sort([np.partition(self._apart(one)[own], _OTHERS_MIN)[_OTHERS_MIN] for one in members])
        reach = steps[len(steps) * 9 // 10]
        beside = np.ones(len(self._spots), bool)
        beside[[*members, *taken]] = False
        near = np.zeros(len(self._spots), np.int64)
        inside, fresh = list(members), list(members)
        for _ in range(_ROUNDS_MAX):
            for one in fresh:
                near += self._apart(one) <= reach
            fresh = np.flatnonzero(beside & (near >= _OTHERS_MIN)).tolist()
            if not fresh:
                break
            inside += fresh
            beside[fresh] = False
            if len(inside) > _GROWN_MAX * len(members):
                return members
        return sorted(inside)

    def _squares(self, centre: int) -> Floats:
        up = np.where(self._flat | self._flat[centre], 0, self._y - self._y[centre])
        return squares(self._spots[centre], self._x, self._z, up)

    def _apart(self, one: int) -> Floats:
        """Return how far all spots are from one, in whole blocks; it is 0 from itself."""
        found = self._whole(self._squares(one), self._flat | self._flat[one])
        found[one] = 0.0
        return found

    def _whole(self, squared: Floats, flat: npt.NDArray[np.bool_]) -> Floats:
        found: Floats = np.floor(np.sqrt(np.maximum(squared, 0.0)))
        return np.maximum(found, np.where(flat, _CHUNK, 1.0))

    def _are_thin(self, order: Indices) -> npt.NDArray[np.bool_]:
        """Return of each number of spots whether so many of an order, and one more, lie along a road."""
        east, north = offsets(self._spots[int(order[0])], self._x[order], self._z[order])
        many, east_sum, north_sum = np.arange(1, len(order) + 1), np.cumsum(east), np.cumsum(north)
        a = np.cumsum(east * east) - east_sum * east_sum / many
        b = np.cumsum(east * north) - east_sum * north_sum / many
        c = np.cumsum(north * north) - north_sum * north_sum / many
        root = np.sqrt((a - c) ** 2 + 4 * b * b)
        thin: npt.NDArray[np.bool_] = a + c - root <= _THIN * (a + c + root)
        return thin


def _sizes(count: int) -> list[int]:
    """Return how many others are looked at: each number an eighth more than the one before."""
    found, size = list[int](), _OTHERS_MIN
    while 2 * size < count and size <= _OTHERS_MAX:
        found.append(size)
        size = max(size + 1, size * 9 // 8)
    return found


@lru_cache(_SHARES_MAX)
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


def _log_tail(others: int, share: float) -> float:
    """Return about the logarithm of that for a share below a half: of the first term, with the most that others add."""
    first = lgamma(2 * others) - lgamma(others + 1) - lgamma(others)
    first += others * log(share) + (others - 1) * log1p(-share)
    return first - log1p(-share / (1.0 - share) * (others - 1) / (others + 1))
