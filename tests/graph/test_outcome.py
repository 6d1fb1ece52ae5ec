"""The law of outcomes, with the numbers worked out by hand: m is the size of the outcome, half as much again when the
memory knows no outcome of its kind yet."""

from yggdrasil_schemas.graph import EdgeKind, NodeFlag, NodeKind
from yggdrasil_schemas.refusals import Refusal

from tests.graph.commands import attest, event, outcome, policy, recall
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node, refused, repeated, unchanged

TEMPORAL, CAUSAL, ASSOCIATIVE, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE, EdgeKind.CONTAINS
HALF_LIFE = 69.31471805599453


def test_a_good_first_outcome() -> None:
    m = 2 * 1.5
    given(event("act", "a", "b")).when(outcome("good", "act", 2.0)).then(
        accepted(seq=2),
        header(tick=1, nodes=5, edges=5),
        node("act", salience=1.5 + 0.5 * m, permanence=0.1 * m, impact=m, half_life=HALF_LIFE, degree=3, flags=0),
        node("good", salience=1.0 + 0.5 * m, permanence=0.1 * m, impact=m, kind=NodeKind.OUTCOME, degree=2),
        node("feature:a", salience=1.0 + 0.5 * m / 2, permanence=0.1 * m / 2, impact=m / 2, usage=1),
        node("feature:b", salience=1.0 + 0.5 * m / 2, permanence=0.1 * m / 2, impact=m / 2, usage=1),
        node("feature:outcome:outcome", salience=1.0, permanence=0, impact=0, usage=1, kind=NodeKind.FEATURE),
        edge("act", CAUSAL, "good", weight=1.0 + m, permanence=0.1 * m, half_life=HALF_LIFE),
        edge("act", CONTAINS, "feature:a", weight=1.0 + 0.1 * m, half_life=HALF_LIFE),
        edge("act", CONTAINS, "feature:b", weight=1.0 + 0.1 * m),
        edge("good", CONTAINS, "feature:outcome:outcome", weight=1.0),
        edge("feature:a", ASSOCIATIVE, "feature:b", weight=1.0, half_life=HALF_LIFE),
    )


def test_a_bad_first_outcome_is_encoded_strongly() -> None:
    m = 2 * 1.5
    given(event("before"), event("act", "a", "b")).when(outcome("bad", "act", -2.0)).then(
        node("act", salience=1.5 + 1.0 * m, permanence=0.5 * m, impact=-m, half_life=HALF_LIFE),
        node("bad", salience=1.0 + 1.0 * m, permanence=0.5 * m, impact=-m),
        node("feature:a", salience=1.0 + 1.0 * m / 2, permanence=0.5 * m / 2, impact=-m / 2),
        edge("act", CAUSAL, "bad", weight=1.0 + m, permanence=0.5 * m, half_life=HALF_LIFE / 0.7),
        edge("act", CONTAINS, "feature:a", weight=1.0 + 0.1 * m, half_life=HALF_LIFE / 0.7),
        edge("before", TEMPORAL, "act", weight=1.0 + 0.1 * m, half_life=HALF_LIFE / 0.7),
        edge("feature:a", ASSOCIATIVE, "feature:b", weight=1.0, half_life=HALF_LIFE),
    )


def test_a_neutral_outcome_makes_fade_faster_and_nothing_else() -> None:
    given(event("before", "x"), event("act", "a")).when(outcome("none", "act", 0.0)).then(
        node("act", salience=1.5, permanence=0, impact=0, half_life=HALF_LIFE / 2),
        node("none", salience=1.0, permanence=0, impact=0, half_life=HALF_LIFE / 2),
        node("feature:a", salience=1.0, permanence=0, impact=0, half_life=HALF_LIFE),
        edge("act", CAUSAL, "none", weight=1.0, permanence=0, half_life=HALF_LIFE),
        edge("act", CONTAINS, "feature:a", weight=1.0, half_life=HALF_LIFE),
        unchanged("before"),
    )


def test_neutral_outcomes_without_end_leave_a_half_life_that_can_be_divided_by() -> None:
    """0.01 to the 200th power is 0 as a float."""
    repeats = [outcome(f"none-{n}", "act", 0.0) for n in range(200)]
    before = given(policy("quick", neutral_half_life=0.01), event("act"), *repeats, event("next"))
    before.when(outcome("last", "act", 0.0)).then(accepted(seq=204), node("act", half_life=0.1))


