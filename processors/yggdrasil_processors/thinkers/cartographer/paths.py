"""Paths that somebody should look at again: nobody has been there for long, or it is not sure any more."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any, Final

from yggdrasil_projections.retrieval.claimed import SURE_ENOUGH
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims
from yggdrasil_projections.retrieval.reads.places.look import PLACE
from yggdrasil_schemas.limits import FEATURE_CHARS_MAX
from yggdrasil_schemas.names import name_in_words

from ..thinker import Decision
from .places import is_place
from .state import PATHS_MAX, SESSIONS_MAX, Atlas, Path, bounded

PATH: Final = "path"
LONG_EVENTS: Final = 512
"""A path that no event has been on for so long is to be looked at again."""
NOTES_MAX: Final = 3
"""So many at one look, and so many on one desk."""
ASKED_AT_ONCE: Final = 6
ASKED_OF_STRANGERS: Final = 2
"""What strangers told somebody else may have confirmed since, without a word that comes back."""
_STANDING: Final = ("active", "prior", "contested")
_NAMED_MAX: Final = 8
_TASK: Final = "task:"


def heard(state: Atlas, said: Asserted, happening: Happening) -> None:
    """Note that somebody said that a path leads from one place to another."""
    if said.object is not None and is_place(said.subject) and is_place(said.object):
        key = f"{said.subject}\0{said.object}"
        known = state.paths.get(key)
        if known is not None and not happening.trust:
            return
        trust = happening.trust if known is None else max(known.trust, happening.trust)
        _walked(state, key, Path(happening.id, state.tick, trust=trust))
        while len(state.paths) > PATHS_MAX:  # nobody crowds out paths of who is trusted more
            del state.paths[min(state.paths, key=lambda each: state.paths[each].trust)]


def passed(state: Atlas, event: Happening) -> None:
    """Note an event: on which path it was, and whether its session begins or ends; what strangers do is passed over."""
    if not event.trust:
        return
    state.tick += 1
    if event.boundary == "open":
        task = next((each for each in event.features if each.startswith(_TASK)), None)
        state.sessions.pop(event.session, None)
        state.sessions[event.session] = task or f"session:{event.session}"[:FEATURE_CHARS_MAX]
        bounded(state.sessions, SESSIONS_MAX)
    elif event.boundary == "close":
        state.sessions.pop(event.session, None)
    if event.boundary is not None:  # what is noted is settled with its session
        state.noted = {key: session for key, session in state.noted.items() if session in state.sessions}
    named = [each for each in event.features if each.startswith(PLACE)][:_NAMED_MAX]
    for one, other in permutations(dict.fromkeys(named), 2):
        known = state.paths.get(f"{one}\0{other}")
        if known is not None:
            _walked(state, f"{one}\0{other}", Path(known.claim, state.tick, known.why, known.checked, known.trust))


def to_ask(state: Atlas) -> list[str]:
    """Return paths to be asked about at a look: those that were not walked for longest, and some others in turn.

    Few of those are among them that strangers told.
    """
    if not state.sessions:
        return []
    keys = [each for each, path in state.paths.items() if path.trust]
    strange = [each for each, path in state.paths.items() if not path.trust]
    old = [each for each in keys if _is_old(state, each) and each not in state.noted][:ASKED_AT_ONCE]
    begin = keys.index(state.asked) + 1 if state.asked in keys else 0
    turn = [*keys[begin:], *keys[:begin]][:ASKED_AT_ONCE]
    return list(dict.fromkeys([*strange[:ASKED_OF_STRANGERS], *old, *turn]))


def query(key: str) -> Query[Any]:
    """Return what is asked of a path: what stands of it, stale or not."""
    one, other = key.split("\0")
    return AskClaims(subject=one, predicate=PATH, object=other, statuses=_STANDING, count=2)


def answered(state: Atlas, key: str, told: Iterator[Any]) -> None:
    """Take in how a path stands; one that is not there any more is forgotten."""
    claims: Claims | None = next(told)
    known = state.paths.get(key)
    state.asked = key
    if known is None or claims is None:
        return
    if not claims.claims:
        del state.paths[key]
        return
    first = claims.claims[0]
    sure = first.claim.confidence if first.claim else 0.0
    known.claim, known.checked, known.trust = first.ref, True, first.trust
    if first.stale:
        known.why = "what said so does not stand any more"
    elif first.status == "contested" or len(claims.claims) > 1:
        known.why = "not all say the same of it"
    elif sure < SURE_ENOUGH:
        known.why = f"it is {sure:.0%} sure"
    else:
        known.why = ""


def notes(state: Atlas) -> list[Decision]:
    """Return goals for the session that began last: at most three paths to be looked at, none that is noted."""
    if not state.sessions or not state.places or state.credit < NOTES_MAX:
        return []
    session, subject = list(state.sessions.items())[-1]
    room = NOTES_MAX - sum(each == session for each in state.noted.values())
    found: list[Decision] = []
    for key, path in state.paths.items():
        if len(found) >= room:
            break
        old = f"no event has been there for {state.tick - path.tick:,} events" if _is_old(state, key) else ""
        why = path.why or old
        if why and path.checked and key not in state.noted:
            state.noted[key] = session
            one, other = map(name_in_words, key.split("\0"))
            text = f"Look again at the path from {one} to {other}: {why}"
            body = {"claim_class": "desk", "subject": subject, "predicate": "goal", "evidence": [path.claim]}
            found.append(Decision("assert_claim", body, text, {"why": why}, session, text))
    return found


def _is_old(state: Atlas, key: str) -> bool:
    return state.tick - state.paths[key].tick >= LONG_EVENTS


def _walked(state: Atlas, key: str, path: Path) -> None:
    state.paths.pop(key, None)
    state.paths[key] = path
