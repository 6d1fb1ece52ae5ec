"""Verdicts on claims: who speaks for one by judging, what is established, and what stands again beside what."""

import pytest

from tests.graph.commands import claim, define, event, judge
from tests.graph.laws.knowledge.standing import held, in_order, lines, ruling, slot_of, stands
from tests.graph.scenario import given, node, refused
from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.refusals import Refusal

ROME = claim("rome", "ana", "lives_in", "rome", source="one")
RULE = claim("rule", "ana", "must", "knock", claim_class="rule")


def test_whoever_verifies_speaks_for_a_claim() -> None:
    moment = given(ROME).when(judge("seen", ("rome", "verify"), origin="user"))
    moment.then(lines("rome", (1, 140), (2, 400)), node("rome", trust=2, usage=1), stands(rome="active"))
    moment.when(judge("and now", ("rome", "verify"), origin="user")).then(lines("rome", (1, 140), (2, 400)))


def test_to_verify_takes_no_authority() -> None:
    given(claim("c", "ana", "lives_in", "rome", origin="operator", source="one")).when(
        judge("too", ("c", "verify"), trust=0)
    ).then(lines("c", (4, 1120), (0, 0)), node("c", trust=4))


STAGED = (event("said", "x"), claim("c", "ana", "lives_in", "rome", origin="thinker", evidence=("said",)))
PASSED = judge("passed", ("c", "verify"), origin="thinker", trust=1)


def test_a_thinker_lets_a_candidate_pass_and_is_no_witness() -> None:
    moment = given(*STAGED).when(PASSED)
    moment.then(lines("c", (1, 140)), node("c", trust=1, usage=0), stands(c="active"))
    moment.then(ruling("c", slot=slot_of(moment, "c"), by="passed", reason="it was found out"))
    given(*STAGED, PASSED).when(PASSED).then(lines("c", (1, 140)), stands(c="active"))


def test_what_a_thinker_lets_pass_contends_with_what_stands() -> None:
    told = claim("oslo", "ana", "lives_in", "oslo", origin="tool", source="gauge")
    moment = given(told, *STAGED).when(PASSED)
    moment.then(stands(oslo="active", c="quarantined"))
    moment.then(ruling("c", slot=slot_of(moment, "c"), by="passed", instead="oslo"))


def test_a_thinker_lets_nothing_pass_that_waits_for_somebody_else() -> None:
    """A stranger's word, a rule, what takes two sources or is trusted more, and what a verdict let wait."""
    foreign = claim("c", "ana", "lives_in", "rome", trust=0)
    rule = claim("c", "ana", "must", "knock", claim_class="rule")
    user = claim("c", "ana", "lives_in", "rome", origin="user", candidate=True)
    two = define("two", "lives_in", confirmations=2)
    for told in ((foreign,), (rule,), (user,), (two, *STAGED)):
        given(*told).when(PASSED).then(stands(c="candidate"))
    back = judge("back", ("passed", "reject"), origin="user")
    again = judge("again", ("c", "verify"), origin="thinker", trust=1)
    given(*STAGED, PASSED, back).when(again).then(stands(c="candidate"))


def test_what_a_thinker_let_pass_waits_again_without_that_and_stands_with_it() -> None:
    back = judge("back", ("passed", "reject"), origin="user")
    moment = given(*STAGED, PASSED).when(back).then(stands(c="candidate"), lines("c", (1, 140)))
    moment.when(judge("so", ("passed", "release"), origin="user")).then(stands(c="active"))
    rejected = given(*STAGED, PASSED, judge("no", ("c", "reject"), origin="user"))
    rejected.when(back).then(stands(c="rejected"))


@pytest.mark.parametrize(
    ("origin", "expected"), [("agent", "candidate"), ("tool", "candidate"), ("user", "active"), ("operator", "active")]
)
def test_a_rule_stands_by_the_verdict_of_a_person(origin: str, expected: str) -> None:
    given(RULE).when(judge("so it is", ("rule", "verify"), origin=origin)).then(stands(rule=expected))


