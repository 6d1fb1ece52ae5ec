"""Verdicts: what is rejected, resolved, put in quarantine or released, by whom; and what gives way to that."""

import pytest

from tests.graph.by_hand import HALVING, TEN
from tests.graph.commands import (
    Said,
    concept,
    episode,
    event,
    judge,
    outcome,
    pin,
    recall,
    thinker,
)
from tests.graph.laws.knowledge.standing import of_key, of_node, ruling, slot, stands
from tests.graph.scenario import Given, accepted, given, gone, header, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import NodeFlag, Status
from yggdrasil_schemas.refusals import Refusal

KEY = of_key("diet")
RULED = NodeFlag.RULED
WHY = "it was found out"
DOOM = outcome("doom", "a", -1.0, catastrophic=True)
VERDICTS = [("reject", "rejected"), ("resolve", "resolved"), ("quarantine", "quarantined")]


def said(name: str, origin: str | None = None) -> Said:
    return event(name, key="diet", origin=origin)


def names(end: int, start: int = 0) -> list[str]:
    return [f"e{n}" for n in range(start, end)]


def judged(verdict: str, *before: Said, origin: str | None = None) -> Given:
    """A memory in which ``a`` was judged."""
    return given(*(before or [event("a")]), judge("j", ("a", verdict), origin=origin))


@pytest.mark.parametrize(("verdict", "status"), VERDICTS)
def test_a_verdict_gives_a_status_with_its_reason(verdict: str, status: str) -> None:
    before = given(event("a", "x"), event("b", "x"))
    before.when(judge("j", ("a", verdict), reason="a typing error")).then(
        accepted(seq=3),
        header(tick=2, nodes=3),
        stands(a=status, b="active"),
        ruling("a", by="j", trust=1, reason="a typing error"),
        ruling("b"),
        node("a", tick=1, flags=RULED),
        unchanged("b", "feature:x"),
    )


@pytest.mark.parametrize(("verdict", "status"), VERDICTS)
def test_of_its_slot_only_what_waits_stays_in_it(verdict: str, status: str) -> None:
    out = () if verdict == "quarantine" else ("a",)
    given(said("a")).when(judge("j", ("a", verdict))).then(
        stands(a=status),
        ruling("a", slot=KEY, by="j", trust=1, reason=WHY),
        slot(KEY, *(() if out else ("a",)), out=out),
    )


def test_the_last_verdict_counts() -> None:
    before = judged("quarantine", said("a"))
    before.when(judge("k", ("a", "reject"), reason="wait")).then(
        stands(a="rejected"), ruling("a", slot=KEY, by="k", trust=1, reason="wait"), slot(KEY, out=("a",))
    )
    before.when(judge("l", ("a", "resolve"))).then(stands(a="resolved"), slot(KEY, out=("a",)))


@pytest.mark.parametrize("verdict", ["reject", "resolve"])
def test_what_is_out_already_is_not_put_in_quarantine(verdict: str) -> None:
    """Else whoever puts all that was ever said under a key there would fill its slot without a bound."""
    before = judged(verdict, said("a"))
    before.when(judge("k", ("a", "quarantine"), reason="wait")).then(
        stands(a={"reject": "rejected", "resolve": "resolved"}[verdict]),
        ruling("a", slot=KEY, by="j", trust=1, reason=WHY),
        slot(KEY, out=("a",)),
    )


def test_what_was_superseded_can_be_judged_and_nothing_stands_in_its_place_then() -> None:
    given(said("a"), said("b")).when(judge("j", ("a", "reject"))).then(
        stands(a="rejected", b="active"), ruling("a", slot=KEY, by="j", trust=1, reason=WHY)
    )


def test_all_items_are_judged_in_one_command() -> None:
    before = given(event("a"), event("b"), episode("day", "a", "b"), concept("pair", "a", "b"))
    before.when(judge("j", ("a", "resolve"), ("day", "quarantine"), ("pair", "reject"), ("b", "release"))).then(
        stands(a="resolved", b="active", day="quarantined", pair="rejected"), node("b", flags=0)
    )


