"""What takes whose place: of what was said with one key, or to correct one thing, one stands; and whose word counts."""

from dataclasses import fields
from typing import Any

import pytest

from tests.graph.by_hand import BARE, TEN
from tests.graph.commands import Said, concept, episode, event, judge, outcome, pin, recall
from tests.graph.laws.knowledge.standing import of_key, of_node, ruling, slot, stands
from tests.graph.scenario import accepted, given, gone, header, node, refused
from tests.graph.world import NODE
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status
from yggdrasil_schemas.refusals import Refusal

KEY = of_key("diet")
RULED = NodeFlag.RULED
SUPERSEDED = Status.SUPERSEDED
DOOM = outcome("doom", "a", -1.0, catastrophic=True)


def said(name: str, origin: str | None = None, key: str | None = "diet", **more: Any) -> Said:
    return event(name, key=key, origin=origin, **more)


def test_what_has_no_key_stands_beside_anything() -> None:
    given(event("a", "fish")).when(event("b", "fish")).then(
        stands(a="active", b="active"), ruling("a"), ruling("b"), node("a", flags=0), node("b", flags=0)
    )


def test_the_latest_word_on_a_key_stands() -> None:
    given(said("a")).when(said("b")).then(
        accepted(seq=2),
        stands(a="superseded", b="active"),
        ruling("a", slot=KEY, by="b", trust=1, instead="b"),
        ruling("b", slot=KEY),
        node("a", flags=RULED),
        node("b", flags=RULED, trust=1),
        slot(KEY, "b", out=("a",)),
    )


def test_another_key_is_another_slot() -> None:
    given(said("a")).when(said("b", key="sport")).then(
        stands(a="active", b="active"), slot(KEY, "a"), slot(of_key("sport"), "b"), slot(of_key("Diet"))
    )


def test_nothing_is_settled_and_no_value_moves() -> None:
    """But by what any event does: these two share no feature, and no session."""
    moment = given(BARE, said("a", session="one"), event("noise", session="two")).when(said("b", session="three"))
    moment.then(node("a", tick=1, status=SUPERSEDED), header(tick=3))
    then, now = moment.before["nodes"][moment.node("a").number], NODE(moment.node("a"))
    assert [each.name for each, one, other in zip(fields(Node), then, now, strict=True) if one != other] == ["status"]


WHO_AGAINST_WHOM = [
    ("agent", "agent", "superseded", "active"),
    ("agent", "import", "superseded", "active"),
    ("thinker", "agent", "superseded", "active"),
    ("user", "user", "superseded", "active"),
    ("user", "tool", "superseded", "active"),
    ("tool", "operator", "superseded", "active"),
    ("user", "agent", "active", "contested"),
    ("tool", "user", "active", "contested"),
    ("operator", "tool", "active", "contested"),
    ("tool", "agent", "active", "quarantined"),
    ("tool", "thinker", "active", "quarantined"),
    ("operator", "user", "active", "quarantined"),
    ("operator", "import", "active", "quarantined"),
]


@pytest.mark.parametrize(("first", "second", "old", "new"), WHO_AGAINST_WHOM)
def test_whoever_is_trusted_less_displaces_nobody(first: str, second: str, old: str, new: str) -> None:
    """One tier below is heard as well; two below waits until somebody has looked at it."""
    given(said("a", first)).when(said("b", second)).then(stands(a=old, b=new))


@pytest.mark.parametrize(("trust", "status"), [(4, "active"), (3, "active"), (2, "contested"), (1, "quarantined")])
def test_what_is_stamped_counts_where_it_is_less(trust: int, status: str) -> None:
    given(said("a", "tool")).when(said("b", "tool", trust=trust)).then(stands(b=status))


def test_what_could_not_be_displaced_is_named() -> None:
    """A correction of what had a key is in the way of that key."""
    before = given(said("a", "user"), said("b", "user", key="sport"), said("c", "tool", supersedes="b"))
    before.when(said("d")).then(
        stands(a="superseded", c="active", d="quarantined"),
        ruling("d", slot=KEY, by="d", instead="c"),
        slot(KEY, "c", "d", out=("a",)),
    )


def test_of_two_that_are_above_the_one_of_more_weight_is_named() -> None:
    """What is contested has the authority of who said it, and not of what it could not displace."""
    before = given(said("a", "operator"), said("b", "tool"))
    before.when(said("c", "user")).then(
        stands(a="active", b="contested", c="quarantined"),
        ruling("b", slot=KEY, by="b", instead="a"),
        ruling("c", slot=KEY, by="c", instead="a"),
    )
    before.when(said("d", "tool")).then(stands(a="active", b="superseded", c="superseded", d="contested"))


