"""The law of outcomes, with the numbers worked out by hand: m is the size of the outcome, half as much again when the
memory knows no outcome of its kind yet."""

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, density, faded, half_life, judged, session_mark
from tests.graph.commands import attest, episode, event, outcome, pin, policy, recall, use
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind
from yggdrasil_schemas.refusals import Refusal

TEMPORAL, CAUSAL, ASSOCIATIVE, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE, EdgeKind.CONTAINS


def test_a_good_first_outcome() -> None:
    """The act has 3 edges of 2 kinds by then, the outcome and the feature 2 of 2; the kind is steadied before it has
    any. Each of the two features bears half of it, and predicts 0.3 / 2 of the value from now on."""
    m = 2 * 1.5
    given(event("act", "a", "b")).when(outcome("good", "act", 2.0)).then(
        accepted(seq=2),
        header(tick=1, nodes=5, edges=5),
        node("act", salience=1.5 + 0.5 * m, permanence=0.1 * m, impact=m, valence=0, degree=3, flags=0, good=1, bad=0),
        node("act", stability=1, half_life=half_life(1, 1, 0.1 * m, density(3, kinds=2, marks=1))),
        node("good", salience=1.0 + 0.5 * m, permanence=0.1 * m, impact=m, kind=NodeKind.OUTCOME, degree=2, good=1),
        node("good", stability=1, half_life=half_life(1, 1, 0.1 * m, density(2, kinds=2, marks=1))),
        node("good", marks=session_mark("default")),
        node("feature:a", salience=1.0 + 0.5 * m / 2, permanence=0.1 * m / 2, impact=m / 2, usage=1, good=1, bad=0),
        node("feature:a", stability=1, half_life=half_life(2, 1, 0.1 * m / 2, density(2, kinds=2, marks=1))),
        node("feature:a", valence=0.3 * 2.0 / 2),
        node("feature:b", salience=1.0 + 0.5 * m / 2, permanence=0.1 * m / 2, impact=m / 2, valence=0.3 * 2.0 / 2),
        node("feature:outcome:outcome", salience=1.0, permanence=0, impact=0, usage=1, kind=NodeKind.FEATURE, good=0),
        node("feature:outcome:outcome", half_life=2 * HALF_LIFE, marks=session_mark("default")),
        edge("act", CAUSAL, "good", weight=1.0 + m, permanence=0.1 * m, half_life=HALF_LIFE),
        edge("act", CONTAINS, "feature:a", weight=1.0 + 0.1 * m / 2, permanence=0.1 * m / 2, half_life=HALF_LIFE),
        edge("act", CONTAINS, "feature:b", weight=1.0 + 0.1 * m / 2),
        edge("good", CONTAINS, "feature:outcome:outcome", weight=1.0),
        edge("feature:a", ASSOCIATIVE, "feature:b", weight=1.0, half_life=HALF_LIFE),
    )


def test_a_bad_first_outcome_is_encoded_strongly() -> None:
    m = 2 * 1.5
    given(event("before"), event("act", "a", "b")).when(outcome("bad", "act", -2.0)).then(
        node("act", salience=1.5 + 1.0 * m, permanence=0.5 * m, impact=-m, stability=1, good=0, bad=1),
        node("act", half_life=half_life(1, 1, 0.5 * m, density(4, kinds=3, marks=1))),
        node("bad", salience=1.0 + 1.0 * m, permanence=0.5 * m, impact=-m, stability=1, bad=1),
        node("feature:a", salience=1.0 + 1.0 * m / 2, permanence=0.5 * m / 2, impact=-m / 2, valence=-0.3, bad=1),
        edge("act", CAUSAL, "bad", weight=1.0 + m, permanence=0.5 * m, half_life=HALF_LIFE / 0.7),
        edge("act", CONTAINS, "feature:a", weight=1.0 + 0.1 * m / 2, permanence=0.25 * m, half_life=HALF_LIFE / 0.7),
        edge("before", TEMPORAL, "act", weight=1.0 + 0.1 * m, half_life=HALF_LIFE / 0.7),
        edge("bad", CONTAINS, "feature:outcome:outcome", weight=1.0, half_life=HALF_LIFE),
        edge("feature:a", ASSOCIATIVE, "feature:b", weight=1.0, half_life=HALF_LIFE),
    )


