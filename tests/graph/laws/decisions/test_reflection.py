"""The law of reflection: small changes along a trajectory, each cut to its cap; nothing is made or removed."""

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, TEN, density, faded, half_life
from tests.graph.commands import adjust, attest, claim, concept, episode, event, outcome, pin, policy, recall
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, node_number
from yggdrasil_schemas.refusals import Refusal

TEMPORAL, CAUSAL, ASSOCIATIVE = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.ASSOCIATIVE
CONTAINS = EdgeKind.CONTAINS
ERODES = 20_000
CHAIN = [event("e1"), event("e2"), event("e3"), event("e4")]


def eroded(permanence: float, ticks: int) -> float:
    return permanence * 2 ** -(ticks / ERODES)


def test_what_lies_on_the_trajectory_changes_a_little() -> None:
    """e1 is three ticks old, and the edge to e2 is two."""
    before = given(HALVING, *CHAIN)
    said = adjust("more", "e1", "e2", evidence=("e3",), salience=0.2, permanence=0.1, half_life=1.05)
    before.when(said).then(
        accepted(seq=6),
        header(tick=4, nodes=4, edges=3),
        node("e1", salience=1.5 / 8 + 0.2, permanence=0.1, stability=1.05, half_life=1.05, tick=4),
        node("e2", salience=1.5 / 4 + 0.2, permanence=0.1, stability=1.05, half_life=1.05, tick=4),
        node("e1", impact=0, valence=0, usage=0, good=0),
        edge("e1", TEMPORAL, "e2", weight=1 / 4 + 0.2, permanence=0, usage=0, half_life=1.05, tick=4),
        edge("e2", TEMPORAL, "e3", weight=1, tick=3),
        unchanged("e3", "e4"),
    )


def test_no_change_is_more_than_its_cap() -> None:
    before = given(HALVING, event("e1"), event("e2"))
    before.when(adjust("much", "e2", "e1", evidence=("e1",), salience=1, permanence=1, half_life=2)).then(
        node("e1", salience=0.75 + 0.25, permanence=0.25, stability=1.1, half_life=1.1),
        node("e2", salience=1.5 + 0.25, permanence=0.25, stability=1.1),
        edge("e1", TEMPORAL, "e2", weight=1.25, half_life=1.1),
    )
    before = given(HALVING, event("e1"), event("e2"))
    before.when(adjust("less", "e1", "e2", evidence=("e1",), salience=-1, permanence=-1, half_life=0.5)).then(
        node("e1", salience=0.75 - 0.25, permanence=0, stability=1 / 1.1, half_life=1 / 1.1),
        node("e2", salience=1.5 - 0.25, permanence=0, stability=1 / 1.1),
        edge("e1", TEMPORAL, "e2", weight=0.75, half_life=1 / 1.1),
    )


def test_the_caps_are_the_policy_s() -> None:
    caps = policy("caps", adjust_salience_max=0.5, adjust_permanence_max=0.01, adjust_half_life_max=1.0)
    given(caps, event("e1")).when(adjust("much", "e1", evidence=("e1",), salience=1, permanence=1, half_life=2)).then(
        node("e1", salience=2.0, permanence=0.01, stability=1, half_life=half_life(permanence=0.01))
    )


def test_nothing_falls_below_zero_or_rises_above_its_bound() -> None:
    low = given(HALVING, *CHAIN, event("e5"))
    low.when(adjust("less", "e1", "e2", evidence=("e1",), salience=-0.25, permanence=-0.25)).then(
        node("e1", salience=0, permanence=0), edge("e1", TEMPORAL, "e2", weight=0)
    )  # 1.5 / 16, and 1 / 8 of weight
    caps = policy("caps", permanence_max=1, weight_max=10, stability_max=1, half_life_max_ticks=HALF_LIFE)
    most = [event("e1"), event("e2"), outcome("bad", "e2", -10.0), outcome("worse", "e2", -10.0)]
    high = given(caps, *most)
    high.when(adjust("more", "e2", "worse", evidence=("bad",), salience=1, permanence=1, half_life=2)).then(
        node("e2", salience=20, permanence=1, stability=1, half_life=HALF_LIFE),
        edge("e2", CAUSAL, "worse", weight=10, half_life=HALF_LIFE),
    )


