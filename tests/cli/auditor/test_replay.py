import shutil
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.producers.repositories import Repo
from yggdrasil import Memory
from yggdrasil_infra.local_log.files import RECORDS, open_records
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.record import frame, place
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_projections.graph.store import families
from yggdrasil_schemas.partitions import partition_for

PARTITION = partition_for(b"me/agent", 4)


@pytest.fixture
def imported(cli: Cli, repo: Repo) -> Cli:
    cli.ok("import", "git", str(repo.folder))
    return cli


def alter(offset: int) -> None:
    """Rewrite a record's text so that the log itself vouches for it: only the kept hashes can tell."""
    with LocalLog.open_read_only(Path(".yggdrasil/log")) as log:
        record = log.read(PARTITION, offset, 1)[0]
    assert record.key is not None and record.value is not None
    value = record.value.replace(b'"text":"', b'"text":"Not ', 1)
    assert value != record.value
    where = place(PARTITION, offset)
    with open_records(Path(".yggdrasil/log"), None) as rocks:
        batch = rocks.batch()
        batch.put(RECORDS, where, frame(where, record.timestamp_ms, record.key, value))
        rocks.write(batch)


def test_a_replay_is_equal(imported: Cli) -> None:
    run = imported.ok("replay")
    assert "Equal: the log gives exactly the memories that stand." in run.out
    document = imported.ok("replay", "--json").json
    assert document["same"] is True
    (memory,) = document["memories"]
    with Memory.open(".yggdrasil", "me/agent") as it:
        assert memory["digest"] == memory["standing"] == it.digest()
    (mine,) = [p for p in document["partitions"] if p["partition"] == PARTITION]
    assert mine["chain"] == mine["standing_chain"] and mine["records"] == document["records"]


@pytest.mark.parametrize("offset", [0, 4, -1])
def test_an_altered_record_is_named(imported: Cli, offset: int) -> None:
    end = imported.ok("stats", "--json").json["records_by_partition"][PARTITION]
    at = offset % end
    alter(at)
    run = imported("replay")
    assert run.code == 6
    assert f"offset {at} of partition {PARTITION}" in run.out and "DIFFERENT" in run.out
    run = imported("replay", "--json")
    assert (run.code, run.json["same"], run.json["error"]["code"]) == (6, False, "record_altered")
    (mine,) = [p for p in run.json["partitions"] if p["partition"] == PARTITION]
    assert mine["altered"]["offset"] == at
    # Only the text was altered: no law reads it, yet the memory's history holds every content.
    assert run.json["memories"][0]["same"] is False


def test_the_last_record_altered_stops_every_command(imported: Cli) -> None:
    end = imported.ok("stats", "--json").json["records_by_partition"][PARTITION]
    alter(end - 1)
    run = imported("context", "parse", "--json")
    assert (run.code, run.json["error"]["code"]) == (6, "record_altered")


def test_an_altered_store_is_noticed(imported: Cli) -> None:
    with Rocks(Path(f".yggdrasil/graph/{PARTITION:04d}"), families.ALL, MemoryBudget.of()) as rocks:
        key, row = rocks.scan(families.NODES, b"")[-1]
        batch = rocks.batch()
        batch.put(families.NODES, key, row[:-1] + bytes([row[-1] ^ 1]))
        rocks.write(batch)
    run = imported("replay", "--json")
    assert (run.code, run.json["error"]["code"]) == (6, "digests_differ")
    assert "DIFFERENT" in imported("replay").out


def test_without_stores_there_is_nothing_to_compare(imported: Cli) -> None:
    shutil.rmtree(".yggdrasil/graph")
    document = imported.ok("replay", "--json").json
    assert document["same"] is None and document["memories"][0]["digest"]
    assert "No store stands here" in imported.ok("replay").out


def test_a_store_that_lags_is_compared_where_it_stands(imported: Cli) -> None:
    copy = Path("copy")
    shutil.copytree(".yggdrasil/graph", copy)
    imported.ok("record", "One more")
    shutil.rmtree(".yggdrasil/graph")
    copy.rename(".yggdrasil/graph")
    document = imported.ok("replay", "--json").json
    (memory,) = document["memories"]
    assert document["same"] and memory["standing"] == memory["replayed_there"] != memory["digest"]


def test_as_of_an_earlier_seq(imported: Cli) -> None:
    document = imported.ok("replay", "--as-of", "3", "--json").json
    assert (document["to"], document["same"]) == ("3", None)
    imported.ok("record", "One more")
    assert imported.ok("replay", "--as-of", "3", "--json").json["memories"] == document["memories"]
    with Memory.open(".yggdrasil", "me/agent") as it:
        proof = it.attest()
    imported.ok("record", "Later")
    document = imported.ok("replay", "--as-of", str(proof.seq), "--json").json
    assert document["same"] is True and document["memories"][0]["digest"] == proof.digest
    assert "Equal" in imported.ok("replay", "--as-of", str(proof.seq)).out
    run = imported("replay", "--as-of", "9999")
    assert run.code == 2 and "has not happened yet" in run.err


def test_into_keeps_the_replay(imported: Cli) -> None:
    out = imported.ok("replay", "--into", "kept").out
    assert f"The replayed stores are in {Path('kept') / 'graph'}." in out
    assert (Path("kept") / "graph" / f"{PARTITION:04d}" / "CURRENT").exists()
    assert "Folded 0 records" in imported.ok("replay", "--into", "kept").out, "what is there need not be folded again"
    assert imported.ok("replay", "--into", "kept", "--json").json["same"] is True
    run = imported("replay", "--into", ".yggdrasil")
    assert run.code == 2 and "only read" in run.err


def test_a_replay_changes_nothing(imported: Cli) -> None:
    def tables() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in Path(".yggdrasil").rglob("*") if p.suffix in {".sst", ".log"}}

    before = tables()
    imported.ok("replay")
    assert tables() == before
