"""Whatever is said, in whatever order: bounds hold, nothing raises, and the digest depends on the commands alone."""

from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.graph.histories import MEMORIES, alone, history
from tests.graph.hosts import digests, folded, projecting
from tests.graph.list_log import ListLog
from tests.graph.world import World, answers, inconsistencies, live_edges, live_nodes, state
from tests.size import turns
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag, NodeKind, is_feature

CAPS = ("salience_max", "permanence_max", "impact_max", "weight_max", "stability_max", "half_life_max_ticks")
ROUNDING = 1 + 1e-9  # a sum that is saturated by a factor may pass its cap by the last bit

seeds = st.lists(st.integers(0, 2**20), min_size=60, max_size=250)
PURE = settings(max_examples=turns(15, 400), deadline=None, print_blob=True)
# No shrinking with stores, which would take minutes: a failure names its seeds, and the pure tests shrink well.
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)
STORED = settings(max_examples=turns(3, 50), deadline=None, print_blob=True, phases=UNSHRUNK)


def broken_bounds(graph: Graph) -> list[str]:
    """Which bounds of its policy a memory breaks. A lowered degree cap acts with a node's next edge, so not here."""
    header, policy = graph.header, graph.header.policy
    buffered = sum(len(session.buffer) for session in graph.sessions.values())
    bounds = {
        "nodes": (header.nodes, policy.nodes_max),
        "edges": (header.edges, policy.edges_max),
        "sessions": (len(graph.sessions), policy.sessions_open_max),
        "recalls": (len(graph.recalls), policy.recalls_kept_max),
        "buffers": (buffered, policy.nodes_max // 10),
    }
    return [f"{name}: {count} of {most}" for name, (count, most) in bounds.items() if count > most]


def broken_values(graph: Graph, caps: dict[str, float]) -> list[str]:
    """Values that are not finite or pass the largest cap that the memory ever had."""
    found = []
    for number, node in live_nodes(graph).items():
        within = (
            0 <= node.salience <= caps["salience_max"] * ROUNDING
            and 0 <= node.permanence <= caps["permanence_max"]
            and 0.01 <= node.stability <= caps["stability_max"]
            and abs(node.impact) <= caps["impact_max"]
            and abs(node.valence) <= 10
            and 0.1 <= node.half_life <= caps["half_life_max_ticks"]
        )
        if not within or not isfinite(node.salience + node.permanence + node.impact + node.valence):
            found.append(f"node {number}: {node}")
    for key, edge in live_edges(graph).items():
        within = 0 <= edge.weight <= caps["weight_max"] and 0 <= edge.permanence <= caps["permanence_max"]
        if not (within and 0.1 <= edge.half_life <= caps["half_life_max_ticks"]):
            found.append(f"edge {key}: {edge}")
    return found


def broken_records(graph: Graph) -> list[str]:
    """What says something of itself that cannot be, by the laws."""
    nodes, header = live_nodes(graph), graph.header
    found = []
    for number, node in nodes.items():
        archivable = node.kind in (NodeKind.EVENT, NodeKind.OUTCOME, NodeKind.EPISODE)
        fit = (
            (archivable or not node.flags & NodeFlag.ARCHIVED)
            and (node.kind == NodeKind.FEATURE or not node.flags & NodeFlag.CONCEPTUAL)
            and (node.kind == NodeKind.EVENT or not node.flags & NodeFlag.OPENING)
            and (node.kind != NodeKind.FEATURE or not node.flags & NodeFlag.CATASTROPHIC)
            and all(node.kinds >> kind & 1 for _, kind, _ in graph.links(number) if kind <= EdgeKind.CONTAINS)
            and is_feature(number) == (node.kind == NodeKind.FEATURE)
            and 0 <= node.level <= 5
            and node.tick <= header.tick
        )
        if not fit:
            found.append(f"node {number}: {node}")
    found += [f"session {name}: its last event is gone" for name, s in graph.sessions.items() if s.last not in nodes]
    found += [f"{number} has an heir and lives" for number in graph.changed_heirs if number in nodes]
    if len(header.cursors) > 32 or any(cursor >= header.seq for cursor in header.cursors.values()):
        found.append(f"cursors: {header.cursors} at {header.seq}")
    return found


def broken_chains(graph: Graph) -> list[tuple[int, bool]]:
    """Events with more than one event before them, or after them in their session.

    One may be followed by the beginnings of several sessions: of one that ended and was closed first, and of the next.
    """
    temporal = [key for key in live_edges(graph) if key[1] == EdgeKind.TEMPORAL]
    nodes = live_nodes(graph)
    befores = [(key[2], False) for key in temporal]
    afters = [(key[0], bool(nodes[key[2]].flags & NodeFlag.OPENING)) for key in temporal]
    inside = [place for place in afters if not place[1]]
    return [place for ends in (befores, inside) for place in sorted(set(ends)) if ends.count(place) > 1]


@PURE
@given(seeds)
def test_after_every_command_the_memory_is_whole_and_within_its_bounds(seeds: list[int]) -> None:
    world = World()
    caps: dict[str, float] = dict.fromkeys(CAPS, 0.0)
    for record in history(seeds, memories=1):
        world.fold_record(record)
        graph = world.graph(MEMORIES[0])
        for name, value in caps.items():
            caps[name] = max(value, getattr(graph.header.policy, name))
        assert broken_bounds(graph) == []
        assert inconsistencies(graph) == []
        assert broken_records(graph) == []
        assert broken_chains(graph) == []
        assert graph.crowded == set()
    assert broken_values(world.graph(MEMORIES[0]), caps) == []


@PURE
@given(seeds, st.integers(0, 3))
def test_no_node_has_more_edges_than_the_cap_that_it_met_last(seeds: list[int], skip: int) -> None:
    """The caps are never changed here, so the cap holds for every node after every command."""
    world = World()
    for record in history(seeds[skip:], memories=1):
        if b'"set_policy"' in (record.value or b"") and world.offset:
            continue
        world.fold_record(record)
        nodes = live_nodes(world.graph(MEMORIES[0])).values()
        assert all(node.degree <= 16 for node in nodes)


@PURE
@given(seeds)
def test_what_is_refused_or_said_before_changes_nothing(seeds: list[int]) -> None:
    world = World()
    graph = world.graph(MEMORIES[0])
    before, known = state(graph), answers(graph)
    for record in history(seeds, memories=1):
        answer = world.fold_record(record)
        now, told = state(graph), answers(graph)
        if answer.refused is not None or answer.duplicate:
            assert now == before
        if answer.command_id is None or answer.duplicate:
            assert told == known
        before, known = now, told
        assert (answer.seq == 0) == (answer.refused is not None or answer.memory is None or answer.memory[0] == "_")


@PURE
@given(seeds)
def test_saying_everything_again_changes_nothing(seeds: list[int]) -> None:
    world = World()
    records = history(seeds)
    first = [world.fold_record(record) for record in records]
    before = {memory: (state(graph), answers(graph)) for memory, graph in world.graphs.items()}
    for record, earlier in zip(records, first, strict=True):
        again = world.fold_record(record)
        assert (again.seq, again.refused and again.refused.reason) == (
            earlier.seq,
            earlier.refused and earlier.refused.reason,
        )
    assert {memory: (state(graph), answers(graph)) for memory, graph in world.graphs.items()} == before


def stored(records: list[LogRecord], folder: Path) -> dict[str, dict[str, str]]:
    """The digests of every way to fold the same records."""
    found = {
        "one batch": folded(records, folder / "one"),
        "one by one, no cache": folded(records, folder / "single", batch=1, cached_records_max=1),
        "sevens, small cache": folded(records, folder / "sevens", batch=7, cached_records_max=50),
        "one batch, no cache": folded(records, folder / "uncached", cached_records_max=1),
    }
    log = ListLog(records)
    for part in range(4):
        with projecting(log, folder / "again", cached_records_max=(1, 50, 1_000, 10)[part]) as projector:
            projector.advance(max(1, len(records) // 4))
    with projecting(log, folder / "again") as projector:
        projector.catch_up()
        found["re-opened between batches"] = digests(projector.store)
    return found


@STORED
@given(st.lists(st.integers(0, 2**20), min_size=100, max_size=300))
def test_the_digest_depends_on_nothing_but_the_commands(seeds: list[int]) -> None:
    records = history(seeds)
    with TemporaryDirectory() as folder:
        ways = stored(records, Path(folder))
        expected = ways["one batch"]
        assert set(expected) == set(MEMORIES)
        assert ways == dict.fromkeys(ways, expected)
        for number, memory in enumerate(MEMORIES):
            assert folded(alone(records, memory), Path(folder) / str(number)) == {memory: expected[memory]}


@settings(STORED, max_examples=turns(2, 25))
@given(st.lists(st.integers(0, 2**20), min_size=40, max_size=120), st.data())
def test_one_record_more_or_other_gives_another_digest(seeds: list[int], data: st.DataObject) -> None:
    records = history(seeds, memories=1)
    world = World()
    told = [world.fold_record(record) for record in records]
    counted = [n for n, answer in enumerate(told) if answer.seq and not answer.duplicate]
    dropped = data.draw(st.sampled_from(counted))
    with TemporaryDirectory() as folder:
        whole = folded(records, Path(folder) / "whole")
        short = folded(records[:dropped] + records[dropped + 1 :], Path(folder) / "short")
    assert whole != short
