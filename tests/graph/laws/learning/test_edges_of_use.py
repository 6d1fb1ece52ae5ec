"""What is noticed together, and used together, is tied more closely: a little, and much."""

from dataclasses import replace

import pytest

from tests.graph.by_hand import HALF_LIFE, HALVING, PLAIN
from tests.graph.commands import Said, claim, event, judge, outcome, policy, recall, relate, use
from tests.graph.scenario import Moment, edge, given, no_edge, node
from yggdrasil_projections.graph.laws.edges import edges_among
from yggdrasil_schemas.graph.records import EdgeKind
from yggdrasil_schemas.limits import GIVEN_EDGES_MAX

CONTAINS, TEMPORAL, CAUSAL = EdgeKind.CONTAINS, EdgeKind.TEMPORAL, EdgeKind.CAUSAL
ASSOCIATIVE, SUPPORTS = EdgeKind.ASSOCIATIVE, EdgeKind.SUPPORTS
NOTICED = 1 + 0.1 * (1 - 1 / 100)


def out(name: str, of: str, verdict: str = "reject") -> Said:
    return judge(name, (of, verdict), origin="operator")


def test_edges_among_what_was_noticed_gain_a_little_weight_and_nothing_else() -> None:
    before = given(HALVING, event("one", "rain", "coat"), event("two"))
    before.when(recall("asked", "one", "feature:rain", "two")).then(
        edge("one", CONTAINS, "feature:rain", weight=0.5 + 0.1 * (1 - 0.5 / 100), tick=2, half_life=1, usage=0),
        edge("one", TEMPORAL, "two", weight=NOTICED, permanence=0),
        edge("one", CONTAINS, "feature:coat", weight=1, tick=1),  # which nobody was shown
        edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=1, tick=1),
        no_edge("two", CONTAINS, "feature:rain"),
    )


def test_what_was_noticed_before_in_a_tick_ties_nothing() -> None:
    before = given(event("one", "rain", "coat"), recall("asked", "one", "one", "feature:rain"))
    before.when(recall("again", "one", "feature:rain", "feature:coat")).then(
        edge("one", CONTAINS, "feature:rain", weight=NOTICED),
        edge("one", CONTAINS, "feature:coat", weight=1),
        edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=1),
    )
    given(event("one", "rain")).when(recall("asked", "one", "feature:rain")).when(event("two")).when(
        recall("later", "one", "feature:rain")
    ).then(node("one", candidates=2), edge("one", CONTAINS, "feature:rain", tick=2))


def test_who_teaches_nothing_ties_nothing() -> None:
    before = given(event("one", "rain"))
    stranger = replace(recall("asked", "one", "feature:rain"), changed={"trust": 0})
    asked = before.when(stranger).then(edge("one", CONTAINS, "feature:rain", weight=1))
    report = replace(use("used", "asked", "one", "feature:rain", result="success"), changed={"trust": 0})
    asked.when(report).then(edge("one", CONTAINS, "feature:rain", weight=1, half_life=HALF_LIFE))


def test_causal_edges_are_for_outcomes_to_say() -> None:
    known = [event("one", "x"), outcome("good", "one", 2.0)]
    before = given(*known)
    foretold = before.when(event("two", "x"))
    weights = [edge_weight(foretold, "feature:x", "feature:outcome:outcome"), edge_weight(foretold, "one", "good")]
    shown = ("one", "good", "feature:x", "feature:outcome:outcome")
    recalled = foretold.when(recall("asked", *shown))
    used = recalled.when(use("used", "asked", *shown, result="success"))
    assert weights == [
        edge_weight(used, "feature:x", "feature:outcome:outcome"),
        edge_weight(used, "one", "good"),
    ]
    used.then(edge("one", CONTAINS, "feature:x", usage=0))


def edge_weight(moment: Moment, source: str, target: str) -> tuple[float, int, float]:
    found = moment.edge(source, CAUSAL, target)
    assert found is not None
    return found.weight, found.tick, found.half_life


@pytest.mark.parametrize("verdict", ["quarantine", "reject", "resolve"])
def test_no_edge_of_what_does_not_stand_is_strengthened(verdict: str) -> None:
    before = given(event("one", "rain"), event("two"), out("j", "one", verdict), recall("asked", "one", "two"))
    before.when(use("used", "asked", "one", "two", result="success")).then(
        edge("one", TEMPORAL, "two", weight=1, tick=2), node("two", usage=1)
    )


