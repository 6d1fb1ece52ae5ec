"""The cache of graphs: bounded by records, and never the reason for another result."""

import pytest

from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.store.cache import GraphCache
from yggdrasil_projections.graph.table import Table
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.codec import NODE_KEYS, NODE_ROWS, NUMBER
from yggdrasil_schemas.graph.records import Header, Node, NodeKind


def full(memory: str, nodes: int) -> Graph:
    graph = Graph(Header(memory), NothingStored())
    for number in range(64, 64 + nodes):
        graph.add_node(Node(number, NodeKind.EVENT, 0, 1.0, 1.0), b"")
    graph.flushed()
    return graph


def settled(cache: GraphCache, *graphs: Graph) -> None:
    for graph in graphs:
        cache.add(graph.header.memory, graph)
    for graph in graphs:
        cache.settle(graph.header.memory)


def test_the_memory_that_was_used_longest_ago_goes_first() -> None:
    cache = GraphCache(45)
    a, b, c = (full(name, 10) for name in "abc")
    settled(cache, a, b)
    cache.settle("a")
    settled(cache, c)
    assert [cache.get(name) for name in "abc"] == [a, None, c]


def test_a_memory_larger_than_the_bound_is_dropped_in_parts() -> None:
    cache = GraphCache(80)
    graph = full("a", 200)
    settled(cache, graph)
    assert cache.get("a") is graph
    assert 0 < graph.cached() <= 80


def test_what_was_touched_longest_ago_is_dropped_first_however_long_it_has_been_cached() -> None:
    cache = GraphCache(80)
    graph = full("a", 200)
    graph.header.tick = 7
    hubs = list(range(64, 84))  # the first that came in, and met by every event since
    for number in hubs:
        graph.settle(number)
    graph.flushed()
    settled(cache, graph)
    assert set(hubs) <= set(graph._nodes)
    assert set(graph._links) <= set(graph._nodes)


@pytest.mark.parametrize(("records", "kept"), [(10, True), (150, False)])
def test_the_tables_of_a_scan_are_dropped_last(records: int, kept: bool) -> None:
    graph = full("a", 200)
    graph.tables.nodes = Table(
        [(NUMBER.pack(number), bytes(NODE_ROWS.itemsize)) for number in range(4)], NODE_KEYS, NODE_ROWS
    )
    graph.evict(records)
    assert (graph.tables.nodes is not None) is kept
    assert graph.cached() < 200


def test_what_reading_has_cached_is_counted_when_it_is_settled() -> None:
    cache = GraphCache(25)
    a, b = full("a", 10), Graph(Header("b"), NothingStored())
    settled(cache, a)
    cache.add("b", b)
    for number in range(64, 74):
        b.add_node(Node(number, NodeKind.EVENT, 0, 1.0, 1.0), b"")
    b.flushed()
    assert cache.get("a") is a
    cache.settle("b")
    assert (cache.get("a"), cache.get("b")) == (None, b)


def test_settling_what_was_dropped_meanwhile_is_no_error() -> None:
    cache = GraphCache(5)
    a, b = full("a", 4), full("b", 4)
    settled(cache, a, b)
    assert cache.get("a") is None or cache.get("b") is None
    cache.settle("nobody")


def test_memories_that_hold_nothing_are_bounded_too() -> None:
    """Whoever may append can name a new memory in every command, and be refused."""
    cache = GraphCache(100)
    names = [f"memory {number}" for number in range(200)]
    settled(cache, *(Graph(Header(name), NothingStored()) for name in names))
    assert sum(cache.get(name) is not None for name in names) == 10
