"""Forms concepts of what stays together and means something, and dissolves its own when that is no longer so."""

from collections.abc import Sequence
from typing import ClassVar, Final

from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Thinker
from .communities import Links, cohesion, communities, links
from .counting import session_key, take
from .state import (
    CANDIDATES_MAX,
    CONCEPTS_MAX,
    EPISODES_MAX,
    RECENT_MAX,
    Candidate,
    Concept,
    Episode,
    Remembered,
    Seen,
)
from .worth import FEATURE, formed, worth_of

PASS_EVENTS: Final = 64
YOUNG_EVENTS: Final = 1_024
PASS_EVENTS_LATER: Final = 256
"""In a memory that is no longer young counts change slowly, and a pass takes as long as the fold of 100 events."""
PASSES_MIN: Final = 3
SAME: Final = 0.5
"""The Jaccard index from which on two sets of features are the same thing: in two passes, or as concepts."""
ABSORBED: Final = 0.8  # what the policy says by default
UNFED_EVENTS: Final = 1_024
RENEWED_EVENTS: Final = 1_536
"""So long after a concept was formed, or has absorbed an event, it has faded, and a sleep has dissolved it, unless it
has grown lasting by use. Its features may come up all the same: an event needs nearly all of them to be absorbed."""
LOOSE: Final = 0.25  # half of the cohesion with which a concept is formed: so it does not come and go
LOOSE_PASSES: Final = 3
FORMED_MAX: Final = 4  # in one pass
FORMER_MAX: Final = 2  # concepts that one may renew
_FED: Final = 2  # features of a concept, in one event


class ConceptFormer(Thinker[Remembered]):
    """Every 64 events, and later every 256, it looks for features that meet in the same events far beyond chance.

    One that has been there in three passes in a row, and has come up on several occasions or foretells how things end,
    becomes a concept: of its features, its most typical events, and the episodes of these. No concept is formed twice;
    when it must have faded, and its features still stay together, another takes its place, and contains it if need be.
    """

    name: ClassVar[str] = "concepts"
    version: ClassVar[str] = "2"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "commit_episode", "log_outcome"})
    follows: ClassVar[frozenset[str]] = frozenset({"chunker"})
    state = Remembered

    def observe(self, state: Remembered, happening: Happening) -> Sequence[Decision]:
        """Count; now and then, decide."""
        if happening.kind == "event":
            _see(state, happening)
            every = PASS_EVENTS if state.events <= YOUNG_EVENTS else PASS_EVENTS_LATER
            return _passed(state) if state.events % every == 0 else ()
        if happening.kind == "outcome":
            _judge(state, happening)
        elif happening.kind == "episode":
            state.episodes = [*state.episodes, Episode(happening.id, happening.members)][-EPISODES_MAX:]
        elif happening.kind == "concept":
            _know(state, happening)
        return ()


def _see(state: Remembered, event: Happening) -> None:
    state.events += 1
    session = session_key(event.session)
    take(state.counts, session, event.features, state.events)
    numbers = [state.counts.numbers[name] for name in event.features if name in state.counts.numbers]
    state.recent.append(Seen(event.id, state.events, session, sorted(set(numbers))))
    del state.recent[:-RECENT_MAX]
    features = set(event.features)
    for concept in state.concepts:
        if not features.isdisjoint(concept.features) and len(features.intersection(concept.features)) >= _FED:
            concept.fed = state.events
            if _jaccard(event.features, concept.features) >= ABSORBED:
                concept.strong = state.events


def _judge(state: Remembered, outcome: Happening) -> None:
    for seen in reversed(state.recent):
        if seen.id == outcome.of:
            seen.good += outcome.value > 0
            seen.bad += outcome.value < 0
            seen.outcome = outcome.id
            return


def _know(state: Remembered, concept: Happening) -> None:
    """Note a concept that exists, whoever has formed it."""
    own = concept.thinker == ConceptFormer.name
    features = [each.removeprefix(FEATURE) for each in concept.members if each.startswith(FEATURE)]
    for known in state.concepts:
        if own and known.own and known.id is None and known.features == features:
            known.id = concept.id
            return
    state.concepts.append(Concept(features, state.events, state.events, concept.id, own))
    if len(state.concepts) > CONCEPTS_MAX:  # only where others form many
        state.concepts.remove(min(state.concepts, key=lambda each: (each.own, each.fed)))


def _passed(state: Remembered) -> list[Decision]:
    linked = links(state.counts)
    decisions = _dissolved(state, linked)
    state.candidates = _candidates(state, communities(linked))
    names = {number: name for name, number in state.counts.numbers.items()}
    for candidate in state.candidates:
        features = [names[number] for number in candidate.features]
        same = [concept for concept in state.concepts if _jaccard(features, concept.features) >= SAME]
        if candidate.passes < PASSES_MIN or any(not _has_faded(state, concept) for concept in same):
            continue
        if len(decisions) >= FORMED_MAX or len(state.concepts) - len(same) >= CONCEPTS_MAX:
            break
        worth = worth_of(state, candidate.features)
        if worth.enough:
            former = [concept.id for concept in same if concept.id is not None]
            decisions.append(formed(state, features, former[-FORMER_MAX:], worth, candidate.passes))
            state.concepts = [concept for concept in state.concepts if concept not in same]
            state.concepts.append(Concept(features, state.events, state.events))
    return decisions


def _has_faded(state: Remembered, concept: Concept) -> bool:
    return concept.own and state.events - concept.strong >= RENEWED_EVENTS


def _candidates(state: Remembered, found: list[list[int]]) -> list[Candidate]:
    """Return the communities of this pass, each with the number of passes in which it has been there."""
    former = state.candidates
    return [
        Candidate(
            features,
            1 + max((each.passes for each in former if _jaccard(each.features, features) >= SAME), default=0),
        )
        for features in found[:CANDIDATES_MAX]
    ]


def _dissolved(state: Remembered, linked: Links) -> list[Decision]:
    """Return the dissolution of own concepts that nothing feeds or that no longer hold together.

    Each is forgotten with that: if a sleep has dissolved it before, one decision is refused, and no other follows.
    """
    decisions: list[Decision] = []
    for concept in list(state.concepts):
        if not concept.own or len(decisions) >= FORMED_MAX:
            continue
        numbers = [state.counts.numbers.get(name, 0) for name in concept.features]
        together = cohesion(linked, numbers)
        concept.loose = concept.loose + 1 if together < LOOSE else 0
        unfed = state.events - concept.fed
        if unfed >= UNFED_EVENTS:
            why = f"no event has had two of its features for {unfed:,} events"
        elif concept.loose >= LOOSE_PASSES:
            why = (
                f"{together:.0%} of the pairs of its features have met beyond chance, in {LOOSE_PASSES} passes in a row"
            )
        else:
            continue
        state.concepts.remove(concept)
        if concept.id is not None:
            payload = {"why": why, "features": concept.features}
            decisions.append(Decision("dissolve_concept", {"concept": concept.id}, payload=payload))
    return decisions


def _jaccard(one: Sequence[object], other: Sequence[object]) -> float:
    ones, others = set(one), set(other)
    return len(ones & others) / max(1, len(ones | others))