def test_a_neutral_outcome_makes_fade_faster_and_nothing_else() -> None:
    """The feature is steadied, as with every outcome: its one edge counts now."""
    given(event("before", "x"), event("act", "a")).when(outcome("none", "act", 0.0)).then(
        node("act", salience=1.5, permanence=0, impact=0, stability=0.5, good=0, bad=0),
        node("act", half_life=half_life(1, 0.5, 0, density(3, kinds=3, marks=1))),
        node("none", salience=1.0, permanence=0, impact=0, half_life=half_life(1, 0.5, 0, density(2, 2, 1))),
        node("feature:a", salience=1.0, permanence=0, impact=0, valence=0, stability=1, good=0, bad=0),
        node("feature:a", half_life=half_life(2, 1, 0, density(1, kinds=1, marks=1))),
        edge("act", CAUSAL, "none", weight=1.0, permanence=0, half_life=HALF_LIFE),
        edge("act", CONTAINS, "feature:a", weight=1.0, half_life=HALF_LIFE),
        unchanged("before", "feature:x"),
    )


def test_a_neutral_outcome_does_not_touch_the_edges_to_what_came_before_and_after() -> None:
    before = given(event("before"), event("act"), event("after"))
    before.when(outcome("none", "act", 0.0)).then(
        edge("before", TEMPORAL, "act", tick=2), edge("act", TEMPORAL, "after", tick=3), node("act", tick=3)
    )


def test_neutral_outcomes_without_end_leave_a_half_life_that_can_be_divided_by() -> None:
    """0.01 to the 200th power is 0 as a float. Stability stops at 0.01; of one tick that is less than the least."""
    repeats = [outcome(f"none-{n}", "act", 0.0) for n in range(200)]
    before = given(HALVING, policy("quick", neutral_half_life=0.01), event("act"), *repeats, event("next"))
    before.when(outcome("last", "act", 0.0)).then(accepted(seq=205), node("act", stability=0.01, half_life=0.1))


def test_only_the_first_of_its_kind_counts_more() -> None:
    before = given(event("act"), outcome("first", "act", 1.0, kind="tests pass"))
    again = before.when(outcome("second", "act", 1.0, kind="tests pass"))
    again.then(
        node("act", salience=1.5 + 0.5 * 1.5 + 0.5 * 1.0, permanence=0.15 + 0.1, impact=1.5 * 0.9 + 1.0),
        node("second", salience=1.0 + 0.5 * 1.0),
        node("feature:outcome:tests pass", salience=1.0 + 0.1, usage=2, degree=2),
    )
    again.when(outcome("other", "act", 1.0, kind="reverted")).then(
        node("other", salience=1.0 + 0.5 * 1.5), node("feature:outcome:reverted", salience=1.0, usage=1)
    )


def test_a_late_outcome_is_added_to_what_is_left() -> None:
    """After the edge before it has lost its reinforcement, at its own pace; act is of tick 2, the present is 3."""
    m = 2 * 1.5
    before = given(HALVING, event("first"), event("act", "a"), event("later"))
    before.when(outcome("bad", "act", -2.0)).then(
        node("act", salience=1.5 / 2 + 1.0 * m, permanence=0.5 * m, tick=3),
        node("feature:a", salience=1.0 / 2 + 1.0 * m, permanence=0.5 * m, tick=3),
        edge("act", CONTAINS, "feature:a", weight=1.0 / 2 + 0.1 * m, half_life=1 / 0.7, tick=3),
        edge("act", TEMPORAL, "later", weight=1.0, half_life=1 / 0.7, tick=3),
        edge("first", TEMPORAL, "act", weight=1.0 / 2 + 0.1 * m, half_life=1 / 0.7, tick=3),
        unchanged("later"),
    )


def test_a_severe_outcome_lets_a_node_fade_more_slowly_by_its_permanence_alone() -> None:
    """-4 is the first of its kind, so 6: 3 of permanence, each of which adds a fifth; a good one gives a fifth of it.
    With every further one it grows, up to the cap, and stability is what it was."""
    before = given(BARE, event("act", "a"))
    six = before.when(outcome("six", "act", -4.0))
    six.then(
        node("act", stability=1, half_life=half_life(1, 1, 3.0)),
        node("feature:a", stability=1, half_life=half_life(2, 1, 3.0)),
    )
    six.when(outcome("two", "act", -2.0)).then(
        node("act", stability=1, permanence=3.0 + 1.0, half_life=HALF_LIFE * 1.8),
        node("two", stability=1, half_life=HALF_LIFE * 1.2),
    )
    before.when(outcome("ten", "act", -10.0, kind="other")).then(
        node("act", stability=1, permanence=10.0, half_life=HALF_LIFE * 3), node("ten", half_life=HALF_LIFE * 2.5)
    )
    given(BARE, event("act")).when(outcome("good", "act", 4.0)).then(node("act", half_life=HALF_LIFE * 1.12))


