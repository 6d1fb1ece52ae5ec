"""Principles: a few pinned nodes that belong into every context, in the order in which they were named."""

from tests.graph.by_hand import TEN
from tests.graph.commands import attest, concept, dissolve, episode, event, outcome, pin, policy, recall
from tests.graph.scenario import Check, Moment, accepted, given, gone, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import NodeFlag
from yggdrasil_schemas.refusals import Refusal

PINNED, PRINCIPLE, CONCEPTUAL = NodeFlag.PINNED, NodeFlag.PRINCIPLE, NodeFlag.CONCEPTUAL
FIVE = [event(f"e{n}") for n in range(1, 6)]


def principles(*names: str) -> Check:
    def check(moment: Moment) -> None:
        assert moment.graph.header.principles == [moment.number(name) for name in names]

    return check


def test_a_principle_is_pinned_and_comes_last() -> None:
    before = given(*FIVE)
    before.when(pin("p1", "e2", permanence=3.0, principle=True)).then(
        accepted(seq=6),
        principles("e2"),
        node("e2", flags=PINNED | PRINCIPLE, pin_permanence=3.0, half_life=1e6),
        unchanged("e1"),
    )
    before.when(pin("p2", "e1", principle=True)).then(principles("e2", "e1"))


def test_named_again_it_keeps_its_place() -> None:
    before = given(*FIVE, pin("p1", "e2", principle=True), pin("p2", "e1", principle=True))
    before.when(pin("p3", "e2", permanence=2.0, principle=True)).then(
        principles("e2", "e1"), node("e2", pin_permanence=2.0)
    )
    before.when(pin("p3", "e2", permanence=2.0, principle=True)).then(repeated(seq=8), principles("e2", "e1"))


def test_what_was_pinned_before_becomes_one() -> None:
    before = given(*FIVE, pin("p1", "e1"))
    before.when(pin("p2", "e1", principle=True)).then(principles("e1"), node("e1", flags=PINNED | PRINCIPLE))


def test_a_pin_without_it_takes_it_out_and_leaves_the_pin() -> None:
    before = given(*FIVE, *(pin(f"p{n}", f"e{n}", principle=True) for n in (1, 2, 3)))
    before.when(pin("out", "e2")).then(principles("e1", "e3"), node("e2", flags=PINNED))
    before.when(pin("in", "e2", principle=True)).then(principles("e1", "e3", "e2"))
    before.when(pin("off", "e1", pinned=False)).then(principles("e3", "e2"), node("e1", flags=0))


def test_pins_of_other_nodes_leave_the_list() -> None:
    before = given(*FIVE, pin("p1", "e1", principle=True))
    before.when(pin("p2", "e2")).then(principles("e1"), node("e2", flags=PINNED))
    before.when(pin("p3", "e2", pinned=False)).then(principles("e1"))


def test_events_episodes_and_concepts_can_be_principles() -> None:
    known = [event("e1", "a", "b"), outcome("good", "e1", 1.0), episode("day", "e1"), recall("asked")]
    before = given(*known, concept("pair", "feature:a", "feature:b"), pin("core", "good", permanence=1.0))
    for name in ("e1", "day", "pair"):
        before.when(pin(f"p {name}", name, principle=True))
    before.when(attest("proof")).then(principles("e1", "day", "pair"))
    before.when(pin("p1", "good", principle=True)).then(refused(Refusal.NOT_A_PRINCIPLE), node("good", flags=PINNED))
    before.when(pin("p2", "feature:a", principle=True)).then(refused(Refusal.NOT_A_PRINCIPLE))
    before.when(pin("p3", "asked", principle=True)).then(refused(Refusal.NODE_FORGOTTEN))
    before.when(pin("p4", "nobody", principle=True)).then(refused(Refusal.UNKNOWN_REFERENCE))


def test_a_conceptual_feature_is_a_feature() -> None:
    dense = policy("dense", concept_density=0.0, dissolve_density=0.0, concept_beyond_chance=0)
    before = given(dense, *(event(f"e{n}", "a") for n in range(1, 9)))
    before.when(pin("p1", "feature:a")).then(node("feature:a", flags=PINNED | CONCEPTUAL))
    before.when(pin("p2", "feature:a", principle=True)).then(refused(Refusal.NOT_A_PRINCIPLE))


def test_there_are_only_so_many() -> None:
    before = given(policy("two", principles_max=2), *FIVE, *(pin(f"p{n}", f"e{n}", principle=True) for n in (1, 2)))
    before.when(pin("third", "e3", principle=True)).then(refused(Refusal.PRINCIPLES_FULL))
    before.when(pin("known", "e1", principle=True)).then(principles("e1", "e2"))
    before.when(pin("only pinned", "e3")).then(principles("e1", "e2"), node("e3", flags=PINNED))
    before.when(pin("room", "e1"))
    before.when(pin("now", "e3", principle=True)).then(principles("e2", "e3"))


def test_sixteen_by_default() -> None:
    before = given(*(event(f"e{n}") for n in range(17)), *(pin(f"p{n}", f"e{n}", principle=True) for n in range(16)))
    before.when(pin("one more", "e16", principle=True)).then(refused(Refusal.PRINCIPLES_FULL))


def test_none_at_all() -> None:
    before = given(policy("none", principles_max=0), *FIVE)
    before.when(pin("p1", "e1", principle=True)).then(refused(Refusal.PRINCIPLES_FULL), principles())


def test_what_cannot_be_a_principle_is_named_before_there_are_too_many() -> None:
    before = given(policy("none", principles_max=0), event("e1", "a"))
    before.when(pin("p1", "feature:a", principle=True)).then(refused(Refusal.NOT_A_PRINCIPLE))


def test_a_lowered_bound_keeps_what_is_there() -> None:
    before = given(*FIVE, *(pin(f"p{n}", f"e{n}", principle=True) for n in (1, 2, 3)))
    before.when(policy("one", principles_max=1)).then(principles("e1", "e2", "e3"))
    before.when(pin("known", "e3", principle=True)).then(principles("e1", "e2", "e3"))
    before.when(pin("out", "e1")).then(principles("e2", "e3"))
    before.when(pin("in", "e1", principle=True)).then(refused(Refusal.PRINCIPLES_FULL))


def test_what_is_forgotten_is_no_principle() -> None:
    """Two of ten are protected, the younger ones as all ranks are equal. The eleventh node costs the oldest two."""
    named = [pin(f"p{n}", f"e{n}", principle=True) for n in (1, 3, 2)]
    before = given(TEN, *FIVE, *named, *(event(f"x{n}") for n in range(5)))
    before.when(attest("proof")).then(principles("e1", "e3", "e2"))
    before.when(event("x5")).then(gone("e1", "e4"), principles("e3", "e2"), node("e3", flags=PINNED | PRINCIPLE))


def test_a_principle_that_is_unpinned_may_be_dissolved() -> None:
    before = given(event("e1", "a", "b"), concept("pair", "feature:a", "feature:b"), pin("p", "pair", principle=True))
    before.when(dissolve("d1", "pair")).then(refused(Refusal.NODE_PROTECTED), principles("pair"))
    before.when(pin("off", "pair", pinned=False)).then(principles())
    before.when(dissolve("d2", "pair")).then(gone("pair"), principles())


def test_a_principle_is_revived() -> None:
    faint = policy("faint", revived_salience=0.5)
    before = given(faint, *FIVE)
    moment = before.when(attest("proof"))
    moment.node("e1").flags |= NodeFlag.ARCHIVED
    before.when(pin("p1", "e1", principle=True)).then(node("e1", flags=PINNED | PRINCIPLE), principles("e1"))
