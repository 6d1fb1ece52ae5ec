"""What is said of both of two things, and what is seen again: paths and glances."""

from typing import Any

import pytest

from tests.graph.commands import Said, alias, claim, define, event, judge
from tests.graph.laws.knowledge.standing import claim_of, slot_of, stands
from tests.graph.scenario import Moment, accepted, given, gone, node

WAY = define("way", "way", cardinality="one_per_object", resolution="recency", symmetric=True)
OFTEN: dict[str, Any] = {"confirm_by": "evidence", "confirm_gap": 3, "confirmations": 2}


def way(name: str, a: str, b: str, predicate: str = "way", **more: Any) -> Said:
    return claim(name, a, predicate, b, **more)


def glance(name: str, *evidence: str, value: str = "village", **more: Any) -> Said:
    return claim(name, "x", "looks_like", value, evidence=evidence, **more)


def noise(first: int, count: int) -> list[Said]:
    return [event(f"n{n}") for n in range(first, first + count)]


def seen(moment: Moment, name: str) -> tuple[int, int]:
    claimed = claim_of(moment, name)
    return claimed.seen, claimed.sighted


# Of both


@pytest.mark.parametrize("predicate", ["way", "path"])
def test_a_way_there_is_a_way_back(predicate: str) -> None:
    there = way("there", "mine", "camp", predicate)
    moment = given(WAY, there).when(way("back", "camp", "mine", predicate, source="two"))
    moment.then(gone("back"), node("there", usage=1), stands(there="active"))


def test_the_later_word_on_a_way_counts_whichever_end_it_is_said_from() -> None:
    there = way("there", "mine", "camp", qualifiers={"ticks": "9"})
    back = way("back", "camp", "mine", qualifiers={"ticks": "7"}, source="two")
    given(WAY, there).when(back).then(stands(there="superseded", back="active"))
    given(WAY, back).when(there).then(stands(back="superseded", there="active"))


def test_other_pairs_are_other_ways() -> None:
    given(WAY, way("one", "a", "b"), way("two", "b", "c")).when(way("three", "c", "a")).then(
        stands(one="active", two="active", three="active")
    )


def test_what_is_one_way_is_of_one_direction() -> None:
    down = way("down", "cliff", "shore", qualifiers={"oneway": "yes"})
    up = way("up", "shore", "cliff", qualifiers={"oneway": "yes"})
    both = way("both", "shore", "cliff")
    moment = given(WAY, down).when(up)
    moment.then(accepted(seq=3), stands(down="active", up="active"))
    moment.when(both).then(stands(down="active", up="active", both="active"))
    moment.when(way("less", "cliff", "shore", qualifiers={"oneway": "yes", "ticks": "3"})).then(
        stands(down="superseded", less="active", up="active")
    )


def test_what_is_no_thing_has_no_other_side() -> None:
    given(WAY, claim("long", "mine", "way", 3)).when(claim("longer", "mine", "way", 4)).then(
        stands(long="active", longer="active")
    )


def test_a_predicate_that_is_not_symmetric_is_of_one_direction() -> None:
    given(way("there", "a", "b", "offers")).when(way("back", "b", "a", "offers")).then(
        stands(there="active", back="active")
    )


def test_a_way_is_the_same_under_another_name_of_either_end() -> None:
    same = [alias("pit", "pit", "mine", origin="user"), alias("tents", "tents", "camp", origin="user")]
    for said in (way("again", "camp", "pit"), way("again", "pit", "tents"), way("again", "tents", "mine")):
        given(WAY, way("there", "mine", "camp"), *same).when(said).then(gone("again"), node("there", usage=1))


def test_a_name_from_below_joins_no_way() -> None:
    before = [WAY, way("there", "mine", "camp", origin="user"), alias("pit", "pit", "mine")]
    moment = given(*before).when(way("other", "camp", "pit", origin="user", qualifiers={"ticks": "1"}))
    moment.then(stands(there="active", other="active"))
    assert slot_of(moment, "there") != slot_of(moment, "other")


def test_a_thing_has_a_way_to_itself_under_two_names() -> None:
    """Both orders of the names are one pair; the most that joins it counts."""
    names = [alias("pit", "pit", "mine", origin="user")]
    before = [WAY, *names, way("round", "mine", "pit", origin="operator")]
    for a, b in (("mine", "pit"), ("pit", "mine")):
        given(*before).when(way("again", a, b, origin="user")).then(gone("again"), stands(round="active"))


# What is seen again


def often(*said: Said) -> list[Said]:
    return [define("often", "looks_like", cardinality="many", **OFTEN), *said]


def test_what_is_seen_again_later_stands() -> None:
    moment = given(*often(event("e1"), glance("it", "e1"), *noise(0, 1), event("e2"))).when(glance("again", "e2"))
    moment.then(stands(it="active"))
    assert seen(moment, "it") == (2, 5)


