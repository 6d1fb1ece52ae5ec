"""``yggdrasil checkpoint``: by hand, for directories with a log of their own and for those of workers."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.cli.runs import Cli
from tests.cli.test_exits import fails
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin

MEMORIES = ("me/agent", "other/agent", "third/agent")


def recorded(cli: Cli) -> dict[str, str]:
    """Record something for three memories; return their digests."""
    for memory in MEMORIES:
        cli.ok("record", f"{memory} begins", "--memory", memory, "--feature", "deploy")
    return digests(cli)


def digests(cli: Cli) -> dict[str, str]:
    run = cli.ok("replay", "--json").json
    assert run["same"]
    return {one["memory"]: one["digest"] for one in run["memories"]}


def taken(cli: Cli, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cli.ok("checkpoint", "take", "--to", "cps", *arguments, "--json").json["checkpoints"]
    return found


def restored(cli: Cli, *arguments: str) -> dict[int, dict[str, Any]]:
    run = cli.ok("checkpoint", "restore", "--from", "cps", *arguments, "--json").json
    return {one["partition"]: one for one in run["partitions"]}


def test_take_list_verify_and_restore(cli: Cli) -> None:
    expected = recorded(cli)
    checkpoints = taken(cli)
    assert {memory: digest for one in checkpoints for memory, digest in one["memories"].items()} == expected
    assert cli.ok("checkpoint", "list", "cps", "--json").json["checkpoints"] == checkpoints
    listed = cli.ok("checkpoint", "list", "cps").out
    for one in checkpoints:
        assert cli.ok("checkpoint", "verify", one["path"], "--json").json == one
        assert f"{one['path']}: partition {one['partition']}, offset {one['position']}, " in listed
        assert cli.ok("checkpoint", "verify", one["path"]).line.startswith(f"Whole at offset {one['position']}: ")
    Path(".yggdrasil/graph").rename("lost")
    empty = 4 - len(checkpoints)
    shutil.copytree(".yggdrasil/log", "other/log")
    said = cli.ok("checkpoint", "restore", "--from", "cps", "--dir", "other").out.splitlines()
    assert len(said) == len(checkpoints) + 1
    assert said[-1] == f"No checkpoint of {empty} partitions: what they hold will be folded from the log."
    there = restored(cli)
    assert [one["checkpoint"] for one in there.values() if one["checkpoint"]] == checkpoints
    assert digests(cli) == expected
    cli.ok("record", "and goes on")
    assert digests(cli) != expected


def test_stores_that_are_there_are_set_aside_only_if_asked(cli: Cli) -> None:
    recorded(cli)
    (place,) = {one["partition"] for one in taken(cli) if "me/agent" in one["memories"]}
    cli.ok("record", "later")
    assert "left as it is; --set-aside restores in its place" in cli.ok("checkpoint", "restore", "--from", "cps").out
    assert not list(Path(".yggdrasil/graph").glob("*refused*"))
    one = restored(cli, "--set-aside", "--partitions", str(place))[place]
    assert one["set_aside"] == f".yggdrasil/graph/{place:04d}.refused-1"
    assert one["checkpoint"]["position"] < cli.ok("replay", "--json").json["records"]
    assert digests(cli)["me/agent"]  # folded on from there


def test_a_store_that_nothing_can_replace_comes_back(cli: Cli) -> None:
    expected = recorded(cli)
    for one in taken(cli):
        Path(one["path"], "store", "CURRENT").write_text("MANIFEST-999999\n")
        only = ("--partitions", str(one["partition"]))
        run = cli("checkpoint", "restore", "--from", "cps", "--set-aside", *only, "--json")
        assert run.code == 1
        assert run.json["error"]["code"] == "checkpoint_unfit"
        assert "store/CURRENT is not the file that was written" in run.json["error"]["message"]
        (place,) = run.json["partitions"]
        assert (place["there"], place["set_aside"], place["checkpoint"]) == (True, None, None)
        shutil.rmtree(one["path"])
    assert digests(cli) == expected
    assert not list(Path(".yggdrasil/graph").glob("*refused*"))


def test_what_is_unfit_is_listed_with_its_reason(cli: Cli) -> None:
    recorded(cli)
    first, *others = taken(cli)
    Path(first["path"], "manifest.json").write_text("{}")
    found = cli.ok("checkpoint", "list", "cps", "--json").json["checkpoints"]
    assert [one for one in found if "unfit" not in one] == others
    assert "UNFIT: " in cli.ok("checkpoint", "list", "cps").out
    assert "is no manifest" in fails(cli, 1, "checkpoint_unfit", "checkpoint", "verify", first["path"])


def test_a_directory_of_checkpoints_is_not_one(cli: Cli) -> None:
    recorded(cli)
    path = Path(taken(cli)[0]["path"])
    for above in list(path.parents)[:3]:
        message = fails(cli, 2, "not_one_checkpoint", "checkpoint", "verify", str(above))
        assert "name one of them; `yggdrasil checkpoint list` shows them" in message


def test_another_log_has_no_checkpoint_here(cli: Cli) -> None:
    recorded(cli)
    taken(cli)
    cli.ok("record", "elsewhere", "--dir", "new")
    shutil.rmtree("new/graph")
    message = fails(cli, 4, "no_checkpoint", "checkpoint", "restore", "--from", "cps", "--dir", "new")
    assert "holds no checkpoint of topic id" in message


def test_places_that_are_not_there(cli: Cli) -> None:
    Path("file").touch()
    assert "holds no stores" in fails(cli, 4, "no_stores_here", "checkpoint", "take", "--to", "cps")
    for arguments in (("list", "none"), ("verify", "file"), ("restore", "--from", "none")):
        assert "is no directory" in fails(cli, 4, "no_checkpoints_here", "checkpoint", *arguments)
    Path("cps").mkdir()
    message = fails(cli, 4, "no_memory_here", "checkpoint", "restore", "--from", "cps")
    assert message == ".yggdrasil holds no memory of its own; for a worker's directory give --kafka"
    assert cli.ok("checkpoint", "list", "cps").out.endswith("There are none.\n")
    assert sorted(path.name for path in Path().iterdir()) == ["cps", "file"]


def test_partitions_that_are_not_there(cli: Cli) -> None:
    recorded(cli)
    assert cli.ok("checkpoint", "take", "--to", "cps", "--partitions", "7").line.startswith("partition 7: nothing has")
    for words in (("take", "--to", "cps", "--partitions", "x"), ("restore", "--from", ".", "--partitions", "4")):
        fails(cli, 2, "usage", "checkpoint", *words)


@dataclass(frozen=True)
class Worked:
    """The directory ``worker``, as a stopped worker leaves it, and the options that name what it folded."""

    broker: tuple[str, ...]


@pytest.fixture
def worked(cli: Cli, kafka: KafkaSettings) -> Worked:
    topic = f"commands-{uuid4().hex}"
    create_topic(kafka, topic, 2, "development")
    with KafkaLog(kafka, topic, "development") as log:
        for number in range(12):
            memory = f"tenant/agent-{number}"
            draft = Drafter(memory, "test", "test").record_event(f"event {number}")
            log.append(draft.key, draft.value)
        for partition in range(2):
            pin = Pin(log.topic_id, 2, partition)
            with GraphStore(cli.place / "worker" / "graph" / f"{partition:04d}", pin, MemoryBudget.of()) as store:
                assert Projector(log, store).catch_up() > 0
    return Worked(("--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"))


def test_stores_of_a_worker(cli: Cli, worked: Worked) -> None:
    checkpoints = taken(cli, "--dir", "worker")
    assert [one["partition"] for one in checkpoints] == [0, 1]
    assert sum(len(one["memories"]) for one in checkpoints) == 12
    there = restored(cli, "--dir", "another", *worked.broker)
    assert [there[partition]["checkpoint"] for partition in (0, 1)] == checkpoints
    assert sorted(path.name for path in Path("another/graph").iterdir()) == ["0000", "0001"]
    restored(cli, *worked.broker)
    assert sorted(path.name for path in Path(".yggdrasil-worker/graph").iterdir()) == ["0000", "0001"]


def test_the_directory_of_a_worker_that_runs(cli: Cli, worked: Worked) -> None:
    taken(cli, "--dir", "worker")
    with DirectoryLock(Path("worker")):
        for words in (("take", "--to", "cps"), ("restore", "--from", "cps", *worked.broker)):
            assert "in use by process" in fails(cli, 5, "in_use", "checkpoint", *words, "--dir", "worker")


def test_a_directory_with_a_log_of_its_own_is_not_folded_from_a_topic(cli: Cli) -> None:
    cli.ok("record", "one with a log")
    words = ("checkpoint", "restore", "--from", ".", "--kafka", "127.0.0.1:1", "--dir", ".yggdrasil")
    assert "has a log of its own" in fails(cli, 2, "has_its_own_log", *words)
