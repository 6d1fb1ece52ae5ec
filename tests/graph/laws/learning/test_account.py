"""What an outcome, or a report of use, gave is taken back with it: exactly what is left of it, and only once."""

import pytest

from tests.graph.by_hand import HALVING
from tests.graph.commands import MEMORY, Said, event, judge, outcome, policy, recall, use
from tests.graph.scenario import Moment, edge, given, gone, header, no_edge, node
from tests.graph.world import live_accounts
from yggdrasil_schemas.graph.records import EdgeKind

CAUSAL, CONTAINS = EdgeKind.CAUSAL, EdgeKind.CONTAINS
KIND = "feature:outcome:outcome"
KNOWN = [event("known", session="known"), outcome("known too", "known", 0.0)]
"""The kind of outcome is no news, so that magnitudes are values."""


def out(name: str, of: str, verdict: str = "reject") -> Said:
    return judge(name, (of, verdict), origin="operator")


@pytest.mark.parametrize("verdict", ["reject", "quarantine"])
def test_an_outcome_that_is_out_has_given_nothing(verdict: str) -> None:
    """It gave 1 of salience, 0.2 of permanence and 2 of impact at tick 2; at tick 4 a quarter is left of what fades."""
    before = given(HALVING, *KNOWN, event("act"), outcome("good", "act", 2.0), event("b"))
    before.when(event("c")).then(node("act", impact=2, good=1), header(good=1))
    moment = before.when(out("j", "good", verdict))
    moment.then(node("act", salience=1.5 / 4, permanence=0, impact=0, good=0, stability=1), header(good=0, bad=0))


def test_given_again_it_has_what_would_be_left_of_it() -> None:
    """Of 2 of salience and 1 of permanence, given for a bad one at tick 2, at tick 3 the half."""
    before = given(HALVING, *KNOWN, event("act"), outcome("bad", "act", -2.0), out("j", "bad"), event("b"))
    before.when(out("k", "bad", "release")).then(
        node("act", salience=(1.5 + 2.0) / 2, permanence=1.0 / 2, impact=-2, bad=1), header(good=0, bad=1)
    )


def test_it_is_taken_back_and_given_once() -> None:
    before = given(HALVING, *KNOWN, event("act"), outcome("good", "act", 2.0), out("j", "good"))
    before.when(out("k", "good")).then(node("act", salience=1.5, permanence=0, impact=0, good=0), header(good=0))
    before.when(out("l", "good", "release")).then(node("act", impact=2, good=1), header(good=1))
    before.when(out("m", "good", "release")).then(node("act", impact=2, good=1), header(good=1))


def test_what_came_since_stays() -> None:
    """The second found 2 of impact, let a tenth of it fade, and gave 3; the first gave 2, and 1.2 are left without it.

    So a bad one that fell on less is felt more: only a memory without the first would know 3.
    """
    before = given(HALVING, *KNOWN, event("act"), outcome("one", "act", 2.0), outcome("two", "act", 3.0))
    before.when(out("j", "one")).then(
        node("act", salience=1.5 + 1.5, permanence=0.3, impact=2 * 0.9 + 3 - 2, good=1), header(good=1)
    )


def test_no_more_is_taken_back_than_was_given_within_the_bounds() -> None:
    """Salience is 20 at most: of 9 there came 8.5."""
    before = given(*KNOWN, event("act"), outcome("one", "act", -10.0))
    before.when(outcome("two", "act", -9.0)).then(node("act", salience=20))
    before.when(out("j", "two")).then(node("act", salience=11.5))
    before.when(out("k", "one")).then(node("act", salience=1.5))


def test_no_value_falls_below_nothing() -> None:
    """A failed use took what was left of salience; what the outcome gave is not there to be taken."""
    told = [event("act"), outcome("good", "act", 2.0), recall("asked", "act")]
    drained = policy("drained", recall_salience=10.0)
    before = given(HALVING, *KNOWN, *told, drained, use("used", "asked", "act", result="failure"))
    before.when(out("j", "good")).then(node("act", salience=0, good=0))


