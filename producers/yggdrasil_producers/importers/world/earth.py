"""Places on the earth: anchors of the realm ``earth``, and lengths in whole metres.

An anchor has the longitude and the latitude in whole 10^-7 degrees (about a centimetre), and the height in metres.
Lengths are made here, with floats, and recorded as whole metres: so the fold and every read only see whole numbers.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from itertools import pairwise
from math import asin, cos, radians, sin, sqrt
from typing import Any, Final, NamedTuple

from yggdrasil_schemas.anchors import EARTH, PER_DEGREE

from ..run import NotUnderstoodError, shown

RADIUS_M: Final = 6_371_008.8
"""The mean radius of the earth (IUGG), as haversine takes it."""
ROUND: Final = 360 * PER_DEGREE
"""Once around the earth, in 10^-7 degrees."""
_HEIGHT_MAX: Final = 100_000


class Spot(NamedTuple):
    """A point of the earth: longitude and latitude in whole 10^-7 degrees, the height in whole metres."""

    x: int
    z: int
    height: int = 0

    @property
    def anchor(self) -> str:
        """It as the anchor of a claim."""
        return f"{EARTH}/{self.x}/{self.height}/{self.z}"

    @property
    def degrees(self) -> str:
        """It in words: longitude and latitude."""
        return f"{_degrees(self.x)} {_degrees(self.z)}"

    @property
    def name(self) -> str:
        """What a place is called of which nothing else is known."""
        return f"place:{EARTH} {self.degrees}"


def spot_of(longitude: Any, latitude: Any, height: Any = None) -> Spot:
    """Return a point by its degrees, numbers or texts. Raises NotUnderstoodError for what is beyond the earth."""
    x, z = _whole("longitude", longitude, 180), _whole("latitude", latitude, 90)
    high = Decimal(0) if height is None else _decimal("height", height)
    return Spot(x, z, max(-_HEIGHT_MAX, min(_HEIGHT_MAX, int(high.to_integral_value(ROUND_HALF_EVEN)))))


def metres(spots: Sequence[Spot]) -> int:
    """Return the length of a line through points, in whole metres, by the haversine formula (Sinnott, 1984)."""
    return round(sum(_between(one, other) for one, other in pairwise(spots)))


def _between(one: Spot, other: Spot) -> float:
    north, south = (radians(each.z / PER_DEGREE) for each in (one, other))
    across = radians((other.x - one.x) / PER_DEGREE)
    half = sin((south - north) / 2) ** 2 + cos(north) * cos(south) * sin(across / 2) ** 2
    return 2 * RADIUS_M * asin(sqrt(min(1.0, half)))


def _whole(name: str, given: Any, most: int) -> int:
    degrees = _decimal(name, given)
    if abs(degrees) > most:
        raise NotUnderstoodError(f"{name} lies between -{most} and {most}, and is not {shown(given)}")
    return int((degrees * PER_DEGREE).to_integral_value(ROUND_HALF_EVEN))


def _decimal(name: str, given: Any) -> Decimal:
    try:
        found = Decimal(str(given)[:40]) if not isinstance(given, bool) else Decimal("nan")
    except InvalidOperation:
        found = Decimal("nan")
    if not found.is_finite() or abs(found.adjusted()) > 30:
        raise NotUnderstoodError(f"{name} is a number, and not {shown(given)}")
    return found


def _degrees(whole: int) -> str:
    sign, rest = "-" if whole < 0 else "", abs(whole)
    return f"{sign}{rest // PER_DEGREE}.{rest % PER_DEGREE:07d}"