def test_a_pin_holds_whatever_the_trust() -> None:
    given(said("a"), pin("p", "a")).when(said("b", "tool")).then(
        stands(a="active", b="quarantined"), ruling("b", slot=KEY, by="b", instead="a"), slot(KEY, "a", "b")
    )


def test_but_not_against_an_operator() -> None:
    given(said("a"), pin("p", "a")).when(said("b", "operator")).then(stands(a="superseded", b="active"))


def test_nor_does_it_hold_what_waits() -> None:
    """What is in quarantine is above nothing, pinned or not."""
    waiting = judge("j", ("a", "quarantine"), origin="operator")
    given(said("a"), pin("p", "a"), waiting).when(said("b")).then(
        stands(a="quarantined", b="active"), ruling("b", slot=KEY), slot(KEY, "a", "b")
    )


def test_what_stands_better_does_not_give_way_to_what_stands_worse() -> None:
    """A tool's stands; a user's beside it is replaced by another user's, and an agent's by another agent's."""
    before = given(said("tool", "tool"), said("user", "user"), said("agent"))
    before.when(said("again")).then(
        stands(tool="active", user="contested", agent="superseded", again="quarantined"),
        ruling("agent", slot=KEY, by="again", trust=1, instead="again", was=Status.QUARANTINED),
        slot(KEY, "tool", "user", "again", out=("agent",)),
    )
    before.when(said("new", "user")).then(
        stands(tool="active", user="superseded", again="superseded", new="contested"),
        slot(KEY, "tool", "new", out=("user", "agent", "again")),
    )
    before.when(said("all", "tool")).then(stands(tool="superseded", new="superseded", all="active"))


def test_of_what_waits_only_what_is_trusted_no_more_gives_way() -> None:
    waiting = judge("j", ("a", "quarantine"), origin="tool")
    before = given(said("a", "user"), waiting, said("b"))
    before.when(said("c")).then(stands(a="quarantined", b="superseded", c="active"), slot(KEY, "a", "c", out=("b",)))
    before.when(said("d", "tool")).then(stands(a="superseded", c="superseded", d="active"))


def test_what_is_out_of_its_slot_is_no_rival() -> None:
    before = given(said("a", "tool"), judge("j", ("a", "resolve"), origin="tool"))
    before.when(said("b")).then(stands(a="resolved", b="active"), slot(KEY, "b", out=("a",)))


# In place of one thing


def test_a_correction_takes_the_place_of_what_it_names() -> None:
    """The slot is named after what was corrected first."""
    before = given(event("a"))
    before.when(event("b", supersedes="a")).then(
        accepted(seq=2),
        stands(a="superseded", b="active"),
        ruling("a", slot=of_node(1), by="b", trust=1, instead="b"),
        ruling("b", slot=of_node(1)),
        slot(of_node(1), "b", out=("a",)),
    )


def test_a_chain_of_corrections_is_one_slot() -> None:
    before = given(event("a"), event("b", supersedes="a"))
    before.when(event("c", supersedes="b")).then(
        stands(a="superseded", b="superseded", c="active"), slot(of_node(1), "c", out=("a", "b"))
    )


def test_what_was_corrected_before_can_be_corrected_again() -> None:
    """Whatever was said in its place since gives way as well, and what it says of itself stays as it was."""
    before = given(event("a"), event("b", supersedes="a"))
    before.when(event("c", supersedes="a")).then(
        stands(a="superseded", b="superseded", c="active"),
        ruling("a", slot=of_node(1), by="b", trust=1, instead="b"),
        ruling("b", slot=of_node(1), by="c", trust=1, instead="c"),
        slot(of_node(1), "c", out=("a", "b")),
    )


def test_what_was_said_first_can_come_back() -> None:
    """A, B, A: the second A is another event, and the first one stays in the history."""
    before = given(said("fish"), said("meat"))
    before.when(said("fish again")).then(stands(fish="superseded", meat="superseded", **{"fish again": "active"}))


def test_an_episode_and_a_concept_are_corrected_like_an_event() -> None:
    before = given(event("a", "x"), event("b", "y"), episode("day", "a"), concept("pair", "a", "b"))
    before.when(event("c", supersedes="day")).then(stands(day="superseded", c="active"))
    before.when(event("d", supersedes="pair")).then(stands(pair="superseded", d="active"))


