"""Places, where things were last, who trades, what is joined to a thing and what follows from it, in a real store."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.retrieval.reads.places.world import Three, path, three
from yggdrasil import InvalidAskError


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Three]:
    with three(tmp_path) as found:
        yield found


def names(found: Any) -> list[str]:
    return [each.name for each in found.places]


def test_places_are_told_by_name_with_what_says_so(world: Three) -> None:
    user = world.user
    kind = user.assert_claim("place:chest", "is_a", "chest")
    at = user.assert_claim("place:chest", "at", {"anchor": "overworld/120/64/-33"})
    user.assert_claim("place:base", "at", {"anchor": "nether/7/-3"})
    path(user, "well", "base", ticks=3)
    user.assert_claim("npc:smith", "at", {"anchor": "overworld/1/64/1"})
    user.assert_claim("npc:smith", "is_a", "type:Smith")
    found = user.places()
    assert names(found) == ["place:base", "place:chest", "place:well"] and not found.more
    chest = found.places[1]
    assert (chest.anchor, chest.anchor_claim) == ("overworld/120/64/-33", at)
    assert [(each.type, each.predicate, each.status, each.claim) for each in chest.types] == [
        ("chest", "is_a", "active", kind)
    ]
    assert chest.confidence == chest.types[0].confidence > 0.5 and chest.distance is None
    assert names(user.places(type="Chest")) == ["place:chest"] == names(user.places(type="type:chest"))
    assert names(user.places(type="smith")) == ["npc:smith"], "whatever is said to be of a type"
    assert names(user.places(realm="nether")) == ["place:base"] == names(user.places(near="nether/0/0/0"))
    assert names(user.places(near="npc:smith")) == ["place:chest"]
    assert [each.distance for each in user.places(near="overworld/120/60/-30").places] == [5]
    assert user.places(count=1).more and names(user.places(count=1)) == ["place:base"]
    assert names(user.places(realm="overworld", near="nether/0/0/0")) == [] == names(user.places(near="place:well"))
    user.withdraw(at, "it was moved")
    assert user.places(type="chest").places[0].anchor is None


def test_candidates_are_there_only_if_asked_for(world: Three) -> None:
    user = world.user
    user.assert_claim("place:glint", "is_a", "ore", candidate=True)
    assert names(user.places(type="ore")) == []
    found = user.places(type="ore", candidates=True).places
    assert [each.types[0].status for each in found] == ["candidate"]
    path(user, "home", "glint", ticks=2)
    assert user.nearest("ore", "place:home").found == []
    assert [each.place.name for each in user.nearest("ore", "place:home", candidates=True).found] == ["place:glint"]


def test_what_has_faded_is_there_only_with_stale(world: Three) -> None:
    world.operator.define("path", "one_per_object", perish_ticks=5)
    world.user.assert_claim("npc:smith", "offers", "item:emerald", qualifiers={"for": "item:stick"})
    path(world.user, "home", "forge", ticks=2)
    for number in range(20):
        world.user.record_event(f"Day {number}")
    assert world.user.route("place:home", "place:forge").by == "nothing"
    faded = world.user.route("place:home", "place:forge", stale=True)
    assert faded.cost == 2_000 and faded.confidence < 0.5
    assert names(world.user.places()) == [] and names(world.user.places(stale=True)) == ["place:forge", "place:home"]
    path(world.user, "home", "forge", ticks=2)
    assert world.user.route("place:home", "place:forge").cost == 2_000, "said again it counts again"


def test_a_thing_was_last_where_the_latest_sighting_says(world: Three) -> None:
    user = world.user
    user.assert_claim("place:forge", "at", {"anchor": "overworld/5/64/5"})
    lives = user.assert_claim("npc:smith", "located_in", "place:village")
    user.assert_claim("npc:smith", "last_seen_at", "place:well", valid_from="2026-05-01")
    last = user.assert_claim("npc:smith", "last_seen_at", "place:forge", valid_from="2026-06-01")
    found = user.last_seen("npc:smith")
    assert found.last is not None
    assert (found.last.place, found.last.anchor, found.last.claim) == ("place:forge", "overworld/5/64/5", last)
    assert found.last.at == 1_780_272_000_000
    assert lives in [each.claim for each in found.others]
    user.alias("npc:jo", "npc:smith")
    assert user.last_seen("npc:jo").last == found.last and user.last_seen("npc:jo").name == "npc:smith"
    world.agent.assert_claim("npc:smith", "located_in", "place:moon")
    assert world.agent.last_seen("npc:smith").last == found.last, "what is trusted less comes after"
    user.assert_claim("npc:cat", "at", {"anchor": "overworld/7/-3"})
    cat = user.last_seen("npc:cat").last
    assert cat is not None and (cat.place, cat.anchor, cat.predicate) == (None, "overworld/7/-3", "at")
    assert user.last_seen("npc:nobody").last is None


def test_trades_are_told_by_how_sure_they_are_and_what_the_way_costs(world: Three) -> None:
    user = world.user
    path(user, "home", "forge", ticks=20)
    path(user, "forge", "far", ticks=900)
    near = user.assert_claim("npc:smith", "offers", "item:emerald", qualifiers={"for": "item:stick", "rate": "1:32"})
    at = user.assert_claim("npc:smith", "last_seen_at", "place:forge")
    user.assert_claim("npc:monk", "offers", "item:emerald", qualifiers={"for": "item:paper"})
    user.assert_claim("npc:monk", "located_in", "place:far")
    user.assert_claim("npc:ghost", "offers", "item:emerald", qualifiers={"for": "item:stick"})
    found = user.trades("item:emerald", from_="place:home")
    assert [each.trader for each in found.trades] == ["npc:smith", "npc:ghost"] and found.more == 1
    smith = found.trades[0]
    assert (smith.gives, smith.rate, smith.place, smith.cost, smith.steps) == (
        "item:stick", "1:32", "place:forge", 20_000, 1,
    )  # fmt: skip
    assert smith.claims[:2] == [near, at] and len(smith.claims) == 3
    assert smith.score == pytest.approx(smith.confidence / 1.2)
    assert smith.because.startswith("smith offers emerald for stick at 1:32, 8")
    assert smith.because.endswith("smith is at forge, which costs 20 by one path")
    assert [each.trader for each in user.trades("item:emerald", "item:paper").trades] == ["npc:monk"]
    everyone = user.trades("item:emerald", from_="place:home", count=5, max_cost=100_000)
    assert [each.trader for each in everyone.trades] == ["npc:smith"], "no other is reached for that"
    assert user.trades("item:gold").trades == []


def test_what_claims_join_to_a_thing_is_told_step_by_step(world: Three) -> None:
    user = world.user
    first = path(user, "a", "b", ticks=3)
    iron = user.assert_claim("place:b", "contains", "item:iron", qualifiers={"count": "4"})
    user.assert_claim("place:b", "owner", "Ana herself")
    owner = user.assert_claim("person:ana", "wants", "item:iron")
    near = user.neighbours_of("place:b")
    assert [(each.name, each.relation, each.direction, each.claim) for each in near.neighbours] == [
        ("item:iron", "contains", "out", iron),
        ("place:a", "path", "in", first),
    ]
    assert near.neighbours[0].qualifiers == {"count": "4"} and not near.cut
    far = user.neighbours_of("place:a", depth=3)
    assert [(each.name, each.depth, each.of) for each in far.neighbours] == [
        ("place:b", 1, "place:a"), ("item:iron", 2, "place:b"), ("person:ana", 3, "item:iron"),
    ]  # fmt: skip
    assert far.neighbours[2].claim == owner
    assert [each.claim for each in user.neighbours_of("place:b", relation="path").neighbours] == [first]
    assert [each.claim for each in user.neighbours_of("place:b", direction="in").neighbours] == [first]
    assert user.neighbours_of("place:a", depth=3, count=2).cut
    assert user.neighbours_of("place:zzz").neighbours == []


def test_facts_are_followed_over_claims_within_a_budget(world: Three) -> None:
    user = world.user
    saw = user.record_event("I met the smith at the well")
    seen = user.assert_claim("npc:smith", "last_seen_at", "place:well", evidence=[saw])
    offer = user.assert_claim("npc:smith", "offers", "item:emerald", qualifiers={"for": "item:stick"})
    user.assert_claim("place:well", "at", {"anchor": "overworld/9/64/9"})
    for number in range(30):
        user.assert_claim(f"npc:n{number}", "wants", f"item:i{number}")
    found = user.graph("Where is whoever offers an emerald?")
    told = {fact.claim: fact for fact in found.facts}
    assert told[seen].events == [saw] and told[seen].path[-1] == seen
    assert told[offer].text == "smith offers emerald, for stick"
    anchor = next(fact for fact in found.facts if fact.predicate == "at")
    assert anchor.object == "overworld/9/64/9" and anchor.path[-2] == seen and anchor.depth == 2
    assert [fact.score for fact in found.facts] == sorted((fact.score for fact in found.facts), reverse=True)
    assert found.tokens == sum(fact.tokens for fact in found.facts) <= 800
    assert not any(fact.predicate == "wants" for fact in found.facts)
    short = user.graph("Where is whoever offers an emerald?", tokens_max=12)
    assert short.cut and short.tokens <= 12 and short.facts
    shallow = user.graph("Where is whoever offers an emerald?", depth=1)
    assert max(fact.depth for fact in shallow.facts) == 1


def test_nothing_of_another_memory_or_from_below_the_lens_is_told(world: Three) -> None:
    user, agent = world.user, world.agent
    path(user, "home", "well", ticks=3)
    path(agent, "well", "trap", ticks=1)
    agent.assert_claim("place:trap", "is_a", "chest")
    agent.assert_claim("npc:liar", "offers", "item:emerald")
    agent.assert_claim("npc:liar", "last_seen_at", "place:well")
    above = agent.seen(trust_min=2)
    asked: list[Callable[[Any], object]] = [
        lambda memory: memory.places(),
        lambda memory: memory.nearest("chest", "place:home"),
        lambda memory: memory.route("place:home", "place:trap"),
        lambda memory: memory.last_seen("npc:liar"),
        lambda memory: memory.trades("item:emerald"),
        lambda memory: memory.neighbours_of("place:well", depth=3),
        lambda memory: memory.graph("Who is at the well with an emerald, trap or chest?"),
    ]
    for ask in asked:
        assert any(word in repr(ask(agent)) for word in ("trap", "liar"))
        if ask is not asked[2]:
            seen = repr(ask(above)).replace("'npc:liar', last=None", "").replace("trap or chest?", "")
            assert "trap" not in seen and "liar" not in seen, seen
    assert above.route("place:home", "place:trap").by == "nothing"


@pytest.mark.parametrize(
    ("read", "given"),
    [
        ("places", {"count": 0}), ("places", {"type": " "}), ("places", {"stale": 1}), ("places", {"near": 5}),
        ("nearest", {"type": "x", "from_": ""}), ("nearest", {"type": "x", "from_": "a", "k": 51}),
        ("nearest", {"type": "x", "from_": "a", "by": "bus"}), ("nearest", {"type": "x", "from_": "a", "max_cost": -1}),
        ("nearest", {"type": "x", "from_": "a", "require": "dry"}),
        ("route", {"from_": "a", "to": "b", "overlay": "day"}), ("route", {"from_": "a", "to": "b", "max_cost": 1.5}),
        ("route", {"from_": "a", "to": "b", "valid_at": "soon"}), ("last_seen", {"name": ""}),
        ("trades", {"want": "a", "count": 51}), ("neighbours_of", {"name": "a", "depth": 4}),
        ("neighbours_of", {"name": "a", "direction": "up"}), ("neighbours_of", {"name": "a", "count": 201}),
        ("graph", {"query": " "}), ("graph", {"query": "a", "depth": 3}), ("graph", {"query": "a", "tokens_max": 0}),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(world: Three, read: str, given: dict[str, Any]) -> None:
    world.user.record_event("Something")
    with pytest.raises(InvalidAskError):
        cast(Any, getattr(world.user, read))(**given)