@pytest.mark.parametrize("verdict", ["release", "verify"])
def test_who_proposes_does_not_approve(verdict: str) -> None:
    """Not even a user: it takes another one, or an operator. What an agent of theirs proposed they may approve."""
    own = claim("rule", "ana", "must", "knock", claim_class="rule", origin="user")
    approving = judge("so it is", ("rule", verdict), origin="user")
    alone = given(own).when(approving)
    alone.then(refused(Refusal.NEEDS_A_PERSON) if verdict == "release" else stands(rule="candidate"))
    assert alone.node("rule").status == Status.CANDIDATE
    proposed = claim("again", "ana", "must", "knock", claim_class="rule", source="two")
    given(own, proposed).when(approving).then(stands(rule="active"))
    given(RULE).when(approving).then(stands(rule="active"))
    given(own).when(judge("so it is", ("rule", verdict), origin="operator")).then(stands(rule="active"))
    low = judge("so it is", ("rule", verdict), origin="operator", trust=1)
    assert given(own, proposed).when(low).node("rule").status == Status.CANDIDATE


OWN = claim("rule", "ana", "must", "knock", claim_class="rule", origin="operator")


@pytest.mark.parametrize(("verdict", "trust", "reason"), [("release", 4, "it was found out"), ("verify", 0, "")])
def test_an_operator_who_approves_what_they_alone_say_is_named_as_that(verdict: str, trust: int, reason: str) -> None:
    so = judge("so it is", ("rule", verdict), origin="operator")
    moment = given(OWN).when(so)
    kept = ruling("rule", slot=slot_of(moment, "rule"), by="so it is", trust=trust, reason=reason, self_approved=True)
    moment.then(stands(rule="active"), kept)
    other = given(OWN, claim("again", "ana", "must", "knock", claim_class="rule", source="two")).when(so)
    other.then(ruling("rule", slot=slot_of(other, "rule"), by="so it is", trust=trust, reason=reason))


def test_so_is_one_who_establishes_it() -> None:
    told = [claim("rome", "ana", "lives_in", "rome", origin="operator"), ROME]
    so = judge("so", ("rome", "promote"), origin="operator")
    for moment, alone in ((given(told[0]).when(so), True), (given(told[1]).when(so), False)):
        slot = slot_of(moment, "rome")
        kept = ruling("rome", slot=slot, by="so", trust=4, reason="it was found out", self_approved=alone)
        moment.then(stands(rome="prior"), kept)


def test_what_gives_way_to_what_its_only_source_approved_was_not_approved() -> None:
    told = [
        claim("rome", "ana", "lives_in", "rome", origin="user"),
        claim("oslo", "ana", "lives_in", "oslo", origin="operator", candidate=True),
    ]
    moment = given(*told).when(judge("so", ("oslo", "release"), origin="operator"))
    slot, why = slot_of(moment, "oslo"), "it was found out"
    moment.then(
        stands(rome="superseded", oslo="active"),
        ruling("rome", slot=slot, by="so", trust=4, instead="oslo", reason=why),
        ruling("oslo", slot=slot, by="so", trust=4, reason=why, self_approved=True),
    )


def test_a_candidate_that_nobody_has_to_review_is_confirmed_and_not_approved() -> None:
    own = claim("rome", "ana", "lives_in", "rome", origin="operator", candidate=True)
    moment = given(own).when(judge("so", ("rome", "verify"), origin="operator"))
    moment.then(stands(rome="active"), ruling("rome", slot=slot_of(moment, "rome"), by="so"))


def test_out_of_a_quarantine_a_claim_comes_as_it_went_in() -> None:
    told = [
        claim("rome", "ana", "lives_in", "rome", origin="user"),
        claim("oslo", "ana", "lives_in", "oslo", source="two"),
        claim("rule", "ana", "must", "knock", claim_class="rule"),
        judge("sure", ("rome", "promote"), origin="operator"),
    ]
    names = ("oslo", "rule", "rome")
    before = given(*told, judge("j", *((name, "quarantine") for name in names), origin="operator"))
    before.when(judge("k", *((name, "release") for name in reversed(names)), origin="operator")).then(
        stands(rome="prior", oslo="quarantined", rule="candidate")
    )
    oslo = ("oslo", "quarantine"), ("oslo", "release")
    before.when(judge("l", oslo[0], origin="operator"))
    before.when(judge("m", ("rome", "resolve"), origin="operator"))
    before.when(judge("n", oslo[1], origin="operator")).then(stands(oslo="active"))


def test_two_verdicts_of_one_command_approve_no_more_than_one() -> None:
    """The rule has two ids, that of who said it first and that of who said it again."""
    again = claim("again", "ana", "must", "knock", claim_class="rule", source="two")
    both = judge("both", ("rule", "reject"), ("again", "release"), origin="tool")
    given(RULE, again, judge("j", ("rule", "quarantine"), origin="tool")).when(both).then(stands(rule="candidate"))


