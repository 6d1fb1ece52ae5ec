"""A false path from below, in random worlds: it changes no way of who looks above, and opens nothing blocked."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.retrieval.reads.places.world import Three, path, three, wander
from tests.size import turns
from yggdrasil import CommandRefusedError, Memory

PLACES = 8
NAMES = [f"place:p{number:02}" for number in range(PLACES)]
OVERLAYS = (None, "night", "load", "safe")


def ways(memory: Memory[Any]) -> dict[tuple[str, str, str | None], Any]:
    """All ways of a world, by their ends and the overlay; ``as_of`` is not of them."""
    return {
        (one, other, overlay): replace(memory.route(one, other, overlay=overlay), as_of=0)
        for one in NAMES
        for other in NAMES
        if one != other
        for overlay in OVERLAYS
    }


def near(memory: Memory[Any]) -> list[Any]:
    """What is near to each place, by path and by distance, and where everything is."""
    found: list[Any] = []
    for name in NAMES:
        found += [memory.nearest("inn", name, k=4, by=by) for by in ("path", "distance")]
        found += [memory.places(near=name), memory.last_seen(name)]
    found += [memory.places(), memory.places(type="inn"), memory.last_seen("npc:smith")]
    trades = [
        memory.trades("item:nail", from_=name).trades for name in NAMES
    ]  # how sure they are fades with each event
    return [
        *(replace(each, as_of=0) for each in found),
        *((each.trader, each.place, each.cost, each.steps, each.distance) for some in trades for each in some),
    ]


def known(memory: Memory[Any], rng: Random) -> None:
    """Say where things are, and of what type; by whoever is trusted."""
    for name in NAMES:
        if rng.random() < 0.7:
            memory.assert_claim(name, "at", {"anchor": f"o/{rng.randrange(99)}/64/{rng.randrange(99)}"})
        if rng.random() < 0.4:
            memory.assert_claim(name, "is_a", "inn")
    memory.assert_claim("npc:smith", "offers", "item:nail")
    memory.assert_claim("npc:smith", "last_seen_at", rng.choice(NAMES))


def attempt(said: Callable[[], object]) -> bool:
    """Whether something was taken that may be refused."""
    try:
        said()
    except CommandRefusedError:
        return False
    return True


def lie(world: Three, rng: Random, claims: list[str]) -> bool:
    """Let the agent say whatever moves a place, opens a path, or takes a claim of others away."""
    agent, place, other = world.agent, rng.choice(NAMES), rng.choice([*NAMES, "place:evil"])
    anchor = {"anchor": f"o/{rng.randrange(99)}/64/{rng.randrange(99)}"}
    said: dict[str, Callable[[], object]] = {
        "path": lambda: wander(Three(agent, agent, agent), rng, PLACES, 1),
        "evil": lambda: path(agent, place.partition(":")[2], "evil", ticks=1, oneway=rng.choice(("yes", "no"))),
        "at": lambda: agent.assert_claim(place, "at", anchor),
        "seen": lambda: agent.assert_claim(place, "last_seen_at", rng.choice((anchor, other))),
        "in": lambda: agent.assert_claim(place, "located_in", other),
        "smith": lambda: agent.assert_claim("npc:smith", "last_seen_at", other),
        "alias": lambda: agent.alias(*rng.sample([place, "place:evil", other], 2)),
        "unalias": lambda: agent.unalias(place),
        "instead": lambda: agent.assert_claim(place, "path", other, supersedes=rng.choice(claims)),
        "judge": lambda: agent.judge(
            {rng.choice(claims): rng.choice(("reject", "resolve", "quarantine"))}, reason="no"
        ),
        "walk": lambda: agent.walk(place, [{"to": other, "ticks": 1}]) if place != other else None,
    }
    return attempt(said[rng.choice(sorted(said))])


@pytest.mark.parametrize("seed", range(turns(3, 12)))
def test_nothing_that_is_said_from_below_changes_a_way_of_who_looks_above(tmp_path: Path, seed: int) -> None:
    rng, taken = Random(f"below{seed}"), 0
    with three(tmp_path) as world:
        trusted = Three(world.operator, world.user, world.user)
        wander(trusted, rng, PLACES, 14)
        known(world.user, rng)
        claims = [each.ref for each in world.user.claims(count=100).claims]
        above = world.agent.seen(trust_min=2)
        before = ways(above), near(above)
        for _ in range(turns(80, 200)):
            taken += lie(world, rng, claims)
        assert (ways(above), near(above)) == before
        assert taken > 40
        assert any(each.trust == 1 for each in world.agent.claims(predicate="path", count=200).claims)


@pytest.mark.parametrize("seed", range(turns(3, 12)))
def test_no_path_from_below_opens_what_somebody_above_knows_to_be_blocked(tmp_path: Path, seed: int) -> None:
    rng, taken = Random(f"blocked{seed}"), 0
    with three(tmp_path) as world:
        wander(Three(world.operator, world.user, world.user), rng, PLACES, 12)
        called = {name: [name] for name in NAMES}
        for name in NAMES:
            if rng.random() < 0.4:  # a second name, of whoever is trusted, or of the agent
                called[name].append(f"{name} also")
                rng.choice((world.user, world.agent)).alias(f"{name} also", name)
        blocked = [rng.sample(NAMES, 2) for _ in range(4)]
        for ends in blocked:
            path(world.user, *(name.partition(":")[2] for name in ends), blocked="yes")
        before = ways(world.agent)
        alone = [name for name in NAMES if len(called[name]) == 1]
        for _ in range(turns(60, 150)):
            one, other = (rng.choice(called[name]) for name in rng.choice(blocked))
            joined = one in alone and rng.random() < 0.5  # for as long as it says the path
            joined = joined and attempt(lambda: world.agent.alias(one, rng.choice(alone)))  # noqa: B023
            said: dict[str, Any] = {"qualifiers": {"ticks": str(rng.randrange(40)), "lit": "yes", "risk": "0"}}
            said["qualifiers"] |= {"oneway": "yes"} if rng.random() < 0.3 else {}
            said["valid_from"] = rng.choice((None, "2020-01-01", "2025-06-01"))
            begin, end = (one, other) if rng.random() < 0.5 else (other, one)
            taken += attempt(lambda: world.agent.assert_claim(begin, "path", end, **said))  # noqa: B023
            if joined:
                world.agent.unalias(one)
        after = ways(world.agent)
        assert taken > 20
        assert after == before


def test_no_spelling_and_no_direction_opens_what_is_blocked(tmp_path: Path) -> None:
    composed, apart = "place:caf\u00e9", "place:cafe\u0301"
    with three(tmp_path) as world:
        world.user.assert_claim("place:home", "path", composed, qualifiers={"blocked": "yes"})
        for said in (apart, composed):
            world.agent.assert_claim("place:home", "path", said, qualifiers={"ticks": "1"})
            world.agent.assert_claim(said, "path", "place:home", qualifiers={"ticks": "2", "oneway": "yes"})
        for one, other in (("place:home", apart), (composed, "place:home")):
            assert world.agent.route(one, other).by == "nothing"
        for other in ("place:Caf\u00e9", "place:cafe"):
            world.agent.assert_claim("place:home", "path", other, qualifiers={"ticks": "1"})
        assert world.agent.route("place:home", composed).by == "nothing", "these are other places"


def test_a_block_of_one_direction_from_above_leaves_the_other_as_it_was(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        path(world.user, "a", "b", blocked="yes", oneway="yes")
        path(world.agent, "a", "b", ticks=1)
        assert world.agent.route("place:a", "place:b").by == "nothing"
        assert world.agent.route("place:b", "place:a").cost == 1_000, "of this nobody above has said anything"


def test_a_path_from_below_is_no_safer_and_no_lighter_than_is_known(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        path(world.user, "a", "b", ticks=10, risk=500, lit="no")
        path(world.user, "a", "c", ticks=15)
        path(world.user, "c", "b", ticks=15)
        asked: list[dict[str, Any]] = [{"overlay": "night"}, {"overlay": "safe"}, {"require": "lit"}, {}]
        before = [world.agent.route("place:a", "place:b", **each) for each in asked]
        for risk, lit in ((0, "yes"), (0, "no"), (500, "yes")):
            path(world.agent, "a", "b", ticks=10, risk=risk, lit=lit)
            path(world.agent, "b", "a", ticks=1, risk=risk, lit=lit)
        after = [world.agent.route("place:a", "place:b", **each) for each in asked]
        assert [(each.cost, each.steps) for each in after] == [(each.cost, each.steps) for each in before]
        assert [len(each.steps) for each in after] == [2, 2, 2, 1]


def test_no_anchor_from_below_moves_a_place_that_somebody_above_put_elsewhere(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        user, agent = world.user, world.agent
        for name, x in (("home", 0), ("inn", 10), ("far", 500)):
            user.assert_claim(f"place:{name}", "at", {"anchor": f"o/{x}/64/0"})
        for name in ("inn", "far"):
            user.assert_claim(f"place:{name}", "is_a", "inn")
        path(user, "home", "pit", ticks=7)

        def told() -> list[Any]:
            by_path, by_distance = (agent.nearest("inn", "place:home", k=2, by=by) for by in ("path", "distance"))
            found = [(each.place.name, each.by, each.distance, each.at) for each in by_path.found + by_distance.found]
            return [*found, *((each.name, each.anchor) for each in agent.places(near="place:home").places)]

        before = told()
        assert before[0] == ("place:inn", "distance", 10, None)
        agent.assert_claim("place:far", "at", {"anchor": "o/1/64/0"})
        agent.assert_claim("place:home", "at", {"anchor": "o/500/64/1"})
        agent.assert_claim("place:far", "last_seen_at", {"anchor": "o/1/64/0"})
        assert told() == before
        agent.assert_claim("place:far", "located_in", "place:home")
        agent.assert_claim("place:inn", "last_seen_at", "place:pit")
        assert told() == before, "nor is it in another place, for who trusts the agent less"
        agent.assert_claim("place:pit", "at", {"anchor": "o/90/64/0"})
        assert told()[:4] == before[:4], "nor if that is far from it"
        agent.assert_claim("place:pit", "at", {"anchor": "o/12/64/0"})
        assert told()[0] == ("place:inn", "path", 10, "place:pit"), "a way to where it is, and it is where it was"


def test_an_anchor_from_above_that_agrees_with_the_place_cuts_nobody_off(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        user = world.user
        for name, x in (("home", 0), ("inn", 50)):
            user.assert_claim(f"place:{name}", "at", {"anchor": f"o/{x}/64/0"})
        path(user, "home", "inn", ticks=5)
        user.assert_claim("npc:smith", "offers", "item:nail")
        user.assert_claim("npc:smith", "last_seen_at", "place:inn")

        def told() -> tuple[str | None, int | None, int | None, int | None]:
            (trade,) = user.trades("item:nail", from_="place:home").trades
            return trade.place, trade.cost, trade.distance, user.route("place:home", "npc:smith").cost

        assert told() == ("place:inn", 5_000, 50, 5_000)
        world.operator.assert_claim("npc:smith", "at", {"anchor": "o/52/64/0"})
        assert told() == ("place:inn", 5_000, 52, 5_000), "the way leads to the inn, and where the smith is is known"
        world.operator.assert_claim("npc:smith", "at", {"anchor": "o/200/64/0"})
        assert told() == (None, None, 200, None), "this is not at the inn"
        world.operator.assert_claim("npc:smith", "at", {"anchor": "nether/50/64/0"})
        assert told() == (None, None, None, None), "nor is another realm"


def test_names_that_are_joined_from_below_and_told_apart_again_open_nothing(tmp_path: Path) -> None:
    """Two claims of a user came into one slot, and each took from how sure the other was."""
    with three(tmp_path) as world:
        path(world.user, "a", "c", blocked="yes")
        path(world.user, "b", "c", ticks=3)
        world.agent.alias("place:a", "place:b")
        path(world.agent, "a", "c", ticks=1)
        world.agent.unalias("place:a")
        path(world.agent, "a", "c", ticks=2)
        assert world.agent.route("place:a", "place:c").by == "nothing"
        told = world.user.seen(trust_min=2).claims(predicate="path").claims
        assert [each.claim.confidence > 0.8 for each in told if each.claim is not None] == [True, True]
        world.user.assert_claim("place:b", "path", "place:c", qualifiers={"ticks": "4"})
        world.user.alias("place:a", "place:b")
        path(world.user, "a", "c", ticks=5)
        assert world.user.route("place:b", "place:c").cost == 5_000, "what a user joins is one place"
