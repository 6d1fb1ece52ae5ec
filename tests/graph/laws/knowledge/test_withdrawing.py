"""What a command did beside a node, taken out by a verdict and put back by another; and what stands again then."""

from typing import Any

import orjson
import pytest

from tests.graph.by_hand import HALVING
from tests.graph.commands import Said, alias, claim, define, event, judge, pin, recall, relate, use, vector
from tests.graph.laws.knowledge.standing import held, lines, ruling, slot_of, stands
from tests.graph.scenario import Check, Moment, edge, given, no_edge, node, refused, unchanged
from yggdrasil_schemas.graph.knowledge import Names
from yggdrasil_schemas.graph.records import EdgeKind
from yggdrasil_schemas.refusals import Refusal

LEADS_TO = EdgeKind.LEADS_TO
OUT = ("reject", "quarantine")


def lives(name: str, where: str, source: str, **more: Any) -> Said:
    return claim(name, "ana", "lives_in", where, source=source, **more)


def named(name: str, *expected: str) -> Check:
    """All names of the thing that a name stands for, the known one first."""

    def check(moment: Moment) -> None:
        names = moment.graph.names(name)
        assert (names.canonical, *[each for each, _ in names.aliases]) == expected

    return check


# Words for claims


@pytest.mark.parametrize("verdict", OUT)
def test_a_word_for_a_claim_is_taken_out_and_put_back(verdict: str) -> None:
    """The claim stands as before, by the other word; 70 for an agent's word, twice, and for a user's four times."""
    before = given(lives("one", "rome", "a"), lives("two", "rome", "b", origin="user"))
    moment = before.when(judge("out", ("two", verdict), origin="user"))
    moment.then(stands(one="active"), node("one", trust=1), lines("one", (1, 140)))
    moment.when(judge("back", ("two", "release"), origin="user")).then(
        stands(one="active"), node("one", trust=2), lines("one", (1, 140), (2, 280))
    )


def test_of_the_first_word_it_is_said_that_the_word_is_meant() -> None:
    told = [lives("one", "rome", "a"), lives("two", "rome", "b")]
    given(*told).when(judge("word", ("one", "reject", True))).then(stands(one="active"), lines("one", (1, 140)))
    given(*told).when(judge("all", ("one", "reject"))).then(stands(one="rejected"), lines("one", (1, 140), (1, 140)))


def test_a_claim_is_never_without_a_word() -> None:
    """The last one goes with it: what is judged then is the claim."""
    before = given(lives("one", "rome", "a"), lives("two", "rome", "b"), judge("j", ("two", "reject")))
    before.when(judge("k", ("one", "reject", True))).then(stands(one="rejected"), lines("one", (1, 140)))


def test_nor_where_two_words_are_taken_out_at_once() -> None:
    before = given(lives("one", "rome", "a"), lives("two", "rome", "b"))
    moment = before.when(judge("both", ("one", "reject", True), ("two", "reject"))).then(stands(one="rejected"))
    moment = moment.when(judge("back", ("two", "release"))).then(stands(one="active"), lines("one", (1, 140)))
    moment.when(judge("all of it", ("one", "release", True))).then(lines("one", (1, 140), (1, 140)))


def test_the_last_word_does_not_take_what_is_protected_with_it() -> None:
    before = given(lives("one", "rome", "a"), lives("two", "rome", "b"), pin("p", "one"))
    before.when(judge("both", ("one", "reject", True), ("two", "reject"))).then(stands(one="active"))


def test_what_waits_for_want_of_a_word_contends_again_when_that_is_back() -> None:
    told = [lives("rome", "rome", "a", origin="user"), lives("oslo", "oslo", "b", origin="user")]
    moment = given(*told, lives("too", "oslo", "c", origin="user")).when(judge("no", ("too", "reject"), origin="user"))
    moment = moment.then(stands(rome="active", oslo="candidate"))
    moment.when(judge("yes", ("too", "release"), origin="user")).then(stands(rome="superseded", oslo="active"))


def test_what_waits_makes_no_history_over_who_is_trusted_more() -> None:
    """However often it is said: Bern from 5 and Rome from 30 are an operator's, Oslo from 10 is an agent's."""
    told = [lives("bern", "bern", "o", origin="operator", valid_from=5)]
    told += [lives("rome", "rome", "o", origin="operator", valid_from=30), lives("oslo", "oslo", "a", valid_from=10)]
    given(*told).when(lives("again", "oslo", "a", valid_from=10)).then(stands(bern="superseded", oslo="quarantined"))


