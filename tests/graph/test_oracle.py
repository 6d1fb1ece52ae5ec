"""An independent model predicts every answer and every value.

Half-lives are powers of two and stay so, so that the fold's table, with 4,096 steps, has an exact entry for every age;
what is left between it and the model is rounding.
"""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph import EdgeKind, NodeFlag
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.policy import Policy

from tests.graph.commands import MEMORY, Said, policy
from tests.graph.histories import said
from tests.graph.naive_model import NaiveMemory
from tests.graph.world import World, event_number, inconsistencies, live_edges, live_nodes

EXACT = {
    "node_half_life_ticks": 64.0,
    "edge_half_life_ticks": 64.0,
    "permanence_half_life_ticks": 64.0,
    "use_half_life": 2.0,
    "bad_edge_decay": 0.5,
    "half_life_max_ticks": 1024.0,
}
MODELLED = {"record_event", "log_outcome", "record_recall", "report_use"}
KINDS = {"temporal": EdgeKind.TEMPORAL, "causal": EdgeKind.CAUSAL, "contains": EdgeKind.CONTAINS}


def modelled(seed: int) -> Said | None:
    """The command of a seed, unless it is one that the model does not know, or broken, or too neutral.

    Ten neutral outcomes of one event would bring its half-life to its floor, which is no power of two.
    """
    built = said(seed)
    known = built.type in MODELLED and not built.changed and not built.content
    if not known or built.body.get("features") == ["twice", "twice"] or abs(built.body.get("value", 1)) > 10:
        return None
    if built.body.get("value") == 0 and Random(seed).random() < 0.8:
        return None
    return built


def number_of(graph: Graph, name: str) -> int:
    if name.startswith("feature:"):
        number = graph.feature(name.removeprefix("feature:"))
        assert number is not None, name
        return number
    return event_number(graph, id_bytes(name))


def compare(graph: Graph, model: NaiveMemory) -> None:
    now = graph.header.tick
    assert (now, graph.header.seq) == (model.tick, model.seq)
    nodes, numbers = live_nodes(graph), {name: number_of(graph, name) for name in model.things}
    assert sorted(nodes) == sorted(numbers.values())
    for name, thing in model.things.items():
        node = nodes[numbers[name]]
        eroded = decayed(node.permanence, now - node.tick, graph.header.policy.permanence_half_life_ticks)
        faded = decayed(node.salience, now - node.tick, node.half_life)
        found = (faded, eroded, node.impact, node.half_life)
        assert found == approx((thing.salience, thing.permanence, thing.impact, thing.half_life), rel=1e-9), name
        counted = (node.usage, node.candidates, node.recalled_tick, bool(node.flags & NodeFlag.CATASTROPHIC))
        assert counted == (thing.usage, thing.candidates, thing.recalled_at, thing.catastrophic), name
    edges = live_edges(graph)
    assert len(edges) == len(model.links)
    for (source, kind, target), link in model.links.items():
        ends = (numbers[source], numbers[target])
        key = (ends[0], KINDS[kind], ends[1]) if kind in KINDS else (min(ends), EdgeKind.ASSOCIATIVE, max(ends))
        edge = edges[key]
        eroded = decayed(edge.permanence, now - edge.tick, graph.header.policy.permanence_half_life_ticks)
        faded = decayed(edge.weight, now - edge.tick, edge.half_life)
        assert (faded, eroded, edge.half_life) == approx((link.weight, link.permanence, link.half_life), rel=1e-9)


@settings(max_examples=60, deadline=None, print_blob=True)
@given(st.lists(st.integers(0, 2**20), min_size=30, max_size=200))
def test_an_independent_model_predicts_the_memory(seeds: list[int]) -> None:
    world, model = World(), NaiveMemory(Policy(**EXACT), seq=1)  # type: ignore[arg-type]
    world.say(policy("exact", **EXACT))  # seq 1
    for command in filter(None, map(modelled, seeds)):
        outcome, seq, reason = model.say(command)
        answer = world.say(command)
        assert (answer.duplicate, answer.refused and answer.refused.reason) == (outcome == "again", reason), command
        assert answer.seq == seq
    graph = world.graph(MEMORY)
    assert inconsistencies(graph) == []
    compare(graph, model)