def test_contradiction_costs_a_tenth_of_what_has_lasted() -> None:
    """6 good gives 0.6 of permanence to all of them. The act has no valence: its impact stands for the good. The
    feature's valence is 0.3 * 4, and falls by 0.3 * (-2 - 1.2); next time both stand for the good still. So only the
    third bad one gives them permanence, as the others gave it to their own nodes."""
    before = given(BARE, event("act", "a"), outcome("good", "act", 4.0))
    bad = before.when(outcome("bad", "act", -2.0))
    bad.then(
        node("act", permanence=0.6 * 0.9, impact=6 * 0.9 - 2, good=1, bad=1),
        node("feature:a", permanence=0.6 * 0.9, impact=6 * 0.9 - 2, valence=1.2 - 0.96, good=1, bad=1),
        node("bad", permanence=0.5 * 2),
    )
    bad.when(outcome("worse", "act", -6.0)).then(
        node("act", permanence=0.6 * 0.81, impact=3.4 * 0.9 - 6, salience=1.5 + 3 + 2 + 6),
        node("feature:a", permanence=0.6 * 0.81, valence=0.24 + 0.3 * (-6 - 0.24)),
    ).when(outcome("bad again", "act", -2.0)).then(
        node("act", permanence=0.6 * 0.81 + 1, impact=-2.94 * 0.9 - 2, bad=3),
        node("feature:a", permanence=0.6 * 0.81 + 1, bad=3),
    )


def test_a_small_contradiction_costs_less() -> None:
    """In the measure of its size, up to 1: a quarter of the tenth here, for the act as for the half that a bears."""
    before = given(BARE, event("act", "a", "b"), outcome("good", "act", 4.0))
    before.when(outcome("bad", "act", -0.25)).then(
        node("act", permanence=0.6 * (1 - 0.1 / 4)),
        node("feature:a", permanence=0.3 * (1 - 0.1 / 8)),
    )


def test_who_has_stood_for_nothing_yet_is_not_contradicted() -> None:
    """What it has of permanence came of a use, and nothing was said of how that ended."""
    used = [policy("deep", use_permanence=2), event("act"), recall("asked", "act"), use("used", "asked", "act")]
    given(BARE, *used).when(outcome("bad", "act", -2.0)).then(node("act", permanence=2 + 1.5))


def test_what_is_protected_is_not_contradicted_and_not_worn_by_neutral_outcomes() -> None:
    """The catastrophe is 1.5 in size, the good outcome 2; the feature has no flag."""
    doom = outcome("doom", "act", -1.0, catastrophic=True)
    doomed = given(BARE, event("act", "a"), doom)
    doomed.when(outcome("good", "act", 2.0)).then(
        node("act", permanence=0.75, stability=5), node("feature:a", permanence=0.75 * 0.9)
    )
    doomed.when(outcome("none", "act", 0.0)).then(
        node("act", stability=5), node("none", stability=0.5, half_life=HALF_LIFE / 2)
    )
    pinned = given(BARE, event("act"), outcome("good", "act", 2.0), pin("core", "act"))
    pinned.when(outcome("bad", "act", -2.0)).then(node("act", permanence=0.3, half_life=1e6))
    pinned.when(outcome("none", "act", 0.0)).then(node("act", stability=1))
    never_judged = given(BARE, event("act"), pin("core", "act"))
    never_judged.when(outcome("none", "act", 0.0)).then(node("act", stability=1))


def test_a_small_failure_slows_the_edges_a_little() -> None:
    """By 0.3 in the measure of its size: an outcome of 0.5, the kind of which is known."""
    before = given(event("known"), outcome("known too", "known", 0.0), event("act", "a"))
    before.when(outcome("bad", "act", -0.5)).then(
        edge("act", CAUSAL, "bad", half_life=HALF_LIFE / 0.85),
        edge("known", TEMPORAL, "act", half_life=HALF_LIFE / 0.85),
        edge("act", CONTAINS, "feature:a", half_life=HALF_LIFE / 0.85),
    )


