"""Takes claims and lessons from what a session has said, when it has ended: what the fold makes of them is a law."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, ClassVar, Final, TypeVar

from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_schemas.graph.predicates import KNOWN
from yggdrasil_schemas.limits import FEATURE_CHARS_MAX
from yggdrasil_schemas.names import claim_in_words, name_in_words

from ..thinker import Decision, Heard, Thinker
from .grammar.names import people
from .grammar.said import Said
from .heard import as_said
from .reading import read
from .state import FOUND_MAX, IN_HAND, KNOWN_MAX, SESSIONS_MAX, Found, ReducerState, Talk

KeptT = TypeVar("KeptT")
EVENT_CLAIMS_MAX: Final = 28
"""How many claims are taken from one event by the grammar."""
HEARD_CLAIMS_MAX: Final = 8
"""How many claims are taken from one event of those that a model found."""
EVIDENCE_MAX: Final = 8
"""How many events are named that say the same."""
CONFIDENCE: Final = 60
SILENT_TICKS: Final = 64
"""After so many events of other sessions a session is taken for ended, as the chunker has it."""
_SWEEP_TICKS: Final = 8
_SWEPT_MAX: Final = 4
_TOPICS: Final = ("task:", "workflow:", "goal:", "ticket:", "issue:", "project:", "service:", "repo:", "tool:", "file:")
_LATEST: Final = frozenset(
    [
        "when",
        "value",
        "port",
        "starts",
        "ends",
        "opens",
        "closes",
        "expires",
        "duration",
        "capacity",
        "limit",
        "weight",
        "size",
        "replaced_by",
        "named",
    ]
) | {name for name, meaning in KNOWN.items() if meaning.cardinality == "one"}
"""What a thing has one of: in one session the later word corrects the earlier."""


class Reducer(Thinker[ReducerState]):
    """Reads what the events of a session say in plain English, and asserts it when the session has ended.

    A session ends with its closing event, when 64 events came in others, or when the memory rests. What it said is
    claimed then: each thing once, with the events that say so as evidence, and of what was corrected the last word.

    What a loop said and tells nothing new (``utterance``) makes no claim: it would be its own source. By the law a
    thinker's claim waits as a candidate until another source says so too, and one whose evidence is gone is refused.
    """

    name: ClassVar[str] = "reducer"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event"})
    state = ReducerState

    def observe(self, state: ReducerState, happening: Happening) -> Sequence[Decision]:
        """Take in an event; return what sessions said that have ended with it."""
        if happening.kind == "claim" and happening.thinker == self.name:
            _told(state, happening)
        if happening.kind == "outcome" and happening.session in state.sessions and happening.value < 0:
            state.sessions[happening.session].failed = happening.outcome or ""
        if happening.kind != "event":
            return ()
        state.tick += 1
        state.in_hand = min(state.in_hand + 1, IN_HAND)
        decisions = _ended(state, happening.session)
        talk = state.sessions.setdefault(happening.session, Talk())
        talk.tick = state.tick
        talk.about = talk.about or _topic(happening.features)
        for who in people(happening.features):
            _keep(state.known, who, None)
        for said, sentence in _said(state, talk, happening):
            _keep(state.known, said.subject, None)
            _found(state, talk, happening, said, sentence)
        if happening.boundary == "close":
            decisions += _reduced(state, happening.session)
        return decisions + _crowded(state)

    def hear(self, state: ReducerState, happening: Happening, heard: Sequence[Heard]) -> Sequence[Decision]:
        """Take in what a model found in an event: only what stands in its text, and what no pattern found."""
        talk = state.sessions.setdefault(happening.session, Talk(state.tick))
        for one in heard[:HEARD_CLAIMS_MAX]:
            said = as_said(one, happening.telling or "", happening.features, _topic_of(talk, happening))
            if said is not None and not any(_same(found.said, said) for found in talk.found):
                _found(state, talk, happening, said, one.sentence, by=one.by)
        return ()

    def rest(self, state: ReducerState) -> Sequence[Decision]:
        """Return what is left of every session, since nothing has happened for a while."""
        return [decision for name in sorted(state.sessions) for decision in _reduced(state, name)]


def _said(state: ReducerState, talk: Talk, event: Happening) -> list[tuple[Said, str]]:
    """Return what an event says, each thing once, with its sentence."""
    found: dict[tuple[str, str, str], tuple[Said, str]] = {}
    for said, sentence in read(event.telling or "", event.features, state.known, _topic_of(talk, event), talk.failed):
        found[said.about] = said, sentence
        if len(found) >= EVENT_CLAIMS_MAX:
            break
    return list(found.values())


def _topic(features: Sequence[str]) -> str:
    """Return what an event is about: the task, or else what else it names first."""
    return next((name for kind in _TOPICS for name in features if name.startswith(kind)), "")


def _topic_of(talk: Talk, event: Happening) -> str:
    """Return what lessons of a session are about; without anything else, the session itself."""
    return talk.about or f"session:{event.session}"[:FEATURE_CHARS_MAX]


def _found(state: ReducerState, talk: Talk, event: Happening, said: Said, sentence: str, *, by: str = "") -> None:
    """Take in that an event says something: once more, anew, or in place of what was said before in the session."""
    events = list(dict.fromkeys((_first(state, event, said), event.id)))
    for place, former in enumerate(talk.found):
        if former.said.about == said.about and former.said.qualifiers == said.qualifiers:
            kept = list(dict.fromkeys((*former.events, *events)))[:EVIDENCE_MAX]
            talk.found[place] = replace(former, events=kept)
            return
    if said.predicate in _LATEST:
        slot = (said.subject, said.predicate)
        talk.found = [one for one in talk.found if (one.said.subject, one.said.predicate) != slot]
    talk.found.append(Found(said, events, sentence, by))


def _same(found: Said, heard: Said) -> bool:
    """Return whether a model says what the grammar has found: of the same subject the same value, by whatever name."""
    return found.subject == heard.subject and str(found.object).casefold() == str(heard.object).casefold()


def _told(state: ReducerState, claim: Happening) -> None:
    """Let go of what has been claimed already: so it is where this one's state was lost and is made anew."""
    talk, asserted = state.sessions.get(claim.session), claim.asserted
    if talk is None or asserted is None:
        return
    said = (asserted.subject, asserted.predicate, (asserted.object or "").casefold())
    talk.found = [one for one in talk.found if one.said.about != said]


