"""The records of what is known: claims with their sources, what predicates mean, the names of things."""

from typing import Final, NamedTuple

OPEN_FROM: Final = -(2**62)  # a claim of which nobody said since when it holds
OPEN_TO: Final = 2**62  # or until when


class Line(NamedTuple):
    """One source of a claim: who said it last, how much that weighs, from when on they say it holds, at which seq.

    ``who`` are 8 bytes that stand for whoever says so, and ``root`` those for whom they have it from: themselves, or
    the writer of what they conclude it from, or of what came into their session. ``weight`` is the confidence in
    percent times the policy's weight of the trust.
    """

    who: bytes
    root: bytes
    trust: int
    weight: int
    begins: int
    seq: int


class Claim(NamedTuple):
    """What a claim says, and who said so.

    ``value`` are 16 bytes that stand for its object and qualifiers. It holds from ``begins`` (Unix ms) until before
    ``ends``, and until before ``closed``, when another value took its place; OPEN_FROM and OPEN_TO where that is not
    known. ``confirmed`` is the tick at which it was said last, ``before`` the claim that held before it.
    """

    sort: int
    predicate: str
    value: bytes
    begins: int
    ends: int
    closed: int
    confirmed: int
    before: int
    lines: tuple[Line, ...]


class Definition(NamedTuple):
    """What a predicate means; see ``define``."""

    cardinality: str = "many"
    resolution: str = "confidence"
    review: bool = False
    confirmations: int = 1
    perish_ticks: int = 0
    authority: str = ""


class Names(NamedTuple):
    """The names of a thing: the one under which it is known, and the others in sorted order, with who said so's trust.

    Kept under every one of them.
    """

    canonical: str
    aliases: tuple[tuple[str, int], ...] = ()
