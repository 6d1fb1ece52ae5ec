"""Rulings and slots in a store: what stands is found again, whatever the cache, and goes with its node."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.graph.by_hand import TEN
from tests.graph.commands import MEMORY, Said, event, judge
from tests.graph.hosts import digests, folded, projecting
from tests.graph.laws.knowledge.standing import of_key, of_node
from tests.graph.list_log import ListLog
from tests.graph.world import World
from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Header, Ruling, Status, node_number
from yggdrasil_schemas.ids import id_bytes

CACHES = pytest.mark.parametrize("cached", [1, 10_000], ids=["no cache", "cached"])
KEY, OTHER = of_key("diet"), of_key("sport")
SAID = [
    event("a", key="diet"),
    event("b", key="diet", origin="tool"),
    event("c", key="diet"),
    event("d", key="sport"),
    event("e"),
    event("f", supersedes="e"),
    judge("j", ("d", "reject"), reason="it was found out"),
]


def log(said: list[Said]) -> ListLog:
    return ListLog([each.record(offset) for offset, each in enumerate(said)])


def graph_of(projector: Projector) -> Graph:
    graph = projector.store.peek(MEMORY)
    assert graph is not None
    return graph


def standing(graph: Graph) -> dict[int, tuple[int, Ruling]]:
    """Status and ruling of every node, by the seq of its command."""
    nodes = ((seq, graph.expect(node_number(seq))) for seq in range(1, 7))
    return {seq: (node.status, graph.ruling(node)) for seq, node in nodes}


def slots(graph: Graph) -> list[tuple[list[int], list[int]]]:
    """Of three slots what is in each, and all that names it."""
    return [(graph.slot(which), graph.ruled(which)) for which in (KEY, OTHER, of_node(5))]


def numbers(*seqs: int) -> list[int]:
    return [node_number(seq) for seq in seqs]


EXPECTED = [(numbers(2, 3), numbers(1, 2, 3)), ([], numbers(4)), (numbers(6), numbers(5, 6))]


@CACHES
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_what_stands_is_found_again(tmp_path: Path, cached: int, batch: int) -> None:
    world = World()
    for said in SAID:
        world.say(said)
    expected = standing(world.graph(MEMORY))
    assert [Status(status).name for status, _ in expected.values()] == [
        "SUPERSEDED",
        "ACTIVE",
        "QUARANTINED",
        "REJECTED",
        "SUPERSEDED",
        "ACTIVE",
    ]
    assert slots(world.graph(MEMORY)) == EXPECTED
    with projecting(log(SAID), tmp_path, cached) as projector:
        while projector.advance(batch):
            pass
        graph = graph_of(projector)
        assert (graph.changed_rulings, graph.changed_slots) == ({}, {})
        assert (standing(graph), slots(graph)) == (expected, EXPECTED)
    with projecting(log(SAID), tmp_path) as projector:
        assert (standing(graph_of(projector)), slots(graph_of(projector))) == (expected, EXPECTED)


def test_before_the_flush_it_is_found_as_well(tmp_path: Path) -> None:
    with projecting(log(SAID), tmp_path) as projector:
        projector.catch_up()
        graph = graph_of(projector)
        first, second = graph.expect(node_number(1)), graph.expect(node_number(2))
        graph.rule(first, Status.ACTIVE, graph.ruling(first)._replace(reason="later"))
        graph.rule(second, Status.RESOLVED, graph.ruling(second))
        assert graph.ruling(first).reason == "later"
        assert slots(graph)[0] == (numbers(1, 3), numbers(1, 2, 3))
        graph.remove_node(first.number)
        assert slots(graph)[0] == (numbers(3), numbers(2, 3))


@CACHES
def test_what_is_forgotten_leaves_nothing_behind(tmp_path: Path, cached: int) -> None:
    """The oldest of what has fallen go with the eleventh node: one was superseded, one is all that was in its slot."""
    said = [
        TEN,
        event("a"),
        event("b", supersedes="a"),
        *(event(f"x{n}") for n in range(8)),
        judge("j", ("b", "reject"), ("x5", "reject")),
    ]
    with projecting(log([*said, event("eleventh")]), tmp_path, cached) as projector:
        while projector.advance(4):
            pass
        graph = graph_of(projector)
        assert [graph.node(number) for number in numbers(2, 3)] == [None, None]
        rulings = projector.store._db.scan(families.RULINGS, graph.source.prefix)
        assert [key[len(graph.source.prefix) :] for key, _ in rulings] == [node_number(9).to_bytes(8, "big")]
        assert projector.store._db.scan(families.SLOTS, graph.source.prefix) == []
        assert projector.store._db.scan(families.MEMBERS, graph.source.prefix) == []
        assert (graph.slot(of_node(2)), graph.ruled(of_node(2))) == ([], [])


def test_rulings_are_in_the_digest(tmp_path: Path) -> None:
    """A store in which one is missing, or another one stands in its place, is another memory; of each of its fields."""
    expected = folded(log(SAID).records, tmp_path)
    with projecting(log(SAID), tmp_path) as projector:
        graph = graph_of(projector)
        key, kept = projector.store._db.scan(families.RULINGS, graph.source.prefix)[3]
        assert (kept[:16], kept[-16:]) == (id_bytes(SAID[6].fields()["id"]), b"it was found out")
        others = [kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :] for at in (0, 16, 24, 26, len(kept) - 1)]
        for other in (None, *others):
            batch = projector.store._db.batch()
            batch.delete(families.RULINGS, key) if other is None else batch.put(families.RULINGS, key, other)
            projector.store._db.write(batch)
            assert digests(projector.store) != expected
        batch = projector.store._db.batch()
        batch.put(families.RULINGS, key, kept)
        projector.store._db.write(batch)
        assert digests(projector.store) == expected


@pytest.mark.parametrize("stamped", [{"trust": 1}, {"trust": 4}, {"origin": "thinker"}, {"session": "other"}])
def test_whatever_laws_read_is_in_the_digest(tmp_path: Path, stamped: dict[str, object]) -> None:
    """Though nothing else is other by it: an agent's trust is 1 at most, and a refused command makes nothing."""
    nobodys = judge("k", ("nobody", "reject"))
    plain = [*SAID, nobodys]
    other = [*SAID, Said("k", "judge", nobodys.body, changed=stamped)]
    assert folded(log(plain).records, tmp_path / "plain") != folded(log(other).records, tmp_path / "other")


