"""Villages as claims: told once, told anew where they change, taken back where they are no more."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Asserted
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims
from yggdrasil_projections.retrieval.reads.places.distance import Spot, between
from yggdrasil_schemas.anchors import CHUNK_BITS, EARTH, LONGITUDE_MAX
from yggdrasil_schemas.limits import EVIDENCE_MAX, JUDGED_MAX
from yggdrasil_schemas.names import claim_in_words, name_in_words, object_in_words

from ..thinker import Decision
from .density import MEMBERS_MIN, clusters
from .places import AT, spot_of
from .state import MEMBERS_MAX, VILLAGES_MAX, Atlas, Place, Village

OWN: Final = "own\0"
IS_A, RADIUS, PART_OF, VILLAGE = "is_a", "radius", "part_of", "type:village"
_ALL: Final = ("active", "prior", "contested", "candidate", "quarantined", "superseded", "rejected", "resolved")
_OUT: Final = ("quarantined", "rejected", "resolved")
_OWN_CLAIMS: Final = 32
_PER_NAME: Final = 10_000  # on earth a village is named by thousandths of a degree
_QUARTER: Final = 4
"""A village that has moved, or grown, by less than a quarter of its radius is told as it was."""
_BEYOND: Final = 2  # so many radii away a member is elsewhere


@dataclass(slots=True)
class _Found:
    """A village in the places as they stand: the names of its members, and those ``beside`` that are trusted less.

    Its centre, its radius, in whole blocks (earth: metres), and its trust are those of the former.
    """

    names: list[str]
    centre: Spot
    radius: int
    trust: int
    beside: list[str] = field(default_factory=list[str])


def took_back(state: Atlas, said: Asserted, claim: str) -> None:
    """Take in one of the cartographer's own claims, which has come back from the log."""
    village = state.villages.get(said.object or "" if said.predicate == PART_OF else said.subject)
    if village is None:
        if said.predicate != IS_A or len(state.villages) >= VILLAGES_MAX:
            return
        village = state.villages[said.subject] = Village()
    _told(village, said.subject, said.predicate, said.object or "", said.evidence, claim)
    _make_room(state, village)
    village.waiting.append(claim)
    del village.waiting[: -MEMBERS_MAX - 3]
    village.told = state.told
    state.places.pop(said.subject, None) if said.predicate == IS_A else None


def _told(
    village: Village, subject: str, predicate: str, value: str, evidence: Sequence[str], claim: str | None
) -> None:
    """Take in what is told of a village, with the id of the claim once that has one."""
    if predicate == IS_A:
        village.is_a, village.evidence = claim or village.is_a, list(evidence)
    elif predicate == AT:
        village.at, village.at_claim = value, claim or village.at_claim
    elif predicate == RADIUS:
        village.radius, village.radius_claim = int(value), claim or village.radius_claim
    else:
        known = village.members.get(subject, [""])[0]
        village.members[subject] = [claim or known, *evidence[:1]]


def _make_room(state: Atlas, village: Village) -> None:
    """Let members make room of which nothing is known, and those that are trusted least."""
    while len(village.members) > MEMBERS_MAX:
        trust = {each: known.trust if (known := state.places.get(each)) else -1 for each in village.members}
        del village.members[min(trust, key=lambda each: trust[each])]


def queries(state: Atlas, name: str) -> list[Query[Any]]:
    """Return what is asked of a village: how it stands, and what was told of it and has no id yet."""
    return [
        AskClaims(subject=name, predicate=predicate, object=value, statuses=_ALL, count=_OWN_CLAIMS)
        for predicate, value, known in _own(state.villages.get(name) or Village())
        if value and (predicate == IS_A or not known)
    ]


def _own(village: Village) -> tuple[tuple[str, str, str], ...]:
    """Return what is said of a village: predicate, value, empty where nothing was told, and the id of the claim."""
    radius = str(village.radius) if village.radius >= 0 else ""
    return (IS_A, VILLAGE, village.is_a), (AT, village.at, village.at_claim), (RADIUS, radius, village.radius_claim)


