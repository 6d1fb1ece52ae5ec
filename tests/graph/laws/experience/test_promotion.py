"""What recurs is no concept yet: it must keep company, or turn out, as chance does not explain."""

import pytest

from tests.graph.commands import Said, concept, episode, event, outcome, policy
from tests.graph.laws.experience.promotion import NOISE, PLANTED, concepts_of, planted
from tests.graph.scenario import Given, given, header, node
from yggdrasil_schemas.graph.records import NodeFlag

CONCEPTUAL = NodeFlag.CONCEPTUAL
HAIR = 1e-9


def dense(beyond: float) -> Said:
    """Anything is dense enough."""
    return policy("dense", concept_density=0, dissolve_density=0, concept_beyond_chance=beyond)


def company(beyond: float, others: int = 44) -> Given:
    """Rain and wind have met fifteen times, after so many events without either."""
    before = [event(f"other{n}") for n in range(others)]
    return given(dense(beyond), *before, *(event(f"e{n}", "rain", "wind") for n in range(1, 16)))


@pytest.mark.parametrize(("beyond", "flags"), [(2.75, CONCEPTUAL), (2.75 + HAIR, 0)])
def test_company_beyond_chance(beyond: float, flags: int) -> None:
    """Of 60 events rain occurred in 16 and wind in 15 when rain is looked at: 4 meetings are expected and 15 counted,
    and 11^2 is (2 * 2.75)^2 * 4. Wind is looked at next, when rain occurred in 16: 4.27 are expected, and 15 are too
    few."""
    before = company(beyond)
    before.when(event("e16", "rain", "wind")).then(node("feature:rain", flags=flags), node("feature:wind", flags=0))


def test_always_together_is_what_chance_explains_of_what_always_occurs() -> None:
    company(0.001, others=0).when(event("e16", "rain", "wind")).then(
        node("feature:rain", flags=0), node("feature:wind", flags=0)
    )


def test_between_the_bars_what_is_a_concept_stays_one() -> None:
    """None is as dense as 1: no other becomes one, and this one is let go only below the lower bar."""
    eight = [event(f"e{n}", "rain") for n in range(1, 9)]
    bars = policy("bars", concept_density=1.0, dissolve_density=0.0)
    before = given(dense(0), *eight, bars, *(event(f"f{n}", "rain", "wind") for n in range(1, 8)))
    before.when(event("f8", "rain", "wind")).then(
        node("feature:rain", flags=CONCEPTUAL, usage=16), node("feature:wind", flags=0, usage=8)
    )
    before.when(policy("high", dissolve_density=1.0))
    for n in range(9, 16):
        before.when(event(f"f{n}", "rain"))
    before.when(event("f16", "rain")).then(node("feature:rain", flags=0, usage=24))


def test_fewer_than_eight_meetings_say_nothing() -> None:
    """At the eighth occurrence seven are counted, however rare that would be."""
    often = [event(f"other{n}") for n in range(300)]
    before = given(dense(0.001), *often, *(event(f"e{n}", "rain", "wind") for n in range(1, 8)))
    before.when(event("e8", "rain", "wind")).then(node("feature:rain", flags=0, usage=8))


def test_an_episode_and_a_concept_are_no_company() -> None:
    """Only features are: what contains them is made of them."""
    alone = [event(f"e{n}", "rain") for n in range(1, 16)]
    before = given(dense(0.001), *alone, episode("day", "e1", "e2"), concept("wet", "feature:rain", "e3"))
    before.when(event("e16", "rain")).then(node("feature:rain", flags=0))


def omen(beyond: float, bad: int, good: int) -> Given:
    """The omen has occurred fifteen times, and as many of those were bad; something else was good so often."""
    told = [outcome(f"bad{n}", f"e{n}", -1.0) for n in range(1, bad + 1)]
    fine = [event("fine", "sun"), *(outcome(f"good{n}", "fine", 1.0) for n in range(good))]
    return given(dense(beyond), *(event(f"e{n}", "omen") for n in range(1, 16)), *told, *fine)


@pytest.mark.parametrize(("beyond", "flags"), [(8.0, CONCEPTUAL), (8.0 + HAIR, 0)])
def test_outcomes_beyond_chance(beyond: float, flags: int) -> None:
    """Nine of 81 outcomes were bad, and all nine after the omen: one was due, and 8^2 is as far as 8 deviations."""
    before = omen(beyond, bad=9, good=72)
    before.when(event("e16", "omen")).then(node("feature:omen", flags=flags, bad=9), header(good=72, bad=9))


def test_fewer_than_eight_outcomes_say_nothing() -> None:
    omen(0.001, bad=7, good=42).when(event("e16", "omen")).then(node("feature:omen", flags=0))


def test_where_all_ends_alike_nothing_is_told_apart() -> None:
    omen(0.001, bad=9, good=0).when(event("e16", "omen")).then(node("feature:omen", flags=0))


def test_what_ends_well_where_most_ends_badly_matters_as_much() -> None:
    good = [outcome(f"good{n}", f"e{n}", 1.0) for n in range(1, 10)]
    foul = [event("foul"), *(outcome(f"bad{n}", "foul", -1.0) for n in range(72))]
    before = given(dense(8.0), *(event(f"e{n}", "charm") for n in range(1, 16)), *good, *foul)
    before.when(event("e16", "charm")).then(node("feature:charm", flags=CONCEPTUAL, good=9), header(good=9, bad=72))


def test_a_neutral_outcome_is_none() -> None:
    given(event("e1", "a")).when(outcome("o1", "e1", 0.0)).then(header(good=0, bad=0))


@pytest.mark.parametrize("life", ["uniform: 4 of 40", "uniform, a third turn out, 50 % well", "Zipf: 4 of 200"])
def test_noise_yields_none(life: str) -> None:
    """``python -m tests.graph.laws.experience.promotion`` tells twenty lives of each kind of noise."""
    assert concepts_of(NOISE[life], seed=1, events=700)[0] == []


@pytest.mark.parametrize(
    ("life", "count"), [("theme of 4 in 10 %", 4), ("theme of 5 in 30 %", 5), ("omen, all bad where 10 % are", 1)]
)
def test_what_is_planted_is_found(life: str, count: int) -> None:
    found, _ = concepts_of(PLANTED[life], seed=1)
    assert len(found) == count
    assert all(map(planted, found))