def test_what_waited_under_something_stands_when_that_is_out() -> None:
    told = [lives("rome", "rome", "a", origin="user"), lives("oslo", "oslo", "o", origin="operator")]
    told += [lives("bern", "bern", "b", origin="user"), lives("too", "bern", "c", origin="user")]
    given(*told).when(judge("out", ("oslo", "reject"), origin="operator")).then(stands(bern="active", rome="contested"))


def test_a_name_that_was_moved_is_moved_again() -> None:
    before = given(alias("one", "an", "ana"), alias("two", "an", "anton"))
    moment = before.when(judge("out", ("two", "reject"))).then(named("an", "ana", "an"))
    moment.when(judge("back", ("two", "release"))).then(named("an", "anton", "an"))


def test_what_a_word_let_stand_waits_again_without_it() -> None:
    told = [lives("one", "rome", "a", candidate=True), lives("two", "rome", "b")]
    moment = given(*told).when(judge("j", ("two", "reject"))).then(stands(one="candidate"))
    assert moment.graph.ruling(moment.node("one")).trust == 0


def test_what_only_strangers_still_say_waits() -> None:
    told = [
        lives("one", "rome", "a", trust=0),
        lives("two", "rome", "b"),
        judge("yes", ("one", "release"), origin="user"),
    ]
    before = given(*told)
    before.when(judge("j", ("two", "reject"), origin="user")).then(stands(one="candidate"), node("one", trust=0))


def test_what_a_word_displaced_stands_again_without_it() -> None:
    """Two users beat what one said; without the second that stands again, and what it let stand waits."""
    told = [
        lives("rome", "rome", "a", origin="user"),
        lives("oslo", "oslo", "b", origin="user"),
        lives("too", "oslo", "c", origin="user"),
    ]
    moment = given(*told[:2]).when(told[2]).then(stands(rome="superseded", oslo="active"))
    moment.when(judge("j", ("too", "reject"), origin="user")).then(stands(rome="active", oslo="candidate"))


def test_what_is_out_is_not_taken_out_again() -> None:
    """So it can still be put back."""
    told = [lives("one", "rome", "a"), lives("two", "rome", "b"), judge("j", ("two", "reject"))]
    before = given(*told, judge("k", ("two", "reject")))
    before.when(judge("l", ("two", "release"))).then(lines("one", (1, 140), (1, 140)))


def test_of_two_words_that_are_judged_together_one_stays() -> None:
    both = judge("j", ("one", "reject", True), ("two", "reject"))
    given(lives("one", "rome", "a"), lives("two", "rome", "b")).when(both).then(lines("one", (1, 140)))


def test_who_verified_takes_it_back() -> None:
    before = given(lives("one", "rome", "a"), judge("sure", ("one", "verify"), origin="operator"))
    before.when(judge("no", ("sure", "reject"), origin="user")).then(refused(Refusal.NOT_TRUSTED))
    moment = before.when(judge("wrong", ("sure", "reject"), origin="operator"))
    moment.then(stands(one="active"), node("one", trust=1), lines("one", (1, 140)))
    moment.when(judge("right", ("sure", "release"), origin="operator")).then(lines("one", (1, 140), (4, 1_600)))


def test_a_source_that_has_spoken_since_keeps_that_word() -> None:
    told = [lives("one", "rome", "a"), lives("two", "rome", "b"), judge("j", ("two", "reject"))]
    before = given(*told, lives("three", "rome", "b", confidence=100))
    before.when(judge("k", ("two", "release"))).then(lines("one", (1, 140), (1, 200)))


# Who may


def test_it_takes_the_trust_of_whoever_said_it_and_of_whoever_judged_it() -> None:
    told = [lives("one", "rome", "a"), lives("two", "rome", "b", origin="user")]
    before = given(*told)
    before.when(judge("agent", ("two", "reject"))).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("operator", ("two", "reject"), origin="operator"))
    before.when(judge("user", ("two", "release"), origin="user")).then(refused(Refusal.NOT_TRUSTED))
    before.when(judge("again", ("two", "release"), origin="operator")).then(lines("one", (1, 140), (2, 280)))


