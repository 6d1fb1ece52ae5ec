"""The records of what is known: claims with their sources, what predicates mean, the names of things."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from ..limits import SAYERS_MAX, TRUST_MAX

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

    ``value`` are 16 bytes that stand for its object and qualifiers; ``named`` are subject and object in the words of
    the most trusted who said so, where these are not those of its record. It holds from ``begins`` (Unix ms) until
    before ``ends``, and until before ``closed``, when another value took its place; OPEN_FROM and OPEN_TO where that
    is not known. ``confirmed`` is the tick at which it was said last, ``before`` the claim that held before it.
    ``seen`` is how often it was seen, where its predicate counts that, and ``sighted`` the seq of the newest event of
    the last sighting that counted.
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
    named: tuple[str, str] = ("", "")
    seen: int = 0
    sighted: int = 0


class Definition(NamedTuple):
    """What a predicate means; see ``define``."""

    cardinality: str = "many"
    resolution: str = "confidence"
    review: bool = False
    confirmations: int = 1
    perish_ticks: int = 0
    authority: str = ""
    symmetric: bool = False
    confirm_by: str = "sources"
    confirm_gap: int = 1


class Names(NamedTuple):
    """The names of a thing: the one under which it is known, and the others in sorted order, with who said so's trust.

    Kept under every one of them. ``said`` are the commands that gave the others: name, trust and seq, sorted; of each
    at most 4, the most trusted, of equals the youngest.
    """

    canonical: str
    aliases: tuple[tuple[str, int], ...] = ()
    said: tuple[tuple[str, int, int], ...] = ()

    def of(self, said: Iterable[tuple[str, int, int]]) -> "Names":
        """Return the names of this thing as these commands give them."""
        by_name: dict[str, list[tuple[int, int]]] = {}
        for name, trust, seq in said:
            by_name.setdefault(name, []).append((trust, seq))
        kept = {name: sorted(each)[-SAYERS_MAX:] for name, each in sorted(by_name.items())}
        aliases = tuple([(name, each[-1][0]) for name, each in kept.items()])
        return Names(self.canonical, aliases, tuple([(name, *one) for name, each in kept.items() for one in each]))

    def without(self, name: str) -> "Names":
        """Return the names of this thing without one of its aliases."""
        return self.of(each for each in self.said if each[0] != name)

    def linked(self, name: str) -> tuple[tuple[str, int], ...]:
        """Return all names of this thing, the canonical one first, with the trust of what joins each to ``name``."""
        given = dict(self.aliases)
        own = given.get(name, TRUST_MAX)
        others = [(alias, TRUST_MAX if alias == name else min(trust, own)) for alias, trust in self.aliases]
        return (self.canonical, own), *others