def test_half_lives_do_not_fall_below_the_least() -> None:
    brief = policy("brief", node_half_life_ticks=0.1, edge_half_life_ticks=0.1)
    given(HALVING, brief, event("e1"), event("e2")).when(
        adjust("less", "e1", "e2", evidence=("e1",), half_life=0.5)
    ).then(node("e1", half_life=0.1, stability=1 / 1.1), edge("e1", TEMPORAL, "e2", half_life=0.1))


def test_what_is_catastrophic_or_pinned_is_never_lowered() -> None:
    """It is settled, though, and so are its edges, which follow what both of their ends were allowed."""
    doomed = [event("e1"), outcome("doom", "e1", -1.0, catastrophic=True), event("e2"), pin("core", "e2", permanence=2)]
    before = given(HALVING, *doomed, event("e3"))
    less = adjust("less", "e1", "e2", "e3", evidence=("doom",), salience=-0.2, permanence=-0.2, half_life=0.95)
    before.when(less).then(
        node("e1", salience=faded(3.0, 2, 5), permanence=0.75 / 4, stability=5, flags=NodeFlag.CATASTROPHIC, tick=3),
        node("e2", salience=faded(1.5, 1, 1e6), permanence=0, pin_permanence=2, stability=1, half_life=1e6, tick=3),
        node("e3", salience=1.3, permanence=0, stability=0.95),
        edge("e1", TEMPORAL, "e2", weight=1 / 2, half_life=1, tick=3),
        edge("e2", TEMPORAL, "e3", weight=1, half_life=1),
    )
    more = adjust("more", "e1", "e2", evidence=("doom",), salience=0.2, permanence=0.2, half_life=1.05)
    before.when(more).then(
        node("e1", salience=faded(3.0, 2, 5) + 0.2, permanence=0.75 / 4 + 0.2, stability=5 * 1.05),
        node("e2", salience=faded(1.5, 1, 1e6) + 0.2, permanence=0.2, pin_permanence=2, stability=1.05, half_life=1e6),
    )


def test_all_edges_between_neighbours_change_and_no_others() -> None:
    """In whichever direction they lead, and of whatever kind; between e1 and e3, which are none, nothing does."""
    before = given(HALVING, event("e1", "x"), event("e2", caused_by=("e1",)), event("e3", caused_by=("e1",)))
    before.when(adjust("more", "e3", "e2", "e1", "feature:x", evidence=("e1",), salience=0.1)).then(
        edge("e1", TEMPORAL, "e2", weight=1 / 2 + 0.1, half_life=1, tick=3),
        edge("e1", CAUSAL, "e2", weight=1 / 2 + 0.1),
        edge("e2", TEMPORAL, "e3", weight=1 + 0.1),
        edge("e1", CONTAINS, "feature:x", weight=1 / 4 + 0.1),
        edge("e1", CAUSAL, "e3", weight=1, tick=3),
        node("feature:x", salience=1 / 4 + 0.1, tick=3),
    )


def test_over_what_was_forgotten_the_next_are_neighbours() -> None:
    pinned = [event("e1"), pin("core", "e1"), event("old"), event("x0"), pin("too", "x0")]
    before = given(TEN, *pinned, *(event(f"x{n}") for n in range(1, 9)))
    before.when(adjust("more", "e1", "old", "x0", "feature:never", evidence=("old", "x0"), salience=0.1)).then(
        accepted(seq=15),
        gone("old", "x1"),
        edge("e1", TEMPORAL, "x0", weight=faded(1, 9) + 0.1, tick=11),
        no_edge("e1", ASSOCIATIVE, "x0"),
    )


def test_anything_can_lie_on_a_trajectory() -> None:
    known = [event("e1", "a", "b"), episode("day", "e1"), concept("pair", "feature:a", "feature:b")]
    before = given(*known, outcome("good", "e1", 0.0))
    before.when(adjust("more", "pair", "feature:a", "day", "good", evidence=("e1",), salience=0.25)).then(
        node("pair", salience=1.5 + 0.25),
        node("feature:a", salience=1.25),
        node("day", salience=1.75 + 0.25),
        node("good", salience=1.25),
        edge("pair", CONTAINS, "feature:a", weight=1.25),
        edge("day", ASSOCIATIVE, "feature:a", weight=1.25),
        edge("day", CONTAINS, "e1", weight=1),
    )


