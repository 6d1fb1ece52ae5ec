"""Proposes that two names are of one thing: where they are written alike, and the same is claimed of both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final
from unicodedata import combining, normalize

from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening
from yggdrasil_projections.retrieval.text.wording import wording
from yggdrasil_schemas.graph.predicates import KNOWN

from .thinker import Decision, Thinker

THINGS_MAX: Final = 2_000
CLAIMS_MAX: Final = 16
"""Of so many things, and so many claims of each, the latest are remembered."""
HOLDERS_MAX: Final = 2
"""What is claimed of more things than the two in question says nothing of whether they are one."""
_PEOPLE: Final = frozenset({"person", "user", "customer", "contact", "speaker", "author"})
_ONE_VALUE: Final = frozenset(name for name, meaning in KNOWN.items() if meaning.cardinality == "one")


@dataclass(slots=True)
class Thing:
    """What is claimed of a thing: the id of the claim by predicate and object, the latest last, and by each predicate
    the latest object. ``like`` is what its name has in common with others.
    """

    like: str = ""
    claims: dict[str, str] = field(default_factory=dict[str, str])
    latest: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Met:
    """``things`` are by name, the one of which something was claimed last at the end; ``holders`` counts of how many
    something is claimed, and ``proposed`` are pairs that were proposed before, and are so once.
    """

    things: dict[str, Thing] = field(default_factory=dict[str, Thing])
    holders: dict[str, int] = field(default_factory=dict[str, int])
    proposed: dict[str, None] = field(default_factory=dict[str, None])


class Resolver(Thinker[Met]):
    """Proposes an alias where two names of one kind are the same but for case, accents, punctuation and initials of
    persons, something is claimed of both and of no other, and nothing of which a thing has one value differs.

    Precision comes before recall: whoever is two people under one name loses more than who is one under two. What is
    pinned the law protects, and what was proposed once and taken back is never proposed again.
    """

    name: ClassVar[str] = "resolver"
    version: ClassVar[str] = "2"
    wakes: ClassVar[frozenset[str]] = frozenset({"assert_claim"})
    follows: ClassVar[frozenset[str]] = frozenset({"reducer"})
    state = Met

    def observe(self, state: Met, happening: Happening) -> Sequence[Decision]:
        """Return an alias for each name that a new claim shows to be another one of a thing."""
        said = happening.asserted
        if said is None or said.object is None:
            return ()
        _note(state, said, happening.id)
        return [
            _alias(state, other, said.subject, shared)
            for other in _written_alike(state, said.subject)
            if (shared := _shared(state, other, said.subject)) and _propose(state, other, said.subject)
        ]


def alike(name: str) -> str:
    """Return what a name has in common with those that are written a little otherwise; empty where nothing is left.

    Its kind, and what it says word by word (``text.wording``), without accents. Of a person's name a single letter
    beside longer words is an initial, and left out; of other things it tells one from another, as in "Hall A".
    """
    kind, colon, value = name.partition(":")
    plain = "".join(each for each in normalize("NFKD", value if colon else kind) if not combining(each))
    words = list(wording(normalize("NFC", plain).replace("_", " ").casefold()))
    if not any(len(word) > 1 for word in words):
        return ""
    if kind in _PEOPLE or not colon:
        words = [word for word in words if len(word) > 1]
    return f"{kind if colon else ''}:{' '.join(words)}"


def _note(state: Met, said: Asserted, claim: str) -> None:
    """Take in what is claimed of a thing, and forget what was met longest ago."""
    thing = state.things.pop(said.subject, None) or Thing(alike(said.subject))
    state.things[said.subject] = thing
    about = f"{said.predicate}\0{said.object}"
    if thing.claims.pop(about, None) is None:
        state.holders[about] = state.holders.get(about, 0) + 1
    thing.claims[about] = claim
    thing.latest[said.predicate] = said.object or ""
    while len(thing.claims) > CLAIMS_MAX:
        _let_go(state, thing, next(iter(thing.claims)))
    while len(state.things) > THINGS_MAX:
        gone = state.things.pop(next(iter(state.things)))
        for each in list(gone.claims):
            _let_go(state, gone, each)
    while len(state.proposed) > THINGS_MAX:
        del state.proposed[next(iter(state.proposed))]


def _let_go(state: Met, thing: Thing, about: str) -> None:
    del thing.claims[about]
    thing.latest.pop(about.partition("\0")[0], None)
    left = state.holders.pop(about) - 1
    if left:
        state.holders[about] = left


def _written_alike(state: Met, name: str) -> Iterator[str]:
    """Yield the other names that are written like one, those that were met first coming first."""
    wanted = state.things[name].like
    for other, thing in state.things.items():
        if wanted and other != name and thing.like == wanted:
            yield other


def _shared(state: Met, first: str, second: str) -> list[str]:
    """Return the claims, of both, that say the same of two things and of no other; none where they differ."""
    one, two = state.things[first], state.things[second]
    for predicate in one.latest.keys() & two.latest.keys() & _ONE_VALUE:  # any order: one that differs is enough
        if one.latest[predicate] != two.latest[predicate]:
            return []
    same = [about for about in one.claims if about in two.claims and state.holders[about] <= HOLDERS_MAX]
    return [claim for about in same for claim in (one.claims[about], two.claims[about])]


def _propose(state: Met, first: str, second: str) -> bool:
    """Whether a pair is proposed for the first time, which is noted."""
    pair = "\0".join(sorted((first, second)))
    if pair in state.proposed:
        return False
    state.proposed[pair] = None
    return True


def _alias(state: Met, first: str, second: str, shared: list[str]) -> Decision:
    """Return that the name of which less is claimed is another one of the other thing."""
    one, two = len(state.things[first].claims), len(state.things[second].claims)
    known, name = (first, second) if one >= two else (second, first)
    evidence = list(dict.fromkeys(shared))[:16]
    why = {"why": f"written alike, and {len(shared) // 2} claims say the same of both and of nothing else"}
    return Decision("alias_entity", {"name": name, "canonical": known, "evidence": evidence}, payload=why)