def test_what_is_out_is_not_put_in_quarantine() -> None:
    """It would take less trust to put it back then."""
    before = given(
        event("a"), event("b"), relate("r", "a", "b", "leads_to"), judge("j", ("r", "reject"), origin="tool")
    )
    moment = before.when(judge("k", ("r", "quarantine"), origin="operator"))
    act = moment.graph.act(3)
    assert act is not None
    assert (act.ruled, act.reason) == (3, "it was found out")
    moment.when(judge("l", ("r", "release"), origin="tool")).then(edge("a", LEADS_TO, "b", weight=1.0))


# Names


def test_a_name_is_taken_back_and_given_again() -> None:
    moment = given(alias("same", "anna", "ana")).when(judge("j", ("same", "reject"))).then(named("anna", "anna"))
    assert moment.graph.header.aliases == 0
    moment = moment.when(judge("k", ("same", "release"))).then(named("anna", "ana", "anna"))
    assert moment.graph.names("ana") == Names("ana").of([("anna", 1, 1)])


def test_a_name_that_others_give_too_stays() -> None:
    before = given(alias("one", "anna", "ana"), alias("two", "anna", "ana", origin="user"))
    moment = before.when(judge("j", ("two", "reject"), origin="user")).then(named("anna", "ana", "anna"))
    assert moment.graph.names("ana") == Names("ana").of([("anna", 1, 1)])


def test_a_name_that_was_moved_goes_back() -> None:
    before = given(alias("one", "an", "ana"), alias("moved", "an", "anton"))
    before.when(judge("j", ("moved", "reject"))).then(named("an", "ana", "an"), named("anton", "anton"))


def test_what_was_told_apart_is_joined_again() -> None:
    moment = given(alias("same", "anna", "ana"), alias("apart", "anna")).when(judge("j", ("apart", "reject")))
    moment.then(named("anna", "ana", "anna"))
    moment.when(judge("k", ("apart", "release"))).then(named("anna", "anna"))


def test_what_is_a_thing_of_its_own_by_now_gets_no_other_name() -> None:
    told = [alias("same", "anna", "ana"), judge("j", ("same", "reject")), alias("other", "annie", "anna")]
    given(*told).when(judge("k", ("same", "release"))).then(named("anna", "anna", "annie"), named("ana", "ana"))


# Relations


def test_a_relation_is_taken_out_and_put_back() -> None:
    """A new edge has the weight of one co-occurrence."""
    before = given(event("a"), event("b"), relate("r", "a", "b", "leads_to"))
    moment = before.when(judge("j", ("r", "reject"))).then(no_edge("a", LEADS_TO, "b"))
    moment.when(judge("k", ("r", "release"))).then(edge("a", LEADS_TO, "b", weight=1.0))


def test_why_two_things_are_related_is_kept_and_comes_back_with_it() -> None:
    moment = given(event("a"), event("b")).when(relate("r", "a", "b", "leads_to"))
    told = moment.graph.act(3)
    assert told is not None
    assert orjson.loads(told.record)["type"] == "relate"
    out = moment.when(judge("out", ("r", "reject"), origin="user")).when(judge("in", ("r", "release"), origin="user"))
    back = out.graph.act(3)
    assert back is not None
    assert back.record == told.record


def test_a_relation_that_others_say_too_stays() -> None:
    before = given(event("a"), event("b"), relate("r", "a", "b", "leads_to"), relate("s", "a", "b", "leads_to"))
    moment = before.when(judge("j", ("s", "reject"))).then(edge("a", LEADS_TO, "b", usage=1))
    key = moment.node("a").number, int(LEADS_TO), moment.node("b").number
    relation = moment.graph.relation(key)
    assert relation is not None
    assert relation.said == ((3, 1),)
    moment.when(judge("k", ("r", "reject"))).then(no_edge("a", LEADS_TO, "b"))


# Reports of use


def test_what_a_report_gave_is_taken_back_and_given_again() -> None:
    """A success gives 1.5: one use, 0.1 + 0.2 * 1.5 of permanence, 0.3 of the surprise; a tick later, at half of it."""
    told = [event("a"), recall("asked", "a"), use("used", "asked", "a", result="success"), event("b")]
    before = given(HALVING, *told)
    moment = before.when(judge("j", ("used", "reject")))
    moment.then(node("a", usage=0, permanence=0, impact=0, valence=0, stability=1, half_life=1))
    assert [entry.used for entry in moment.graph.recalls[3].returned] == [False]
    moment.when(judge("k", ("used", "release"))).then(
        node("a", usage=1, permanence=0.4 / 2, impact=1.5, valence=0.45, stability=1.02)
    )
    assert [entry.used for entry in moment.graph.recalls[3].returned] == [True]


