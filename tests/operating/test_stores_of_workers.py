"""What can be told of stores whose log is elsewhere, and of stores that are behind their log."""

import shutil
from pathlib import Path

from tests.cli.runs import Cli
from tests.operating.damaged import MEMORIES, grown, partition_of
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter

HOME, WORKER = Path("home"), Path("worker")


def test_stats_reads_the_directory_of_a_worker(cli: Cli) -> None:
    ids = grown(HOME)
    expected = cli.ok("stats", "--dir", str(HOME), "--json").json
    shutil.copytree(HOME, WORKER)
    shutil.rmtree(WORKER / "log")  # as a worker leaves it, whose log is on Kafka
    found = cli.ok("stats", "--dir", str(WORKER), "--json").json
    assert sum(found["records_by_partition"]) == len(ids)
    for name in ("memories", "refused", "records_by_partition"):
        assert sorted(map(str, found[name])) == sorted(map(str, expected[name]))
    assert "Folded from the topic" in cli.ok("stats", "--dir", str(WORKER)).out
    one = cli.ok("stats", "--dir", str(WORKER), "--memory", MEMORIES[0], "--json").json
    assert [memory["memory"] for memory in one["memories"]] == [MEMORIES[0]]
    assert cli("stats", "--dir", str(WORKER), "--memory", "acme/nobody").code == 4


def test_replay_says_how_far_a_store_is_behind(cli: Cli) -> None:
    grown(HOME)
    shutil.copytree(HOME / "graph", "earlier")
    with Embedded(HOME) as engine:
        drafter = Drafter(MEMORIES[0], "test", "test")
        for number in range(7):
            engine.submit(drafter.record_event(f"Later {number}"))
    shutil.rmtree(HOME / "graph")
    shutil.move("earlier", HOME / "graph")
    found = cli.ok("replay", "--dir", str(HOME), "--json").json
    behind = {one["partition"]: one["behind"] for one in found["partitions"]}
    assert behind == {partition: 7 if partition == partition_of(MEMORIES[0]) else 0 for partition in behind}
    assert "7 offsets behind the log" in cli.ok("replay", "--dir", str(HOME)).out