def test_all_or_none() -> None:
    """What comes last is refused, and so is the rest."""
    before = given(event("a"), event("b", origin="tool"))
    before.when(judge("j", ("a", "reject"), ("b", "reject"))).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("k", ("a", "reject"), ("nobody", "reject"))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(judge("l", ("a", "reject"), evidence=("b", "nobody"))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(judge("m", ("a", "reject"), ("b", "reject"), evidence=("b",), origin="tool")).then(
        stands(a="rejected", b="rejected")
    )


def test_evidence_is_of_any_accepted_command() -> None:
    before = given(event("a"), recall("asked", "a"))
    before.when(judge("refused", ("nobody", "reject")))
    before.when(judge("j", ("a", "reject"), evidence=("refused",))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(judge("k", ("a", "reject"), evidence=("asked", "a"))).then(stands(a="rejected"))


def test_a_thinker_judges_once_from_where_it_left_off() -> None:
    before = given(event("a"), event("b"))
    by = thinker("judging", 0, 2)
    assert before.when(judge("j", ("a", "reject"), by=by)).then(stands(a="rejected")).graph.header.cursors == {
        "judging": 2
    }
    before.when(judge("k", ("b", "reject"), by=by)).then(refused(Refusal.CURSOR_STALE))
    before.when(judge("l", ("b", "reject"), by=thinker("judging", 2, 9))).then(refused(Refusal.CURSOR_AHEAD))
    half = before.when(judge("m", ("b", "reject"), by=thinker("judging", 2, 3, part=1, parts=2)))
    assert half.then(stands(b="rejected")).graph.header.cursors == {"judging": 2}
    before.when(judge("n", ("a", "release"), by=thinker("judging", 2, 3, part=1, parts=2))).then(
        refused(Refusal.PART_STALE)
    )


def test_what_is_refused_moves_no_cursor() -> None:
    before = given(event("a", origin="tool"))
    moment = before.when(judge("j", ("a", "reject"), by=thinker("judging", 0, 1)))
    assert moment.then(refused(Refusal.NOT_TRUSTED)).graph.header.cursors == {}


def test_what_was_forgotten_is_left_out() -> None:
    before = given(TEN, event("old"), *(event(f"x{n}") for n in range(10)))
    before.when(judge("j", ("old", "reject"), ("x9", "reject"))).then(gone("old"), stands(x9="rejected"))
    before.when(judge("k", ("old", "release"))).then(refused(Refusal.NODE_FORGOTTEN))


@pytest.mark.parametrize("of", ["bad", "asked", "ten"])
def test_only_events_episodes_and_concepts_are_judged(of: str) -> None:
    before = given(TEN, event("a"), outcome("bad", "a", -1.0), recall("asked", "a"))
    before.when(judge("j", (of, "resolve"))).then(refused(Refusal.NOT_CORRIGIBLE))


@pytest.mark.parametrize("verdict", ["reject", "resolve", "quarantine", "release"])
def test_a_verdict_takes_the_trust_of_who_said_it(verdict: str) -> None:
    before = given(event("a", origin="user"))
    before.when(judge("j", ("a", verdict))).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("k", ("a", verdict), origin="operator", trust=1)).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("l", ("a", verdict), origin="user")).then(accepted(seq=2))


@pytest.mark.parametrize("verdict", ["reject", "resolve", "quarantine", "release"])
def test_and_of_who_judged_it(verdict: str) -> None:
    before = judged("reject", origin="tool")
    before.when(judge("k", ("a", verdict), origin="user")).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("l", ("a", verdict), origin="tool")).then(accepted(seq=3))


def test_what_an_operator_has_judged_stays_an_operators() -> None:
    """What an operator has judged nobody else judges after that, the user who said it neither."""
    before = given(event("a", origin="user"))
    before.when(judge("j", ("a", "reject"), origin="operator")).then(ruling("a", by="j", trust=4, reason=WHY))
    before.when(judge("k", ("a", "release"), origin="tool")).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("l", ("a", "release"), origin="operator")).then(stands(a="active"))
    before.when(judge("m", ("a", "reject"), origin="user")).then(refused(Refusal.NOT_TRUSTED))