def test_what_is_adjusted_is_steadied() -> None:
    """Two edges of two kinds, of a session; before, it was as it was made."""
    before = given(event("e1", "a", "b")).when(attest("before")).then(node("feature:a", half_life=2 * HALF_LIFE))
    before.when(adjust("more", "feature:a", evidence=("e1",), permanence=0.2)).then(
        node("feature:a", salience=1, permanence=0.2, half_life=half_life(2, 1, 0.2, density(2, kinds=2, marks=1)))
    )


def test_a_change_without_evidence_is_none() -> None:
    before = given(TEN, event("old"), *(event(f"x{n}") for n in range(10)))
    before.when(adjust("a1", "x9", evidence=("nobody",))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(adjust("a2", "x9", evidence=("x9", "a1"))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(adjust("a3", "nobody", evidence=("x9",))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(adjust("a4", "old", "ten", evidence=("x9",))).then(gone("old"), refused(Refusal.NODE_FORGOTTEN))
    before.when(adjust("a5", "x9", evidence=())).then(refused(Refusal.INVALID_BODY))
    before.when(adjust("a6", "x9", evidence=("old", "ten"))).then(refused(Refusal.EVIDENCE_ELSEWHERE))
    before.when(adjust("a7", "x9", "x8", evidence=("old", "ten", "x7"))).then(accepted(seq=13))
    before.when(adjust("a7", "x9", "x8", evidence=("old", "ten", "x7"))).then(repeated(seq=13))


def test_evidence_touches_the_trajectory() -> None:
    """On it, or joined to it by an edge, and be it one of sixteen; not by way of something else."""
    known = [event("e1", "a"), event("e2"), event("e3"), outcome("bad", "e1", -1.0), recall("asked", "e1")]
    before = given(*known, event("e4", "a", session="other"))
    for number, named in enumerate(("e3", "e4", "asked")):
        before.when(adjust(f"far {number}", "e1", evidence=(named,), salience=0.1)).then(
            refused(Refusal.EVIDENCE_ELSEWHERE), unchanged("e1")
        )
    for number, named in enumerate(("e1", "e2", "bad")):
        before.when(adjust(f"near {number}", "e1", evidence=("e3", named), salience=0.01)).then(
            accepted(seq=7 + number)
        )
    before.when(adjust("a part", "feature:a", evidence=("e4",), salience=0.1)).then(accepted(seq=10))


def test_sixty_small_changes_are_no_large_one() -> None:
    """A failure of -4, the first of its kind: what one command may take is all that sixty take in a window."""
    before = given(BARE, event("e1"), event("e2"), outcome("bad", "e2", -4.0))
    moment = before.when(
        adjust("first", "e2", "bad", evidence=("bad",), salience=-0.2, permanence=-0.25, half_life=0.98)
    ).then(
        node("e2", salience=7.5 - 0.2, permanence=3 - 0.25, stability=0.98, flags=NodeFlag.ADJUSTED),
        edge("e2", CAUSAL, "bad", weight=1 + 6 - 0.2),
    )
    for number in range(59):
        moment = moment.when(
            adjust(f"again {number}", "e2", "bad", evidence=("bad",), salience=-0.2, permanence=-0.25, half_life=0.98)
        )
    moment.then(
        node("e2", salience=7.5 - 0.25, permanence=3 - 0.25, stability=1 / 1.1),
        node("bad", salience=7 - 0.25, permanence=3 - 0.25, stability=1 / 1.1),
        edge("e2", CAUSAL, "bad", weight=7 - 0.25, half_life=HALF_LIFE / 0.7 / 1.1),
        edge("e1", TEMPORAL, "e2", weight=1 + 0.1 * 6),
    )


def test_what_is_used_up_is_used_up_in_both_directions() -> None:
    before = given(BARE, event("e1"))
    before.when(adjust("up", "e1", evidence=("e1",), salience=0.2, permanence=0.05, half_life=1.05)).then(
        node("e1", salience=1.7, permanence=0.05, stability=1.05)
    )
    before.when(adjust("down", "e1", evidence=("e1",), salience=-0.2, permanence=-0.05, half_life=0.8)).then(
        node("e1", salience=1.65, permanence=0, stability=1.05 / (1.1 / 1.05))
    )
    before.when(adjust("done", "e1", evidence=("e1",), salience=-1, permanence=0.2, half_life=0.5)).then(
        node("e1", salience=1.65, permanence=0.15, stability=1.05 / (1.1 / 1.05))
    )


def test_the_window_begins_anew_when_it_is_over() -> None:
    """It is of three ticks here, from the first change in it on."""
    before = given(BARE, policy("brief", adjust_window_ticks=3), event("e1"))
    before.when(adjust("one", "e1", evidence=("e1",), permanence=0.25)).then(node("e1", permanence=0.25))
    before.when(event("e2")).when(event("e3"))
    before.when(adjust("two", "e1", evidence=("e1",), permanence=0.25)).then(node("e1", permanence=eroded(0.25, 2)))
    before.when(event("e4"))
    before.when(adjust("three", "e1", evidence=("e1",), permanence=0.25)).then(
        node("e1", permanence=eroded(0.25, 3) + 0.25)
    )
    before.when(event("e5")).when(event("e6"))
    before.when(adjust("four", "e1", evidence=("e1",), permanence=0.25)).then(
        node("e1", permanence=eroded(eroded(0.25, 3) + 0.25, 2))
    )


def test_a_change_that_a_node_may_not_take_is_not_counted() -> None:
    """What is pinned is not lowered, and has its whole bound left; a change of nothing begins no window."""
    before = given(BARE, event("e1"), pin("core", "e1", permanence=1))
    before.when(adjust("less", "e1", evidence=("e1",), salience=-0.2, permanence=-0.2, half_life=0.95)).then(
        node("e1", salience=1.5, permanence=0, flags=NodeFlag.PINNED)
    )
    before.when(adjust("more", "e1", evidence=("e1",), salience=0.25, permanence=0.25, half_life=1.1)).then(
        node("e1", salience=1.75, permanence=0.25, stability=1.1, flags=NodeFlag.PINNED | NodeFlag.ADJUSTED)
    )


def test_each_node_has_a_bound_of_its_own_and_an_edge_the_lesser_of_two() -> None:
    before = given(BARE, event("e1"), event("e2"))
    before.when(adjust("one", "e1", evidence=("e1",), salience=-0.2, half_life=0.95))
    before.when(adjust("both", "e1", "e2", evidence=("e1",), salience=-0.25, half_life=0.5)).then(
        node("e1", salience=faded(1.5, 1) - 0.25),
        node("e2", salience=1.25, stability=1 / 1.1),
        edge("e1", TEMPORAL, "e2", weight=1 - 0.05, half_life=HALF_LIFE / (1.1 * 0.95)),
    )


def test_a_lowered_bound_takes_nothing_back() -> None:
    before = given(BARE, event("e1"))
    before.when(adjust("one", "e1", evidence=("e1",), salience=0.2, half_life=1.1))
    before.when(policy("less", adjust_salience_max=0.1, adjust_half_life_max=1.05))
    before.when(adjust("two", "e1", evidence=("e1",), salience=0.2, half_life=1.05)).then(
        node("e1", salience=1.7, stability=1.1)
    )


def test_what_was_used_up_goes_with_the_node() -> None:
    before = given(TEN, event("e1"))
    before.when(adjust("one", "e1", evidence=("e1",), salience=0.25))
    moment = before.when(event("x0"))
    for number in range(1, 10):
        moment = moment.when(event(f"x{number}"))
    moment.then(gone("e1"))
    assert moment.graph.changed_adjusted == {node_number(2): None}


def test_what_confirmed_a_claim_is_evidence_of_it() -> None:
    told = [claim("rome", "ana", "lives_in", "rome"), claim("again", "ana", "lives_in", "rome", source="two")]
    given(*told).when(adjust("up", "rome", evidence=("again",), salience=0.1)).then(accepted(seq=3))
