"""Pins: what is declared to be the core of a memory does not fade and is not forgotten."""

import pytest

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, TEN, density, faded, half_life
from tests.graph.commands import MEMORY, attest, concept, episode, event, outcome, pin, policy
from tests.graph.scenario import accepted, edge, given, gone, header, no_edge, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag
from yggdrasil_schemas.refusals import Refusal

PINNED, CATASTROPHIC = NodeFlag.PINNED, NodeFlag.CATASTROPHIC
TEMPORAL, CAUSAL, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.CONTAINS


def test_what_is_pinned_stays() -> None:
    before = given(HALVING, event("one", "a"), event("two"))
    before.when(pin("core", "one", permanence=3)).then(
        accepted(seq=4),
        header(tick=2, nodes=3, edges=2),
        node("one", flags=PINNED, salience=1.5 / 2, permanence=0, half_life=1e6, stability=1, tick=2, pin_permanence=3),
        node("one", impact=0, usage=0),
        unchanged("two", "feature:a"),
    )
    before.when(event("three"))
    before.when(attest("proof")).then(node("one", salience=0.75, tick=2))
    before.when(outcome("good", "one", 2.0)).then(
        node("one", salience=faded(0.75, 1, 1e6) + 0.5 * 3, permanence=0.3, pin_permanence=3, flags=PINNED)
    )


def test_its_half_life_is_the_greatest_of_the_policy() -> None:
    given(policy("brief", half_life_max_ticks=100), event("one")).when(pin("core", "one")).then(
        node("one", half_life=100, permanence=0)
    )


def test_the_permanence_of_the_pin_has_the_cap_of_all_and_the_last_pin_counts() -> None:
    before = given(policy("cap", permanence_max=6), event("one"), outcome("bad", "one", -4.0))
    for given_now, kept in ((2, 2), (10, 6), (1, 1), (1, 1)):
        before.when(pin(f"p{given_now}{kept}", "one", permanence=given_now)).then(
            node("one", permanence=3, pin_permanence=kept, half_life=1e6)
        )


def test_to_unpin_takes_back_what_the_pin_gave_and_no_more() -> None:
    """What it has earned meanwhile stays, though the pin gave more; what it had has eroded, and the pin has not."""
    life = [event("one", "a"), outcome("bad", "one", -2.0), event("two")]
    never = given(HALVING, *life, outcome("good", "one", 2.0, kind="other"), event("three"))
    before = given(HALVING, *life[:2], pin("core", "one", permanence=9), life[2])
    before.when(outcome("good", "one", 2.0, kind="other")).then(node("one", pin_permanence=9, flags=PINNED))
    before.when(event("three"))
    earned = before.when(pin("no more", "one", pinned=False, permanence=9))
    earned.then(node("one", flags=0, pin_permanence=0, half_life=1))
    assert earned.node("one").permanence >= never.when(pin("settle", "one", pinned=False)).node("one").permanence > 0


def test_a_pin_touches_no_edge() -> None:
    known = [event("one", "a"), outcome("bad", "one", -2.0), event("two")]
    before = given(HALVING, *known)
    edges = dict(before.world.graph(MEMORY).changed_edges)
    assert before.when(pin("core", "one", permanence=9)).graph.changed_edges == edges
    assert before.when(pin("no more", "one", pinned=False)).graph.changed_edges == edges


def test_what_is_pinned_ranks_by_the_greater_permanence() -> None:
    """Of three pinned ones two may be protected: the one with the least goes, though it is the youngest."""
    said = [event("e1"), event("e2"), event("e3"), pin("p1", "e1", permanence=2), pin("p2", "e2", permanence=3)]
    ranked = policy("ranked", rank_permanence=1)
    before = given(TEN, ranked, *said, pin("p3", "e3"), *(event(f"x{n}") for n in range(7)))
    before.when(event("x7")).then(node("e1", flags=PINNED), node("e2", flags=PINNED), gone("e3", "x0"))


