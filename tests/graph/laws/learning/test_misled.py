"""A use that failed: nothing in a memory rises by it, neither what reads nor what pruning goes by."""

import pytest

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, faded
from tests.graph.commands import concept, event, outcome, policy, recall, use
from tests.graph.scenario import given, node
from yggdrasil_projections.retrieval.ranking.priority import priorities
from yggdrasil_projections.retrieval.ranking.rankers import Recipe

FAILED = use("failed", "asked", "one", result="failure")


def test_a_failed_use_is_no_use_and_takes_back_what_being_returned_gave() -> None:
    """1.5 + 0.0925 by the recall; two, returned too, keeps it."""
    before = given(HALVING, event("one", "rain"), event("two", "sun"), recall("asked", "one", "two"))
    before.when(FAILED).then(
        node("one", usage=0, candidates=1, salience=1.5 / 2 + 0.1 * (1 - 0.75 / 20) - 0.1),
        node("one", permanence=0, impact=0, valence=-0.45, stability=1, half_life=1),
        node("two", usage=0, candidates=1, salience=1.5 + 0.1 * (1 - 1.5 / 20)),
    )


def test_no_more_is_taken_than_there_is() -> None:
    faint = [event("one"), *(event(f"e{n}") for n in range(5))]
    little = 1.5 / 2**5
    before = given(HALVING, *faint, recall("asked", "one"), event("more"))
    assert (little + 0.1) / 2 < 0.1
    before.when(FAILED).then(node("one", salience=0))


def test_it_fades_no_more_slowly_than_before() -> None:
    """A use that served steadies it: 3 edges of 2 kinds count. One that failed does not, but for what it loses."""
    before = given(event("one", "rain", "coat"), event("two"), recall("asked", "one"))
    before.when(FAILED).then(node("one", half_life=HALF_LIFE, degree=3))
    lasting = given(BARE, event("one"), outcome("good", "one", 10.0), recall("asked", "one"))
    was = lasting.when(event("two")).node("one").half_life
    failed = lasting.when(FAILED)
    assert failed.node("one").half_life < was


def test_impact_falls_to_nothing_and_no_further() -> None:
    """Below 0 it would count as a lesson of failure, which reads and pruning prefer; such a lesson stays as it is."""
    for result, kept in ((2.0, 3 * 0.9 - 1.5), (0.5, 0.0), (-2.0, -3.0)):
        before = given(HALVING, event("one"), outcome("told", "one", result), recall("asked", "one"))
        before.when(FAILED).then(node("one", impact=kept, usage=0))


def test_what_it_is_worth_never_rises_by_a_failure() -> None:
    """It has misled before as badly as it can, and the next failure is a milder one."""
    worst = [policy("worst", impact_failure=-100), event("one"), recall("first", "one")]
    before = given(*worst, use("misled", "first", "one", result="failure"), policy("mild", impact_failure=-1.5))
    before.when(recall("asked", "one")).then(node("one", valence=-10))
    before.when(FAILED).then(node("one", valence=-10))


def test_a_feature_and_a_concept_lose_too() -> None:
    """They foretell outcomes: what they are worth in use is no business of their valence."""
    known = [event("one", "rain", "coat"), outcome("good", "one", 2.0), concept("wet", "feature:rain", "feature:coat")]
    before = given(HALVING, *known, recall("asked", "feature:rain", "wet"))
    was = before.when(event("later", session="other"))
    rain, wet = was.node("feature:rain"), was.node("wet")
    salience = [faded(each.salience, 1, each.half_life) - 0.1 for each in (rain, wet)]
    before.when(use("failed", "asked", "feature:rain", "wet", result="failure")).then(
        node("feature:rain", valence=0.3, impact=0, usage=1, salience=salience[0]),
        node("wet", valence=0, impact=0, usage=0, salience=salience[1], half_life=0.5),
    )


@pytest.mark.parametrize("told", [0.0, 0.4, 3.0, -3.0])
@pytest.mark.parametrize("kind", ["event", "feature", "concept"])
def test_no_read_puts_what_has_misled_before_its_equal(kind: str, told: float) -> None:
    """Whatever it stood for: one that was not even returned comes before it, then and at any later tick."""
    known = [
        event("one", "rain", "coat"),
        outcome("of one", "one", told),
        concept("wet", "feature:rain", "feature:coat"),
    ]
    name = {"event": "one", "feature": "feature:rain", "concept": "wet"}[kind]
    alone, misled = given(*known), given(*known, recall("asked", name), use("failed", "asked", name, result="failure"))
    for n in range(80):
        left, right = alone.when(event(f"e{n}", session="x")), misled.when(event(f"e{n}", session="x"))
        age = right.graph.header.seq - left.graph.header.seq
        right.graph.header.seq -= age  # recency is of the number of commands, and the same for both
        first, second = (priorities(it.graph, [it.node(name)], [0.5], Recipe()) for it in (right, left))
        assert first < second
        right.graph.header.seq += age