def test_what_somebody_put_in_quarantine_stays_there_until_it_is_released() -> None:
    moment = given(ROME, judge("doubted", ("rome", "quarantine"))).when(
        judge("seen", ("rome", "verify"), origin="user")
    )
    moment.then(stands(rome="quarantined"), lines("rome", (1, 140), (2, 400)))
    moment.when(judge("yes", ("rome", "release"), origin="user")).then(stands(rome="active"))


def test_what_waits_for_want_of_trust_rises_when_more_speaks_for_it() -> None:
    told = [claim("oslo", "ana", "lives_in", "oslo", origin="tool", confidence=10, source="gauge"), ROME]
    given(*told).when(judge("seen", ("rome", "verify"), origin="user")).then(stands(oslo="active", rome="contested"))
    moment = given(*told).when(judge("seen", ("rome", "verify"), origin="operator"))
    moment.then(stands(oslo="superseded", rome="active"), in_order("oslo", "rome"))


def test_what_is_active_can_be_established_by_a_person() -> None:
    for origin in ("agent", "tool"):
        given(ROME).when(judge("so", ("rome", "promote"), origin=origin)).then(refused(Refusal.NEEDS_A_PERSON))
    moment = given(ROME).when(judge("so", ("rome", "promote"), origin="user"))
    moment.then(stands(rome="prior"))
    moment.then(ruling("rome", slot=slot_of(moment, "rome"), by="so", trust=2, reason="it was found out"))
    moment.when(judge("again", ("rome", "promote"), origin="user")).then(refused(Refusal.NOT_A_CLAIM))
    moment.when(judge("back", ("rome", "release"), origin="user")).then(stands(rome="active"))


def test_only_claims_are_verified_and_promoted() -> None:
    for verdict in ("verify", "promote"):
        given(event("a")).when(judge("so", ("a", verdict), origin="user")).then(refused(Refusal.NOT_A_CLAIM))
    given(RULE).when(judge("so", ("rule", "promote"), origin="user")).then(refused(Refusal.NOT_A_CLAIM))


def test_what_an_earlier_verdict_undid_is_not_established() -> None:
    """Both were active when the command was looked at; one gave way to the other by the first of its verdicts."""
    told = [claim("oslo", "ana", "lives_in", "oslo"), claim("lima", "ana", "lives_in", "lima")]
    undone = judge("both", ("oslo", "release"), ("lima", "promote"), origin="user")
    given(*told).when(undone).then(stands(oslo="active", lima="superseded"))


def test_what_is_established_gives_way_to_what_is_released() -> None:
    told = [
        claim("rome", "ana", "lives_in", "rome", origin="user"),
        claim("oslo", "ana", "lives_in", "oslo", origin="user", supersedes="rome"),
        judge("sure", ("oslo", "promote"), origin="operator"),
    ]
    moment = given(*told[:2]).when(told[2]).then(stands(rome="superseded", oslo="prior"))
    moment.when(judge("back", ("rome", "release"), origin="operator")).then(stands(rome="active", oslo="superseded"))


def test_a_word_for_it_lets_nothing_sink() -> None:
    """It was one tier below when it was said, and is two below since a tool has verified the other."""
    told = [
        claim("rome", "ana", "lives_in", "rome", origin="user"),
        claim("oslo", "ana", "lives_in", "oslo", source="two"),
        judge("sure", ("rome", "verify"), origin="tool"),
    ]
    moment = given(*told[:2]).when(told[2]).then(stands(rome="active", oslo="contested"))
    moment.when(claim("again", "ana", "lives_in", "oslo", source="three")).then(stands(rome="active", oslo="contested"))


def test_what_held_at_another_time_stands_again_beside_what_holds() -> None:
    told = [claim(f"c{n}", "ana", "lives_in", f"city{n}", valid_from=n * 10) for n in (1, 2)]
    closed = claim("c3", "ana", "lives_in", "city3", valid_from=30, valid_to=40)
    moment = given(*told, closed, judge("no", ("c3", "reject"))).when(judge("yes", ("c3", "release")))
    moment.then(stands(c1="superseded", c2="superseded", c3="active"))
    moment = moment.when(judge("and that", ("c1", "release"))).then(
        held("c1", begins=10), stands(c1="active", c3="superseded")
    )


def test_what_is_released_takes_the_place_of_what_overlaps_alone() -> None:
    told = [
        claim("old", "ana", "lives_in", "rome", valid_from=1, valid_to=5),
        claim("new", "ana", "lives_in", "oslo", valid_from=9),
    ]
    given(*told, judge("no", ("old", "reject"))).when(judge("yes", ("old", "release"))).then(
        stands(old="active", new="active")
    )
