"""What is trusted less moves no start, no end and no place of what is trusted more, whatever names it gives."""

from pathlib import Path

import pytest

from tests.retrieval.reads.places.world import Three, path, three


@pytest.fixture
def world(tmp_path: Path):  # type: ignore[no-untyped-def]
    with three(tmp_path) as opened:
        yield opened


def test_an_alias_from_below_moves_no_start_and_no_end(world: Three) -> None:
    path(world.operator, "home", "well", ticks=20)
    path(world.operator, "well", "chest", ticks=30)
    path(world.operator, "evil", "far", ticks=1)
    world.agent.alias("place:chest", "place:home")
    world.agent.alias("place:well", "place:evil")
    route = world.operator.route("place:home", "place:chest")
    assert (route.cost, [step.end for step in route.steps]) == (50_000, ["place:well", "place:chest"])
    assert world.operator.route("place:home", "place:far").by == "nothing"


def test_an_alias_from_below_opens_nothing_that_is_blocked(world: Three) -> None:
    path(world.operator, "a", "b", blocked="yes")
    world.agent.alias("place:b", "place:a")
    assert world.operator.route("place:a", "place:b").by == "nothing"


def test_an_alias_from_below_moves_no_spot(world: Three) -> None:
    world.operator.assert_claim("place:home", "at", {"anchor": "o/1000/0/0"})
    world.operator.assert_claim("place:chest", "at", {"anchor": "o/0/0/0"})
    world.operator.assert_claim("place:inn", "is_a", "inn")
    world.operator.assert_claim("place:inn", "at", {"anchor": "o/10/0/0"})
    world.agent.alias("place:chest", "place:home")
    (inn,) = world.operator.nearest("inn", "place:chest", by="distance").found
    assert inn.distance == 10


def test_where_a_trader_is_goes_by_who_is_trusted_more(world: Three) -> None:
    world.operator.assert_claim("npc:smith", "located_in", "place:forge")
    world.operator.assert_claim("npc:smith", "offers", "item:nail")
    path(world.operator, "home", "forge", ticks=10)
    path(world.operator, "forge", "far", ticks=9_000)
    world.agent.assert_claim("npc:smith", "last_seen_at", "place:far")
    world.agent.assert_claim("npc:smith", "path", "place:nowhere")
    (offer,) = world.operator.trades("item:nail", from_="place:home").trades
    assert (offer.place, offer.cost) == ("place:forge", 10_000)
    assert world.operator.route("place:home", "npc:smith").cost == 10_000


def test_a_name_from_below_does_not_take_over_what_is_said_of_the_true_one(world: Three) -> None:
    world.operator.assert_claim("place:home", "is_a", "house")
    world.agent.alias("place:evil", "place:home")
    world.agent.assert_claim("place:evil", "at", {"anchor": "o/1/2/3"})
    world.operator.assert_claim("place:home", "at", {"anchor": "o/1/2/3"})
    for memory in (world.operator, world.operator.seen(trust_min=3)):
        assert [(each.name, each.anchor) for each in memory.places().places] == [("place:home", "o/1/2/3")]


def test_a_name_that_is_heard_later_is_no_other_thing(world: Three) -> None:
    path(world.user, "a", "b", ticks=1)
    for number in range(6):
        world.user.alias(f"place:old{number}", f"place:ghost{number}")
        world.user.assert_claim(f"place:old{number}", "at", {"anchor": f"o/{number}/2/3"})
    assert world.user.last_seen("place:old1").last is not None
    for number in range(12):
        world.user.record_event("Something", features=[f"place:victim{number}"])
    for number in range(12):
        assert world.user.last_seen(f"place:victim{number}").last is None


def test_what_is_where_another_thing_is_is_near(world: Three) -> None:
    world.user.assert_claim("npc:smith", "is_a", "smith")
    world.user.assert_claim("npc:smith", "located_in", "place:forge")
    world.user.assert_claim("place:forge", "at", {"anchor": "o/10/64/0"})
    world.user.assert_claim("npc:ann", "is_a", "smith")
    world.user.assert_claim("npc:ann", "last_seen_at", {"anchor": "o/30/64/0"})
    found = world.user.nearest("smith", "o/0/64/0", k=2).found
    assert [(each.place.name, each.distance) for each in found] == [("npc:smith", 10), ("npc:ann", 30)]


def test_one_way_is_what_says_yes(world: Three) -> None:
    path(world.user, "a", "b", ticks=3)
    path(world.user, "b", "a", oneway="no", blocked="yes")
    assert world.user.route("place:a", "place:b").by == "nothing", "the same path, said anew"