def test_what_led_to_it_and_what_carried_it_give_back_too() -> None:
    """A tenth for the step before, in salience and impact; half of 2 for the feature, which foretold 0.3 of the 2."""
    before = given(HALVING, *KNOWN, event("step"), event("act", "x"))
    before.when(outcome("good", "act", 2.0)).then(
        node("step", salience=1.5 / 2 + 0.2, impact=0.2), node("feature:x", valence=0.6, impact=2, good=1)
    )
    before.when(out("j", "good")).then(
        node("step", salience=1.5 / 2, impact=0), node("feature:x", salience=1, valence=0, impact=0, good=0)
    )


def test_what_foretells_it_does_so_no_longer() -> None:
    """The feature means it by 0.6, which is enough to foretell with the whole magnitude."""
    before = given(HALVING, *KNOWN, event("act", "x"))
    before.when(outcome("good", "act", 2.0)).then(edge("feature:x", CAUSAL, KIND, weight=2))
    before.when(out("j", "good")).then(no_edge("feature:x", CAUSAL, KIND))
    before.when(out("k", "good", "release")).then(edge("feature:x", CAUSAL, KIND, weight=2))


def test_what_others_foretell_by_it_stays() -> None:
    """Two of 2 at one tick, of which one is taken back."""
    told = [event("act", "x"), outcome("one", "act", 2.0), outcome("two", "act", 2.0)]
    given(HALVING, *KNOWN, *told).when(out("j", "one")).then(edge("feature:x", CAUSAL, KIND, weight=2))


def test_a_stranger_s_outcome_gives_the_header_nothing_to_take_back() -> None:
    before = given(*KNOWN, event("act"), outcome("good", "act", 2.0), outcome("told", "act", 1.0, trust=0))
    before.when(out("j", "told")).then(header(good=1), node("act", good=1))


def test_of_64_nodes_it_is_kept_what_they_were_given() -> None:
    """The target and 63 steps before it. A sixty-fourth step was credited too, and keeps that."""
    far = policy("far", credit_events_max=64, credit_discount=1.0)
    before = given(far, *KNOWN, *(event(f"e{n}") for n in range(65)))
    before.when(outcome("good", "e64", 1.0)).then(node("e1", impact=0.1), node("e0", impact=0.1))
    before.when(out("j", "good")).then(node("e64", impact=0), node("e1", impact=0), node("e0", impact=0.1))


def test_an_account_is_kept_as_long_as_what_gave() -> None:
    few = policy("few", recalls_kept_max=1)
    told = [event("a"), recall("asked", "a"), use("used", "asked", "a")]
    before = given(few, *told)
    assert list(live_accounts(before.world.graph(MEMORY))) == [4]
    moment = before.when(recall("next", "a"))
    assert list(live_accounts(moment.graph)) == []
    moment.when(out("j", "used")).then(node("a", usage=1))


def test_it_goes_with_the_outcome() -> None:
    small = policy("small", nodes_max=10, sessions_open_max=1, edges_max=1_000, nodes_kept_share=0.5)
    before = given(small, event("a"), outcome("bad", "a", 0.0))
    moment = before.when(event("e0"))
    for n in range(1, 12):
        moment = moment.when(event(f"e{n}", f"f{n}"))
    moment.then(gone("bad"))
    assert list(live_accounts(moment.graph)) == []


# What really moved


def rounds(moment: Moment, of: str, times: int) -> Moment:
    """Taken back, and given again, so often."""
    for n in range(times):
        moment = moment.when(out(f"out {n}", of)).when(out(f"in {n}", of, "release"))
    return moment


