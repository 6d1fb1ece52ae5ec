"""Routes and what is nearest, against networkx and a plain Dijkstra over the claims as they are told one by one."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import pytest

from tests.retrieval.reads.places.world import Edge, edges_of, path, three, wander
from tests.size import turns
from yggdrasil import Memory
from yggdrasil_projections.retrieval.reads.places.overlay import Overlaid

USUAL = {"ticks": 1_000, "distance": 0, "dark": 0, "risk": 0}
OVERLAYS: list[tuple[Overlaid | None, dict[str, int]]] = [
    (None, {}),
    ("night", {"dark": 1_000, "risk": 3_000}),
    ("load", {"distance": 1_000}),
    ("safe", {"risk": 10_000}),
    ("dark:-0.5,distance:0.125", {"dark": -500, "distance": 125}),
    ({"ticks": 0.25, "risk": 1.5}, {"ticks": 250, "risk": 1_500}),
]


def ways(
    edges: Mapping[tuple[str, str], Edge], begin: str, weights: dict[str, int]
) -> dict[str, tuple[int, list[str]]]:
    """All that is reached, with its cost and the places on the way: by cost, and of equal ones by name."""
    reached: dict[str, tuple[int, list[str]]] = {}
    near: dict[str, tuple[int, list[str]]] = {begin: (0, [begin])}
    while near:
        place = min(near, key=lambda each: (near[each][0], each))
        cost, way = reached[place] = near.pop(place)
        for (one, other), edge in sorted(edges.items()):
            more = edge.cost(weights)
            if one != place or more is None or other in reached:
                continue
            if other not in near or cost + more < near[other][0]:
                near[other] = cost + more, [*way, other]
    return reached


def costs_by_networkx(edges: Mapping[tuple[str, str], Edge], begin: str, weights: dict[str, int]) -> dict[str, int]:
    graph: Any = nx.DiGraph()
    graph.add_node(begin)
    for (one, other), edge in edges.items():
        if (cost := edge.cost(weights)) is not None:
            graph.add_edge(one, other, weight=cost)
    return {place: int(cost) for place, cost in nx.single_source_dijkstra_path_length(graph, begin).items()}


@pytest.mark.parametrize("seed", range(turns(4, 16)))
def test_routes_are_those_of_an_oracle(tmp_path: Path, seed: int) -> None:
    rng = Random(f"routes{seed}")
    with three(tmp_path) as world:
        wander(world, rng, 14, 70)
        seen: list[Memory[Any]] = [world.agent, world.agent.seen(trust_min=2), world.agent.seen(trust_min=4)]
        found = 0
        for memory in seen:
            edges = edges_of(memory)
            for _ in range(turns(8, 20)):
                begin, end = (f"place:p{number:02}" for number in rng.sample(range(14), 2))
                overlay, weights = rng.choice(OVERLAYS)
                expected = ways(edges, begin, USUAL | weights)
                assert {place: cost for place, (cost, _) in expected.items()} == costs_by_networkx(
                    edges, begin, USUAL | weights
                )
                route = memory.route(begin, end, overlay=overlay)
                if end not in expected:
                    assert (route.by, route.cost, route.steps) == ("nothing", None, [])
                    continue
                cost, way = expected[end]
                assert (route.by, route.cost, route.gave_up) == ("path", cost, False)
                assert [begin, *(step.end for step in route.steps)] == way
                assert sum(step.cost for step in route.steps) == cost
                for step in route.steps:
                    edge = edges[step.begin, step.end]
                    assert (step.claim, step.confidence) == (edge.claim.ref, edge.rank[1])
                found += len(route.steps) > 1
                assert memory.route(begin, end, overlay=overlay, max_cost=cost).cost == cost
                if cost:
                    assert memory.route(begin, end, overlay=overlay, max_cost=cost - 1).by == "nothing"
        assert found > 5


@pytest.mark.parametrize("seed", range(turns(3, 12)))
def test_what_is_nearest_is_what_an_oracle_finds(tmp_path: Path, seed: int) -> None:
    rng = Random(f"nearest{seed}")
    with three(tmp_path) as world:
        wander(world, rng, 14, 50)
        anchors: dict[str, tuple[int, int, int]] = {}
        kinds: dict[str, int] = {}
        for number in range(18):
            name = f"place:p{number:02}"
            if rng.random() < 0.7:
                x, y, z = anchors[name] = (rng.randrange(-30, 30), rng.randrange(60, 70), rng.randrange(-30, 30))
                world.operator.assert_claim(name, "at", {"anchor": f"overworld/{x}/{y}/{z}"})
            if rng.random() < 0.6:
                who = rng.choice((world.user, world.agent))
                kinds[name] = 2 if who is world.user else 1
                who.assert_claim(name, "is_a", rng.choice(("chest", "type:Chest")))
        for trust in (0, 2):
            memory = world.agent.seen(trust_min=trust)
            edges = edges_of(memory)
            wanted = {name for name, by in kinds.items() if by >= trust}
            for _ in range(turns(8, 20)):
                begin, k = f"place:p{rng.randrange(14):02}", rng.randrange(1, 12)
                overlay, weights = rng.choice(OVERLAYS)
                reached = ways(edges, begin, USUAL | weights)
                order = sorted((cost, name) for name, (cost, _) in reached.items() if name in wanted)
                expected: list[tuple[str, str, int | None]] = [(name, "path", cost) for cost, name in order[:k]]
                others: list[tuple[int, str]] = []
                if begin in anchors:
                    others = sorted((away(anchors[begin], anchors[name]), name) for name in wanted & {*anchors})
                    told = {name for name, _, _ in expected}
                    expected += [(name, "distance", None) for _, name in others if name not in told][
                        : k - len(expected)
                    ]
                found = memory.nearest("chest", begin, k=k, overlay=overlay)
                assert [(each.place.name, each.by, each.cost) for each in found.found] == expected
                for each in found.found:
                    if begin in anchors and each.place.name in anchors:
                        assert each.distance == away(anchors[begin], anchors[each.place.name])
                by = memory.nearest("chest", begin, k=k, by="distance")
                if begin in anchors:
                    assert [(each.distance, each.place.name) for each in by.found] == others[:k]


def away(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return int(sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5)


def test_a_false_path_of_somebody_who_is_trusted_less_changes_no_route_of_who_looks_above(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        path(world.user, "home", "bridge", ticks=10)
        path(world.user, "bridge", "town", ticks=10)
        path(world.user, "home", "swamp", ticks=5, risk=900)
        path(world.user, "swamp", "town", ticks=5)
        above = world.agent.seen(trust_min=2)
        before = above.route("place:home", "place:town", overlay="safe")
        assert [step.end for step in before.steps] == ["place:bridge", "place:town"] and before.cost == 20_000
        path(world.agent, "home", "swamp", ticks=5, risk=0, oneway="yes")
        path(world.agent, "home", "town", ticks=1)
        assert above.route("place:home", "place:town", overlay="safe") == before.__class__(
            "path", before.cost, before.steps, before.confidence, None, gave_up=False, as_of=before.as_of + 2
        )
        below = world.agent.route("place:home", "place:town", overlay="safe")
        assert below.cost == 1_000, "who looks at all sees what the agent says"
        world.user.assert_claim("place:swamp", "is_a", "swamp")
        (swamp,) = world.agent.nearest("swamp", "place:home", overlay="safe").found
        assert (swamp.cost, swamp.steps) == (6_000, 2), "of two for one pair the more trusted counts: 50 to go straight"
        path(world.user, "home", "town", blocked="yes")
        assert world.agent.route("place:home", "place:town", overlay="safe").cost == 20_000, "a block counts as well"


def test_what_stands_no_more_or_does_not_hold_is_not_walked(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        user = world.user
        quick = path(user, "a", "b", ticks=1)
        path(user, "a", "c", ticks=5)
        path(user, "c", "b", ticks=5)
        assert user.route("place:a", "place:b").cost == 1_000
        user.withdraw(quick, "it was washed away")
        assert user.route("place:a", "place:b").cost == 10_000
        user.assert_claim(
            "place:a", "path", "place:b", qualifiers={"ticks": "2"}, valid_from="2026-06-01", valid_to="2026-07-01"
        )
        assert user.route("place:a", "place:b").cost == 10_000, "the present is neither"
        assert user.route("place:a", "place:b", valid_at="2026-06-10").cost == 2_000
        assert user.route("place:a", "place:b", valid_at="2026-07-10").cost == 10_000


def test_paths_that_are_blocked_dark_or_lead_one_way(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        user = world.user
        path(user, "a", "b", ticks=3, oneway="yes")
        path(user, "b", "c", ticks=4, lit="no")
        path(user, "c", "d", length=7)
        path(user, "d", "e")
        assert user.route("place:a", "place:e").cost == 15_000, "length for ticks, and one for neither"
        assert user.route("place:e", "place:b").cost == 12_000
        assert user.route("place:e", "place:a").by == "nothing"
        assert user.route("place:a", "place:e", require="lit").by == "nothing"
        assert [step.lit for step in user.route("place:a", "place:e").steps] == [True, False, True, True]
        assert user.route("place:a", "place:a").steps == [] and user.route("place:a", "place:a").cost == 0
        assert user.route("place:a", "place:nowhere").by == "nothing"
        assert user.route("place:nowhere", "place:a").by == "nothing"


def test_things_that_have_several_names_are_one_place(tmp_path: Path) -> None:
    with three(tmp_path) as world:
        user, agent = world.user, world.agent
        path(user, "home", "gate", ticks=2)
        path(user, "portal", "town", ticks=3)
        assert user.route("place:home", "place:town").by == "nothing"
        user.alias("place:portal", "place:gate")
        found = user.route("place:home", "place:town")
        assert found.cost == 5_000 and [step.end for step in found.steps] == ["place:gate", "place:town"]
        assert user.route("place:portal", "place:home").cost == 2_000, "by any of its names"
        agent.alias("place:cellar", "place:home")
        path(user, "cellar", "vault", ticks=1)
        assert user.route("place:home", "place:vault").by == "nothing", "what an agent joins joins nothing of a user's"
        path(agent, "cellar", "hole", ticks=1)
        assert user.route("place:home", "place:hole").cost == 1_000


def test_a_search_that_passes_too_many_places_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yggdrasil_projections.retrieval.reads.places.routing.EXPANSIONS_MAX", 5)
    with three(tmp_path) as world:
        for number in range(9):
            path(world.user, f"p{number}", f"p{number + 1}", ticks=1)
        world.user.assert_claim("place:p3", "is_a", "well")
        world.user.assert_claim("place:p8", "is_a", "chest")
        near = world.user.route("place:p0", "place:p4")
        assert near.cost == 4_000 and not near.gave_up
        far = world.user.route("place:p0", "place:p8")
        assert far.by == "nothing" and far.gave_up
        assert world.user.nearest("chest", "place:p0").gave_up
        assert not world.user.nearest("well", "place:p0").gave_up
