"""What stands of places: each is asked about when somebody has told where it is, and now and then again."""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, AskEntity, Claims, Entity
from yggdrasil_projections.retrieval.reads.places.distance import Spot
from yggdrasil_projections.retrieval.reads.places.look import PLACE

from .state import GONE_MAX, NAME_BYTES_MAX, PLACES_MAX, WAITING_MAX, Atlas, Place, bounded

AT: Final = "at"
WHERE: Final = f"{AT}\0"
"""What is wanted begins with its sort: here where a place is."""
AGAIN: Final = 8
"""So many places are asked about once more at each look, in turn: what somebody took back is not told to a thinker."""
_CLAIMS: Final = 4


def heard(state: Atlas, said: Asserted, happening: Happening) -> None:
    """Note that somebody told where a place is: it is to be asked where that is now."""
    if not is_place(said.subject) or said.subject in state.villages:
        return
    event = said.evidence[0] if said.evidence else ""
    state.wanted[WHERE + said.subject] = [happening.id, event]
    while len(state.wanted) > WAITING_MAX:
        del state.wanted[next(iter(state.wanted))]


def is_place(name: str) -> bool:
    """Whether a name is that of a place, and not too long."""
    return name.startswith(PLACE) and len(orjson.dumps(name)) <= NAME_BYTES_MAX


def queries(state: Atlas, name: str) -> list[Query[Any]]:
    """Return what is asked of a place; of one that was joined to another also whether it still is."""
    found: list[Query[Any]] = [AskClaims(subject=name, predicate=AT, count=_CLAIMS)]
    return [*found, AskEntity(name, count=1)] if name in state.merged else found


def answered(state: Atlas, name: str, told: Iterator[Any]) -> None:
    """Take in where a place is: by the most trusted claim, of these the first, which is the surest."""
    claimed, event = state.wanted.pop(WHERE + name, ["", ""])
    claims: Claims | None = next(told)
    known: Entity | None = next(told) if name in state.merged else None
    if known is not None and known.name != name:
        return
    if known is not None:
        del state.merged[name]
    former = state.places.pop(name, None)
    found = max((each for each in claims.claims if _anchor_in(each)), key=_trust, default=None) if claims else None
    if found is None or found.claim is None:
        if former is not None:
            state.gone[name] = None
            bounded(state.gone, GONE_MAX)
        return
    state.gone.pop(name, None)
    if former is not None and former.claim == found.ref:
        event = former.event
    elif claimed != found.ref:
        event = ""
    state.told += former is None or former.anchor != str(found.claim.object)
    state.places[name] = Place(str(found.claim.object), found.trust, found.ref, event)
    while len(state.places) > PLACES_MAX:  # nobody crowds out places of who is trusted more
        del state.places[min(state.places, key=lambda each: state.places[each].trust)]


def spot_of(place: Place) -> Spot:
    """Return where a place is."""
    return Spot.of(place.anchor)


def _trust(claim: MemoryObject) -> int:
    return claim.trust


def _anchor_in(claim: MemoryObject) -> bool:
    return claim.claim is not None and claim.claim.object_kind == "anchor"
