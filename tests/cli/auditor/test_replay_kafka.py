"""`yggdrasil replay --kafka`: the auditor's replay of a topic, compared with the stores of a worker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.cli.test_exits import fails
from tests.contract.logs import fresh_topic
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.locks import DirectoryLock
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.checkpoint.taking import take
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 3
PARTITION = partition_for(b"me/agent", PARTITIONS)
DRAFTER = Drafter("me/agent", "test", "test")


@pytest.fixture
def topic(kafka: KafkaSettings) -> str:
    return fresh_topic(kafka, PARTITIONS)


@pytest.fixture
def log(kafka: KafkaSettings, topic: str) -> Iterator[KafkaLog]:
    with KafkaLog(kafka, topic, "development") as opened:
        yield opened


@pytest.fixture
def drafts() -> list[Draft]:
    return [DRAFTER.record_event(f"step {number}", features=["step"]) for number in range(10)]


@pytest.fixture
def there(kafka: KafkaSettings, topic: str, log: KafkaLog, drafts: list[Draft]) -> list[str]:
    """The options that name a topic which holds the drafts."""
    log.append_many((draft.key, draft.value) for draft in drafts)
    return ["--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"]


def fold(log: KafkaLog, directory: str) -> None:
    """Bring the stores in ``directory`` to the end of the topic, as a worker does."""
    for partition in range(PARTITIONS):
        path = Path(directory, "graph", f"{partition:04d}")
        path.parent.mkdir(parents=True, exist_ok=True)
        store = GraphStore(path, Pin(log.topic_id, log.partitions, partition), MemoryBudget.of())
        projector = Projector(log, store)
        projector.catch_up()
        projector.close()


def test_a_topic_gives_the_memory_that_a_directory_gives(cli: Cli, there: list[str], drafts: list[Draft]) -> None:
    with Embedded(Path("embedded")) as engine:
        assert all(answer.seq for _, answer in engine.submit_many(drafts))
        digest = engine.ask("me/agent", AskDigest()).digest
    document = cli.ok("replay", *there, "--json").json
    assert (document["kafka"], document["topic"]) == (there[1], there[3])
    assert (document["same"], document["records"], document["in_use"]) == (None, 10, False)
    assert [(entry["memory"], entry["digest"]) for entry in document["memories"]] == [("me/agent", digest)]
    out = cli.ok("replay", *there).out
    assert "No store stands here" in out and f"Without a record: {PARTITIONS - 1} partitions." in out


def test_it_is_compared_with_the_stores_of_a_worker(cli: Cli, there: list[str], log: KafkaLog) -> None:
    fold(log, "worker-1")
    run = cli.ok("replay", *there, "--dir", "worker-1")
    assert "Equal: the log gives exactly the memories that stand." in run.out
    draft = DRAFTER.record_event("one more")
    log.append(draft.key, draft.value)
    document = cli.ok("replay", *there, "--dir", "worker-1", "--json").json  # where it stands, though it lags
    (memory,) = document["memories"]
    assert document["same"] and memory["standing"] == memory["replayed_there"] != memory["digest"]
    (mine,) = [entry for entry in document["partitions"] if entry["partition"] == PARTITION]
    assert (mine["standing_position"], mine["records"]) == (10, 11)


def test_the_directory_may_come_from_the_environment(
    cli: Cli, there: list[str], log: KafkaLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold(log, "worker-1")
    monkeypatch.setenv("YGGDRASIL_DIR", "worker-1")
    assert cli.ok("replay", *there, "--json").json["same"] is True


def test_the_stores_of_a_worker_at_work_are_not_compared(cli: Cli, there: list[str], log: KafkaLog) -> None:
    fold(log, "worker-1")
    with DirectoryLock(Path("worker-1")):
        assert "stop it first" in fails(cli, 5, "in_use", "replay", *there, "--dir", "worker-1")
        assert cli.ok("replay", *there, "--json").json["same"] is None  # of the topic alone
    assert cli.ok("replay", *there, "--dir", "worker-1", "--json").json["same"] is True


def test_a_directory_without_stores_proves_nothing(cli: Cli, there: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "holds no stores" in fails(cli, 4, "no_stores_here", "replay", *there, "--dir", "worker-1")
    monkeypatch.setenv("YGGDRASIL_DIR", "worker-1")
    assert "holds no stores" in fails(cli, 4, "no_stores_here", "replay", *there)
    assert list(Path().iterdir()) == []


def test_the_memory_that_happens_to_be_here_is_left_out(cli: Cli, there: list[str]) -> None:
    cli.ok("record", "of another log")
    document = cli.ok("replay", *there, "--json").json
    assert (document["dir"], document["same"]) == (None, None)
    run = cli("replay", *there, "--dir", ".yggdrasil", "--json")  # but not when it was asked for
    assert run.code == 6 and "was folded from partition" in run.json["error"]["message"]


def test_the_stores_of_another_topic_are_refused(cli: Cli, kafka: KafkaSettings, there: list[str]) -> None:
    with KafkaLog(kafka, fresh_topic(kafka, PARTITIONS), "development") as other:
        draft = DRAFTER.record_event("elsewhere")
        other.append(draft.key, draft.value)
        fold(other, "worker-1")
    run = cli("replay", *there, "--dir", "worker-1")
    assert run.code == 6 and "Keep this directory" in run.err


def test_as_of_an_earlier_seq(cli: Cli, there: list[str], log: KafkaLog, drafts: list[Draft]) -> None:
    with Embedded(Path("embedded")) as engine:
        list(engine.submit_many(drafts[:4]))
        early = engine.ask("me/agent", AskDigest()).digest
    (memory,) = cli.ok("replay", *there, "--as-of", "4", "--json").json["memories"]
    assert memory["digest"] == early
    attest = DRAFTER.draft("attest", {})
    log.append(attest.key, attest.value)
    fold(log, "worker-1")
    document = cli.ok("replay", *there, "--dir", "worker-1", "--as-of", "11", "--json").json
    assert document["same"] is True
    run = cli("replay", *there, "--as-of", "12")
    assert run.code == 2 and "has not happened yet" in run.err


def test_a_stretch_of_a_topic_in_processes_of_their_own(cli: Cli, there: list[str], log: KafkaLog) -> None:
    fold(log, "worker-1")
    names = ("me/agent", "me/other", "me/third")
    for name in names[1:]:
        drafter = Drafter(name, "test", "test")
        log.append_many((draft.key, draft.value) for draft in (drafter.record_event(f"{n}") for n in range(5)))
    whole = cli.ok("replay", *there, "--dir", "worker-1", "--jobs", "3", "--json").json
    assert whole["same"] is True and {entry["memory"] for entry in whole["memories"]} == {*names}
    stretch = ("--from", f"{PARTITION}-2", "--to", f"{PARTITION}-7")
    for more in ((), ("--memory", "me/agent"), ("--jobs", "2"), ("--into", "kept"), ("--into", "kept")):
        document = cli.ok("replay", *there, *stretch, *more, "--json").json
        (mine,) = [entry for entry in document["memories"] if entry["memory"] == "me/agent"]
        assert (mine["from_seq"], mine["seq"], mine["accepted"]) == (3, 8, {"record_event": 5})
    (by_seq,) = cli.ok("replay", *there, "--from", "3", "--to", "8", "--json").json["memories"]
    assert (by_seq["from_digest"], by_seq["digest"]) == (mine["from_digest"], mine["digest"])
    taken = checkpoint_of("worker-1", log)
    begun = cli.ok("replay", *there, "--checkpoints", taken, "--memory", "me/*", "--json").json
    assert [(entry["memory"], entry["digest"]) for entry in begun["memories"]] == [
        (entry["memory"], entry["digest"]) for entry in whole["memories"]
    ]
    (one,) = [entry for entry in begun["partitions"] if entry["partition"] == PARTITION]
    assert (one["begun"]["with"], one["begun"]["position"]) == ("checkpoint", 10)


def checkpoint_of(directory: str, log: KafkaLog) -> str:
    """Take a checkpoint of the store of `me/agent`, and return where."""
    pin = Pin(log.topic_id, log.partitions, PARTITION)
    with GraphStore(Path(directory, "graph", f"{PARTITION:04d}"), pin, MemoryBudget.of()) as store:
        take(store, Path("checkpoints"))
    return "checkpoints"


def test_into_keeps_the_replay(cli: Cli, there: list[str], log: KafkaLog) -> None:
    cli.ok("replay", *there, "--into", "kept")
    assert cli.ok("replay", *there, "--dir", "kept", "--json").json["same"] is True


def test_a_workers_directory_has_its_log_elsewhere(cli: Cli, there: list[str], log: KafkaLog) -> None:
    fold(log, "worker-1")
    DirectoryLock(Path("worker-1")).close()
    Path("chat.jsonl").write_text('{"role": "user", "content": "No deploys on Fridays"}\n')
    reading = (("replay",), ("context", "step"))
    for command in (*reading, ("record", "x"), ("import", "chat", "chat.jsonl")):
        run = cli(*command, "--dir", "worker-1")
        assert run.code == 4 and "`yggdrasil replay --kafka`" in run.err
        assert sorted(path.name for path in Path("worker-1").iterdir()) == ["graph", "worker.lock"]


def test_what_cannot_be_meant_is_refused(cli: Cli, there: list[str]) -> None:
    for arguments in (("--development",), ("--topic", "acme.commands")):
        run = cli("replay", *arguments)
        assert run.code == 2 and "it goes with --kafka" in run.err
    run = cli("replay", *there[:2], "--topic", "nowhere", "--json")
    assert (run.code, run.json["error"]["code"]) == (4, "no_topic")