WHOSE = [{"source": "other"}, {"process": "yggdrasil-serve/ana"}]


@pytest.mark.parametrize("whose", WHOSE)
def test_who_says_or_judges_what_is_known_is_in_the_digest(tmp_path: Path, whose: dict[str, object]) -> None:
    nobodys = judge("k", ("nobody", "reject"))
    other = Said("k", "judge", nobodys.body, changed=whose)
    assert folded(log([*SAID, nobodys]).records, tmp_path / "plain") != folded(
        log([*SAID, other]).records, tmp_path / "other"
    )


@pytest.mark.parametrize("said", [{"process": "other"}, {"at": 1}])
def test_what_no_law_reads_is_not(tmp_path: Path, said: dict[str, object]) -> None:
    other = [*SAID[:-1], Said("j", "judge", SAID[-1].body, changed=said)]
    assert folded(log(SAID).records, tmp_path / "plain") == folded(log(other).records, tmp_path / "other")


@pytest.mark.parametrize("whose", WHOSE)
def test_who_says_anything_else_is_not(tmp_path: Path, whose: dict[str, object]) -> None:
    noise, other = event("noise"), replace(event("noise"), changed=whose)
    assert folded(log([noise]).records, tmp_path / "plain") == folded(log([other]).records, tmp_path / "other")


@pytest.mark.parametrize("whose", WHOSE)
def test_but_where_something_foreign_came_into_a_session(tmp_path: Path, whose: dict[str, object]) -> None:
    page, noise, other = event("page", trust=0), event("noise"), replace(event("noise"), changed=whose)
    plain = folded(log([page, noise]).records, tmp_path / "plain")
    assert plain != folded(log([page, other]).records, tmp_path / "other")


def test_a_memory_without_a_store_has_none() -> None:
    nothing = Graph(Header(MEMORY), NothingStored())
    assert slots(nothing) == [([], [])] * 3
