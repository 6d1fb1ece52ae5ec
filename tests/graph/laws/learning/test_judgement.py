"""What a later judgement does to an earlier one: impact weighs the newest most, permanence gives way to the opposite,
and what was judged is not worn by what turns out to be nothing."""

import pytest

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, PLAIN, judged
from tests.graph.commands import Said, event, outcome, policy, recall, use
from tests.graph.scenario import edge, given, node
from yggdrasil_schemas.graph.records import EdgeKind

CAUSAL, CONTAINS = EdgeKind.CAUSAL, EdgeKind.CONTAINS
KIND = "feature:outcome:outcome"
KNOWN = [event("known", session="known"), outcome("known too", "known", 0.0)]


def outcomes(name: str, of: str, count: int, value: float) -> list[Said]:
    return [outcome(f"{name}-{n}", of, value) for n in range(count)]


def uses(name: str, count: int, result: str) -> list[Said]:
    said: list[Said] = []
    for n in range(count):
        asked = f"{name}-asked-{n}"
        said += [recall(asked, "act"), use(f"{name}-{n}", asked, "act", result=result)]
    return said


def test_each_judgement_lets_a_tenth_of_what_was_there_fade() -> None:
    before = given(*KNOWN, event("act"), outcome("one", "act", 2.0))
    two = before.when(outcome("two", "act", -3.0)).then(node("act", impact=2 * 0.9 - 3))
    two.when(outcome("three", "act", 1.0)).then(node("act", impact=(2 * 0.9 - 3) * 0.9 + 1))


def test_a_small_judgement_lets_less_fade() -> None:
    """In the measure of its size: a twentieth for 0.5. The step before is credited with 0.2, and then with -0.3."""
    before = given(*KNOWN, event("before"), event("act"), outcome("one", "act", 2.0))
    before.when(outcome("half", "act", 0.5)).then(
        node("act", impact=2 * 0.95 + 0.5), node("before", impact=0.2 * (1 - 0.1 * 0.05) + 0.05)
    ).when(outcome("bad", "act", -3.0)).then(node("before", impact=0.249 * (1 - 0.1 * 0.3) - 0.3))


def test_credit_washes_no_judgement_out() -> None:
    """Forty steps to small successes take what 40 tenths of a hundredth take, and not what 40 judgements would."""
    steps: list[Said] = []
    for n in range(40):
        steps += [event(f"e{n}", caused_by=("act",), session=f"s{n}"), outcome(f"o{n}", f"e{n}", 1.0)]
    given(*KNOWN, event("act"), outcome("bad", "act", -9.0), *steps[:-1]).when(steps[-1]).then(
        node("act", impact=judged(-9, *[0.1] * 40))
    )
    assert judged(-9, *[0.1] * 40) < -2.5


@pytest.mark.parametrize("size", [1.0, 2.0, 3.0])
def test_eight_late_failures_outweigh_thirty_seven_early_successes(size: float) -> None:
    """As they do whatever the size: 0.9^8 is 0.43. Seven do not, by a little; and the reverse."""
    kept = size * 10 * ((1 - 0.9**37) * 0.9**8 - (1 - 0.9**8))
    assert kept < -1.4 * size
    for sign in (1, -1):
        early = outcomes("early", "act", 37, sign * size)
        late = outcomes("late", "act", 8, -sign * size)
        before = given(*KNOWN, event("act", "a"), *early, *late[:-1])
        before.when(late[-1]).then(node("act", impact=sign * kept), node("feature:a", impact=sign * kept))


def test_eight_late_failed_uses_outweigh_thirty_seven_early_good_ones() -> None:
    """Of the impact nothing is left, and using it is expected to end as badly as it can, but for a hundredth or two."""
    early, late = uses("early", 37, "success"), uses("late", 8, "failure")
    before = given(HALVING, event("act"), *early)
    before.when(recall("asked", "act")).then(node("act", impact=15 * (1 - 0.9**37), valence=1.5 * (1 - 0.7**37)))
    for said in late[:-1]:
        before.when(said)
    before.when(late[-1]).then(
        node("act", impact=0, valence=1.5 * (1 - 0.7**37) * 0.7**8 - 1.5 * (1 - 0.7**8), usage=37)
    )


def test_what_is_contradicted_gains_no_permanence() -> None:
    """It had risen from 6 to 7 when what it stood for was reversed. The outcome itself, and the edge that says what it
    was of, contradict nothing. The third bad one is what it stands for by now."""
    before = given(BARE, policy("deep", good_permanence=0.5), event("act"), outcome("good", "act", 8.0))
    bad = before.when(outcome("bad", "act", -6.0))
    bad.then(node("act", permanence=6 * 0.9, impact=12 * 0.9 - 6), node("bad", permanence=3))
    bad.then(edge("act", CAUSAL, "bad", permanence=3))
    worse = bad.when(outcome("worse", "act", -6.0)).then(node("act", permanence=6 * 0.81, impact=4.8 * 0.9 - 6))
    worse.when(outcome("as bad", "act", -2.0)).then(node("act", permanence=6 * 0.81 + 1))


def test_neither_do_the_edges_of_a_carrier_that_is_contradicted() -> None:
    """a has stood for the good, b for nothing. After -10 both foretell it, by 0.3 * 10.6 / 2 of valence."""
    known = [*KNOWN, event("good", "a"), outcome("told", "good", 2.0)]
    before = given(BARE, *known, event("act", "a", "b"))
    before.when(outcome("bad", "act", -10.0)).then(
        node("feature:a", permanence=0.2 * 2.0 ** (-1 / 20_000) * 0.9, valence=0.6 - 1.59),
        node("feature:b", permanence=0.5 * 5, valence=-1.59),
        edge("act", CONTAINS, "feature:a", weight=1 + 0.1 * 5, permanence=0),
        edge("act", CONTAINS, "feature:b", weight=1 + 0.1 * 5, permanence=2.5),
        edge("feature:a", CAUSAL, KIND, weight=2 * 2.0 ** (-1 / HALF_LIFE) + 5, permanence=0.2 * 2.0 ** (-1 / 20_000)),
        edge("feature:b", CAUSAL, KIND, weight=5, permanence=2.5),
    )


def test_what_is_protected_neither_loses_nor_gains_by_the_opposite() -> None:
    before = given(BARE, event("act", "a"), outcome("doom", "act", -2.0, catastrophic=True))
    before.when(outcome("good", "act", 4.0)).then(
        node("act", permanence=1.5, impact=-3 * 0.9 + 4), node("feature:a", permanence=1.5 * 0.9)
    )


def test_nothing_fades_faster_for_a_neutral_outcome_that_was_ever_judged() -> None:
    """Eight of them had taken a failure from 345 ticks to 2."""
    for value in (-4.0, 4.0):
        before = given(BARE, event("act", "a"), outcome("told", "act", value))
        stays = before.when(recall("asked", "act")).node("act").half_life
        assert stays > HALF_LIFE
        for said in outcomes("none", "act", 8, 0.0):
            before.when(said).then(node("act", stability=1, half_life=stays), node(said.name, stability=0.5))
    never = given(BARE, event("act", "a"), outcome("none", "act", 0.0))
    never.when(outcome("again", "act", 0.0)).then(node("act", stability=0.25, half_life=HALF_LIFE / 4))


def test_a_use_is_no_outcome_and_does_not_keep_from_fading() -> None:
    before = given(PLAIN, event("act"), *uses("u", 1, "success"))
    before.when(outcome("none", "act", 0.0)).then(node("act", stability=0.51, half_life=HALF_LIFE * 0.51, good=0))