def test_another_report_takes_the_place_of_one_that_is_out() -> None:
    told = [event("a"), recall("asked", "a"), use("used", "asked", "a"), judge("j", ("used", "reject"))]
    moment = given(*told).when(use("instead", "asked", "a", result="success")).then(node("a", usage=1, impact=1.5))
    moment = moment.when(judge("k", ("used", "release"))).then(node("a", usage=1, impact=1.5))
    assert moment.graph.recalls[2].reported == 5


# Vectors


def vectors(name: str, **expected: str) -> Check:
    """By model, the commands whose vectors a node has; what they are called is their seq in the test."""

    def check(moment: Moment) -> None:
        found = {model: seq for model, (seq, _) in moment.graph.vectors(moment.node(name).number).items()}
        assert found == {model: int(seq) for model, seq in expected.items()}

    return check


def test_a_vector_is_taken_out_and_put_back() -> None:
    before = given(event("a"), vector("v", "a"))
    moment = before.when(judge("j", ("v", "reject"), origin="operator")).then(vectors("a"))
    moment.when(judge("k", ("v", "release"), origin="operator")).then(vectors("a", small="2"))


def test_a_vector_that_gave_way_is_not_taken_out_and_one_in_its_place_stays() -> None:
    before = given(event("a"), vector("v", "a"), vector("w", "a"), judge("j", ("v", "reject"), origin="operator"))
    before.when(judge("k", ("v", "release"), origin="operator")).then(vectors("a", small="3"))
    out = given(event("a"), vector("v", "a"), judge("j", ("v", "reject"), origin="operator"), vector("w", "a"))
    out.when(judge("k", ("v", "release"), origin="operator")).then(vectors("a", small="4"))


def test_no_third_vector_is_put_back() -> None:
    told = [event("a"), vector("v", "a"), judge("j", ("v", "reject"), origin="operator")]
    before = given(*told, vector("w", "a", "large"), vector("x", "a", "other"))
    before.when(judge("k", ("v", "release"), origin="operator")).then(vectors("a", large="4", other="5"))


# What stands again


def keyed(name: str, **more: Any) -> Said:
    return event(name, key="diet", **more)


def test_what_gave_way_to_an_event_in_quarantine_stands_again() -> None:
    moment = given(keyed("old"), keyed("new")).when(judge("j", ("new", "quarantine")))
    moment.then(stands(old="active"), ruling("old", slot=slot_of(moment, "new"), by="j"))


def test_what_gave_way_to_one_that_is_rejected_does_not() -> None:
    given(keyed("old"), keyed("new")).when(judge("j", ("new", "reject"))).then(
        stands(old="superseded"), unchanged("old")
    )


@pytest.mark.parametrize("verdict", OUT)
def test_what_gave_way_to_a_claim_stands_again_either_way(verdict: str) -> None:
    told = [lives("rome", "rome", "a"), lives("oslo", "oslo", "a", supersedes="rome")]
    given(*told).when(judge("j", ("oslo", verdict))).then(stands(rome="active"))


def test_not_where_something_else_stands_by_now() -> None:
    told = [keyed("old"), keyed("new"), keyed("third")]
    given(*told).when(judge("j", ("new", "quarantine"))).then(stands(old="superseded", third="active"))


def test_of_two_the_younger_stands_again() -> None:
    told = [event("one"), event("two"), keyed("first"), keyed("second", supersedes="one")]
    before = given(*told, judge("back", ("first", "release")), judge("and", ("second", "release")))
    before.when(judge("j", ("second", "quarantine"))).then(stands(first="active"))


def test_a_resolved_one_leaves_its_place_empty() -> None:
    given(keyed("old"), keyed("new")).when(judge("j", ("new", "resolve"))).then(
        stands(old="superseded"), unchanged("old")
    )


def test_what_a_stranger_said_waits_again() -> None:
    told = [keyed("old", trust=0), judge("yes", ("old", "release"), origin="user")]
    before = given(*told, keyed("new", origin="user", session="s"))
    before.when(judge("j", ("new", "quarantine"), origin="user")).then(stands(old="candidate"))