def test_a_neutral_outcome_contradicts_nothing() -> None:
    before = given(BARE, event("act", "a"), outcome("good", "act", 4.0))
    before.when(outcome("none", "act", 0.0)).then(
        node("act", permanence=0.6, impact=6, stability=1),
        node("feature:a", permanence=0.6, impact=6, stability=1, valence=1.2 - 0.3 * 1.2),
    )


def test_a_catastrophe_protects_and_stays_long() -> None:
    """1.5 in size."""
    given(BARE, event("act", "a")).when(outcome("fire", "act", -1.0, catastrophic=True)).then(
        node("act", flags=NodeFlag.CATASTROPHIC, stability=5, permanence=0.5 * 1.5),
        node("act", half_life=half_life(1, 5, 0.75)),
        node("fire", flags=NodeFlag.CATASTROPHIC, stability=5, half_life=half_life(1, 5, 0.75)),
        node("feature:a", flags=0, stability=1),
        node("feature:outcome:outcome", flags=0, half_life=2 * HALF_LIFE),
    )


def test_the_greatest_catastrophe_stays_as_long_as_the_page_says() -> None:
    """693 ticks, in the last table of docs/laws.md, for -10 of a kind that is known; 15 in size gives 7.5."""
    known = given(BARE, event("other"), outcome("known", "other", -1.0), event("act"))
    known.when(outcome("fire", "act", -10.0, catastrophic=True)).then(
        node("act", stability=5, permanence=5, half_life=HALF_LIFE * 5 * (1 + 0.2 * 5))
    )
    given(BARE, event("act")).when(outcome("fire", "act", -10.0, catastrophic=True)).then(
        node("act", half_life=half_life(1, 5, 7.5))
    )


def test_a_violated_guardrail_has_a_least_permanence() -> None:
    before = given(BARE, event("act", "a"))
    before.when(outcome("lied", "act", -2.0, kind="guardrail_violation", origin="user")).then(
        node("act", permanence=8.0, flags=0, half_life=half_life(1, 1, 8.0)),
        node("lied", permanence=8.0, flags=0, half_life=half_life(1, 1, 8.0)),
        node("feature:a", permanence=0.5 * 3),
        edge("act", CAUSAL, "lied", permanence=0.5 * 3),
    )
    before.when(outcome("lied again", "act", -10.0, kind="guardrail_violation", origin="user")).then(
        node("act", permanence=10.0), node("lied again", permanence=8.0)
    )


def test_a_kind_is_short_enough_to_be_a_feature() -> None:
    before = given(event("act"))
    before.when(outcome("long", "act", 1.0, kind="k" * 120)).then(node("feature:outcome:" + "k" * 120, usage=1))
    before.when(outcome("longer", "act", 1.0, kind="k" * 121)).then(refused(Refusal.INVALID_BODY))


def test_a_violation_cannot_be_good() -> None:
    given(event("act")).when(outcome("fine", "act", 1.0, kind="guardrail_violation")).then(
        refused(Refusal.INVALID_BODY)
    )


def test_values_stop_at_their_caps() -> None:
    """13 in all, the first half as much again; the feature's valence comes 0.3 of the way to -10 with each. Impact only
    comes near its cap, where outcomes of 10 take as much as they give: a 12th first of its kind would pass it."""
    disasters = [outcome(f"d{n}", "act", -10.0, catastrophic=True) for n in range(12)]
    caps = policy("caps", half_life_max_ticks=100_000)
    before = given(caps, event("before"), event("act", "a"), *disasters)
    before.when(outcome("last", "act", -10.0)).then(
        node("act", salience=20.0, permanence=10.0, impact=judged(-15, *[-10] * 12), stability=1_000),
        node("act", half_life=100_000, bad=13),
        node("before", impact=judged(-1.5, *[-1] * 12), salience=faded(1.5, 1) + 0.1 * (15 + 120)),
        node("feature:a", salience=20.0, permanence=10.0, impact=judged(-15, *[-10] * 12)),
        node("feature:a", valence=-10 * (1 - 0.7**13), stability=1),
        edge("act", CONTAINS, "feature:a", weight=1.0 + 0.1 * (15 + 120), half_life=HALF_LIFE / 0.7**13),
        edge("act", CAUSAL, "last", weight=11.0, permanence=5.0),
        edge("feature:a", CAUSAL, "feature:outcome:outcome", weight=100.0, permanence=10.0),
    )
    kinds = [outcome(f"k{n}", "act", -10.0, kind=f"kind {n}") for n in range(12)]
    given(event("act"), *kinds[:-1]).when(kinds[-1]).then(node("act", impact=-100))


