"""The names of things and what predicates mean; how things have to do with each other."""

from typing import Any

import pytest

from tests.graph.by_hand import BARE
from tests.graph.commands import MEMORY, Said, alias, claim, define, event, pin, policy, relate
from tests.graph.laws.knowledge.standing import claim_of, slot_of, stands
from tests.graph.scenario import edge, given, node, refused
from yggdrasil_schemas.graph.knowledge import Names
from yggdrasil_schemas.graph.records import EdgeKind, Relation
from yggdrasil_schemas.limits import ALIASES_MAX
from yggdrasil_schemas.refusals import Refusal

SAME = alias("same", "anna", "ana")


def rome(who: str = "ana", **more: Any) -> Said:
    return claim("rome", who, "lives_in", "rome", **more)


def test_what_is_said_of_a_name_is_said_of_the_thing() -> None:
    said = [rome("anna"), SAME]
    moment = given(*said).when(claim("oslo", "ana", "lives_in", "oslo")).then(stands(rome="superseded", oslo="active"))
    assert slot_of(moment, "rome") == slot_of(moment, "oslo")
    again = given(*said).when(claim("again", "ana", "lives_in", "rome", source="two"))
    again.then(node("rome", usage=1), node("feature:anna", usage=1))


def test_an_object_under_another_name_is_the_same() -> None:
    given(claim("knows", "ben", "knows", "anna"), SAME).when(claim("too", "ben", "knows", "ana")).then(
        node("knows", usage=1)
    )


def test_nothing_moves_until_something_is_said_of_it() -> None:
    told = [rome("anna"), claim("oslo", "ana", "lives_in", "oslo", source="two")]
    moment = given(*told).when(SAME).then(stands(rome="active", oslo="active"))
    assert slot_of(moment, "rome") != slot_of(moment, "oslo")


def test_a_name_that_has_names_brings_them_along() -> None:
    moment = given(alias("a", "annie", "anna")).when(alias("b", "anna", "ana", origin="user"))
    assert moment.graph.names("annie") == Names("ana").of([("anna", 2, 2), ("annie", 1, 1)])
    assert moment.graph.header.aliases == 2
    moment = moment.when(alias("c", "annie", "ben"))
    assert moment.graph.names("annie") == Names("ben").of([("annie", 1, 3)])
    assert moment.graph.names("anna") == Names("ana").of([("anna", 2, 2)])
    moment.when(alias("d", "anna")).then(refused(Refusal.NOT_TRUSTED))
    moment = moment.when(alias("e", "anna", origin="user"))
    assert moment.graph.names("anna") == Names("anna")
    assert moment.graph.header.aliases == 1


@pytest.mark.parametrize("which", ["feature:anna", "feature:ana"])
def test_what_is_pinned_is_named_by_operators(which: str) -> None:
    told = [event("a", "ana", "anna"), pin("p", which)]
    given(*told).when(SAME).then(refused(Refusal.NODE_PROTECTED))
    moment = given(*told).when(alias("same", "anna", "ana", origin="operator"))
    assert moment.graph.names("anna").canonical == "ana"


def test_strangers_name_nothing() -> None:
    given().when(alias("a", "anna", "ana", trust=0)).then(refused(Refusal.NOT_TRUSTED))


def test_names_from_below_join_nothing_of_what_is_trusted_more() -> None:
    """What an agent calls the same is so for what agents say; for what a user says it is when a user calls it so."""
    roma = claim("roma", "ana", "lives_in", "roma", source="two")
    below, above = alias("below", "rome", "roma"), alias("above", "rome", "roma", origin="user")
    given(rome(origin="user"), below).when(roma).then(stands(rome="active", roma="contested"), node("rome", usage=0))
    given(rome(origin="user"), above).when(roma).then(node("rome", usage=1))
    given(rome(), below).when(roma).then(node("rome", usage=1))


def test_of_another_name_from_below_only_what_is_trusted_as_little_is_met() -> None:
    told = [rome("anna", origin="user"), SAME]
    before = given(*told)
    moment = before.when(claim("oslo", "ana", "lives_in", "oslo", source="two"))
    moment.then(stands(rome="active", oslo="active"))
    assert slot_of(moment, "rome") != slot_of(moment, "oslo")