@pytest.mark.parametrize("made", ["before", "while"])
def test_a_busy_feature_does_not_let_go_of_what_is_pinned(made: str) -> None:
    """e1 is the first that a crowded hub would cut; unpinned it goes, whenever the edge was made."""
    sixteen = policy("sixteen", degree_max=16)
    first = [event("e1", "hub"), pin("core", "e1")] if made == "before" else [event("e0"), pin("core", "e0")]
    name = "e1" if made == "before" else "e0"
    tied = [] if made == "before" else [concept("idea", "e0", "feature:hub"), pin("more", "idea")]
    if made == "while":
        first = [event("e0", "hub"), *first[1:]]
    events = [event(f"n{n}", "hub") for n in range(17 - len(tied) // 2)]
    kept = given(sixteen, *first, *tied, *events[:-1]).when(events[-1])
    kept.then(edge(name, CONTAINS, "feature:hub"))
    if tied:
        kept.then(edge("idea", CONTAINS, "feature:hub"))
    freed = given(sixteen, *first, pin("no more", name, pinned=False), *events[:-1]).when(events[-1])
    freed.when(event("last", "hub")).then(no_edge(name, CONTAINS, "feature:hub"))


def test_of_the_whole_memory_what_is_pinned_is_cut_last() -> None:
    """The same life as where the first event's edges go."""
    few = policy("few", nodes_max=40, sessions_open_max=1, edges_max=40)
    above = given(few, event("one", *"abcdefgh"), pin("core", "one")).when(event("two", *"ijklmnop"))
    above.then(header(edges=36), *(edge("one", CONTAINS, f"feature:{name}") for name in "abcdefgh"))
    freed = given(few, event("one", *"abcdefgh"), pin("core", "one"), pin("no", "one", pinned=False))
    freed.when(event("two", *"ijklmnop")).then(header(edges=36), no_edge("one", CONTAINS, "feature:a"))


def test_to_unpin_what_is_not_pinned_steadies_it() -> None:
    given(event("one", "a", "b")).when(pin("no", "feature:a", pinned=False)).then(
        node("feature:a", flags=0, half_life=half_life(2, 1, 0, density(2, kinds=2, marks=1)))
    )


def test_a_pin_leaves_the_other_flags() -> None:
    before = given(event("a", session="a"), event("one", session="b"), outcome("doom", "one", -1.0, catastrophic=True))
    before.when(pin("core", "one")).then(node("one", flags=PINNED | CATASTROPHIC | NodeFlag.OPENING))
    before.when(pin("no more", "one", pinned=False)).then(node("one", flags=CATASTROPHIC | NodeFlag.OPENING))


def test_anything_can_be_pinned() -> None:
    known = [event("one", "a", "b"), outcome("good", "one", 1.0), episode("day", "one")]
    before = given(*known, concept("pair", "feature:a", "feature:b"))
    for name in ("one", "good", "feature:a", "day", "pair"):
        before.when(pin(f"pin {name}", name, permanence=7)).then(node(name, flags=PINNED, pin_permanence=7))


def test_what_is_pinned_is_not_pruned() -> None:
    """Two of ten may be protected: when a third one is pinned, the oldest loses its protection. Two go at a time."""
    pinned = [event("e1"), pin("p1", "e1"), event("e2"), pin("p2", "e2"), event("e3")]
    kept = given(TEN, *pinned, *(event(f"x{n}") for n in range(7)))
    kept.when(event("x7")).then(
        gone("e3", "x0"), node("e1", flags=PINNED), node("e2", flags=PINNED), edge("e2", TEMPORAL, "x1")
    )
    kept.when(pin("p3", "x1"))
    kept.when(event("x8"))
    kept.when(event("x9")).then(gone("e1", "x2"), node("e2", flags=PINNED), node("x1", flags=PINNED))


def test_only_what_is_there_can_be_pinned() -> None:
    before = given(TEN, event("old"), *(event(f"x{n}") for n in range(10)))
    before.when(pin("p1", "nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(pin("p2", "old")).then(gone("old"), refused(Refusal.NODE_FORGOTTEN))
    before.when(pin("p3", "feature:never")).then(refused(Refusal.NODE_FORGOTTEN))
    before.when(pin("p4", "ten")).then(refused(Refusal.NODE_FORGOTTEN))  # a policy makes no node
    before.when(pin("p5", "x9")).then(accepted(seq=13), node("x9", half_life=1e6))
    before.when(pin("p5", "x9")).then(repeated(seq=13))
    before.when(pin("p5", "x9", pinned=False)).then(refused(Refusal.ID_REUSED))


def test_a_feature_keeps_its_pin_when_it_occurs_again() -> None:
    """Its eighth occurrence steadies it, and that leaves the half-life where it is."""
    occurred = [event(f"e{n}", "rain") for n in range(1, 8)]
    before = given(BARE, *occurred).when(attest("proof")).then(node("feature:rain", half_life=2 * HALF_LIFE))
    before.when(pin("core", "feature:rain"))
    before.when(event("e8", "rain")).then(node("feature:rain", usage=8, half_life=1e6, flags=PINNED))
