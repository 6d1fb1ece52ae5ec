"""When a concept is formed, of what, and when it goes: both sides of each threshold, worked out by hand."""

from collections.abc import Iterator

import pytest

from tests.thinkers.told import concept, decided, episode, event, outcome, stored
from yggdrasil_processors.thinkers.concepts import ConceptFormer
from yggdrasil_processors.thinkers.concepts.state import Candidate, Concept, Remembered, Seen
from yggdrasil_processors.thinkers.concepts.worth import worth_of
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

THEME = ("rain", "mud", "coat")


def history(
    events: int, *, sessions: bool = True, first: int = 1, themed: int = 10_000_000, also: tuple[str, ...] = ("x",)
) -> Iterator[Happening]:
    """The theme is in the first of every eight events, up to the event ``themed``, with something else beside it."""
    for n in range(first, events + 1):
        session = f"s{(n - 1) // 4}" if sessions else "default"
        features = (*THEME, *(f"{name}{n}" for name in also)) if n % 8 == 1 and n <= themed else (f"noise{n}",)
        yield event(n, *features, session=session)


def summary(found: list[tuple[str, Decision]]) -> list[tuple[str, str]]:
    return [(after, decision.type) for after, decision in found]


def test_three_passes_make_a_concept_and_more_make_no_other() -> None:
    """Half of all stretches have it, so 8 of 16 in the first pass: a ratio of 22."""
    found = decided(ConceptFormer(), history(191))
    assert found == []
    ((after, decision),) = decided(ConceptFormer(), history(1_400))
    assert (after, decision.type, decision.session) == ("e192", "form_concept", None)
    assert decision.text == "rain, mud, coat"
    typical = ["e185", "e177", "e169", "e161"]
    assert decision.body == {"members": ["feature:rain", "feature:mud", "feature:coat", *typical]}
    assert decision.payload == {
        "why": "3 features have met beyond chance in 3 passes in a row: 24 of the recent events have several of them, "
        "on 24 occasions",
        "evidence": typical,
    }


def test_in_one_session_it_takes_four_times_64_events() -> None:
    ((after, _),) = decided(ConceptFormer(), history(600, sessions=False))
    assert after == "e256"


def test_it_has_the_episodes_of_its_events_and_their_outcomes_as_evidence() -> None:
    told = list(history(192))
    told.insert(190, outcome(500, "e185", -1.0))
    told.insert(190, episode(501, "e177", "e185"))
    told.insert(190, episode(502, "e178", "e185"))
    ((_, decision),) = decided(ConceptFormer(), told)
    assert decision.body["members"][-1] == "ep501"
    assert decision.payload["evidence"] == ["e185", "e177", "e169", "e161", "o500"]


@pytest.mark.parametrize(
    ("members", "blocked"),
    [(("rain", "mud", "wind"), True), (("rain", "mud", "wind", "sun"), False), (("wind", "sun"), False)],
)
def test_a_concept_that_exists_is_not_formed_again_whoever_formed_it(members: tuple[str, ...], blocked: bool) -> None:
    """Two of four features in all are the same thing; two of five are not."""
    known = concept(900, *(f"feature:{name}" for name in members), "e1", thinker=None)
    assert (decided(ConceptFormer(), [known, *history(400)]) == []) == blocked


@pytest.mark.parametrize(("last", "gone"), [(1_279, False), (1_280, True)])
def test_what_has_not_come_up_for_long_is_dissolved_once(last: int, gone: bool) -> None:
    """Nothing of it comes up after it was formed with e192, and e1280 is the first pass 1,024 events later."""
    found = decided(ConceptFormer(), history(last, themed=192))
    assert summary(found) == [("e192", "form_concept"), *([("e1280", "dissolve_concept")] if gone else [])]
    if gone:
        decision = found[1][1]
        assert decision.body == {"concept": "formed1"}
        assert decision.payload["why"] == "no event has had two of its features for 1,088 events"