def test_only_the_first_of_its_kind_counts_more() -> None:
    before = given(event("act"), outcome("first", "act", 1.0, kind="tests pass"))
    again = before.when(outcome("second", "act", 1.0, kind="tests pass"))
    again.then(
        node("act", salience=1.5 + 0.5 * 1.5 + 0.5 * 1.0, permanence=0.15 + 0.1, impact=1.5 + 1.0),
        node("second", salience=1.0 + 0.5 * 1.0),
        node("feature:outcome:tests pass", salience=1.0 + 0.1, usage=2, degree=2),
    )
    again.when(outcome("other", "act", 1.0, kind="reverted")).then(
        node("other", salience=1.0 + 0.5 * 1.5), node("feature:outcome:reverted", salience=1.0, usage=1)
    )


def test_credit_flows_back_over_five_events_of_the_session() -> None:
    chain = [event(f"e{n}") for n in range(6)]
    elsewhere = event("elsewhere", session="other")
    given(*chain, elsewhere, event("act"), event("after")).when(outcome("good", "act", 2.0)).then(
        unchanged("e0", "elsewhere", "after"),
        *(edge(f"e{n}", TEMPORAL, f"e{n + 1}", tick=9) for n in range(1, 5)),
        edge("e5", TEMPORAL, "act", tick=9),
        edge("e0", TEMPORAL, "e1", tick=2, weight=1.0),
        edge("act", TEMPORAL, "after", tick=9, weight=1.0),
        *(node(f"e{n}", impact=0.3, permanence=0, tick=9) for n in range(1, 6)),
    )


def test_credit_is_a_tenth_added_to_what_is_left() -> None:
    halving = policy("halving", node_half_life_ticks=1, edge_half_life_ticks=1)
    m = 2 * 1.5
    given(halving, event("first"), event("act"), event("later")).when(outcome("bad", "act", -2.0)).then(
        node("first", salience=1.5 / 4 + 0.1 * m, impact=-0.1 * m, permanence=0),
        node("act", salience=1.5 / 2 + 1.0 * m),
        edge("first", TEMPORAL, "act", weight=1.0 / 2 + 0.1 * m, half_life=1 / 0.7),
        node("later", salience=1.5, impact=0),
    )


def test_no_credit_flows_when_there_is_none_to_give() -> None:
    before = given(policy("none", credit_share=0), event("first"), event("act"))
    before.when(outcome("good", "act", 2.0)).then(unchanged("first"))


def test_a_catastrophe_protects_and_stays_long() -> None:
    given(event("act")).when(outcome("fire", "act", -1.0, catastrophic=True)).then(
        node("act", flags=NodeFlag.CATASTROPHIC, half_life=HALF_LIFE * 4, permanence=0.5 * 1.5),
        node("fire", flags=NodeFlag.CATASTROPHIC, half_life=HALF_LIFE * 4),
        node("feature:outcome:outcome", flags=0, half_life=HALF_LIFE),
    )


def test_values_stop_at_their_caps() -> None:
    disasters = [outcome(f"d{n}", "act", -10.0, catastrophic=True) for n in range(12)]
    given(event("before"), event("act", "a"), *disasters).when(outcome("last", "act", -10.0)).then(
        node("act", salience=20.0, permanence=10.0, impact=-100.0, half_life=1e6),
        node("before", impact=-0.1 * (15 + 120)),
        node("feature:a", salience=20.0, permanence=10.0, impact=-100.0),
        edge("act", CONTAINS, "feature:a", weight=1.0 + 0.1 * (15 + 120)),
        edge("act", CAUSAL, "last", weight=11.0, permanence=5.0),
    )


def test_an_outcome_of_something_else_is_refused() -> None:
    before = given(event("act"), outcome("good", "act", 1.0), recall("asked", "act"), attest("proof"))
    before.when(outcome("o1", "nobody", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(outcome("o2", "o2", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    before.when(outcome("o3", "o1", 1.0)).then(refused(Refusal.UNKNOWN_EVENT))
    for other in ("good", "asked", "proof"):
        before.when(outcome(f"of-{other}", other, 1.0)).then(refused(Refusal.NOT_AN_EVENT))


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