@pytest.mark.parametrize("protecting", [pin("p", "a"), DOOM], ids=["pinned", "catastrophic"])
@pytest.mark.parametrize("verdict", ["reject", "resolve", "quarantine", "release"])
def test_what_is_protected_is_judged_by_an_operator_alone(protecting: Said, verdict: str) -> None:
    before = given(event("a"), protecting)
    before.when(judge("j", ("a", verdict), origin="tool")).then(refused(Refusal.NODE_PROTECTED))
    before.when(judge("k", ("a", verdict), trust=0)).then(refused(Refusal.NODE_PROTECTED))
    before.when(judge("l", ("a", verdict), origin="operator")).then(accepted(seq=3))


# What is released


@pytest.mark.parametrize("verdict", ["reject", "resolve", "quarantine"])
def test_what_was_judged_is_released(verdict: str) -> None:
    judged(verdict).when(judge("k", ("a", "release"), reason="it was right")).then(
        stands(a="active"), ruling("a", by="k", trust=1, reason="it was right"), node("a", flags=RULED)
    )


def test_out_of_a_quarantine_what_waited_waits() -> None:
    """Whoever undoes a quarantine lets nothing stand by that; a person does, with a verdict of their own."""
    before = given(event("a", trust=0), judge("j", ("a", "quarantine"), origin="tool"))
    before.when(event("b")).then(ruling("a", by="j", trust=3, reason=WHY, was=Status.CANDIDATE))
    before.when(judge("m", ("a", "release"), origin="tool")).then(stands(a="candidate"), ruling("a", by="m"))
    before.when(judge("n", ("a", "release"), origin="tool")).then(refused(Refusal.NEEDS_A_PERSON))
    before.when(judge("o", ("a", "release"), origin="user")).then(stands(a="active"))


@pytest.mark.parametrize("verdict", ["reject", "resolve"])
def test_what_waited_when_it_was_judged_takes_a_person_too(verdict: str) -> None:
    before = given(
        event("a", trust=0), judge("j", ("a", verdict), origin="user"), judge("k", ("a", "reject"), origin="user")
    )
    before.when(judge("l", ("a", "release"), origin="tool")).then(refused(Refusal.NEEDS_A_PERSON))
    before.when(judge("m", ("a", "release"), origin="user")).then(stands(a="active"))


@pytest.mark.parametrize(("origin", "status"), [("user", "contested"), ("agent", "quarantined")])
def test_out_of_a_quarantine_what_its_slot_kept_from_standing_contends_anew(origin: str, status: str) -> None:
    before = given(said("tool", "tool"), said("a", origin), judge("j", ("a", "quarantine"), origin="user"))
    before.when(judge("k", ("a", "release"), origin="user")).then(
        stands(tool="active", a=status), ruling("a", slot=KEY, by="k", instead="tool"), slot(KEY, "tool", "a")
    )
    before.when(judge("l", ("a", "quarantine"), origin="user"))
    before.when(judge("m", ("tool", "resolve"), origin="tool"))
    before.when(judge("n", ("a", "release"), origin="user")).then(stands(a="active"), ruling("a", slot=KEY, by="n"))


def test_what_is_active_is_left_alone() -> None:
    """Though somebody contests it, and though it was never judged."""
    before = given(event("a"), said("b", "user"), said("c"))
    before.when(judge("j", ("a", "release"), ("b", "release"), origin="user")).then(
        accepted(seq=4), stands(b="active", c="contested"), unchanged("a", "b", "c"), ruling("a"), ruling("b", slot=KEY)
    )


def test_even_so_whoever_releases_it_must_be_trusted_with_what_contests_it() -> None:
    """A pin of what contests it takes an operator, whether or not that would give way."""
    before = given(said("b", "user"), said("c"), pin("p", "c"))
    before.when(judge("j", ("b", "release"), origin="user")).then(refused(Refusal.NODE_PROTECTED))
    before.when(judge("k", ("b", "release"), origin="operator")).then(stands(b="active", c="contested"))


