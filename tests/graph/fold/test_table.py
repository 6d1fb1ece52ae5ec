"""A table that is brought up to date says the same as one that is made anew."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.commands import MEMORY, Said, event, outcome, pin, policy, sleep
from tests.graph.hosts import opened
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph import table as table_module
from yggdrasil_projections.graph.fold import Answer, Fold
from yggdrasil_projections.graph.table import Column, Table, Tables, Written
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.codec import EDGE_KEY, NUMBER, encode_edge, encode_node

KEYS = np.dtype([("high", ">u2"), ("low", "u1")])
ROWS = np.dtype([("value", ">u2")])

# Few keys, so that they meet; 0 and 255 at the ends, since some comparisons of byte strings end at a zero byte.
key = st.sampled_from([bytes(each) for each in ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0, 255), (255, 0, 0))])
row = st.binary(min_size=2, max_size=2)
changes = st.dictionaries(key, st.none() | row)


def shown(table: Table) -> dict[bytes, bytes]:
    keys, rows = table.keys, table.rows
    return {keys[at : at + 1].tobytes(): rows[at : at + 1].tobytes() for at in range(len(keys))}


@given(stored=st.dictionaries(key, row), scans=st.lists(st.tuples(changes, changes), max_size=4))
@settings(deadline=None)
def test_refreshed_is_made_anew(stored: dict[bytes, bytes], scans: list[tuple[dict[bytes, bytes | None], ...]]) -> None:
    table = Table(sorted(stored.items()), KEYS, ROWS)
    expected: dict[bytes, bytes | None] = {**stored}
    for stale, fresh in scans:
        table.written(written(stale))
        table.refresh(fresh)
        expected |= stale | fresh
        assert list(shown(table).items()) == sorted((each, row) for each, row in expected.items() if row is not None)


@pytest.mark.parametrize("seed", range(20))
def test_parts_that_move_are_those_of_arrays_made_anew(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "_MOVED_TOGETHER", seed % 4 + 1)  # so that many pieces are moved
    rng = np.random.default_rng(seed)
    expected = rng.integers(0, 256, 3 * 40, np.uint8).view("S3")
    column = Column(expected.copy())
    for _ in range(12):
        gone = np.flatnonzero(rng.random(len(expected)) < rng.choice([0.0, 0.2, 0.9]))
        places = np.sort(rng.integers(0, len(expected) - len(gone) + 1, rng.integers(0, 20)))
        added = rng.integers(0, 256, 3 * len(places), np.uint8).view("S3")
        expected = np.insert(np.delete(expected, gone), places, added)
        column.remove(gone)
        column.insert(places, added)
        assert column.values.tobytes() == expected.tobytes()


def test_a_table_of_which_half_has_changed_is_outdated() -> None:
    table = Table([(bytes((0, 0, number)), b"ab") for number in range(10)], KEYS, ROWS)
    table.written(written({bytes((0, 0, number)): None for number in range(5)}))
    assert not table.outdated
    table.written(written({bytes((0, 0, 200)): b"cd"}))
    assert table.outdated


def written(changes: dict[bytes, bytes | None]) -> Written:
    kept = {key: row for key, row in changes.items() if row is not None}
    return Written(
        [b"prefix" + key for key in kept], list(kept.values()), [b"prefix" + k for k in changes.keys() - kept], 6
    )


TIGHT = policy("tight", nodes_max=24, edges_max=40, sessions_open_max=1, degree_max=16, archived_max=4)
STEPS = ("event", "event", "event", "outcome", "pin", "sleep", "scan", "scan", "flush", "flush and evict")


def said(step: str, number: int) -> Said:
    """A command whose targets may be there or not; most that has happened has been pruned."""
    name = f"{step}{number}"
    if step == "event":
        return event(name, f"f{number % 7}", f"g{number % 3}", "hub")
    if step == "outcome":
        return outcome(name, f"event{number - 1}", -2.0)
    return pin(name, "feature:hub", pinned=bool(number % 2)) if step == "pin" else sleep(name)


def scanned(graph: Graph) -> None:
    """Both tables show what the store holds, and over it what has changed since."""
    nodes, edges = dict(graph.source.node_rows()), dict(graph.source.edge_rows())
    for number, node in graph.changed_nodes.items():
        nodes |= {NUMBER.pack(number): encode_node(node) if node else b""}
    for key, edge in graph.changed_edges.items():
        edges |= {EDGE_KEY.pack(*key): encode_edge(edge) if edge else b""}
    for table, expected in ((graph.node_table(), nodes), (graph.edge_table(), edges)):
        assert list(shown(table).items()) == sorted((key, row) for key, row in expected.items() if row)
    assert graph.header.nodes == len(shown(graph.node_table()))


@given(steps=st.lists(st.sampled_from(STEPS), min_size=20, max_size=90))
@settings(deadline=None, max_examples=12)
def test_tables_show_the_present_whatever_comes_between(steps: list[str]) -> None:
    """Changes, pruning, flushes and evictions in any order, under bounds so tight that pruning never ends."""
    with TemporaryDirectory() as folder, opened(Path(folder, "store")) as store:
        fold, applied, offset = Fold(0, 1, store), list[tuple[LogRecord, Answer]](), 0
        for number, step in enumerate(["policy", *steps, "scan", "flush", "scan"]):
            if step == "scan":
                scanned(store.graph(MEMORY))
            elif step.startswith("flush"):
                store.commit(applied)
                applied = []
                if step == "flush and evict":
                    store.graph(MEMORY).evict(20)
            else:
                record = (TIGHT if step == "policy" else said(step, number)).record(offset)
                applied.append((record, fold.apply(record)))
                offset += 1


def test_a_table_that_was_not_told_of_a_flush_is_dropped() -> None:
    tables = Tables()
    tables.nodes = Table([(bytes((0, 0, number)), b"ab") for number in range(4)], KEYS, ROWS)
    tables.written(written({}), written({}))
    tables.flushed()
    assert tables.records == 1  # they are still there
    tables.flushed()
    assert tables.records == 0
