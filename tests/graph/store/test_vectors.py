"""Vectors and principles in a store: what was attached is found again, whatever the cache, and goes with its node."""

from pathlib import Path

import pytest

from tests.graph.by_hand import TEN
from tests.graph.commands import MEMORY, Said, event, pin, vector
from tests.graph.hosts import digests, folded, projecting
from tests.graph.list_log import ListLog
from tests.graph.world import World
from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Header, node_number

CACHES = pytest.mark.parametrize("cached", [1, 10_000], ids=["no cache", "cached"])
E1, E2, E3 = (node_number(seq) for seq in (1, 2, 3))
ATTACHED = [
    *(event(f"e{n}") for n in (1, 2, 3)),
    vector("v4", "e2", "small"),
    vector("v5", "e2", "large"),
    vector("v6", "e1", "small"),
    vector("v7", "e2", "small", b"\x07"),
    vector("v8", "e2", "other"),
]


def log(said: list[Said]) -> ListLog:
    return ListLog([each.record(offset) for offset, each in enumerate(said)])


def graph_of(projector: Projector) -> Graph:
    graph = projector.store.peek(MEMORY)
    assert graph is not None
    return graph


def seqs(graph: Graph, number: int) -> dict[str, int]:
    return {model: seq for model, (seq, _) in graph.vectors(number).items()}


@CACHES
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_what_was_attached_is_found_again(tmp_path: Path, cached: int, batch: int) -> None:
    with projecting(log(ATTACHED), tmp_path, cached) as projector:
        while projector.advance(batch):
            pass
        graph = graph_of(projector)
        assert graph.changed_vectors == {}
        assert (seqs(graph, E1), seqs(graph, E2)) == ({"small": 6}, {"other": 8, "small": 7})
    with projecting(log(ATTACHED), tmp_path) as projector:
        graph = graph_of(projector)
        assert (seqs(graph, E1), seqs(graph, E2), seqs(graph, E3)) == ({"small": 6}, {"other": 8, "small": 7}, {})
        assert graph.vector(E2, "small") == ATTACHED[6].record().value
        assert graph.vector(E2, "large") is None


def test_before_the_flush_it_is_found_as_well(tmp_path: Path) -> None:
    with projecting(log(ATTACHED[:6]), tmp_path) as projector:
        projector.catch_up()
        graph = graph_of(projector)
        node = graph.expect(E2)
        graph.attach(node, "third", 9, b"later", "small")
        assert seqs(graph, E2) == {"large": 5, "third": 9}
        graph.remove_node(E2)
        assert graph.vectors(E2) == {}


def test_all_vectors_are_read_in_order_of_node_and_model(tmp_path: Path) -> None:
    with projecting(log(ATTACHED), tmp_path) as projector:
        projector.catch_up()
        source = graph_of(projector).source
        rows = source.vectors_from(0)
        assert [row[:3] for row in rows] == [(E1, "small", 6), (E2, "other", 8), (E2, "small", 7)]
        assert [row[3] for row in rows] == [ATTACHED[at].record().value for at in (5, 7, 6)]
        assert source.vectors_from(E2) == rows[1:]
        assert source.vectors_from(E2 + 1) == []


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_pages_never_part_the_vectors_of_a_node(tmp_path: Path, count: int) -> None:
    with projecting(log(ATTACHED), tmp_path) as projector:
        projector.catch_up()
        source = graph_of(projector).source
        pages, number = [], 0
        while page := source.vectors_from(number, count):
            pages.append(page)
            number = page[-1][0] + 1
        assert [row for page in pages for row in page] == source.vectors_from(0)
        assert all(len(page) <= count + 1 for page in pages)


@CACHES
def test_what_is_forgotten_leaves_nothing_behind(tmp_path: Path, cached: int) -> None:
    """The oldest two go with the eleventh node: one has two vectors, and one is a principle that two younger beat."""
    pins = [pin(f"p{n}", f"e{n}", principle=True) for n in (2, 4, 5)]
    said = [TEN, *(event(f"e{n}") for n in range(1, 11)), *pins, vector("v1", "e1"), vector("v2", "e1", "large")]
    said += [vector("v3", "e4"), vector("v4", "e2"), event("eleventh")]
    with projecting(log(said), tmp_path, cached) as projector:
        while projector.advance(4):
            pass
        graph = graph_of(projector)
        gone = [number for number in map(node_number, range(2, 12)) if graph.node(number) is None]
        assert gone == [node_number(2), node_number(3)]
        assert graph.header.principles == [node_number(5), node_number(6)]
        assert graph.source.vectors_from(0) == [(node_number(5), "small", 17, said[16].record().value)]
        left = projector.store._db.scan(families.VECTORS, graph.source.prefix)
        assert len(left) == 1


def test_what_is_kept_of_vectors_is_in_the_digest(tmp_path: Path) -> None:
    """A store in which one is missing, or another one stands in its place, is another memory."""
    expected = folded(log(ATTACHED).records, tmp_path)
    with projecting(log(ATTACHED), tmp_path) as projector:
        graph = graph_of(projector)
        ((key, kept),) = projector.store._db.scan(families.VECTORS, graph.source.prefix, count=1)
        for other in (None, kept[:7] + b"\x05" + kept[8:]):
            batch = projector.store._db.batch()
            batch.delete(families.VECTORS, key) if other is None else batch.put(families.VECTORS, key, other)
            projector.store._db.write(batch)
            assert digests(projector.store) != expected
        batch = projector.store._db.batch()
        batch.put(families.VECTORS, key, kept)
        projector.store._db.write(batch)
        assert digests(projector.store) == expected


def test_a_memory_without_a_store_has_its_vectors_too() -> None:
    world = World()
    for said in ATTACHED:
        world.say(said)
    assert seqs(world.graph(MEMORY), E2) == {"other": 8, "small": 7}
    nothing = Graph(Header(MEMORY), NothingStored())
    assert (nothing.vectors(E2), nothing.vector(E2, "small"), nothing.source.vectors_from(0)) == ({}, None, [])