def test_what_stands_in_its_place_gives_way_to_what_is_released() -> None:
    before = given(event("a"), event("b", supersedes="a"))
    before.when(judge("j", ("a", "release"), reason="it was right")).then(
        stands(a="active", b="superseded"),
        ruling("a", slot=of_node(1), by="j", trust=1, reason="it was right"),
        ruling("b", slot=of_node(1), by="j", trust=1, instead="a", reason="it was right"),
        slot(of_node(1), "a", out=("b",)),
    )
    before.when(judge("k", ("b", "release"))).then(stands(a="superseded", b="active"))


def test_so_does_whatever_stands_in_its_slot() -> None:
    """The one in its place has been superseded since; what waits goes on waiting."""
    slots = [said("a"), said("b"), said("c", "tool"), said("d", "user"), said("e")]
    before = given(*slots)
    before.when(judge("j", ("a", "release"), origin="tool")).then(
        stands(a="active", b="superseded", c="superseded", d="superseded", e="quarantined"),
        ruling("b", slot=KEY, by="c", trust=3, instead="c"),
        ruling("c", slot=KEY, by="j", trust=3, instead="a", reason=WHY),
        ruling("d", slot=KEY, by="j", trust=3, instead="a", reason=WHY, was=Status.CONTESTED),
        slot(KEY, "a", "e", out=("b", "c", "d")),
    )


def test_what_stands_in_its_place_gives_way_whatever_its_slot() -> None:
    """It took the place of ``a`` under another key, and keeps that slot."""
    before = given(said("a"), event("b", key="sport", supersedes="a"))
    before.when(judge("j", ("a", "release"))).then(
        stands(a="active", b="superseded"),
        ruling("b", slot=of_key("sport"), by="j", trust=1, instead="a", reason=WHY),
        slot(of_key("sport"), out=("b",)),
        slot(KEY, "a"),
    )


def test_what_is_released_takes_the_trust_of_what_gives_way_too() -> None:
    before = given(said("a"), said("b"), said("c", "user"))
    before.when(judge("j", ("b", "release"))).then(refused(Refusal.NOT_TRUSTED))
    contested = given(said("a", "user"), said("b"))
    contested.when(judge("j", ("b", "release"))).then(refused(Refusal.NOT_TRUSTED))
    contested.when(judge("k", ("b", "release"), origin="user")).then(
        stands(a="superseded", b="active"),
        ruling("b", slot=KEY, by="k", trust=2, reason=WHY),
        slot(KEY, "b", out=("a",)),
    )


@pytest.mark.parametrize(
    "protecting", [pin("p", "b"), outcome("doom", "b", -1.0, catastrophic=True)], ids=["pin", "doom"]
)
def test_to_let_what_is_protected_give_way_takes_an_operator(protecting: Said) -> None:
    before = given(said("a"), said("b"), protecting)
    before.when(judge("j", ("a", "release"))).then(refused(Refusal.NODE_PROTECTED))
    before.when(judge("k", ("a", "release"), origin="operator")).then(stands(a="active", b="superseded"))


def test_what_no_longer_stands_in_its_place_is_asked_nothing() -> None:
    """It was rejected, or is forgotten; nobody gives way then."""
    before = given(said("a"), said("b"), pin("p", "b"), judge("j", ("b", "reject"), origin="operator"))
    before.when(judge("k", ("a", "release"))).then(stands(a="active", b="rejected"), unchanged("b"))


def test_what_waits_in_the_slot_is_asked_nothing_either() -> None:
    before = given(
        said("a"), judge("j", ("a", "reject")), said("b", "tool"), judge("k", ("b", "quarantine"), origin="tool")
    )
    before.when(judge("l", ("a", "release"))).then(stands(a="active", b="quarantined"), unchanged("b"))


