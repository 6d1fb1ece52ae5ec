"""The laws of recall and of use: to be returned is little, to be used is much."""

import pytest

from tests.graph.by_hand import HALVING, density, faded, half_life
from tests.graph.commands import Said, attest, concept, event, outcome, pin, policy, read, recall, use
from tests.graph.scenario import accepted, given, gone, header, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import Recalled
from yggdrasil_schemas.refusals import Refusal

FEW = policy("few", nodes_max=10, sessions_open_max=1, edges_max=10, nodes_kept_share=0.5)


def test_what_was_returned_gains_a_little() -> None:
    before = given(HALVING, event("one", "rain"), event("two", "sun"), event("three"))
    asked = before.when(recall("asked", "one", "feature:sun", as_of=4))
    asked.then(
        accepted(seq=5),
        header(seq=5, tick=3),
        node("one", salience=1.5 / 4 + 0.1 * (1 - 1.5 / 4 / 20), candidates=1, recalled_tick=3, usage=0, permanence=0),
        node("feature:sun", salience=1.0 / 2 + 0.1 * (1 - 1.0 / 2 / 20), candidates=1, usage=1),
        unchanged("two", "feature:rain", "three"),
    )
    one, sun = asked.node("one").number, asked.node("feature:sun").number
    kept = asked.graph.recalls[5]
    assert (kept.as_of, kept.reported) == (4, False)
    assert kept.returned == [Recalled(one, 1.5 / 4, 0.0), Recalled(sun, 1.0 / 2, 0.0)]  # as they were when returned


def test_a_node_gains_once_in_a_tick() -> None:
    before = given(event("one"), recall("asked", "one", "one"))
    again = before.when(recall("again", "one"))
    again.then(node("one", salience=1.5 + 0.1 * (1 - 1.5 / 20), candidates=1))
    before.world.say(event("two"))
    later = 1.5 + 0.1 * (1 - 1.5 / 20)
    settled = faded(later, 1)
    before.when(recall("later", "one")).then(
        node("one", salience=settled + 0.1 * (1 - settled / 20), candidates=2, recalled_tick=2)
    )


def test_a_node_at_the_cap_gains_nothing() -> None:
    big = outcome("bad", "one", -10.0)
    bigger = outcome("worse", "one", -10.0)
    given(event("one"), big, bigger).when(recall("asked", "one")).then(node("one", salience=20.0, candidates=1))


def test_what_is_no_longer_there_is_passed_over() -> None:
    before = given(FEW, *(event(f"e{n}") for n in range(12)))
    asked = before.when(recall("asked", "e0", "feature:never", "e11", "few"))
    asked.then(accepted(seq=14), gone("e0", "feature:never"), node("e11", candidates=1))
    assert [entry.number for entry in asked.graph.recalls[14].returned] == [asked.node("e11").number]


def test_an_empty_recall_is_kept() -> None:
    assert given(event("one")).when(recall("asked")).then(accepted(seq=2)).graph.recalls[2].returned == []


