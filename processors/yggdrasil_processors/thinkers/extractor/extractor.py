"""Takes claims from plain sentences of events: what the fold makes of them is a law."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar, Final, TypeVar

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Heard, Thinker
from .heard import as_said
from .patterns import Said, said_in
from .plain import is_plain, sentences, spelt
from .subjects import people

KeptT = TypeVar("KeptT")
CLAIMS_MAX: Final = 4
"""How many claims are taken from one event."""
IN_HAND: Final = 64
"""How many claims may be taken beyond one for each event on the mean; the frame allows no flood."""
KEPT_MAX: Final = 2_000
CONFIDENCE: Final = 60


@dataclass(slots=True)
class Taken:
    """``in_hand`` is how many claims may still be taken: one more with each event.

    ``known`` are the persons of whom something was said or who spoke, and ``first`` the events that first said
    something, by a digest of it and of who recorded that; the latest last, and at most 2,000 of each.
    """

    in_hand: int = IN_HAND
    known: dict[str, None] = field(default_factory=dict[str, None])
    first: dict[str, str] = field(default_factory=dict[str, str])


class Extractor(Thinker[Taken]):
    """Reads the texts of events, and asserts what their plain sentences say, with the event as evidence.

    What a loop said and tells nothing new (``utterance``) makes no claim: it would be its own source.

    By the law a thinker's claim waits as a candidate until another source says so too, and one whose evidence is gone
    is refused.
    """

    name: ClassVar[str] = "extractor"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event"})
    state = Taken

    def observe(self, state: Taken, happening: Happening) -> Sequence[Decision]:
        """Return what an event's plain sentences say, each once, the first first."""
        if happening.kind != "event" or not happening.telling:
            return ()
        state.in_hand = min(state.in_hand + 1, IN_HAND)
        for person in people(happening.features):
            _keep(state.known, person, None)
        found: dict[tuple[object, ...], Decision] = {}
        for sentence in sentences(happening.telling):
            if is_plain(wording := spelt(sentence)):
                for said in said_in(wording, happening.features, state.known):
                    _keep(state.known, said.subject, None)
                    about = (said.subject, said.predicate, said.object)
                    found.setdefault(about, asserted(happening, said, sentence, _first(state, happening, said)))
        return _within(state, list(found.values()))

    def hear(self, state: Taken, happening: Happening, heard: Sequence[Heard]) -> Sequence[Decision]:
        """Return what a model found in an event: only what stands in its text, and what no pattern found."""
        found: dict[tuple[object, ...], Decision] = {}
        for one in heard:
            said = as_said(one, happening.telling or "", happening.features)
            if said is not None:
                about = (said.subject, said.predicate, said.object)
                first = _first(state, happening, said)
                found.setdefault(about, asserted(happening, said, one.sentence, first, model=one.by))
        for decision in self.observe(Taken(known=dict(state.known)), happening):
            found.pop((decision.body["subject"], decision.body["predicate"], decision.object), None)
        return _within(state, list(found.values()))


def _within(state: Taken, found: list[Decision]) -> list[Decision]:
    """Return as many of the claims of an event as are allowed."""
    taken = found[: min(CLAIMS_MAX, state.in_hand)]
    state.in_hand -= len(taken)
    return taken


def asserted(event: Happening, said: Said, sentence: str, first: str, **by: str) -> Decision:
    """Return the claim that something was said, with its sentence, and what else found it, as its payload.

    Its evidence is the event, and the ``first`` by whose writer it was said: who says a thing twice is one source.
    """
    evidence = list(dict.fromkeys((first, event.id)))
    body: dict[str, Any] = {
        "subject": said.subject,
        "predicate": said.predicate,
        "confidence": CONFIDENCE,
        "evidence": evidence,
    }
    if said.qualifiers:
        body["qualifiers"] = said.qualifiers
    return Decision(
        "assert_claim", body, payload={"sentence": sentence, **by}, session=event.session, object=said.object
    )


def _first(state: Taken, event: Happening, said: Said) -> str:
    """Return the event with which whoever recorded this one first said the same."""
    parts = (event.source, said.subject, said.predicate, str(said.object), *said.qualifiers.values())
    about = blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
    first = state.first.get(about, event.id)
    _keep(state.first, about, first)
    return first


def _keep(kept: dict[str, KeptT], name: str, value: KeptT) -> None:
    """Keep something as the latest, and forget the oldest beyond the bound."""
    kept.pop(name, None)
    kept[name] = value
    while len(kept) > KEPT_MAX:
        del kept[next(iter(kept))]
