"""What is noticed together, and used together, is tied more closely: a little, and much."""

from dataclasses import replace

import pytest

from tests.graph.by_hand import HALF_LIFE, HALVING, PLAIN
from tests.graph.commands import Said, claim, event, judge, outcome, policy, recall, relate, use
from tests.graph.scenario import Moment, edge, given, no_edge, node
from yggdrasil_projections.graph.laws.edges import edges_among
from yggdrasil_schemas.graph.records import Edge, EdgeKind
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


# What really moved


SHOWN = ("one", "feature:rain")
TOLD = [event("one", "rain"), recall("asked", *SHOWN), use("used", "asked", *SHOWN)]


def the_edge(moment: Moment) -> Edge:
    found = moment.edge("one", CONTAINS, "feature:rain")
    assert found is not None
    return found


def used_often(moment: Moment, names: str, times: int, *shown: str) -> Moment:
    for n in range(times):
        asked = moment.when(recall(f"asked {names} {n}", *shown))
        moment = asked.when(use(f"{names} {n}", f"asked {names} {n}", *shown))
    return moment


def test_verdicts_that_go_to_and_fro_leave_an_edge_as_it_was() -> None:
    """What was given is what is left by one half-life both times: else each round would cost the edge something."""
    before = given(*TOLD, *(event(f"e{n}") for n in range(50))).when(out("out", "used"))
    first = before.when(out("in", "used", "release"))
    weight, half_life = the_edge(first).weight, the_edge(first).half_life
    for n in range(20):
        first = first.when(out(f"out {n}", "used")).when(out(f"in {n}", "used", "release"))
    first.then(edge("one", CONTAINS, "feature:rain", weight=weight, half_life=half_life))


def test_in_whatever_order_reports_are_out_and_in_again_the_edge_is_as_it_was() -> None:
    before = given(*TOLD).when(event("two"))
    several = used_often(before, "more", 3, *SHOWN)
    for n in range(30):
        several = several.when(event(f"e{n}"))
    weight, half_life = 0.0, 0.0
    orders = ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    for turn, taken in enumerate(orders):
        for n in taken:
            several = several.when(out(f"out {turn} {n}", f"more {n}"))
        for n in reversed(orders[turn - 1]):
            several = several.when(out(f"in {turn} {n}", f"more {n}", "release"))
        if turn:
            several.then(edge("one", CONTAINS, "feature:rain", weight=weight, half_life=half_life))
        weight, half_life = the_edge(several).weight, the_edge(several).half_life


def test_what_is_given_again_to_an_edge_that_is_full_is_not_taken_from_it() -> None:
    """Weight is 100 at most. Some reports are out, others fill the edge, and the first are given again and taken."""
    wide = policy("wide", association_weight=10.0)
    theirs = used_often(given(wide, *TOLD).when(event("two")), "theirs", 8, *SHOWN)
    for n in range(8):
        theirs = theirs.when(out(f"out {n}", f"theirs {n}"))
    ours = used_often(theirs, "ours", 12, *SHOWN).then(edge("one", CONTAINS, "feature:rain", weight=100))
    half_life = the_edge(ours).half_life
    for n in range(8):
        ours = ours.when(out(f"in {n}", f"theirs {n}", "release"))
    for n in range(8):
        ours = ours.when(out(f"out again {n}", f"theirs {n}"))
    ours.then(edge("one", CONTAINS, "feature:rain", weight=100, half_life=half_life))


def test_an_edge_that_was_made_since_loses_nothing() -> None:
    """A relation is taken back with its edge, and said again: what a report gave to the first is none of the second."""
    told = [event("one"), event("two"), relate("first", "one", "two"), recall("asked", "one", "two")]
    before = given(*told, use("used", "asked", "one", "two"), out("gone", "first"))
    anew = before.when(relate("second", "one", "two")).then(edge("one", SUPPORTS, "two", weight=1, half_life=HALF_LIFE))
    taken = anew.when(out("j", "used")).then(edge("one", SUPPORTS, "two", weight=1, half_life=HALF_LIFE))
    taken.when(out("k", "used", "release")).then(edge("one", SUPPORTS, "two", weight=1, half_life=HALF_LIFE))


# Who is trusted less


def stranger(said: Said) -> Said:
    return replace(said, changed={"trust": 0})


