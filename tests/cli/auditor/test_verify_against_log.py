"""`yggdrasil verify --against-log`: a store beside its log, as an operator sees it, in a directory and on a topic."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.auditor.test_replay import PARTITION, alter
from tests.cli.auditor.test_replay_kafka import fold
from tests.cli.runs import Cli
from tests.cli.test_exits import fails
from tests.contract.logs import fresh_topic
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.local_log.files import RECORDS, open_records
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.record import place
from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store import families
from yggdrasil_schemas.graph.records import node_number

STORE = Path(f".yggdrasil/graph/{PARTITION:04d}")


@pytest.fixture
def said(cli: Cli) -> list[str]:
    """The ids of what a memory was told, in order of seq."""
    with Memory.open(".yggdrasil", "me/agent", embedder="off") as memory:
        friday = memory.record_event("Deployed on a Friday", features=["deploy"])
        monday = memory.record_event("Deployed on a Monday", features=["monday"])
        return [friday, monday, memory.log_outcome(friday, -5, kind="outage", text="The site was down")]


def weaken(path: Path, seq: int) -> None:
    """Write another number to the event of a seq, so that the store itself vouches for it."""
    with Rocks(path, families.ALL, MemoryBudget.of()) as rocks:
        for key, row in rocks.scan(families.NODES, b"", bytes(5)):
            if key.endswith(node_number(seq).to_bytes(8, "big")):
                batch = rocks.batch()
                batch.put(families.NODES, key, row[:-1] + bytes([row[-1] ^ 8]))
                rocks.write(batch)


def test_equal_where_nothing_was_touched(cli: Cli, said: list[str]) -> None:
    run = cli.ok("verify", "--against-log")
    assert "Equal: every record of every memory is what the log gives." in run.out and "a second" in run.out
    document = cli.ok("verify", ".yggdrasil", "--against-log", "--json").json
    assert document["same"] and document["records"] == len(said)
    (memory,) = document["memories"]
    assert (memory["memory"], memory["same"], memory["differs"], memory["log_seq"]) == ("me/agent", True, {}, 3)


def test_a_record_that_differs_is_named_with_both_values_and_the_command(cli: Cli, said: list[str]) -> None:
    weaken(STORE, 1)
    run = cli("verify", "--against-log", "--json")
    assert (run.code, run.json["same"], run.json["error"]["code"]) == (6, False, "records_differ")
    (memory,) = run.json["memories"]
    assert memory["differs"] == {"nodes": 1}
    (first,) = memory["first"]
    assert (first["called"], first["fields"]) == ("node 64 (seq 1)", ["witnessed"])
    assert (first["standing"]["witnessed"], first["by_log"]["witnessed"]) == (8, 0)
    touched = first["touched"]  # the outcome is the last that gave the event something
    assert (touched["id"], touched["type"], touched["seq"]) == (said[2], "log_outcome", 3)
    assert (touched["partition"], touched["offset"]) == (PARTITION, 2)
    out = cli("verify", "--against-log").out
    assert "witnessed is 8 in the store, and 0 by the log" in out
    assert f"log_outcome {said[2]}" in out and f"seq 3, {PARTITION}-2 of the log" in out
    assert "`yggdrasil rebuild --accept`" in out
    cli.ok("rebuild", "--accept")
    cli.ok("verify", "--against-log")


def test_a_record_of_the_log_that_was_altered_is_named(cli: Cli, said: list[str]) -> None:
    alter(1)
    run = cli("verify", "--against-log", "--json")
    assert (run.code, run.json["error"]["code"]) == (6, "record_altered")
    (partition,) = run.json["partitions"]
    (first,) = partition["log_first"]
    assert (first["how"], first["partition"], first["offset"]) == ("altered", PARTITION, 1)
    assert f"LOG: the record at offset 1 of partition {PARTITION} was altered" in cli("verify", "--against-log").out
    assert run.json["memories"][0]["differs"]  # what was folded from it is not what it gives now


def test_a_record_of_the_log_that_was_removed_is_named(cli: Cli, said: list[str]) -> None:
    with open_records(Path(".yggdrasil/log"), None) as rocks:
        batch = rocks.batch()
        batch.delete(RECORDS, place(PARTITION, 1))
        rocks.write(batch)
    run = cli("verify", "--against-log", "--json")
    assert run.code == 6
    (partition,) = run.json["partitions"]
    assert [(each["how"], each["offset"]) for each in partition["log_first"]] == [("missing", 1)]
    assert "missing" in partition["stopped"]


def test_it_runs_beside_whoever_writes(cli: Cli, said: list[str]) -> None:
    with Memory.open(".yggdrasil", "me/agent", embedder="off") as memory:
        for number in range(30):
            memory.record_event(f"step {number}", features=["step"])
        assert cli.ok("verify", "--against-log", "--json").json["memories"][0]["log_seq"] >= len(said)
        memory.record_event("and it still writes")
    assert cli.ok("verify", "--against-log", "--json").json["memories"][0]["log_seq"] == len(said) + 31


def test_what_cannot_be_compared_says_what_to_do(cli: Cli, said: list[str]) -> None:
    assert "holds no stores" in fails(cli, 4, "no_stores_here", "verify", "nowhere", "--against-log")
    shutil.move(".yggdrasil/log", "log")
    assert "--kafka" in fails(cli, 4, "no_log_here", "verify", "--against-log")
    assert "--against-log" in cli("verify", "--kafka", "localhost:1", "--development").err
    assert "one of them" in cli("verify", "--deep", "--against-log").err


@pytest.fixture
def topic(kafka: KafkaSettings) -> Iterator[KafkaLog]:
    drafter = Drafter("me/agent", "test", "test")
    with KafkaLog(kafka, fresh_topic(kafka, 3), "development") as log:
        drafts = [drafter.record_event(f"step {number}", features=["step"]) for number in range(10)]
        log.append_many((draft.key, draft.value) for draft in drafts)
        yield log


def test_a_worker_beside_its_topic(cli: Cli, kafka: KafkaSettings, topic: KafkaLog) -> None:
    fold(topic, "worker-1")
    there = ["--kafka", kafka.bootstrap_servers, "--topic", topic.topic.name, "--development"]
    document = cli.ok("verify", "worker-1", "--against-log", *there, "--json").json
    assert document["same"] and document["records"] == 10 and document["topic"] == topic.topic.name
    for path in Path("worker-1/graph").iterdir():
        weaken(path, 3)
    run = cli("verify", "worker-1", "--against-log", *there, "--json")
    (first,) = run.json["memories"][0]["first"]
    assert run.code == 6 and first["called"] == "node 192 (seq 3)" and first["touched"]["source"] == "test"


def test_one_memory_at_a_service(cli: Cli, said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Embedded(Path(".yggdrasil")) as engine, Serving(engine, Service(("127.0.0.1", 0), rate=0)) as it:
        there = ("verify", "--against-log", "--service", it.url, "--memory", "me/agent")
        assert "Equal: me/agent: " in cli.ok(*there).out
        document = cli.ok(*there, "--json").json
        assert (document["same"], document["verdict"]["log_seq"], document["altered"]) == (True, 3, 0)
        assert fails(cli, 4, "unknown_memory", *there[:-1], "me/nobody")
        read = LocalLog.read

        def other(self: LocalLog, *given: Any) -> Sequence[LogRecord]:
            found = read(self, *given)
            return [each._replace(value=(each.value or b"").replace(b"Friday", b"Sunday")) for each in found]

        monkeypatch.setattr(LocalLog, "read", other)
        run = cli(*there, "--json")
        assert (run.code, run.json["error"]["code"], run.json["altered"]) == (6, "record_altered", 1)
        assert "LOG: 1 record of it in partition" in cli(*there).out
    for words, options in {
        "--against-log": ("--service", "http://127.0.0.1:1"),
        "--service": ("--against-log", "--memory", "me/agent"),
        "either in a directory": (".yggdrasil", "--against-log", "--service", "http://127.0.0.1:1"),
    }.items():
        run = cli("verify", *options)
        assert run.code == 2 and words in run.err
