"""Pins: what is declared to be the core of a memory does not fade and is not forgotten."""

from tests.graph.by_hand import BARE, HALF_LIFE, HALVING, TEN, density, faded, half_life
from tests.graph.commands import attest, concept, episode, event, outcome, pin, policy
from tests.graph.scenario import accepted, edge, given, gone, header, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag
from yggdrasil_schemas.refusals import Refusal

PINNED, CATASTROPHIC = NodeFlag.PINNED, NodeFlag.CATASTROPHIC
TEMPORAL, CAUSAL, CONTAINS = EdgeKind.TEMPORAL, EdgeKind.CAUSAL, EdgeKind.CONTAINS


def test_what_is_pinned_stays() -> None:
    before = given(HALVING, event("one", "a"), event("two"))
    before.when(pin("core", "one", permanence=3)).then(
        accepted(seq=4),
        header(tick=2, nodes=3, edges=2),
        node("one", flags=PINNED, salience=1.5 / 2, permanence=3, half_life=1e6, stability=1, tick=2),
        node("one", impact=0, usage=0),
        unchanged("two", "feature:a"),
    )
    before.when(event("three"))
    before.when(attest("proof")).then(node("one", salience=0.75, tick=2))
    before.when(outcome("good", "one", 2.0)).then(
        node("one", salience=faded(0.75, 1, 1e6) + 0.5 * 3, permanence=3 / 2 + 0.3, half_life=1e6, flags=PINNED)
    )


def test_its_half_life_is_the_greatest_of_the_policy() -> None:
    given(policy("brief", half_life_max_ticks=100), event("one")).when(pin("core", "one")).then(
        node("one", half_life=100, permanence=0)
    )


def test_the_permanence_is_a_least_one_and_has_the_cap_of_all() -> None:
    before = given(policy("cap", permanence_max=6), event("one"), outcome("bad", "one", -4.0))
    before.when(pin("p1", "one", permanence=2)).then(node("one", permanence=3))
    before.when(pin("p2", "one", permanence=5)).then(node("one", permanence=5))
    before.when(pin("p3", "one", permanence=10)).then(node("one", permanence=6))


def test_what_is_no_longer_pinned_fades_as_it_would() -> None:
    """With the permanence that it has; the one that the command names is for what is pinned."""
    before = given(BARE, event("one"), pin("core", "one", permanence=3))
    before.when(pin("no more", "one", pinned=False, permanence=9)).then(
        node("one", flags=0, permanence=3, half_life=half_life(1, 1, 3))
    )


def test_the_edges_of_what_is_pinned_last_as_it_does() -> None:
    """At least: what led to the failure has 1.5 of its own, and 3 / 2 are as much."""
    known = [event("one", "a"), outcome("bad", "one", -2.0), event("two"), event("three")]
    before = given(HALVING, *known)
    before.when(pin("core", "one", permanence=1)).then(
        node("one", permanence=1),
        edge("one", CAUSAL, "bad", permanence=1, weight=4 / 2 ** (2 * 0.7), tick=3),
        edge("one", CONTAINS, "feature:a", permanence=1, tick=3),
        edge("one", TEMPORAL, "two", permanence=1, weight=1 / 2, half_life=1, usage=0, tick=3),
        edge("two", TEMPORAL, "three", permanence=0, tick=3),
    )
    before.when(pin("more", "one", permanence=0.5)).then(edge("one", TEMPORAL, "two", permanence=1))
    before.when(pin("less", "two", pinned=False, permanence=5)).then(edge("two", TEMPORAL, "three", permanence=0))


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
        before.when(pin(f"pin {name}", name, permanence=7)).then(node(name, flags=PINNED, permanence=7))


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