def answered(state: Atlas, name: str, told: Iterator[Any]) -> None:
    """Take in how a village stands: one that somebody says is none is told no more.

    What somebody had said before in the same words has no id of its own, and does not come back: it is known by theirs.
    """
    village = state.villages.pop(name, None)
    for predicate, value, known in _own(village or Village()):
        if not value or (predicate != IS_A and known):
            continue
        claims: Claims | None = next(told)
        if village is None or claims is None:
            continue
        found = next(iter(claims.claims), None)
        if not known and found is not None and found.status not in _OUT:
            _told(village, name, predicate, value, village.evidence, found.ref)
            village.waiting.append(found.ref)
        if predicate == IS_A:
            village.over = any(each.ref == village.is_a and each.status in _OUT for each in claims.claims)
    if village is not None:
        state.villages[name] = village  # the one that was asked about longest ago comes first


def looked(state: Atlas) -> list[Decision]:
    """Return what a look at all places comes to: villages that are new, that changed, and that are no more.

    It changes nothing but how far villages are trusted: what is done of it ``note_done`` takes in. Where there is room
    for no more, one that is trusted less than a new one is no more.
    """
    met: dict[str, _Found] = {}
    for found in sorted(_villages(state.places), key=lambda each: (-each.trust, -len(each.names), each.names)):
        met[_known(state, found, met) or _named(state, found, met)] = found
    left = {name: _left(state, village, met.get(name)) for name, village in state.villages.items()}
    settled = {each for name, village in state.villages.items() for each in village.members if each not in left[name]}
    decisions: list[Decision] = []
    for name, village in state.villages.items():
        claims = [village.members[each][0] for each in left[name] if village.members[each][0]]
        if village.over or not claims:
            continue
        if name not in met and village.is_a and len(village.members) - len(claims) < MEMBERS_MIN:
            decisions += _ended(name, village)
        else:
            decisions += _judged(claims, "reject", "It is not there any more", name)
    room = VILLAGES_MAX - len(state.villages)
    for name, found in met.items():
        known = state.villages.get(name)
        if known is not None:
            known.trust = found.trust
            decisions += [] if known.over else _told_anew(state, name, known, found, settled)
        elif room > 0:
            room -= 1
            decisions += _new(state, name, found, settled)
        elif least := _least(state, found.trust):
            return [*_ended(least, state.villages[least]), *decisions]
    return decisions


def _least(state: Atlas, trust: int) -> str | None:
    """Return a village that makes room for one that is trusted more."""
    known = {name: each.trust for name, each in state.villages.items() if each.is_a and each.trust < trust}
    return min(known, key=lambda each: (known[each], each), default=None)


def note_done(state: Atlas, decisions: Iterable[Decision]) -> None:
    """Remember what is told now, and let go of what is taken back."""
    for each in decisions:
        if each.type == "assert_claim" and "object" in each.body:
            subject, predicate, ((_, value),) = (
                each.body["subject"],
                each.body["predicate"],
                each.body["object"].items(),
            )
            village = state.villages.setdefault(value if predicate == PART_OF else subject, Village())
            _told(village, subject, predicate, value, each.body["evidence"], None)
            _make_room(state, village)
            state.unfinished = state.unfinished or village.stands
        elif each.type == "judge":
            judged = {item["node"] for item in each.body["items"]}
            rejected = each.body["items"][0]["verdict"] == "reject"
            state.unfinished = state.unfinished or rejected  # who has left one village may be in another
            for name, village in list(state.villages.items()):
                village.stands = village.stands or not (rejected or judged.isdisjoint(village.waiting))
                village.waiting = [claim for claim in village.waiting if claim not in judged]
                if rejected and village.is_a in judged:
                    del state.villages[name]
                elif rejected:
                    village.members = {of: own for of, own in village.members.items() if own[0] not in judged}


def _villages(places: Mapping[str, Place]) -> list[_Found]:
    """Return the villages in all realms. What is trusted less moves none that is there without it."""
    realms: dict[str, dict[str, list[str]]] = {}
    for name in sorted(places):
        anchor = places[name].anchor
        realms.setdefault(anchor.partition("/")[0], {}).setdefault(anchor, []).append(name)
    found: list[_Found] = []
    for realm in sorted(realms):
        by_anchor = realms[realm]
        inside: dict[str, _Found] = {}
        for tier in sorted({places[name].trust for names in by_anchor.values() for name in names}, reverse=True):
            anchors = [each for each, names in by_anchor.items() if any(places[one].trust >= tier for one in names)]
            for members in clusters([Spot.of(each) for each in anchors]):
                chosen = [anchors[each] for each in members]
                there = list({id(inside[each]): inside[each] for each in chosen if each in inside}.values())
                fresh = [each for each in chosen if each not in inside]
                names = [name for each in fresh for name in by_anchor[each] if places[name].trust >= tier]
                if not there:
                    village = _measured(names, [Spot.of(each) for each in chosen], tier)
                    found.append(village)
                    inside |= dict.fromkeys(fresh, village)
                elif len(there) == 1:
                    there[0].beside += names
                    inside |= dict.fromkeys(fresh, there[0])
    return found