def test_an_outcome_of_something_else_is_refused() -> None:
    before = given(event("act"), outcome("good", "act", 1.0), recall("asked", "act"), attest("proof"))
    before.when(outcome("o1", "nobody", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(outcome("o2", "o2", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(outcome("o3", "o1", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    for other in ("good", "asked", "proof"):
        before.when(outcome(f"of-{other}", other, 1.0)).then(refused(Refusal.NOT_AN_EVENT))


def test_a_trajectory_must_lead_over_what_can_turn_out() -> None:
    before = given(event("act"), event("act too"), outcome("good", "act", 1.0))
    before.when(outcome("o1", "act too", 1.0, trajectory=("act", "nobody", "good"))).then(
        refused(Refusal.UNKNOWN_EVENT)
    )
    before.when(outcome("o2", "act", 1.0, trajectory=("good", "nobody"))).then(refused(Refusal.NOT_AN_EVENT))
    before.when(outcome("o3", "nobody", 1.0, trajectory=("good",))).then(refused(Refusal.UNKNOWN_EVENT))


def test_a_trajectory_leads_over_what_came_before() -> None:
    """What is judged may be named, and counts for nothing; an episode may be committed later than its events."""
    before = given(event("act"), event("later"), episode("day", "act"))
    before.when(outcome("o1", "act", 1.0, trajectory=("later", "nobody"))).then(refused(Refusal.LATER_EVENT))
    before.when(outcome("o2", "act", 1.0, trajectory=("nobody", "later"))).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(outcome("o3", "act", 1.0, trajectory=("act", "day"))).then(edge("day", EdgeKind.CAUSAL, "o3"))
    before.when(event("last"))
    before.when(outcome("o4", "day", 1.0, trajectory=("later", "act"))).then(edge("later", EdgeKind.CAUSAL, "o4"))
    before.when(outcome("o5", "day", 1.0, trajectory=("last",))).then(refused(Refusal.LATER_EVENT))


def test_the_outcome_of_a_forgotten_event_is_refused() -> None:
    few = policy("few", nodes_max=10, sessions_open_max=1, edges_max=10)
    before = given(few, *(event(f"e{n}") for n in range(12)))
    before.when(outcome("late", "e0", 1.0)).then(gone("e0"), refused(Refusal.EVENT_FORGOTTEN))


def test_the_same_outcome_twice_is_one_outcome() -> None:
    before = given(event("act", "a"), outcome("good", "act", 1.0))
    before.when(outcome("good", "act", 1.0)).then(repeated(seq=2))
    before.when(outcome("good", "act", 2.0)).then(refused(Refusal.ID_REUSED))
    before.when(outcome("unknown", "nobody", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(outcome("unknown", "nobody", 1.0)).then(repeated(seq=0, reason=Refusal.UNKNOWN_EVENT))
    before.when(outcome("unknown", "act", 1.0)).then(refused(Refusal.ID_REUSED))


def test_an_outcome_is_no_event_of_the_session() -> None:
    before = given(event("one"), outcome("good", "one", 1.0))
    before.when(event("two")).then(
        header(tick=2), edge("one", TEMPORAL, "two", weight=1.0), no_edge("good", TEMPORAL, "two")
    )


def test_what_a_stranger_says_of_an_end_teaches_nobody() -> None:
    """It is kept and shown, with its trust; neither the event of somebody else nor a feature is moved by it."""
    before = given(BARE, event("act", "a", origin="user"))
    moment = before.when(outcome("lied", "act", -10.0, trust=0))
    moment.then(node("lied", trust=0, bad=1), node("act", impact=0.0, bad=0), node("feature:a", valence=0.0, bad=0))
    assert moment.graph.header.bad == 0
    before.when(outcome("told", "act", -10.0, origin="user")).then(node("act", bad=1))
    own = given(BARE, event("mine", "a", trust=0)).when(outcome("so", "mine", -10.0, trust=0))
    own.then(node("mine", bad=1), node("feature:a", valence=0.0, bad=0))