def test_a_correction_needs_the_trust_of_what_it_corrects() -> None:
    """Otherwise it is refused, and not contested: somebody who names it knows of it."""
    before = given(event("a", origin="user"))
    before.when(event("b", supersedes="a")).then(refused(Refusal.NOT_TRUSTED))
    before.when(event("c", supersedes="a", origin="user", trust=1)).then(refused(Refusal.NOT_TRUSTED))
    before.when(event("d", supersedes="a", origin="user")).then(stands(a="superseded", d="active"))


def test_it_needs_the_trust_of_whoever_judged_it_as_well() -> None:
    before = given(event("a"), event("b", supersedes="a", origin="tool"))
    before.when(event("c", supersedes="a", origin="user")).then(refused(Refusal.NOT_TRUSTED))
    before.when(event("d", supersedes="a", origin="tool")).then(stands(b="superseded", d="active"))


@pytest.mark.parametrize("protecting", [pin("p", "a"), DOOM], ids=["pinned", "catastrophic"])
def test_what_is_protected_is_corrected_by_an_operator_alone(protecting: Said) -> None:
    """Which is said before that of trust."""
    before = given(event("a"), protecting)
    before.when(event("b", supersedes="a", origin="tool")).then(refused(Refusal.NODE_PROTECTED))
    before.when(event("c", supersedes="a", trust=0)).then(refused(Refusal.NODE_PROTECTED))
    before.when(event("d", supersedes="a", origin="operator")).then(stands(a="superseded", d="active"))


def test_a_catastrophe_with_a_key_gives_way_like_anything() -> None:
    """Only who names it must be an operator: what somebody says anew is said of the same key."""
    given(said("a"), DOOM).when(said("b")).then(stands(a="superseded", b="active"))


def test_a_correction_may_be_contested_by_another_in_the_slot() -> None:
    """``a`` gives way all the same: whoever says this may change it."""
    before = given(event("a"), event("b", supersedes="a", origin="user"), judge("j", ("b", "resolve"), origin="user"))
    before.when(event("c", key="k", origin="tool"))
    before.when(event("d", key="k", supersedes="c", origin="user")).then(refused(Refusal.NOT_TRUSTED))
    before.when(event("e", origin="user"))
    before.when(event("f", key="k", supersedes="e", origin="user")).then(
        stands(c="active", e="superseded", f="contested"), ruling("f", slot=of_key("k"), by="f", instead="c")
    )


def test_with_a_key_the_slot_is_that_of_the_key() -> None:
    """What had no slot is in it now, and out of it; what had one keeps it."""
    before = given(event("a"), said("b", key="sport"), said("c"))
    before.when(said("d", supersedes="a")).then(
        stands(a="superseded", b="active", c="superseded", d="active"), slot(KEY, "d", out=("a", "c"))
    )
    before.when(said("e", supersedes="b")).then(
        stands(b="superseded", d="superseded", e="active"),
        ruling("b", slot=of_key("sport"), by="e", trust=1, instead="e"),
        slot(of_key("sport"), out=("b",)),
    )


def test_without_a_key_the_slot_is_that_of_what_is_corrected() -> None:
    given(said("a")).when(event("b", supersedes="a")).then(stands(a="superseded"), slot(KEY, "b", out=("a",)))


def test_what_is_forgotten_is_in_nobody_s_way() -> None:
    """Its number still names the slot, so that two who correct it correct each other; what falls goes first."""
    before = given(TEN, event("a", origin="operator"), *(event(f"x{n}") for n in range(10)))
    before.when(event("b", supersedes="a")).then(gone("a"), stands(b="active"), slot(of_node(2), "b"))
    before.when(event("c", supersedes="a")).then(gone("b"), stands(c="active"), slot(of_node(2), "c"))


@pytest.mark.parametrize(("verdict", "status"), [("reject", "rejected"), ("resolve", "resolved")])
def test_what_stands_no_more_is_not_superseded(verdict: str, status: str) -> None:
    before = given(event("a"), judge("j", ("a", verdict)))
    before.when(event("b", supersedes="a")).then(
        stands(a=status, b="active"), ruling("a", by="j", trust=1, reason="it was found out"), slot(of_node(1), "b")
    )


def test_what_waits_and_what_is_contested_gives_way_to_its_correction() -> None:
    contested = [said("a", "user"), said("b")]
    given(*contested).when(event("c", supersedes="b", key="sport")).then(stands(a="active", b="superseded", c="active"))
    waiting = [said("a", "tool"), said("b")]
    given(*waiting).when(event("c", supersedes="b", key="sport")).then(stands(a="active", b="superseded", c="active"))


