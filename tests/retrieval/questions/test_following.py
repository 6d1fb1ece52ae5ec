"""What a question asks in two steps is followed over claims: the second claim comes with the one that led to it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.retrieval.reads.places.world import Three, three
from tests.size import turns
from yggdrasil import Context, Memory, Store, Where
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.reads.ranked.following import FOLLOWED_MAX, FOLLOWING, asks_where

EMERALDS = "Where can I get emeralds?"
MANAGER = "Who is the manager of the team that owns billing?"
FLOOD = turns(2_000, 10_000)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Three]:
    with three(tmp_path) as opened:
        for each in ("boat", "fence", "roof", "clock"):
            opened.user.record_event(f"Somebody painted the {each}")
        yield opened


def offer(memory: Memory[Any]) -> str:
    return memory.assert_claim("npc:smith", "offers", "item:emerald")


def texts(found: Context) -> list[str | None]:
    return [each.memory.text for each in found.found]


def steps(found: Context) -> dict[str | None, list[str]]:
    """Return what was followed, each with the ids of the claims that led to it."""
    return {each.memory.text: each.lineage.via for each in found.found if each.lineage.via}


def said(found: Context) -> bytes:
    shown = [[each.memory.ref, each.scores.relevance, each.lineage, each.tokens] for each in found.found]
    return orjson.dumps([shown, found.more, found.confidence, found.gap, found.versions, found.conflicts])


def test_where_something_can_be_had_is_where_whoever_offers_it_is(world: Three) -> None:
    first = offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    world.user.assert_claim("npc:smith", "mood", "mood:merry")
    world.user.assert_claim("npc:farmer", "last_seen_at", "place:barn")
    found = world.user.get_context(EMERALDS)
    assert texts(found) == ["smith offers emerald", "smith last seen at forge"]
    assert steps(found) == {"smith last seen at forge": [first]}
    assert found.versions["followed"] == FOLLOWING
    priorities = [each.scores.priority for each in found.found]
    assert priorities == sorted(priorities, reverse=True)


def test_who_manages_what_owns_something(world: Three) -> None:
    first = world.user.assert_claim("team:falcon", "owns", "service:billing")
    world.user.assert_claim("team:otter", "owns", "service:search")
    world.user.assert_claim("person:ana", "manager_of", "team:falcon")
    world.user.assert_claim("person:ben", "manager_of", "team:otter")
    world.user.assert_claim("team:falcon", "located_in", "floor:3")
    assert steps(world.user.get_context(MANAGER)) == {"ana manager of falcon": [first]}


@pytest.mark.parametrize(
    "query",
    [
        "Who offers emeralds?",
        "Where is the smith?",
        "What is the mood of the smith?",
        "Who painted the fence?",
        "emerald",
    ],
)
def test_what_a_claim_answers_by_itself_is_not_followed(world: Three, query: str) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    world.user.assert_claim("place:forge", "located_in", "town:oslo")
    world.user.assert_claim("npc:smith", "mood", "mood:merry")
    found = world.user.get_context(query)
    assert found.found and not steps(found) and "followed" not in found.versions


def test_each_of_several_is_followed_and_no_more_than_three(world: Three) -> None:
    for number in range(5):
        world.user.assert_claim(f"npc:trader{number}", "offers", "item:emerald")
        world.user.assert_claim(f"npc:trader{number}", "last_seen_at", f"place:p{number}")
    assert len(steps(world.user.get_context(EMERALDS))) == FOLLOWED_MAX


def test_a_thing_is_followed_by_its_other_names(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("person:olaf", "located_in", "place:forge")
    assert not steps(world.user.get_context(EMERALDS))
    world.user.alias("person:olaf", "npc:smith")
    assert list(steps(world.user.get_context(EMERALDS))) == ["olaf located in forge"]


def test_a_name_from_below_leads_nowhere_above(world: Three) -> None:
    offer(world.operator)
    world.operator.assert_claim("person:olaf", "located_in", "place:forge")
    world.agent.alias("person:olaf", "npc:smith")
    assert not steps(world.operator.get_context(EMERALDS))


def test_a_name_from_below_names_nothing_and_takes_no_step_away(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    for name in ("x:where", "x:emeralds", "x:get"):
        world.agent.alias(name, "npc:smith")
        assert list(steps(world.user.get_context(EMERALDS))) == ["smith last seen at forge"], name


def test_a_thing_is_named_by_its_other_names(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    world.user.alias("item:gem", "item:emerald")
    assert list(steps(world.user.get_context("Where can I get a gem?"))) == ["smith last seen at forge"]


def test_words_that_others_say_often_take_no_step_away(world: Three) -> None:
    world.user.assert_claim("team:falcon", "owns", "service:billing")
    world.user.assert_claim("person:ana", "manager_of", "team:falcon")
    for number in range(40):
        world.agent.record_event(f"A manager came, number {number}")
    assert list(steps(world.user.get_context(MANAGER))) == ["ana manager of falcon"]


def test_a_predicate_is_followed_by_all_of_its_words_alone(world: Three) -> None:
    """One word of two weighs as much as it weighs, and what everybody says weighs little."""
    world.user.assert_claim("team:falcon", "owns", "service:billing")
    world.user.assert_claim("person:ana", "manager_emeritus", "team:falcon")
    for number in range(40):
        world.agent.record_event(f"A manager came, number {number}")
    assert not steps(world.user.get_context(MANAGER))


# How many


def test_what_is_near_enough_keeps_its_places(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    assert texts(world.user.get_context(EMERALDS, k=1)) == ["smith offers emerald"]
    assert texts(world.user.get_context(EMERALDS, k=2)) == ["smith offers emerald", "smith last seen at forge"]


def test_it_takes_no_more_than_the_tokens_that_are_left(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    whole = world.user.get_context(EMERALDS)
    assert world.user.get_context(EMERALDS, tokens_max=whole.tokens).refs == whole.refs
    assert world.user.get_context(EMERALDS, tokens_max=whole.tokens - 1).refs == whole.refs[:1]


def test_what_was_followed_is_not_told_again(world: Three) -> None:
    for number in range(12):
        world.user.record_event(f"Emeralds are green, and number {number} was greener still")
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    first = world.user.get_context(EMERALDS, k=5)
    assert first.more is not None and first.more.cursor is not None
    assert not set(world.user.get_context(EMERALDS, k=50, more=first.more).refs) & set(first.refs)


# What is not there


def test_what_does_not_stand_is_not_followed(world: Three) -> None:
    offer(world.user)
    place = world.user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    world.user.withdraw(place, "that was another one")
    assert not steps(world.user.get_context(EMERALDS))
    heard = world.user.record_event("A rumour that nobody checked")
    world.user.assert_claim("npc:smith", "located_in", "place:tower", evidence=[heard])
    assert list(steps(world.user.get_context(EMERALDS))) == ["smith located in tower"]
    world.user.withdraw(heard, "made up")
    assert not steps(world.user.get_context(EMERALDS))


def test_what_waits_is_not_followed(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:forge", candidate=True)
    assert not steps(world.user.get_context(EMERALDS))


def test_it_is_followed_as_it_held_then(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "located_in", "place:barn", valid_from="2024-01-01", valid_to="2025-01-01")
    world.user.assert_claim("npc:smith", "located_in", "place:forge", valid_from="2025-01-01")
    assert list(steps(world.user.get_context(EMERALDS))) == ["smith located in forge"]
    then = world.user.get_context(EMERALDS, where=Where(valid_at="2024-06-01"))
    assert list(steps(then)) == ["smith located in barn"]


def test_what_the_lens_hides_is_not_followed_and_changes_nothing(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "located_in", "place:forge")
    before = said(world.user.seen(trust_min=2).get_context(EMERALDS))
    world.agent.assert_claim("npc:smith", "last_seen_at", "place:swamp")
    world.agent.assert_claim("npc:ogre", "offers", "item:emerald")
    seen = world.user.seen(trust_min=2).get_context(EMERALDS)
    assert said(seen) == before and list(steps(seen)) == ["smith located in forge"]
    assert "ogre offers emerald" in texts(world.user.get_context(EMERALDS))


def test_nobody_below_takes_a_step_away(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "located_in", "place:forge")
    for number in range(8):
        world.agent.assert_claim(f"npc:liar{number}", "offers", "item:emerald")
        world.agent.assert_claim(f"npc:liar{number}", "last_seen_at", f"place:swamp{number}")
    found = world.user.get_context(EMERALDS)
    assert next(iter(steps(found))) == "smith located in forge"


def test_a_flood_of_claims_about_the_thing_takes_nothing_away(world: Three) -> None:
    world.user.assert_claim("npc:smith", "located_in", "place:forge")
    for number in range(FLOOD // 96):
        lies = [("npc:smith", f"offers_emeralds_{number}_{each}", f"item:lie{number}x{each}") for each in range(16)]
        world.agent.observe_many({"text": f"Rumour {number}.{part}", "facts": lies} for part in range(6))
    offer(world.user)  # last, since it perishes
    query = "Where is whoever offers emeralds?"
    found = world.user.get_context(query)
    assert list(steps(found)) == ["smith located in forge"] and "smith offers emerald" in texts(found)
    assert texts(world.user.seen(trust_min=2).get_context(query)) == ["smith offers emerald", "smith located in forge"]


def test_what_is_trusted_less_keeps_no_tokens_from_a_step(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "located_in", "place:forge")
    for number in range(8):
        world.agent.record_event(f"Whoever offers emeralds is number {number}, and that is all there is to say of them")
    query = "Where is whoever offers emeralds?"
    room = world.user.seen(trust_min=2).get_context(query).tokens
    found = world.user.get_context(query, tokens_max=room)
    assert texts(found) == ["smith offers emerald", "smith located in forge"]


def test_a_step_leaves_with_what_led_to_it(world: Three) -> None:
    offer(world.user)
    world.user.assert_claim("npc:smith", "last_seen_at", "place:the forge behind the mill")
    world.agent.assert_claim("npc:ogre of the long and winding river", "offers", "item:emerald")
    world.agent.assert_claim("npc:ogre of the long and winding river", "at", "place:x")
    whole = world.user.get_context(EMERALDS)
    assert len(steps(whole)) == 2
    parted = 0
    for tokens in range(1, whole.tokens + 1):
        found = world.user.get_context(EMERALDS, tokens_max=tokens)
        assert {via for each in found.found for via in each.lineage.via} <= set(found.refs), tokens
        parted += len(steps(found)) == 1
    assert parted


def test_a_circle_ends(world: Three) -> None:
    first = offer(world.user)
    world.user.assert_claim("item:emerald", "located_in", "npc:smith")
    world.user.assert_claim("npc:smith", "located_in", "place:forge")
    world.user.assert_claim("place:forge", "located_in", "npc:smith")
    found = world.user.get_context(EMERALDS)
    assert len(found.refs) == len(set(found.refs)) and first in found.refs
    assert "smith located in forge" in steps(found)


def test_no_other_memory_is_followed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", partitions=1) as store:
        ours, theirs = store.memory("acme/ours", origin="user"), store.memory("other/theirs", origin="user")
        offer(ours)
        theirs.assert_claim("npc:smith", "last_seen_at", "place:forge")
        assert texts(ours.get_context(EMERALDS)) == ["smith offers emerald"]


# Proofs


def test_it_can_be_proved_and_nothing_is_followed_in_proof_of_one_that_followed_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory", "step/one", partitions=1, origin="user") as memory:
        offer(memory)
        memory.get_context(EMERALDS)
        memory.assert_claim("npc:smith", "last_seen_at", "place:forge")
        memory.get_context(EMERALDS, where=Where(kinds=["claim"]), k=4)
        memory.get_context("Who offers emeralds?")
    with closing(LocalLog.open_read_only(tmp_path / "memory" / "log")) as log:
        recalls = list(recalls_in(log, "step/one"))
        proofs = list(prove(log, tmp_path / "again", recalls))
    assert [each.reason for each in proofs] == [None] * 3
    assert [each.command.body.parameters.get("followed") for each in recalls] == [None, FOLLOWING, None]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Where can I get emeralds?", True),
        ("I am hungry. Where's some bread?", True),
        ("Tell me where the smith is", True),
        ("And where is it?", True),
        ("Wo gibt es Smaragde?", True),
        ("Où est le forgeron ?", True),
        ("¿Dónde hay esmeraldas?", True),
        ("哪里有绿宝石？", True),
        ("What guards the place where the smith is?", False),
        ("Who offers emeralds?", False),
        ("", False),
    ],
)
def test_when_a_place_is_asked_for(query: str, expected: bool) -> None:
    assert asks_where(query) is expected