def _measured(names: list[str], spots: list[Spot], trust: int) -> _Found:
    """Return a village; its centre is the mean of its spots, not of its places: a house with many is one spot."""
    first, total = spots[0], len(spots)
    x = _east(first.x + sum(_east(each.x - first.x, first.realm) for each in spots) // total, first.realm)
    heights = [each.y for each in spots if not each.flat]
    y = sum(heights) // len(heights) if heights else 0
    centre = Spot(first.realm, x, y, sum(each.z for each in spots) // total, not heights)
    return _Found(names, centre, max(between(centre, each) or 0 for each in spots), trust)


def _east(x: int, realm: str) -> int:
    """Return a longitude, or a difference of two, by the short way round the earth; elsewhere it is what it is."""
    return (x + LONGITUDE_MAX) % (2 * LONGITUDE_MAX) - LONGITUDE_MAX if realm == EARTH else x


def _known(state: Atlas, found: _Found, met: Container[str]) -> str | None:
    """Return the name under which a village was told: by most of its members, or by where it is."""
    names = {*found.names, *found.beside}
    best: tuple[int, str] | None = None
    for name, village in state.villages.items():
        if name in met:
            continue
        shared = len(names & village.members.keys())
        near = between(found.centre, Spot.of(village.at)) if village.at else None
        here = near is not None and near <= max(1, village.radius)
        if 2 * shared >= min(len(names), max(1, len(village.members))) or here:
            best = min(best or (-shared, name), (-shared, name))
    return None if best is None else best[1]


def _named(state: Atlas, found: _Found, met: Container[str]) -> str:
    """Return a name for a new village: its realm and the chunk of its centre."""
    at = found.centre
    x, z = (at.x // _PER_NAME, at.z // _PER_NAME) if at.realm == EARTH else (at.x >> CHUNK_BITS, at.z >> CHUNK_BITS)
    stem = f"place:village-{at.realm}-{x}-{z}"
    names = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return next(each for each in names if each not in met and each not in state.villages and each not in state.places)


def _new(state: Atlas, name: str, found: _Found, settled: Container[str]) -> list[Decision]:
    why = f"{len(found.names)} places stand closer together than chance has it"
    evidence = _evidence(state, found)
    own = ((IS_A, {"entity": VILLAGE}), (AT, {"anchor": found.centre.text}), (RADIUS, _radius(found)))
    first = [_say(name, predicate, value, evidence, why) for predicate, value in own]
    return [*first, *_joining(state, name, found, settled)]


def _told_anew(state: Atlas, name: str, village: Village, found: _Found, settled: Container[str]) -> list[Decision]:
    """Return what changed of a village. What waits stands once it was found again after other places were told.

    Where most of what it rests on does not stand any more, it is said again, and rests on what does. What has not come
    back yet is not changed.
    """
    decisions: list[Decision] = []
    why = f"the {len(found.names)} places that it is made of have moved, or are others"
    evidence, stands = _evidence(state, found), {each.claim for each in state.places.values()}
    fallen = 2 * sum(each in stands for each in village.evidence) < len(village.evidence)
    if fallen and village.is_a:
        decisions.append(_say(name, IS_A, {"entity": VILLAGE}, evidence, why))
    moved = (
        (between(Spot.of(village.at), found.centre) or 0) > max(1, village.radius // _QUARTER) if village.at else True
    )
    if not village.at or (village.at_claim and (fallen or moved)):
        former = village.at_claim if found.centre.text != village.at else ""
        decisions.append(_say(name, AT, {"anchor": found.centre.text}, evidence, why, former))
    grown = _QUARTER * abs(found.radius - village.radius) > max(_QUARTER, village.radius)
    if village.radius < 0 or (village.radius_claim and (fallen or grown)):
        former = village.radius_claim if found.radius != village.radius else ""
        decisions.append(_say(name, RADIUS, _radius(found), evidence, why, former))
    decisions += _joining(state, name, found, settled)
    decisions += _members_anew(state, name, village, found)
    if village.waiting and (village.stands or state.told > village.told):
        decisions += _judged(village.waiting, "verify", "It was found again", name)
    return decisions


def _members_anew(state: Atlas, name: str, village: Village, found: _Found) -> Iterator[Decision]:
    """Yield who is a member still by another claim than before."""
    for each in _chosen(state, village, found):
        own, place = village.members.get(each), state.places[each]
        if own is not None and own[0] and place.claim not in own:
            yield _member(state, each, name, found)


def _joining(state: Atlas, name: str, found: _Found, settled: Container[str]) -> Iterator[Decision]:
    """Yield who is a member of it and of no other."""
    for each in _chosen(state, state.villages.get(name), found):
        if each not in settled:
            yield _member(state, each, name, found)


def _chosen(state: Atlas, village: Village | None, found: _Found) -> list[str]:
    """Return who is told as a member: those that are trusted most, of these who is one, then by how far it is."""
    known = village.members if village else {}
    order = {
        each: (-state.places[each].trust, each not in known, _away(state, each, found.centre), each)
        for each in (*found.names, *found.beside)
    }
    return sorted(order, key=lambda each: order[each])[:MEMBERS_MAX]


def _member(state: Atlas, name: str, village: str, found: _Found) -> Decision:
    why = f"it stands {_away(state, name, found.centre):,} from the middle of the village"
    return _say(name, PART_OF, {"entity": village}, [state.places[name].claim], why)


def _away(state: Atlas, name: str, centre: Spot) -> int:
    return between(spot_of(state.places[name]), centre) or 0


def _left(state: Atlas, village: Village, found: _Found | None) -> list[str]:
    """Return the members that are known to be elsewhere, or nowhere, or make room for others that are trusted more.

    One of which nothing is known has not left.
    """
    if found is None and not village.at:
        return []
    centre, radius = (Spot.of(village.at), village.radius) if found is None else (found.centre, found.radius)
    here = set[str]() if found is None else {*found.names, *found.beside}
    chosen = set[str]() if found is None else set(_chosen(state, village, found))
    return [
        name
        for name in village.members
        if (name in here and name not in chosen)
        or (name not in here and (name in state.gone or _is_beyond(state, name, centre, radius)))
    ]


def _is_beyond(state: Atlas, name: str, centre: Spot, radius: int) -> bool:
    place = state.places.get(name)
    if place is None:
        return False
    away = between(spot_of(place), centre)
    return away is None or away > _BEYOND * max(1, radius)


def _ended(name: str, village: Village) -> list[Decision]:
    members = [each for each, *_ in village.members.values()]
    own = [*members, village.radius_claim, village.at_claim, village.is_a]  # the village at the last
    claims = [each for each in dict.fromkeys(own) if each]
    return _judged(claims, "reject", "It is no village any more", name)


def _radius(found: _Found) -> dict[str, str]:
    return {"decimal": str(found.radius)}


def _evidence(state: Atlas, found: _Found) -> list[str]:
    """Return what a village rests on: where its members are, those that are trusted most, and else by name."""
    order = sorted(found.names, key=lambda each: (-state.places[each].trust, each))
    return list(dict.fromkeys(state.places[each].claim for each in order))[:EVIDENCE_MAX]


def _say(
    subject: str, predicate: str, value: Mapping[str, str], evidence: Iterable[str], why: str, former: str = ""
) -> Decision:
    """Return a claim, in place of a ``former`` one if there is any."""
    ((kind, shown),) = value.items()
    body: dict[str, Any] = {"subject": subject, "predicate": predicate, "object": dict(value)}
    body |= {"evidence": list(evidence)} | ({"supersedes": former} if former else {})
    return Decision(
        "assert_claim", body, claim_in_words(subject, predicate, object_in_words(kind, shown)), {"why": why}
    )


def _judged(claims: Sequence[str], verdict: str, reason: str, name: str) -> list[Decision]:
    why = f"{reason}: {name_in_words(name)}"
    parts = [claims[at : at + JUDGED_MAX] for at in range(0, len(claims), JUDGED_MAX)]
    items = [[{"node": each, "verdict": verdict} for each in part] for part in parts]
    return [Decision("judge", {"items": each, "reason": reason}, None, {"why": why}) for each in items]
