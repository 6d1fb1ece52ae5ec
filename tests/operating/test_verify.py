"""``yggdrasil verify``: what is sound is called so, and what is not is named, with its place and what to do."""

from pathlib import Path

import orjson
import pytest

from tests.cli.runs import Cli
from tests.faults.local.oracle import flip
from tests.operating.damaged import MEMORIES, PARTITIONS, damage_blocks, grown, partition_of, store_of
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_projections.graph.store.families import ALL, EDGES

HOME = Path("home")
MEMORY = MEMORIES[0]


@pytest.fixture
def ids(cli: Cli) -> list[str]:
    return grown(HOME)


def test_what_is_sound_is_called_so_beside_its_writer_too(cli: Cli, ids: list[str]) -> None:
    found = cli.ok("verify", str(HOME), "--deep", "--json").json
    assert (found["sound"], found["records"], found["stores"]) == (True, len(ids), list(range(PARTITIONS)))
    assert found["findings"] == []
    with Embedded(HOME) as engine:
        engine.catch_up()
        assert "Sound" in cli.ok("verify", str(HOME)).out


def test_a_damaged_store_is_named_with_a_remedy_that_mends_it(cli: Cli, ids: list[str]) -> None:
    assert damage_blocks(store_of(HOME, MEMORY))
    found = cli("verify", str(HOME), "--json")
    assert (found.code, found.json["error"]["code"]) == (1, "damaged")
    assert [one["place"] for one in found.json["findings"]] == [str(store_of(HOME, MEMORY))]
    assert "rebuild" in found.json["error"]["message"]
    assert cli("rebuild", "--accept", "--dir", str(HOME)).code == 0
    assert cli.ok("verify", str(HOME), "--deep", "--json").json["sound"]


def test_damage_in_the_log_is_placed_and_what_is_lost_is_named(cli: Cli, ids: list[str]) -> None:
    table = max((HOME / "log" / "records").glob("*.sst"), key=lambda file: file.stat().st_size)
    flip(table, table.stat().st_size // 3, 0x04)
    run = cli("verify", str(HOME), "--json")
    assert run.code == 1
    lost = [one["lost"] for one in run.json["findings"]]
    assert len(lost) == 1
    count = lost[0]["last"] - lost[0]["first"] + 1
    named = run.json["lost_commands"]
    assert 0 < count < len(ids) / 4
    assert {partition_of(memory) for memory in named} == {lost[0]["partition"]}
    assert sum(map(len, named.values())) == count
    assert {one for each in named.values() for one in each} < set(ids)
    assert "restore" in run.json["error"]["message"]
    assert "cannot be read" in cli("verify", str(HOME)).out


def test_what_has_sound_checksums_and_does_not_fit_is_found_too(cli: Cli, ids: list[str]) -> None:
    with Rocks(store_of(HOME, MEMORY), ALL, MemoryBudget.of()) as db:
        batch = db.batch()
        batch.delete(EDGES, db.scan(EDGES, b"\x00\x00\x00\x01")[0][0])
        db.write(batch)
    run = cli("verify", str(HOME))
    assert run.code == 1
    assert "edges are there, and it says" in run.out


def test_a_store_that_is_not_what_its_log_gives_is_different(cli: Cli, ids: list[str]) -> None:
    store = store_of(HOME, MEMORY)
    with Rocks(store, ALL, MemoryBudget.of()) as db:
        key, data = db.scan("features", b"\x00\x00\x00\x01")[0]
        batch = db.batch()
        batch.put("features", key, bytes(len(data)))
        db.write(batch)
    assert cli("verify", str(HOME)).code == 0
    run = cli("verify", str(HOME), "--deep", "--json")
    assert run.code == 6, orjson.dumps(run.json)
    assert {one["what"] for one in run.json["findings"]} == {"difference"}


def test_where_there_is_nothing_there_is_nothing_to_verify(cli: Cli) -> None:
    assert (cli("verify", "nowhere").code, Path("nowhere").exists()) == (4, False)