def test_a_stranger_strengthens_no_edge_that_is_trusted_more() -> None:
    """Neither by what comes together again, nor by a step that is made again, nor by a relation."""
    told = [event(f"e{n}", ("rain", "wind")[n % 2], "coat") for n in range(5)]
    before = given(policy("plain", taint_ticks=0), *told, relate("why", "e0", "e1")).when(event("last", "wind", "coat"))
    values = {"weight": 0.0, "half_life": 0.0, "usage": 0.0, "trust": 0.0}
    kept = [
        ("feature:rain", ASSOCIATIVE, "feature:coat"),
        ("feature:rain", EdgeKind.TRAJECTORY, "feature:wind"),
        ("e0", SUPPORTS, "e1"),
    ]
    found = [{name: getattr(before.graph.expect_edge(key_of(before, *each)), name) for name in values} for each in kept]
    moment = before
    for n in range(4):
        moment = moment.when(event(f"s{n}", ("rain", "wind")[n % 2], "coat", trust=0))
    moment = moment.when(stranger(relate("because", "e0", "e1")))
    assert moment.answer.refused is None
    for each, was in zip(kept, found, strict=True):
        now = moment.graph.expect_edge(key_of(moment, *each))
        elapsed = moment.graph.header.tick - before.graph.header.tick
        fading = {name: getattr(now, name) for name in was}
        was["weight"] *= 1.0 if now.tick == before.graph.header.tick else 2 ** -(elapsed / was["half_life"])
        assert fading["weight"] <= was["weight"] * (1 + 1e-12)
        assert {**fading, "weight": 0} == {**was, "weight": 0}, each


def key_of(moment: Moment, source: str, kind: EdgeKind, target: str) -> tuple[int, int, int]:
    first, second = moment.number(source), moment.number(target)
    assert first is not None and second is not None
    return first, int(kind), second


def test_what_a_stranger_tied_a_stranger_strengthens_and_who_is_trusted_more_vouches_for_it() -> None:
    told = [event("a", "rain"), event("b", "coat"), event("s1", "rain", "coat", trust=0, session="s")]
    before = given(PLAIN, *told).when(event("s2", "rain", "coat", trust=0, session="s"))
    before.then(edge("feature:rain", ASSOCIATIVE, "feature:coat", usage=2, trust=0, made=4))
    vouched = before.when(event("u", "rain", "coat", origin="user"))
    vouched.then(edge("feature:rain", ASSOCIATIVE, "feature:coat", usage=3, trust=2, made=4))


def test_to_notice_or_to_use_does_not_vouch_for_an_edge() -> None:
    told = [event("a", "rain"), event("b", "coat"), event("s1", "rain", "coat", trust=0, session="s")]
    shown = ("feature:rain", "feature:coat")
    before = given(PLAIN, *told, recall("asked", *shown)).when(use("used", "asked", *shown, result="success"))
    before.then(edge("feature:rain", ASSOCIATIVE, "feature:coat", weight=NOTICED + 1, trust=0))


def test_what_an_agent_ties_in_a_session_with_a_stranger_s_page_is_a_stranger_s() -> None:
    told = [event("a", "rain", "wind"), event("b", "coat"), event("page", session="web", trust=0)]
    before = given(*told).when(event("c", "rain", "coat", session="web"))
    before.then(edge("feature:rain", ASSOCIATIVE, "feature:coat", trust=0))


def test_a_relation_that_is_put_back_is_trusted_as_who_said_it() -> None:
    told = [event("one", origin="user"), event("two", origin="user"), relate("why", "one", "two"), out("j", "why")]
    given(*told).when(out("k", "why", "release")).then(edge("one", SUPPORTS, "two", trust=1, made=5))


def test_of_a_report_no_more_is_taken_than_there_was_room_for() -> None:
    """Of the last of eleven that give 10 each there came nothing, and of the tenth what was left."""
    wide = policy("wide", association_weight=10.0)
    full = used_often(given(wide, *TOLD[:1]).when(event("two")), "some", 11, *SHOWN)
    full.then(edge("one", CONTAINS, "feature:rain", weight=100))
    full.when(out("last", "some 10")).then(edge("one", CONTAINS, "feature:rain", weight=100))
    full.when(out("first", "some 0")).then(edge("one", CONTAINS, "feature:rain", weight=90))
