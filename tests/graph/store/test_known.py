"""Claims, names, predicates and relations in a store: found again, whatever the cache; and what contradicts itself."""

from pathlib import Path

import pytest

from tests.graph.commands import MEMORY, alias, claim, define, event, judge, relate
from tests.graph.golden.fixed_history import fixed_history
from tests.graph.histories import history
from tests.graph.hosts import folded, projecting
from tests.graph.list_log import ListLog
from yggdrasil_projections.graph.store import families as cf
from yggdrasil_schemas.graph.codec import EDGE_KEY, encode_numbers, encode_scorer
from yggdrasil_schemas.graph.knowledge import Names
from yggdrasil_schemas.graph.knowledge_codec import encode_names
from yggdrasil_schemas.graph.records import EdgeKind, Scorer, node_number

SAID = [
    event("a", "x"),
    claim("rome", "ana", "lives_in", "rome", evidence=("a",)),
    claim("oslo", "ana", "lives_in", "oslo", source="two"),
    judge("no", ("oslo", "reject")),
    alias("same", "anna", "ana"),
    define("likes", "likes"),
    relate("r", "a", "rome"),
]
RECORDS = [said.record(offset) for offset, said in enumerate(SAID)]
LONG = [*history(range(1_500)), *fixed_history(900)]


@pytest.mark.parametrize("cached", [1, 10_000], ids=["no cache", "cached"])
def test_neither_cache_nor_batch_changes_what_is_known(tmp_path: Path, cached: int) -> None:
    records = [each._replace(offset=offset) for offset, each in enumerate(LONG)]
    expected = folded(records, tmp_path / "at once")
    assert folded(records, tmp_path / "in batches", 7, cached) == expected


def test_what_was_folded_contradicts_itself_nowhere(tmp_path: Path) -> None:
    records = [each._replace(offset=offset) for offset, each in enumerate(LONG)]
    with projecting(ListLog(records), tmp_path) as projector:
        projector.catch_up()
        assert projector.store.broken() == []


ROME = node_number(2)
DAMAGES = {
    "a node in a slot that it does not have": (cf.SLOTS, b"\x07" * 16, encode_numbers([ROME])),
    "a slot that a node does not name": (cf.MEMBERS, b"\x07" * 16 + ROME.to_bytes(8, "big"), b""),
    "a slot of which the ruling is gone": (cf.RULINGS, node_number(2).to_bytes(8, "big"), None),
    "a claim that says nothing": (cf.CLAIMS, ROME.to_bytes(8, "big"), None),
    "a name that leads elsewhere": (cf.NAMES, b"anna", encode_names(Names("ben", (("anna", 1),)))),
    "a name that is lost": (cf.NAMES, b"ana", None),
    "a scorer of a command that is not there": (cf.SCORERS, bytes(7) + b"\xff", encode_scorer(Scorer(0, 4, 100, b""))),
    "a snapshot of a command that is not there": (cf.SNAPSHOTS, b"before", bytes(7) + b"\xff"),
    "a predicate that is lost": (cf.PREDICATES, b"likes", None),
    "a relation that is no edge": (cf.RELATIONS, EDGE_KEY.pack(ROME, int(EdgeKind.ANSWERS), ROME), bytes(8)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_contradicts_itself_is_found(tmp_path: Path, damage: str) -> None:
    family, key, row = DAMAGES[damage]
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        projector.catch_up()
        store = projector.store
        assert store.broken() == []
        batch, key = store._db.batch(), store._prefix(MEMORY) + key
        if row is None:
            batch.delete(family, key)
        else:
            batch.put(family, key, row)
        store._db.write(batch)
        assert [what for what in store.broken() if what.startswith(MEMORY)] != []