def _ended(state: ReducerState, now: str) -> list[Decision]:
    """Return what those sessions said that have been silent for long while others went on."""
    found: list[Decision] = []
    if state.tick % _SWEEP_TICKS == 0:
        silent = [
            name for name, talk in state.sessions.items() if state.tick - talk.tick >= SILENT_TICKS and name != now
        ]
        for name in silent[:_SWEPT_MAX]:
            found += _reduced(state, name)
    if now not in state.sessions and len(state.sessions) >= SESSIONS_MAX:
        found += _reduced(state, min(state.sessions, key=lambda name: (state.sessions[name].tick, name)))
    return found


def _crowded(state: ReducerState) -> list[Decision]:
    """Return what the session with the most claims has said, where more wait than are held; it goes on."""
    found: list[Decision] = []
    while sum(len(talk.found) for talk in state.sessions.values()) > FOUND_MAX:
        name = max(state.sessions, key=lambda each: (len(state.sessions[each].found), each))
        talk = state.sessions[name]
        claims, talk.found = talk.found, []
        found += _claimed(state, name, claims)
    return found


def _reduced(state: ReducerState, name: str) -> list[Decision]:
    """Return what a session said, and let go of it."""
    return _claimed(state, name, state.sessions.pop(name).found)


def _claimed(state: ReducerState, session: str, found: Sequence[Found]) -> list[Decision]:
    """Return the claims that something was said, as many as are allowed."""
    taken = found[: state.in_hand]
    state.in_hand -= len(taken)
    return [asserted(one, session) for one in taken]


def asserted(found: Found, session: str) -> Decision:
    """Return the claim that something was said, with its sentence.

    Its evidence are the events, and the first by whose writer it was said: who says a thing twice is one source.
    """
    said = found.said
    body: dict[str, Any] = {"subject": said.subject, "predicate": said.predicate, "confidence": CONFIDENCE}
    body |= {"evidence": found.events, "candidate": True}
    if said.sort != "fact":
        body["claim_class"] = said.sort
    if said.qualifiers:
        body["qualifiers"] = said.qualifiers
    payload = {"sentence": found.sentence} | ({"model": found.by} if found.by else {})
    in_words = claim_in_words(said.subject, said.predicate, name_in_words(str(said.object)))
    text = f'{in_words}: "{found.sentence}"' if said.sort == "fact" else found.sentence
    return Decision("assert_claim", body, text, payload, session, said.object)


def _first(state: ReducerState, event: Happening, said: Said) -> str:
    """Return the event with which whoever recorded this one first said the same."""
    parts = (event.source, *said.about, *said.qualifiers.values())
    about = blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
    first = state.first.get(about, event.id)
    _keep(state.first, about, first)
    return first


def _keep(kept: dict[str, KeptT], name: str, value: KeptT) -> None:
    """Keep something as the latest, and forget the oldest beyond the bound."""
    kept.pop(name, None)
    kept[name] = value
    while len(kept) > KNOWN_MAX:
        del kept[next(iter(kept))]
