"""Anchors: where a place is, in one spelling, so that equal places are equal texts.

``overworld/120/64/-33`` is a realm and x, y, z: whole numbers, of which y is the height. ``overworld/7/-3`` is a chunk
of 16 x 16 blocks of a realm, without a height: blocks 112 to 127, and -48 to -33. In the realm ``earth`` x is the
longitude and z the latitude, both in 10^-7 degrees, and y are metres; it has no chunks.
"""

from typing import Final, NamedTuple

EARTH: Final = "earth"
"""The realm of degrees and metres."""
PER_DEGREE: Final = 10_000_000
"""So many of its units a degree has."""
CHUNK_BITS: Final = 4
"""A chunk is 2^4 blocks wide."""
COORDINATE_MAX: Final = 2**31 - 1
LONGITUDE_MAX: Final = 1_800_000_000
LATITUDE_MAX: Final = 900_000_000
_NUMBER: Final = r"(0|-?[1-9][0-9]{0,9})"
PATTERN: Final = rf"^[a-z0-9][a-z0-9_.-]{{0,31}}/{_NUMBER}/{_NUMBER}(/{_NUMBER})?$"
"""The form of an anchor; how far its numbers go is for ``Anchor.of`` to say."""
ANCHOR_CHARS_MAX: Final = 32 + 3 * 12
_REALM_CHARS_MAX: Final = 32
_BEGINS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_REALM: Final = _BEGINS | frozenset("_.-")
_DIGITS: Final = frozenset("0123456789")
_EXPECTED: Final = "an anchor is a realm and x, y, z with slashes between, or a realm and a chunk"


class Anchor(NamedTuple):
    """A place in a realm: blocks (``earth``: 10^-7 degrees), or without a height (``y`` None) a chunk of blocks."""

    realm: str
    x: int
    y: int | None
    z: int

    @classmethod
    def of(cls, text: str) -> "Anchor":
        """Return what a text says. Raises ValueError for one that is no anchor, or lies beyond its realm."""
        realm, *rest = text.split("/")
        named = 1 <= len(realm) <= _REALM_CHARS_MAX and realm[0] in _BEGINS and _REALM.issuperset(realm)
        if not named or len(rest) not in (2, 3) or not all(_is_number(each) for each in rest):
            raise ValueError(_EXPECTED)
        numbers = [int(each) for each in rest]
        anchor = cls(realm, numbers[0], None if len(numbers) == 2 else numbers[1], numbers[-1])
        anchor._check()
        return anchor

    def _check(self) -> None:
        if self.realm == EARTH and self.y is None:
            raise ValueError("the earth has no chunks: an anchor there has a longitude, metres and a latitude")
        bits = CHUNK_BITS if self.y is None else 0
        east, north = (LONGITUDE_MAX, LATITUDE_MAX) if self.realm == EARTH else (COORDINATE_MAX, COORDINATE_MAX)
        for value, most in ((self.x, east), (self.y or 0, COORDINATE_MAX), (self.z, north)):
            if not -most >> bits <= value <= most >> bits:
                raise ValueError(f"the numbers of an anchor lie within their realm: here within {most >> bits}")

    @property
    def text(self) -> str:
        """The anchor as it is written: ``Anchor.of`` of it is the same."""
        return "/".join([self.realm, *[str(each) for each in (self.x, self.y, self.z) if each is not None]])

    @property
    def is_chunk(self) -> bool:
        """Whether it is a whole chunk, of which no height is known."""
        return self.y is None

    @property
    def chunk(self) -> "Anchor | None":
        """The chunk that it lies in, a chunk itself; None on ``earth``, which has none."""
        if self.realm == EARTH:
            return None
        return self if self.y is None else Anchor(self.realm, self.x >> CHUNK_BITS, None, self.z >> CHUNK_BITS)

    @property
    def centre(self) -> tuple[int, int | None, int]:
        """Its x, y and z in blocks (``earth``: 10^-7 degrees): of a chunk those of its centre, without a height."""
        if self.y is not None:
            return self.x, self.y, self.z
        half = 1 << (CHUNK_BITS - 1)
        return (self.x << CHUNK_BITS) + half, None, (self.z << CHUNK_BITS) + half


def _is_number(text: str) -> bool:
    """Whether a text is a whole number of at most ten digits, in its one spelling; the fold reads no patterns."""
    digits = text.removeprefix("-")
    plain = 1 <= len(digits) <= 10 and _DIGITS.issuperset(digits)
    return plain and (digits[0] != "0" or text == "0")


def checked_anchor(text: str) -> str:
    """Return a text. Raises ValueError for one that is no anchor."""
    Anchor.of(text)
    return text


def anchor_in_words(text: str) -> str:
    """Return an anchor for people and for the search: ``overworld 120 64 -33``."""
    return text.replace("/", " ")