def test_what_is_seen_again_at_once_is_one_sighting() -> None:
    moment = given(*often(event("e1"), event("e2"), glance("it", "e1"), event("e3"))).when(glance("again", "e3"))
    moment.then(stands(it="active"))
    assert seen(moment, "it") == (2, 5)
    moment = given(*often(event("e1"), glance("it", "e1"), event("e2"))).when(glance("again", "e2"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (1, 2)


def test_the_same_evidence_is_one_sighting() -> None:
    moment = given(*often(event("e1"), glance("it", "e1"), *noise(0, 9))).when(glance("again", "e1", source="test"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (1, 2)


def test_what_is_only_said_again_is_no_sighting() -> None:
    moment = given(*often(event("e1"), glance("it", "e1"), *noise(0, 9), glance("again"))).when(glance("and again"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (1, 2)


def test_what_is_concluded_from_a_claim_alone_is_no_sighting() -> None:
    hearsay = claim("hearsay", "x", "p", "y")
    moment = given(*often(hearsay)).when(glance("it", "hearsay"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (0, 0)


def test_fallen_evidence_is_no_sighting() -> None:
    before = often(event("e1"), glance("it", "e1"), *noise(0, 9), event("e2"), judge("no", ("e2", "reject")))
    moment = given(*before).when(glance("again", "e2"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (1, 2)


def test_two_sources_are_enough_as_ever() -> None:
    given(*often(event("e1"), glance("it", "e1"))).when(glance("again", source="two")).then(stands(it="active"))


def test_without_the_definition_nothing_is_counted() -> None:
    meaning = define("often", "looks_like", cardinality="many", confirmations=2)
    before = [meaning, event("e1"), glance("it", "e1"), *noise(0, 9), event("e2")]
    moment = given(*before).when(glance("again", "e2"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (0, 0)


def test_a_glance_from_below_is_no_sighting() -> None:
    before = often(event("e1", origin="user"), glance("it", "e1", origin="user"), *noise(0, 9), event("e2"))
    moment = given(*before).when(glance("again", "e2"))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (1, 2)


def test_strangers_see_nothing() -> None:
    before = often(event("e1", trust=0), glance("it", "e1", trust=0), *noise(0, 9), event("e2", trust=0))
    moment = given(*before).when(glance("again", "e2", trust=0))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (0, 0)


def test_who_is_trusted_more_counts_anew() -> None:
    """What agents have seen so far is worth no more than their word."""
    before = often(event("e1"), glance("it", "e1", source="one"), *noise(0, 9), event("e2", origin="user"))
    said = glance("again", "e2", origin="user", source="one")
    moment = given(*before).when(said)
    assert seen(moment, "it") == (1, 13)
    moment.then(node("it", trust=2), stands(it="candidate"))
    before += [said, *noise(9, 3), event("e3", origin="user")]
    third = glance("third", "e3", origin="user", source="one")
    given(*before).when(third).then(stands(it="active"))


def test_a_word_that_is_taken_out_takes_what_was_seen_with_it() -> None:
    before = often(event("e1"), glance("it", "e1", source="one"), glance("said", source="two"))
    moment = given(*before).when(judge("no", ("said", "reject", True)))
    moment.then(stands(it="candidate"))
    assert seen(moment, "it") == (0, 2)


def test_a_rule_waits_for_a_person_however_often_it_is_seen() -> None:
    before = often(event("e1"), glance("it", "e1", claim_class="rule"), *noise(0, 9), event("e2"))
    given(*before).when(glance("again", "e2")).then(stands(it="candidate"))


def test_what_a_thing_is_seen_as_takes_two_glances_five_commands_apart() -> None:
    first = [event("e1"), claim("it", "x", "seen_as", "village", evidence=("e1",)), *noise(0, 2)]
    for gap, status in ((0, "candidate"), (1, "active")):
        again = claim("again", "x", "seen_as", "village", evidence=("e2",))
        given(*first, *noise(3, gap), event("e2")).when(again).then(stands(it=status))


@pytest.mark.parametrize("predicate", ["at", "last_seen_at", "slept_at"])
def test_where_something_is_is_where_it_was_last(predicate: str) -> None:
    one = claim("one", "npc:smith", predicate, {"anchor": "overworld/0/64/0"}, source="one", confidence=100)
    more = claim("more", "npc:smith", predicate, {"anchor": "overworld/0/64/0"}, source="two", confidence=100)
    two = claim("two", "npc:smith", predicate, {"anchor": "overworld/9/64/0"}, source="one", confidence=10)
    given(one, more).when(two).then(stands(one="superseded", two="active"))


def test_a_word_from_above_that_comes_back_counts_anew() -> None:
    """Between the two somebody else has seen it, who is trusted less."""
    above = event("e1", origin="user"), glance("it", "e1", origin="user", source="ana")
    before = often(*above, glance("said", source="two"), judge("no", ("it", "reject", True), origin="operator"))
    before += [*noise(0, 9), event("e2"), glance("seen", "e2", source="three")]
    moment = given(*before).when(judge("yes", ("it", "release", True), origin="operator"))
    assert seen(moment, "it") == (0, 15)
    moment.then(node("it", trust=2))