def test_a_decision_that_was_refused_is_not_repeated() -> None:
    """Its concept never comes back from the log: it is taken to exist until nothing feeds it, and then forgotten."""
    former, state = ConceptFormer(), Remembered()
    found = [decision for told in history(2_600, themed=192) for decision in former.observe(state, told)]
    assert [decision.type for decision in found] == ["form_concept"]
    assert state.concepts == []


def test_what_no_longer_holds_together_is_dissolved_in_the_third_pass() -> None:
    loose = concept(900, "feature:rain", "feature:sand", "feature:glass")
    fed = [
        event(n, "rain", "sand", f"f{n}", session=f"s{n // 4}") if n % 50 == 0 else event(n, f"n{n}")
        for n in range(193)
    ]
    assert summary(decided(ConceptFormer(), [loose, *fed[:192]]))[:1] == [("e191", "dissolve_concept")]
    assert decided(ConceptFormer(), [loose, *fed[:191]]) == []
    foreign = concept(900, "feature:rain", "feature:sand", "feature:glass", thinker="another")
    assert decided(ConceptFormer(), [foreign, *fed]) == []


@pytest.mark.parametrize(("also", "renewed"), [((), False), (("x",), True)])
def test_a_concept_that_must_have_faded_is_renewed_and_one_that_absorbs_is_not(
    also: tuple[str, ...], renewed: bool
) -> None:
    """With a feature more an event is not absorbed: three of four is below 0.8. e1792 is the first pass 1,536 later."""
    found = decided(ConceptFormer(), history(1_800, also=also))
    assert summary(found) == [("e192", "form_concept"), *([("e1792", "form_concept")] if renewed else [])]
    if renewed:
        assert found[1][1].body["members"][-1] == "formed1"


def judged(good: int, bad: int, good_elsewhere: int, bad_elsewhere: int) -> Remembered:
    """One event with the features 1 and 2, another without, both in one session."""
    here = Seen("here", 1, "s", [1, 2], good, bad, "o")
    return Remembered(events=2, recent=[here, Seen("elsewhere", 2, "s", [3], good_elsewhere, bad_elsewhere)])


@pytest.mark.parametrize(
    ("ends", "foretells"),
    [
        ((0, 8, 8, 0), True),
        ((8, 0, 0, 8), True),
        ((0, 7, 70, 0), False),  # too few
        ((0, 70, 7, 0), False),  # too few elsewhere
        ((4, 4, 4, 4), False),
        ((2, 8, 8, 2), False),  # 0.6 apart, 0.22 is one standard deviation
        ((2, 18, 18, 2), True),  # 0.8 apart, 0.16
        ((0, 8, 0, 80), False),  # all ends badly
    ],
)
def test_an_end_that_is_foretold_is_worth_a_concept(ends: tuple[int, int, int, int], foretells: bool) -> None:
    worth = worth_of(judged(*ends), [1, 2])
    assert (worth.foretells, worth.enough) == (foretells, foretells)
    assert [seen.id for seen in worth.events] == ["here"]


@pytest.mark.parametrize(("size", "least"), [(3, 2), (6, 2), (7, 3), (9, 3), (10, 4), (12, 4)])
def test_an_event_has_a_community_with_two_of_its_features_and_a_third(size: int, least: int) -> None:
    features = list(range(1, size + 1))
    seen = [Seen(str(count), count, "s", features[:count]) for count in range(1, size + 1)]
    assert {each.id for each in worth_of(Remembered(recent=seen), features).events} == {
        str(count) for count in range(least, size + 1)
    }


@pytest.mark.parametrize(("page", "events"), [(1, 260), (7, 1_800), (256, 1_800)])
def test_pages_and_stored_states_change_nothing(page: int, events: int) -> None:
    whole = decided(ConceptFormer(), history(events), page=10_000)
    assert decided(ConceptFormer(), history(events), page=page) == whole != []


def test_a_state_comes_back_as_it_was() -> None:
    state = Remembered()
    decided(ConceptFormer(), [*history(300), episode(1, "e1"), outcome(2, "e297", 1.0)], state=state)
    state.candidates.append(Candidate([1, 2, 3], 2))
    state.concepts.append(Concept(["a"], 1, 2))
    assert stored(ConceptFormer(), state) == state