def test_of_two_in_one_slot_the_last_one_released_stands() -> None:
    before = given(said("a"), said("b"), said("c"))
    before.when(judge("j", ("a", "release"), ("b", "release"))).then(
        stands(a="superseded", b="active", c="superseded"),
        ruling("a", slot=KEY, by="j", trust=1, instead="b", reason=WHY),
        ruling("c", slot=KEY, by="j", trust=1, instead="a", reason=WHY),
        slot(KEY, "b", out=("a", "c")),
    )


def test_what_was_judged_in_the_same_command_does_not_give_way_again() -> None:
    given(said("a"), said("b")).when(judge("j", ("b", "reject"), ("a", "release"))).then(
        stands(a="active", b="rejected"), ruling("b", slot=KEY, by="j", trust=1, reason=WHY)
    )


def test_where_eight_wait_nothing_comes_back() -> None:
    """Each was released and put in quarantine in turn; what waits itself is in the slot, and can be released."""
    before = given(*(said(f"e{n}") for n in range(10)))
    for n in range(8):
        before.when(judge(f"r{n}", (f"e{n}", "release"))).then(accepted(seq=11 + 2 * n))
        before.when(judge(f"q{n}", (f"e{n}", "quarantine")))
    before.when(judge("out", ("e9", "release"))).then(refused(Refusal.SLOT_FULL))
    before.when(judge("in", ("e3", "release"))).then(stands(e3="active"), slot(KEY, *names(8), out=("e8", "e9")))
    before.when(judge("less", ("e8", "release"))).then(stands(e3="superseded", e8="active"))
    before.when(judge("waits", ("e8", "quarantine"))).then(slot(KEY, *names(3), *names(9, 4), out=("e3", "e9")))
    before.when(judge("full", ("e3", "release"))).then(refused(Refusal.SLOT_FULL))
    before.when(judge("settled", ("e0", "resolve")))
    before.when(judge("room", ("e3", "release"))).then(stands(e3="active"))


def test_what_has_no_slot_comes_back_whatever_waits() -> None:
    judged("reject").when(judge("k", ("a", "release"))).then(stands(a="active"))


def test_what_is_released_is_settled_and_comes_back_from_the_archive() -> None:
    """Its values are those of the present tick: it counts again. What gives way is left as it is."""
    before = given(HALVING, said("a"), said("b"), event("c"))
    moment = before.when(judge("nothing", ("c", "release")))
    moment.node("a").flags |= NodeFlag.ARCHIVED
    salience = moment.node("a").salience
    before.when(judge("j", ("a", "release"))).then(
        node("a", tick=3, flags=RULED, salience=max(salience / 4, moment.graph.header.policy.revived_salience)),
        node("b", tick=2, status=Status.SUPERSEDED),
    )


def test_a_verdict_alone_settles_nothing_and_leaves_the_archive() -> None:
    before = given(HALVING, event("a"), event("b"))
    before.when(judge("nothing", ("b", "release"))).node("a").flags |= NodeFlag.ARCHIVED
    before.when(judge("j", ("a", "reject"))).then(node("a", tick=1, flags=RULED | NodeFlag.ARCHIVED))


def test_the_laws_of_learning_do_not_heed_it() -> None:
    """What comes of an event is learnt, whether or not it stands."""
    plain, fallen = given(event("a", "x"), event("b")), given(event("a", "x"), event("b"), judge("j", ("a", "reject")))
    expected = plain.when(outcome("bad", "a", -3.0)).node("a")
    fallen.when(outcome("bad", "a", -3.0)).then(
        node("a", impact=expected.impact, permanence=expected.permanence, salience=expected.salience, bad=1)
    )


def test_a_verdict_that_was_sent_twice_is_one() -> None:
    before = judged("reject")
    before.when(judge("j", ("a", "reject"))).then(repeated(seq=2))
    before.when(judge("j", ("a", "release"))).then(refused(Refusal.ID_REUSED))
    before.when(judge("k", ("b", "reject"))).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(judge("k", ("b", "reject"))).then(repeated(seq=0, reason=Refusal.UNKNOWN_REFERENCE))