def test_what_a_user_said_does_not_follow_a_name_from_below() -> None:
    """It stays in the slot of the name that the user gave it, where the user's next word finds it."""
    oslo = claim("oslo", "anna", "lives_in", "oslo", source="two")
    moment = given(rome("anna", origin="user"), SAME).when(oslo).then(stands(rome="active", oslo="contested"))
    alone = given().when(rome("anna", origin="user"))
    assert slot_of(moment, "rome") == slot_of(moment, "oslo") == slot_of(alone, "rome")
    moved = claim("lima", "anna", "lives_in", "lima", origin="user")
    moment.when(moved).then(stands(rome="active", lima="contested"))  # they meet


def test_what_follows_a_name_meets_all_that_is_said_of_it() -> None:
    """An agent's word stands beside a user's no better for being said under a name that the agent made up."""
    user = claim("oslo", "ana", "lives_in", "oslo", origin="user")
    bern = claim("bern", "anna", "lives_in", "bern", source="two")
    moment = given(user, SAME).when(bern).then(stands(oslo="active", bern="contested"))
    assert slot_of(moment, "bern") == slot_of(moment, "oslo")
    same = claim("same-word", "anna", "lives_in", "oslo", source="two")
    given(user, SAME).when(same).then(node("oslo", usage=1), stands(oslo="active"))


def test_nothing_leaves_the_slot_in_which_something_trusted_more_has_to_stay() -> None:
    """What a user's word contests does not get out by a name that an agent gives."""
    told = [
        claim("oslo", "ana", "lives_in", "oslo", origin="user"),
        claim("lima", "ana", "lives_in", "lima", source="two"),
        SAME,
    ]
    moment = given(*told).when(rome("anna", origin="user")).then(stands(oslo="active", lima="contested"))
    moment = moment.when(claim("bern", "anna", "lives_in", "bern", source="three"))
    assert slot_of(moment, "lima") == slot_of(moment, "oslo") != slot_of(moment, "bern")
    moment.then(stands(oslo="active", lima="contested", rome="active", bern="contested"))


def test_what_a_user_names_is_a_thing_of_its_own_whatever_an_agent_called_it() -> None:
    moment = given(SAME).when(alias("an", "anne", "anna", origin="user"))
    assert moment.graph.names("anna") == Names("anna").of([("anne", 2, 2)])
    assert moment.graph.names("ana") == Names("ana")


def test_a_thing_with_a_user_s_names_is_not_joined_to_another_by_an_agent() -> None:
    before = given(alias("a", "annie", "anna", origin="user"))
    before.when(SAME).then(refused(Refusal.NOT_TRUSTED))
    before.when(alias("b", "annie", "ben")).then(refused(Refusal.NOT_TRUSTED))


def test_a_claim_has_the_names_of_who_is_trusted_most() -> None:
    """A user says the same under another name: under that it is shown from then on, and no agent changes it."""
    told = [rome("anna"), alias("same", "anna", "ana", origin="user")]
    moment = given(*told).when(claim("again", "ana", "lives_in", "rome", origin="user", source="two"))
    assert claim_of(moment, "rome").named == ("ana", "rome")
    moment = moment.when(claim("third", "anna", "lives_in", "rome", source="three"))
    assert claim_of(moment, "rome").named == ("ana", "rome")


def test_a_memory_has_so_many_names() -> None:
    before = given(SAME, alias("b", "benny", "ben"))
    before.world.graph(MEMORY).header.aliases = ALIASES_MAX
    answer = before.when(alias("c", "lisa", "liz")).answer
    assert answer.refused is not None
    assert answer.refused.reason == Refusal.ALIASES_FULL


def test_a_definition_holds_from_then_on_and_moves_nothing() -> None:
    many = define("many", "lives_in", cardinality="many")
    moment = (
        given(rome(), many).when(claim("oslo", "ana", "lives_in", "oslo")).then(stands(rome="active", oslo="active"))
    )
    assert slot_of(moment, "rome") != slot_of(moment, "oslo")


def test_a_relation_is_an_edge_of_its_own_kind_that_is_no_kind_of_experience() -> None:
    told = [BARE, policy("p", association_weight=0.5), event("a", "x"), rome()]
    moment = given(*told).when(relate("r", "a", "rome", "leads_to"))
    moment.then(
        edge("a", EdgeKind.LEADS_TO, "rome", weight=0.5, usage=0), node("a", kinds=1 << EdgeKind.CONTAINS, degree=2)
    )
    key = moment.node("a").number, int(EdgeKind.LEADS_TO), moment.node("rome").number
    assert moment.graph.relation(key) == Relation(((5, 1),))
    moment = moment.when(relate("again", "a", "rome", "leads_to"))
    moment.then(edge("a", EdgeKind.LEADS_TO, "rome", weight=1.0, usage=1))
    assert moment.graph.relation(key) == Relation(((5, 1), (6, 1)))