def test_a_recall_of_nothing_that_was_is_refused() -> None:
    before = given(event("one"))
    before.when(recall("r1", "one", "nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(recall("r2", "r1")).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(recall("r3", as_of=2)).then(refused(Refusal.AS_OF_AHEAD))
    before.when(recall("r4", as_of=1)).then(accepted(seq=2))


def test_the_same_recall_twice_is_one_recall() -> None:
    before = given(event("one"), recall("asked", "one"))
    before.when(recall("asked", "one")).then(repeated(seq=2))
    before.when(recall("asked")).then(refused(Refusal.ID_REUSED))


def test_the_oldest_recalls_are_dropped() -> None:
    before = given(policy("three", recalls_kept_max=3), event("one"), *(recall(f"r{n}", "one") for n in range(3)))
    fourth = before.when(recall("r3", "one")).then(accepted(seq=6))
    assert list(fourth.graph.recalls) == [4, 5, 6]
    before.when(use("u0", "r0", "one")).then(refused(Refusal.RECALL_FORGOTTEN))
    before.when(use("u1", "r1", "one")).then(accepted(seq=7))


@pytest.mark.parametrize(
    ("said", "impact"),
    [
        (use("used", "asked", "one"), 0.0),
        (use("used", "asked", "one", result="success"), 1.5),
        (use("used", "asked", "one", helpful=True), 2.0),
        (use("used", "asked", "one", prevented_error=True), 2.0),
        (use("used", "asked", "one", result="success", helpful=True, prevented_error=True), 5.5),
        (use("used", "asked", "one", result="failure", helpful=True), 0.5),
    ],
    ids=["unknown", "success", "helpful", "prevented", "all-good", "failed-but-helpful"],
)
def test_what_was_used_grows(said: Said, impact: float) -> None:
    before = given(HALVING, event("one", "rain"), event("two"), recall("asked", "one", "feature:rain", "two"))
    used = before.when(said)
    used.then(
        accepted(seq=5),
        node("one", usage=1, permanence=0.1 + 0.2 * impact, impact=impact, valence=0.3 * impact, tick=2),
        node("one", stability=1.02, half_life=1.02, good=0, bad=0),
        unchanged("two", "feature:rain"),
    )
    assert used.node("one").salience == used.before["nodes"][used.node("one").number][3]  # use is not salience
    assert used.graph.recalls[4].reported


def test_what_misleads_loses_what_its_uses_gave_it() -> None:
    """The valence comes 0.3 of the way to what each use brought: 2, 2, -1.5, -1.5, -1.5, 2. Of the impact, 3.8 after
    the first two, a tenth fades each time."""
    asked = [recall(f"r{n}", "one") for n in range(6)]
    helped = [use(f"u{n}", f"r{n}", "one", helpful=True) for n in (0, 1, 5)]
    misled = [use(f"u{n}", f"r{n}", "one", result="failure") for n in (2, 3, 4)]
    before = given(HALVING, event("one"), *asked, *helped[:2])
    before.when(misled[0]).then(node("one", permanence=1.0 * 0.9, valence=1.02 + 0.3 * (-1.5 - 1.02), impact=1.92))
    before.when(misled[1]).then(node("one", permanence=0.9 * 0.9, valence=0.264 + 0.3 * (-1.5 - 0.264), impact=0.228))
    before.when(misled[2]).then(node("one", permanence=0.81, valence=-0.2652 + 0.3 * (-1.5 + 0.2652), usage=2))
    before.when(helped[2]).then(
        node("one", permanence=0.81 + 0.5, valence=-0.63564 + 0.3 * (2 + 0.63564), impact=2, usage=3),
        node("one", stability=1.02**3),
    )


def test_what_misleads_a_little_loses_a_little() -> None:
    """A quarter of a tenth; with an outcome to its name that says so too, there is nothing to contradict."""
    mild = policy("mild", impact_failure=-0.25)
    known = [event("one"), recall("r1", "one"), use("u1", "r1", "one", helpful=True), recall("r2", "one")]
    given(HALVING, mild, *known).when(use("u2", "r2", "one", result="failure")).then(
        node("one", permanence=0.5 * (1 - 0.1 / 4), impact=2 * (1 - 0.1 / 4) - 0.25, valence=0.6 + 0.3 * (-0.25 - 0.6))
    )
    bad = [event("one"), outcome("bad", "one", -2.0), recall("r1", "one")]
    given(HALVING, *bad).when(use("u1", "r1", "one", result="failure")).then(node("one", permanence=1.5, impact=-3))


def test_what_is_protected_loses_nothing_when_it_misleads() -> None:
    known = [event("one"), recall("r1", "one"), use("u1", "r1", "one", helpful=True), recall("r2", "one")]
    before = given(HALVING, *known, pin("core", "one"))
    before.when(use("u2", "r2", "one", result="failure")).then(
        node("one", permanence=0.5, impact=2 * 0.9 - 1.5, usage=1)
    )


def test_a_feature_and_a_concept_foretell_outcomes_and_not_uses() -> None:
    known = [event("one", "rain", "coat"), outcome("good", "one", 2.0), concept("wet", "feature:rain", "feature:coat")]
    before = given(HALVING, *known, recall("asked", "feature:rain", "wet"))
    before.when(use("used", "asked", "feature:rain", "wet", result="failure")).then(
        node("feature:rain", valence=0.3, impact=0, permanence=0.15 * 0.9, stability=1.0, usage=1),
        node("wet", valence=0, impact=0, permanence=0, stability=0.5, usage=0),
    )


def test_permanence_erodes_before_it_grows() -> None:
    before = given(HALVING, event("one"), recall("r1", "one"), use("u1", "r1", "one", result="success"))
    before.world.say(event("two"))
    before.world.say(recall("r2", "one"))
    before.when(use("u2", "r2", "one")).then(
        node("one", permanence=0.4 * 2**-1.0 + 0.1, usage=2, half_life=1.02 * 1.02, tick=2)
    )


def test_what_was_used_is_steadied() -> None:
    """The event has two edges of two kinds when it is used, and the feature one."""
    used = use("used", "asked", "one", "feature:rain", helpful=True)
    before = given(event("one", "rain"), event("two"), recall("asked", "one", "feature:rain"))
    before.when(used).then(
        node("one", permanence=0.5, half_life=half_life(1, 1.02, 0.5, density(2, kinds=2, marks=1))),
        node("feature:rain", permanence=0.5, half_life=half_life(2, 1.02, 0.5, density(1, kinds=1, marks=1))),
        node("feature:rain", usage=2, impact=2.0),
    )


def test_use_stops_at_the_caps() -> None:
    ones = dict.fromkeys(("half_life_max_ticks", "node_half_life_ticks", "edge_half_life_ticks"), 1)
    caps = policy("caps", permanence_max=1, impact_max=1, impact_failure=-100, stability_max=1, **ones)
    used = use("u1", "r1", "one", result="success", helpful=True, prevented_error=True)
    before = given(caps, event("one"), recall("r1", "one"), recall("r2", "one"))
    before.when(used).then(node("one", permanence=1.0, impact=1.0, half_life=1.0, stability=1.0, usage=1))
    before.when(use("u2", "r2", "one", result="failure")).then(
        node("one", permanence=0.9, impact=0, valence=-10.0, half_life=1.0, usage=1)
    )


def test_what_was_forgotten_since_is_passed_over() -> None:
    before = given(FEW, event("old"), recall("asked", "old"), *(event(f"e{n}") for n in range(12)))
    before.when(use("used", "asked", "old", "feature:never")).then(gone("old"), accepted(seq=16))
    assert before.world.graph("tenant/agent").recalls[3].reported


def test_a_feature_that_was_forgotten_and_came_again_is_passed_over() -> None:
    few = policy("few", nodes_max=20, sessions_open_max=1, edges_max=20, recall_salience=0)
    noise = [event(f"e{n}", *(f"n{n}-{m}" for m in range(3))) for n in range(8)]
    before = given(few, event("old", "rain"), recall("asked", "old", "feature:rain"), *noise)
    before.when(use("early", "asked", "feature:rain")).then(gone("feature:rain"), accepted(seq=12))
    reborn = given(
        few, event("old", "rain"), recall("asked", "old", "feature:rain"), *noise, event("new", "rain", "e", "f", "g")
    )
    reborn.when(use("used", "asked", "old", "feature:rain")).then(accepted(seq=13), node("feature:rain", usage=1))


def test_using_nothing_is_a_report_too() -> None:
    before = given(event("one"), recall("asked", "one"), use("used", "asked"))
    before.when(use("again", "asked", "one")).then(refused(Refusal.RECALL_REPORTED))


def test_a_report_must_fit_its_recall() -> None:
    before = given(event("one"), event("two", "sun"), recall("asked", "one"), attest("proof"))
    before.when(use("u1", "asked", "nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(use("u2", "nobody", "one")).then(refused(Refusal.UNKNOWN_RECALL))
    before.when(use("u3", "one", "one")).then(refused(Refusal.UNKNOWN_RECALL))
    before.when(use("u4", "u2", "one")).then(refused(Refusal.UNKNOWN_RECALL))
    before.when(use("u5", "asked", "one", "two")).then(refused(Refusal.NOT_RECALLED))
    before.when(use("u6", "asked", "feature:sun")).then(refused(Refusal.NOT_RECALLED))
    before.when(use("u7", "asked", "one")).then(accepted(seq=5))
    before.when(use("u8", "asked", "one")).then(refused(Refusal.RECALL_REPORTED))


def test_the_same_report_twice_is_one_report() -> None:
    before = given(event("one"), recall("asked", "one"), use("used", "asked", "one", result="success"))
    before.when(use("used", "asked", "one", result="success")).then(repeated(seq=3))
    before.when(use("used", "asked", "one", result="failure")).then(refused(Refusal.ID_REUSED))


def test_to_be_read_changes_nothing_but_the_seq() -> None:
    before = given(event("one", "rain"), event("two", "sun"), outcome("bad", "one", -3.0), recall("asked", "one"))
    nodes = ("one", "two", "feature:rain", "feature:sun")
    before.when(read("looked", 4)).then(accepted(seq=5), header(seq=5, tick=2), unchanged(*nodes))
    before.when(read("ahead", 99)).then(refused(Refusal.AS_OF_AHEAD))


def test_a_read_cannot_be_reported() -> None:
    before = given(event("one"), read("looked", 1))
    before.when(use("used", "looked", "one")).then(refused(Refusal.UNKNOWN_RECALL))
