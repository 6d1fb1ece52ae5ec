"""Two names of one place: at the same block, of the same types, and told by nobody as two."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims
from yggdrasil_schemas.anchors import Anchor

from ..thinker import Decision
from .state import REMEMBERED_MAX, Atlas, Place, bounded

PAIR: Final = "pair\0"
_TYPES: Final = ("is_a", "seen_as")
_CLAIMS: Final = 16
_ALONE: Final = 2


def look_for(state: Atlas) -> bool:
    """Want to know whether places have two names, where just two are at one block; return whether there are any such.

    Where there are more, an anchor is that of a house, or of whoever does not know better, and tells nothing.
    """
    there: dict[str, list[str]] = {}
    for name, place in state.places.items():
        there.setdefault(place.anchor, []).append(name)
    for anchor, names in there.items():
        if len(names) != _ALONE or Anchor.of(anchor).is_chunk:
            continue
        one, other = sorted(names)
        pair = _digest(one, other)
        if pair not in state.paired and len(state.paired) < REMEMBERED_MAX:  # no pair is ever asked about twice
            state.paired[pair] = None
            state.wanted[f"{PAIR}{one}\0{other}"] = []
    return bool(state.wanted)


def queries(one: str, other: str) -> list[Query[Any]]:
    """Return what is asked of two names: of what types they are, and whether a claim joins them, as one does two."""
    types = [
        AskClaims(subject=each, predicate=predicate, count=_CLAIMS) for each in (one, other) for predicate in _TYPES
    ]
    return [*types, AskClaims(subject=one, object=other, count=1), AskClaims(subject=other, object=one, count=1)]


def answered(state: Atlas, pair: str, told: Iterator[Any]) -> Decision | None:
    """Return that one name is another one of the other place, if they are of the same types and nothing tells them
    apart.
    """
    del state.wanted[pair]
    one, other = pair.removeprefix(PAIR).split("\0")
    types = [_types_in(next(told)) | _types_in(next(told)) for _ in range(2)]
    joined: list[Claims | None] = [next(told), next(told)]
    places = [state.places.get(each) for each in (one, other)]
    first, second = places
    if first is None or second is None or first.anchor != second.anchor:
        return None
    if sum(each.anchor == first.anchor for each in state.places.values()) != _ALONE:
        return None
    if not types[0] or types[0] != types[1] or any(each is None or each.claims for each in joined):
        return None
    if first.event and first.event == second.event:  # who names two in one breath knows them as two
        return None
    (known, kept), (name, _) = sorted(((one, first), (other, second)), key=_rank)
    evidence = [first.claim, second.claim]
    del state.places[name]
    state.merged[name] = None
    bounded(state.merged, REMEMBERED_MAX)
    why = f"both are at {kept.anchor}, nothing else is there, and both are of the type {', '.join(sorted(types[0]))}"
    return Decision(
        "alias_entity", {"name": name, "canonical": known, "evidence": evidence}, payload={"why": why[:1_000]}
    )


def _rank(named: tuple[str, Place]) -> tuple[int, str]:
    """Return what a place goes by that keeps its name: trust, then the claim that was said first, by its id."""
    return -named[1].trust, named[1].claim


def _types_in(claims: Claims | None) -> set[str]:
    found = [each.claim.object for each in claims.claims if each.claim] if claims else []
    return {str(each).casefold() for each in found if each is not None}


def _digest(one: str, other: str) -> str:
    return blake2b(f"{one}\0{other}".encode("utf-8", "replace"), digest_size=8).hexdigest()
