"""Concepts: what thinkers form and dissolve, and features that become conceptual by their density."""

import pytest

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, TEN, density, half_life, session_mark
from tests.graph.commands import Said, concept, dissolve, episode, event, outcome, pin, policy, recall, use
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind
from yggdrasil_schemas.refusals import Refusal

CONTAINS, ASSOCIATIVE = EdgeKind.CONTAINS, EdgeKind.ASSOCIATIVE
CONCEPTUAL = NodeFlag.CONCEPTUAL


def test_a_concept_takes_half_of_the_mean_upward_and_begins_fragile() -> None:
    """The walk has 1.5, the two features 1 each, and all have faded for a tick. It is the command of seq 3."""
    before = given(HALVING, event("walk", "rain", session="a"), event("ride", "wind", session="b"))
    formed = before.when(concept("weather", "feature:wind", "walk", "feature:rain"))
    formed.then(
        accepted(seq=4),
        header(nodes=5, edges=2 + 1 + 3),
        node("weather", kind=NodeKind.CONCEPT, salience=1 + 0.5 * (1 + 1.5 / 2 + 1 / 2) / 3, permanence=0, tick=2),
        node("weather", stability=0.5, half_life=0.5, usage=0, impact=0, valence=0, degree=3, flags=0),
        node("weather", marks=session_mark("a") | session_mark("b") | 1 << 4, kinds=1 << CONTAINS),
        *(edge("weather", CONTAINS, name, weight=1, usage=0, tick=2) for name in ("walk", "feature:rain")),
        node("walk", salience=1.5 / 2, tick=2, marks=session_mark("a") | 1 << 4, concept=0),
        node("feature:rain", salience=1 / 2, marks=session_mark("a") | 1 << 4),
        node("feature:wind", salience=1, marks=session_mark("b") | 1 << 4),
        unchanged("ride"),
    )
    number = formed.node("weather").number
    formed.then(node("feature:rain", concept=number), node("feature:wind", concept=number))


def test_a_concept_is_steadied_with_its_edges() -> None:
    """Three edges of one kind, and two marks: of the session and its own."""
    given(event("walk", "rain", "mud")).when(concept("weather", "feature:rain", "feature:mud", "walk")).then(
        node("weather", half_life=half_life(8, 0.5, 0, density(3, kinds=1, marks=2))),
        node("feature:rain", half_life=2 * HALF_LIFE),
    )


def test_a_fragile_concept_is_as_stable_as_the_policy_demands() -> None:
    before = given(BARE, policy("firm", stability_min=0.75), event("walk", "rain", "mud"))
    before.when(concept("wet", "feature:rain", "feature:mud")).then(
        node("wet", stability=0.75, half_life=half_life(8, 0.75))
    )


def test_concepts_may_hold_events_episodes_and_concepts() -> None:
    known = [event("e1", "a"), event("e2"), episode("day", "e1"), concept("pair", "e1", "feature:a")]
    given(*known).when(concept("all", "pair", "day", "e2")).then(
        *(edge("all", CONTAINS, name, weight=1) for name in ("pair", "day", "e2")), node("all", degree=3)
    )


def test_two_live_members_are_enough_and_one_is_too_few() -> None:
    before = given(TEN, event("old"), *(event(f"e{n}", "x") for n in range(9)))
    before.when(concept("one", "old", "e8")).then(gone("old"), refused(Refusal.MEMBERS_FORGOTTEN))
    before.when(concept("two", "old", "e8", "feature:x", "feature:never")).then(
        accepted(seq=12), node("two", degree=2), edge("two", CONTAINS, "e8")
    )


def test_the_same_concept_twice_is_one() -> None:
    before = given(event("e", "a", "b"), concept("pair", "feature:a", "feature:b"))
    before.when(concept("pair", "feature:a", "feature:b")).then(repeated(seq=2))


def test_a_dissolved_concept_leaves_its_members_as_they_are() -> None:
    """But for their edge to it. What they have met they have met."""
    before = given(event("walk", "rain", "mud"), concept("wet", "feature:rain", "feature:mud"))
    mark = session_mark("default") | 1 << 2
    before.when(dissolve("dry", "wet")).then(
        accepted(seq=3),
        gone("wet"),
        header(nodes=3, edges=3),
        node("feature:rain", degree=2, salience=1, marks=mark, usage=1, half_life=2 * HALF_LIFE),
        edge("walk", CONTAINS, "feature:rain"),
    )