@pytest.mark.parametrize("of", ["bad", "asked", "ten"])
def test_only_events_episodes_and_concepts_can_be_corrected(of: str) -> None:
    before = given(TEN, event("a"), outcome("bad", "a", -1.0), recall("asked", "a"))
    before.when(event("b", supersedes=of)).then(refused(Refusal.NOT_CORRIGIBLE))


def test_what_was_never_said_cannot_be_corrected_nor_can_an_event_correct_itself() -> None:
    given().when(event("a", supersedes="nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))
    given().when(event("a", supersedes="a")).then(refused(Refusal.UNKNOWN_REFERENCE))
    refused_before = given().when(event("b", supersedes="nobody"))
    refused_before.when(event("c", supersedes="b")).then(refused(Refusal.UNKNOWN_REFERENCE))


def test_as_a_concept_absorbs_an_event_that_waits_it_is_stale() -> None:
    """The event gets its status last, when the concept contains it."""
    pair = [event("a", "x", "y"), concept("pair", "feature:x", "feature:y"), said("b", "tool")]
    given(*pair).when(event("c", "x", "y", key="diet")).then(
        stands(c="quarantined"), node("pair", flags=NodeFlag.STALE), slot(KEY, "b", "c")
    )


# A slot has room for eight

PINNED = [each for n in range(8) for each in (said(f"e{n}"), pin(f"p{n}", f"e{n}"))]


def test_where_eight_do_not_give_way_a_slot_is_full() -> None:
    before = given(*PINNED[:-2])
    before.when(PINNED[-2]).then(accepted(seq=15), slot(KEY, *(f"e{n}" for n in range(8))))
    before.when(PINNED[-1])
    before.when(said("one more", "tool")).then(refused(Refusal.SLOT_FULL))


def test_an_operator_clears_it() -> None:
    before = given(*PINNED)
    before.when(said("last", "operator")).then(slot(KEY, "last", out=tuple(f"e{n}" for n in range(8))))


def test_what_is_out_of_it_makes_room() -> None:
    before = given(*PINNED)
    before.when(judge("j", ("e3", "reject"), origin="operator"))
    before.when(said("one more", "tool")).then(accepted(seq=18), stands(**{"one more": "quarantined"}))


def test_what_the_event_itself_corrects_takes_no_room() -> None:
    """Eight are in the slot, of which it corrects one that nobody protects."""
    before = given(*PINNED[:-1])
    before.when(event("new", supersedes="e7")).then(
        accepted(seq=16),
        stands(e7="superseded", new="quarantined"),
        slot(KEY, *(f"e{n}" for n in range(7)), "new", out=("e7",)),
    )


def test_nor_does_it_when_what_it_corrects_stands_better_than_itself() -> None:
    """A pinned claim holds the correction back, and seven others wait: the eighth is the one that it corrects."""
    others = [each for n in range(6) for each in (said(f"e{n}"), pin(f"p{n}", f"e{n}"))]
    before = given(said("a", "user"), said("claim"), pin("p", "claim"), *others)
    before.when(event("new", supersedes="a", origin="user")).then(
        accepted(seq=16), stands(a="superseded", claim="contested", new="quarantined")
    )


def test_what_is_held_back_by_a_claim_displaces_nothing_that_stands() -> None:
    """The claim is pinned; what stands is trusted no more than who speaks, and stands all the same."""
    before = given(said("a", "user"), said("claim"), pin("p", "claim"))
    before.when(said("b", "user")).then(
        stands(a="active", claim="contested", b="quarantined"), ruling("b", slot=KEY, by="b", instead="claim")
    )


def test_the_number_of_a_node_and_a_key_are_two_slots() -> None:
    """A key may be spelled like anything."""
    given(event("a"), event("b", supersedes="a")).when(said("c", key=of_node(1).hex())).then(
        stands(b="active", c="active"), slot(of_node(1), "b", out=("a",))
    )


def test_under_another_origin_it_is_the_same_command() -> None:
    """What was accepted from an agent is not accepted again from an operator."""
    before = given(said("a", "tool"), said("b"))
    moment = before.when(said("b", "operator"))
    assert (moment.answer.seq, moment.answer.duplicate) == (2, True)
    moment.then(stands(a="active", b="quarantined"))


def test_a_key_decides_what_counts_as_the_same_command() -> None:
    before = given(said("a"))
    before.when(said("a", key="sport")).then(refused(Refusal.ID_REUSED))
    before.when(event("a", supersedes="a")).then(refused(Refusal.ID_REUSED))