def test_a_claim_that_gave_way_holds_again_as_if_it_had_never_ended() -> None:
    new = lives("oslo", "oslo", "b", origin="operator", valid_from=20)
    before = given(lives("rome", "rome", "a", origin="user", valid_from=10), new)
    before.when(judge("j", ("oslo", "reject"), origin="operator")).then(
        stands(rome="active"),
        held("rome", begins=10),
    )


def test_of_what_was_contested_for_it_the_youngest_contends_first() -> None:
    """A tool's word was against both: without it two users for Bern beat the one who said Rome."""
    told = [
        lives("rome", "rome", "a", origin="user"),
        lives("oslo", "oslo", "b", origin="tool"),
        lives("bern", "bern", "c", origin="user"),
        lives("too", "bern", "d", origin="user"),
    ]
    moment = given(*told[:3]).when(told[3]).then(stands(rome="contested", oslo="active", bern="contested"))
    moment.when(judge("j", ("oslo", "reject"), origin="tool")).then(stands(rome="superseded", bern="active"))


def test_a_rule_waits_for_a_person_again() -> None:
    rule: dict[str, Any] = {"claim_class": "rule", "origin": "operator"}
    told = [claim("one", "ana", "must", "wait", **rule), judge("yes", ("one", "release"), origin="operator")]
    before = given(*told, claim("two", "ana", "must", "wait", supersedes="one", **rule))
    before.when(judge("j", ("two", "reject"), origin="operator")).then(stands(one="candidate"))


def test_what_takes_a_review_waits_for_it_again() -> None:
    told = [lives("rome", "rome", "a", origin="operator"), define("d", "lives_in", review=True)]
    before = given(*told, lives("oslo", "oslo", "a", origin="operator", supersedes="rome"))
    before.when(judge("j", ("oslo", "reject"), origin="operator")).then(stands(rome="candidate"))


def test_in_a_full_slot_nothing_stands_again() -> None:
    """Eight wait in it meanwhile, as many as there is room for, and the one that is out does not count."""
    wait = [lives(f"w{n}", f"city{n}", f"s{n}", origin="user", candidate=True) for n in range(8)]
    told = [lives("rome", "rome", "a", origin="user"), lives("oslo", "oslo", "a", origin="user", supersedes="rome")]
    before = given(*told, *wait[:7])
    before.when(judge("j", ("oslo", "quarantine"), origin="user")).then(stands(rome="superseded"))
    less = given(*told, *wait[:6])
    less.when(judge("j", ("oslo", "quarantine"), origin="user")).then(stands(rome="active"))


# What is closed


def test_what_began_when_it_was_over_is_not_asked() -> None:
    """Bern is over when Rome begins. Two users for it beat the one who said that it was Lima until then."""
    told = [
        lives("lima", "lima", "a", origin="user", valid_from=5, valid_to=15),
        lives("rome", "rome", "b", origin="user", valid_from=30),
        lives("bern", "bern", "c", valid_from=10),
        lives("two", "bern", "d", origin="user", valid_from=10),
        lives("three", "bern", "e", origin="user", valid_from=10),
    ]
    moment = given(*told[:3]).when(told[3]).then(stands(lima="active", rome="active", bern="contested"))
    moment = moment.when(told[4])
    moment.then(stands(lima="superseded", rome="active", bern="active"), held("bern", begins=10, closed=30))
    later = moment.when(lives("later", "bern", "f", origin="user", valid_from=35))
    later.then(stands(rome="active", later="contested"), lines("bern", (1, 140), (2, 280), (2, 280)))


def test_nor_where_it_contends_anew() -> None:
    """Nobody says that it was Lima any more, and Rome, of a user, begins when Bern is over."""
    told = [
        lives("lima", "lima", "a", origin="user", valid_from=5, valid_to=15),
        lives("rome", "rome", "b", origin="user", valid_from=30),
        lives("bern", "bern", "c", valid_from=10),
    ]
    given(*told).when(judge("j", ("lima", "reject"), origin="user")).then(
        stands(rome="active", bern="active"), held("bern", begins=10, closed=30)
    )


def test_a_candidate_that_gave_way_waits_again() -> None:
    told = [
        claim("rome", "ana", "lives_in", "rome", candidate=True),
        claim("oslo", "ana", "lives_in", "oslo", supersedes="rome"),
    ]
    given(*told).when(judge("no", ("oslo", "reject"))).then(stands(rome="candidate", oslo="rejected"))