def often(times: int, **changes: float) -> list[Said]:
    """rain occurs so often, once in an event, in one session. Before the n-th it has n - 1 edges of one kind."""
    return [
        policy("thresholds", concept_beyond_chance=0, **changes),
        *(event(f"e{n}", "rain") for n in range(1, times + 1)),
    ]


SEVEN = density(7, kinds=1, marks=1)
FIFTEEN = density(15, kinds=1, marks=1)
HAIR = 1e-9


@pytest.mark.parametrize(
    ("threshold", "uses", "flags"),
    [(SEVEN, 8, CONCEPTUAL), (SEVEN + HAIR, 8, 0), (SEVEN - HAIR, 9, 0), (0.0, 1, CONCEPTUAL)],
    ids=["just as dense and used", "too sparse", "too seldom", "anything"],
)
def test_a_dense_feature_that_occurs_often_becomes_conceptual(threshold: float, uses: int, flags: int) -> None:
    before = given(*often(7, concept_density=threshold, concept_usage=uses, dissolve_density=0))
    before.when(event("e8", "rain")).then(
        node("feature:rain", flags=flags, usage=8, half_life=half_life(8 if flags else 2, dense=SEVEN)),
        node("feature:rain", kind=NodeKind.FEATURE),
    )


def test_it_is_looked_at_when_its_usage_is_a_power_of_two() -> None:
    before = given(*often(8, concept_density=FIFTEEN - HAIR, dissolve_density=0))
    for n in range(9, 16):
        before.when(event(f"e{n}", "rain")).then(node("feature:rain", flags=0))
    before.when(event("e16", "rain")).then(
        node("feature:rain", flags=CONCEPTUAL, half_life=half_life(8, dense=FIFTEEN))
    )


@pytest.mark.parametrize(("threshold", "flags"), [(FIFTEEN, CONCEPTUAL), (FIFTEEN + HAIR, 0)])
def test_a_conceptual_feature_stays_so_until_it_is_far_sparser(threshold: float, flags: int) -> None:
    """It would not become conceptual any more; that it stops to be so takes a density below the lesser threshold."""
    before = given(*often(8, concept_density=0.01, dissolve_density=0))
    before.when(policy("strict", concept_density=0.9, dissolve_density=threshold)).then(
        node("feature:rain", flags=CONCEPTUAL)
    )
    for n in range(9, 16):
        before.when(event(f"e{n}", "rain")).then(node("feature:rain", flags=CONCEPTUAL))
    before.when(event("e16", "rain")).then(
        node("feature:rain", flags=flags, half_life=half_life(8 if flags else 2, dense=FIFTEEN))
    )


def test_the_kind_of_an_outcome_becomes_conceptual_as_any_feature() -> None:
    told = [outcome(f"o{n}", "act", 1.0) for n in range(1, 8)]
    before = given(
        policy("low", concept_density=SEVEN - HAIR, dissolve_density=0, concept_beyond_chance=0), event("act"), *told
    )
    before.when(outcome("o8", "act", 1.0)).then(
        node("feature:outcome:outcome", flags=CONCEPTUAL, half_life=half_life(8, dense=SEVEN))
    )


def test_a_conceptual_feature_that_is_dissolved_is_a_feature() -> None:
    before = given(BARE, *often(8, concept_density=0.01, dissolve_density=0))
    before.when(dissolve("plain again", "feature:rain")).then(
        accepted(seq=11),
        header(nodes=9),
        node("feature:rain", flags=0, half_life=2 * HALF_LIFE, usage=8, degree=8),
        edge("e1", CONTAINS, "feature:rain"),
    )
    before.when(dissolve("once more", "feature:rain")).then(refused(Refusal.NOT_A_CONCEPT))


def test_a_conceptual_feature_contains_nothing_and_absorbs_nothing() -> None:
    before = given(*often(8, concept_density=0.01, dissolve_density=0))
    before.when(event("e9", "rain")).then(
        edge("e9", CONTAINS, "feature:rain"), no_edge("feature:rain", CONTAINS, "e9"), node("e9", stability=1)
    )


def test_what_fades_slowly_needs_more_than_a_name() -> None:
    """A concept that is used grows lasting, as anything does: 0.1 of permanence and 2 % of stability with each use."""
    before = given(BARE, event("e", "a", "b"), concept("pair", "feature:a", "feature:b"), recall("asked", "pair"))
    before.when(use("used", "asked", "pair")).then(
        node("pair", usage=1, permanence=0.1, stability=0.51, half_life=half_life(8, 0.51, 0.1))
    )
    before.when(pin("core", "pair", permanence=5)).then(node("pair", flags=NodeFlag.PINNED, half_life=1e6))