def test_edges_among_what_was_used_gain_weight_and_last() -> None:
    """At tick 2 the edges were noticed, so that of the first there is 0.5995 then."""
    before = given(HALVING, event("one", "rain", "coat"), event("two"))
    asked = before.when(recall("asked", "one", "feature:rain", "two"))
    asked.when(use("used", "asked", "one", "feature:rain")).then(
        edge("one", CONTAINS, "feature:rain", weight=0.5 + 0.1 * (1 - 0.5 / 100) + 1, half_life=1.02, usage=0),
        edge("one", TEMPORAL, "two", weight=NOTICED, half_life=1),  # which was shown, and not used
    )


def test_meetings_are_what_happened() -> None:
    """By an edge's usage it is told how often features met, and whether a step is new: a use is neither."""
    shown = ("feature:rain", "feature:coat")
    before = given(PLAIN, event("one", "rain", "coat"), recall("asked", *shown))
    before.when(use("used", "asked", *shown, result="success")).then(
        edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=NOTICED + 1, usage=1)
    )


def test_what_misled_ties_nothing() -> None:
    before = given(HALVING, event("one", "rain"), recall("asked", "one", "feature:rain"))
    before.when(use("failed", "asked", "one", "feature:rain", result="failure")).then(
        edge("one", CONTAINS, "feature:rain", weight=NOTICED, permanence=0, half_life=1)
    )


def test_relations_and_evidence_are_tied_too() -> None:
    told = [event("saw"), claim("is", "ana", "lives_in", "oslo", evidence=("saw",)), relate("why", "saw", "is")]
    before = given(*told, recall("asked", "saw", "is"))
    before.when(use("used", "asked", "saw", "is")).then(
        edge("saw", SUPPORTS, "is", weight=NOTICED + 1), edge("saw", EdgeKind.EVIDENCE, "is", weight=NOTICED + 1)
    )


@pytest.mark.parametrize("verdict", ["reject", "quarantine"])
def test_a_report_that_is_out_has_tied_nothing(verdict: str) -> None:
    """It gave 1 at tick 1, and a longer half-life. At tick 2 it loses what is left by that, and has just that again."""
    shown = ("one", "feature:rain")
    before = given(HALVING, event("one", "rain"), recall("asked", *shown), use("used", "asked", *shown), event("two"))
    without = NOTICED * 2 ** -(1 / 1.02)
    before.when(out("j", "used", verdict)).then(
        edge("one", CONTAINS, "feature:rain", weight=without, half_life=1, tick=2)
    )
    before.when(out("k", "used", verdict)).then(edge("one", CONTAINS, "feature:rain", weight=without, half_life=1))
    again = before.when(out("l", "used", "release"))
    again.then(edge("one", CONTAINS, "feature:rain", weight=without + 2 ** -(1 / 1.02), half_life=1.02))


def test_an_edge_that_has_gone_stays_away() -> None:
    few = policy("few", degree_max=16, edge_half_life_ticks=0.1)
    shown = ("one", "feature:rain", "feature:coat")
    told = [event("one", "rain", "coat"), recall("asked", *shown), use("used", "asked", *shown)]
    before = given(few, *told, *(event(f"e{n}", "rain") for n in range(20)))
    before.when(out("j", "used")).then(no_edge("one", CONTAINS, "feature:rain"), node("one", usage=0))
    before.when(out("k", "used", "release")).then(no_edge("one", CONTAINS, "feature:rain"), node("one", usage=1))


def test_of_many_edges_the_first_64_are_strengthened() -> None:
    """Eight events with the same eight features: 64 edges contain, 28 associate, 7 follow."""
    names = [f"f{n}" for n in range(8)]
    several = [event(f"e{n}", *names) for n in range(8)]
    shown = [*(f"e{n}" for n in range(8)), *(f"feature:{name}" for name in names)]
    before = given(policy("plain", absorb_jaccard=1.0), *several)
    asked = before.when(event("last")).when(recall("asked", *shown))
    among = edges_among(asked.graph, [asked.node(name) for name in shown])
    assert len(among) == GIVEN_EDGES_MAX and among == sorted(among)
    assert {asked.graph.expect_edge(key).tick for key in among} == {9}
    asked.then(edge("e0", CONTAINS, "feature:f7", tick=9), edge("e7", CONTAINS, "feature:f7", tick=8))
