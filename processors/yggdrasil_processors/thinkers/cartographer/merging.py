"""Two names of one place: at the same block, of the same types, and told by nobody as two."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims
from yggdrasil_schemas.anchors import Anchor

from ..thinker import Decision
from .state import PAIRED_MAX, REMEMBERED_MAX, Atlas, Place, bounded

PAIR: Final = "pair\0"
_TYPES: Final = ("is_a", "seen_as")
_CLAIMS: Final = 16
_ALONE: Final = 2


def look_for(state: Atlas) -> bool:
    """Want to know whether places have two names, where just two are at one block; return whether there are any such.

    Where there are more, an anchor is that of a house, or of whoever does not know better, and tells nothing. A pair is
    trusted as the less trusted of its names, and whoever is trusted less than that is not heard about it.
    """
    there: dict[str, list[str]] = {}
    for name, place in state.places.items():
        if not Anchor.of(place.anchor).is_chunk:
            there.setdefault(place.anchor, []).append(name)
    pairs = [each for each in (_alone(state, names) for names in there.values()) if each is not None]
    now = {_digest(*pair) for pair in pairs}
    spare = sorted((each for each in state.paired if each not in now), key=lambda each: -state.paired[each])
    for one, other in pairs:  # while they are a pair, none is asked about twice
        pair, trust = _digest(one, other), _trust(state, one, other)
        if pair in state.paired:
            continue
        if len(state.paired) >= PAIRED_MAX:
            if not spare or state.paired[spare[-1]] > trust:
                continue
            del state.paired[spare.pop()]
        state.paired[pair] = trust
        state.wanted[f"{PAIR}{one}\0{other}"] = []
    return bool(state.wanted)


def _alone(state: Atlas, names: list[str]) -> tuple[str, str] | None:
    """Return the two names at one anchor, sorted, if there is no third that is trusted as far as these."""
    ranked = sorted(names, key=lambda each: (-state.places[each].trust, each))
    one, other = sorted(ranked[:_ALONE]) if len(ranked) >= _ALONE else ("", "")
    if not other or any(state.places[each].trust >= _trust(state, one, other) for each in ranked[_ALONE:]):
        return None
    return one, other


def _trust(state: Atlas, *names: str) -> int:
    return min((state.places[each].trust for each in names if each in state.places), default=0)


def queries(state: Atlas, one: str, other: str) -> list[Query[Any]]:
    """Return what is asked of two names: of what types they are, and whether a claim joins them, as one does two."""
    trust = _trust(state, one, other)
    types = [
        AskClaims(subject=each, predicate=predicate, trust_min=trust, count=_CLAIMS)
        for each in (one, other)
        for predicate in _TYPES
    ]
    joining = [
        AskClaims(subject=each, object=of, trust_min=trust, count=1) for each, of in ((one, other), (other, one))
    ]
    return [*types, *joining]


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
    here = [name for name, each in state.places.items() if each.anchor == first.anchor]
    if _alone(state, here) != (one, other):
        return None
    if not types[0] or types[0] != types[1] or any(each is None or each.claims for each in joined):
        return None
    if first.event and first.event == second.event:  # who names two in one breath knows them as two
        return None
    (known, kept), (name, _) = sorted(((one, first), (other, second)), key=_rank)
    evidence = [first.claim, second.claim]
    _keep_apart(state, known, [each for each in here if each not in {one, other}])
    del state.places[name]
    state.merged[name] = None
    bounded(state.merged, REMEMBERED_MAX)
    types_named = ", ".join(sorted(types[0]))
    why = f"both are at {kept.anchor}, nothing trusted as far is there, and both are of the type {types_named}"
    return Decision(
        "alias_entity", {"name": name, "canonical": known, "evidence": evidence}, payload={"why": why[:1_000]}
    )


def _keep_apart(state: Atlas, known: str, others: list[str]) -> None:
    """Remember that a third name was there: of the two that are left nobody knows whether they are one place."""
    for third in sorted(others, key=lambda each: _rank((each, state.places[each])))[:1]:
        while len(state.paired) >= PAIRED_MAX:
            del state.paired[min(state.paired, key=lambda each: state.paired[each])]
        one, other = sorted((known, third))
        state.paired[_digest(one, other)] = _trust(state, one, other)


def _rank(named: tuple[str, Place]) -> tuple[int, str]:
    """Return what a place goes by that keeps its name: trust, then the claim that was said first, by its id."""
    return -named[1].trust, named[1].claim


def _types_in(claims: Claims | None) -> set[str]:
    found = [each.claim.object for each in claims.claims if each.claim] if claims else []
    return {str(each).casefold() for each in found if each is not None}


def _digest(one: str, other: str) -> str:
    return blake2b(f"{one}\0{other}".encode("utf-8", "replace"), digest_size=8).hexdigest()