@pytest.mark.parametrize("last", [use("given", "asked", "a", result="success"), outcome("given", "a", -3.0)])
def test_verdicts_that_go_to_and_fro_move_nothing(last: Said) -> None:
    """An agent may take back, and give again, what an agent gave: what is left of it is counted one way both times."""
    told = [event("a", "x"), outcome("first", "a", 4.0), recall("asked", "a", "feature:x")]
    before = given(*KNOWN, *told, last, *(event(f"e{n}") for n in range(30))).when(event("later"))
    values = "salience", "permanence", "impact", "valence", "stability", "half_life", "good", "bad", "usage", "served"
    once = rounds(before, "given", 1)
    found = {name: {each: getattr(once.node(name), each) for each in values} for name in ("a", "feature:x")}
    rounds(once, "given", 20).then(*(node(name, **found[name]) for name in found))


def test_what_is_given_again_to_what_is_full_is_not_taken_from_it() -> None:
    """Salience is 20 at most. Four outcomes gave 5 each, and were taken back; meanwhile others filled it.

    Given again they give nothing, so that nothing can be taken: what the others gave is there in the end.
    """
    bad = [outcome(f"bad {n}", "act", -5.0) for n in range(4)]
    before = given(*KNOWN, event("act"), *bad, out("j", "bad 0"), out("k", "bad 1"), out("l", "bad 2"))
    full = before.when(out("m", "bad 3")).when(outcome("one", "act", -10.0)).when(outcome("two", "act", -10.0))
    full.then(node("act", salience=20, bad=2))
    permanence, impact = full.node("act").permanence, full.node("act").impact
    for n in range(4):
        full = full.when(out(f"in {n}", f"bad {n}", "release"))
    for n in range(4):
        full = full.when(out(f"out {n}", f"bad {n}"))
    full.then(node("act", salience=20, permanence=permanence, impact=impact, bad=2))


def test_no_order_of_verdicts_makes_more_than_was_given() -> None:
    """What a failed use left is less than what the outcome gave, so that is what comes back."""
    drained = policy("drained", recall_salience=10.0)
    told = [event("act"), outcome("good", "act", 2.0), recall("asked", "act"), drained]
    before = given(HALVING, *KNOWN, *told, use("used", "asked", "act", result="failure"))
    before.when(out("j", "good")).when(out("k", "good", "release")).then(node("act", salience=0, good=1))


def test_what_came_to_foretell_it_since_loses_nothing() -> None:
    """The edge that the first one made is cut; the one that a later one made is not of the first."""
    told = [event("act", "x"), outcome("one", "act", 2.0), event("again", "x")]
    before = given(policy("few", degree_max=16, edge_half_life_ticks=0.1, rank_permanence=0), *KNOWN, *told)
    moment = before.when(event("e", "x"))
    for n in range(20):
        moment = moment.when(event(f"e{n}", "x"))
    moment.then(no_edge("feature:x", CAUSAL, KIND))
    lasting = moment.when(policy("lasting", edge_half_life_ticks=1000.0))
    later = lasting.when(outcome("two", "e19", 2.0)).then(edge("feature:x", CAUSAL, KIND))
    found = later.edge("feature:x", CAUSAL, KIND)
    assert found is not None
    weight = found.weight
    taken = later.when(out("j", "one")).then(edge("feature:x", CAUSAL, KIND, weight=weight))
    taken.when(out("k", "one", "release")).then(edge("feature:x", CAUSAL, KIND, weight=weight))
    taken.when(out("l", "two")).then(no_edge("feature:x", CAUSAL, KIND))


def test_of_what_foretells_no_more_is_taken_than_there_was_room_for() -> None:
    """Weight is 100 at most: of the eleventh there came 0, of ten with 10 each."""
    told = [event("act", "x"), *(outcome(f"good {n}", "act", 10.0) for n in range(10))]
    before = given(*KNOWN, *told).when(outcome("eleventh", "act", 10.0))
    before.then(edge("feature:x", CAUSAL, KIND, weight=100))
    before.when(out("j", "eleventh")).then(edge("feature:x", CAUSAL, KIND, weight=100))
    before.when(out("k", "good 9")).then(edge("feature:x", CAUSAL, KIND, weight=90))
