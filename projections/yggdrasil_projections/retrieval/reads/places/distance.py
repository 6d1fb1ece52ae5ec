"""How far apart two anchors of one realm are, in whole blocks, on earth in whole metres; in integers alone.

On earth the distance is equirectangular: degrees of longitude count by the cosine of the middle latitude. Up to 100 km
apart, and up to 80 degrees of latitude, it is less than half a percent off (docs/places.md).
"""

from math import inf, isqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.anchors import CHUNK_BITS, EARTH, Anchor

_TURN: Final = 3_600_000_000  # in 10^-7 degrees
_HALF: Final = _TURN // 2
_NANOMETRES: Final = 11_119_508
"""... in 10^-7 degrees of a great circle of the earth, whose mean radius is 6,371,008.8 m."""
_PER_MM: Final = 1_000_000
_STEP: Final = 1_000_000  # the cosines are a tenth of a degree apart, and between two of them leads a straight line
_ONE_BITS: Final = 20
_SLACK: Final = 1.001  # what floats are off is much less


def _cosines() -> tuple[int, ...]:
    """Return the cosines of 0 to 90 degrees in tenths, in 2^-20, by adding angles in whole numbers of 2^-60."""
    bits = 60
    angle = 3_622_009_729_038_561_421 // 1_800  # pi * 2^60
    square = angle * angle >> bits
    cosine_of_step = (1 << bits) - square // 2 + (square * square >> bits) // 24
    sine_of_step = angle - (angle * square >> bits) // 6
    cosine, sine, found = 1 << bits, 0, list[int]()
    for _ in range(901):
        found.append(max(0, cosine) >> (bits - _ONE_BITS))
        cosine, sine = (
            (cosine * cosine_of_step - sine * sine_of_step) >> bits,
            (sine * cosine_of_step + cosine * sine_of_step) >> bits,
        )
    return tuple(found)


_COSINES: Final = _cosines()


class Spot(NamedTuple):
    """Where something is: in a realm, in blocks (earth: 10^-7 degrees, y in metres); ``flat`` has no height."""

    realm: str
    x: int
    y: int
    z: int
    flat: bool = False

    @property
    def text(self) -> str:
        """The anchor of it: without a height that of its chunk."""
        if self.flat:
            return Anchor(self.realm, self.x >> CHUNK_BITS, None, self.z >> CHUNK_BITS).text
        return Anchor(self.realm, self.x, self.y, self.z).text

    @classmethod
    def of(cls, text: str) -> "Spot":
        """Return the spot of an anchor, of a chunk its centre. Raises ValueError."""
        anchor = Anchor.of(text)
        x, y, z = anchor.centre
        return cls(anchor.realm, x, y or 0, z, y is None)


def between(one: Spot, other: Spot) -> int | None:
    """Return how far apart two spots are: whole blocks, on earth whole metres, rounded down; None in two realms."""
    if one.realm != other.realm:
        return None
    dy = 0 if one.flat or other.flat else one.y - other.y
    dx, dz = one.x - other.x, one.z - other.z
    if one.realm != EARTH:
        return isqrt(dx * dx + dy * dy + dz * dz)
    east, north = _millimetres(dx, dz, one.z + other.z)
    up = dy * 1_000
    return isqrt(east * east + up * up + north * north) // 1_000


def likely_nearest(
    one: Spot, x: npt.NDArray[np.int64], z: npt.NDArray[np.int64], up: npt.NDArray[np.int64], count: int
) -> tuple[npt.NDArray[np.int64], float]:
    """Return the places of spots of the same realm among which the ``count`` nearest ones are, and a few more.

    ``up`` is how much higher each is, 0 where that is not known. Whoever asks measures these: all that are no farther
    away than the distance that comes with them are there.
    """
    if count >= len(x):
        return np.arange(len(x)), inf
    away = np.sqrt(squares(one, x, z, up))
    most = float(np.partition(away, count - 1)[count - 1])
    return np.flatnonzero(away <= most * _SLACK + 2), most


def squares(
    one: Spot, x: npt.NDArray[np.int64], z: npt.NDArray[np.int64], up: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return about the squares of how far spots of the same realm are from one, in blocks (earth: metres)."""
    east, north = offsets(one, x, z)
    height = up.astype(np.float64)
    found: npt.NDArray[np.float64] = east * east + north * north + height * height
    return found


def offsets(
    one: Spot, x: npt.NDArray[np.int64], z: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return about how far spots of the same realm are beside one and beyond it, in blocks (earth: metres)."""
    dx, dz = x - one.x, z - one.z
    if one.realm != EARTH:
        return dx.astype(np.float64), dz.astype(np.float64)
    metres = _NANOMETRES / 1e9
    turned: npt.NDArray[Any] = (dx + _HALF) % _TURN - _HALF
    east: npt.NDArray[np.float64] = turned * np.cos(np.radians((z + one.z) / 2e7)) * metres
    north: npt.NDArray[np.float64] = dz.astype(np.float64) * metres
    return east, north


def _millimetres(dx: int, dz: int, latitudes: int) -> tuple[int, int]:
    """Return differences of longitude and latitude, in 10^-7 degrees, as millimetres; and so the sum of latitudes."""
    dx = (dx + _HALF) % _TURN - _HALF
    at, rest = divmod(abs(latitudes) // 2, _STEP)
    cosine = _COSINES[at] * (_STEP - rest) + _COSINES[min(at + 1, len(_COSINES) - 1)] * rest
    return dx * _NANOMETRES * cosine // (_STEP * _PER_MM << _ONE_BITS), dz * _NANOMETRES // _PER_MM
