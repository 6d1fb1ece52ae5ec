"""The importers with --kafka: they append the same commands, and whoever folds them has the same memory."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import Cli
from tests.contract.logs import everything, fresh_topic
from tests.producers.repositories import Repo
from yggdrasil.engines.published import Published
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_schemas.partitions import partition_for


@pytest.fixture
def topic(kafka: KafkaSettings) -> str:
    return fresh_topic(kafka, 3)


@pytest.fixture
def there(kafka: KafkaSettings, topic: str) -> list[str]:
    """The options that name the topic."""
    return ["--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"]


def digests(kafka: KafkaSettings, topic: str, path: Path) -> dict[str, str]:
    with KafkaLog(kafka, topic, "development") as log:
        return replay(log, path, partition_for(b"me/agent", log.partitions)).digests


def records(kafka: KafkaSettings, topic: str) -> int:
    with KafkaLog(kafka, topic, "development") as log:
        return len(everything(log))


def test_git_makes_the_memory_that_it_makes_in_a_directory(
    cli: Cli, repo: Repo, kafka: KafkaSettings, topic: str, there: list[str]
) -> None:
    source = str(repo.folder)
    in_directory = cli.ok("import", "git", source, "--json").json
    document = cli.ok("import", "git", source, *there, "--json").json
    assert (document["commits"], document["appended"]) == (6, in_directory["new"])
    assert (document["kafka"], document["topic"]) == (kafka.bootstrap_servers, topic)
    (memory,) = cli.ok("replay", "--json").json["memories"]
    assert digests(kafka, topic, Path("first")) == {"me/agent": memory["digest"]}
    line = cli.ok("import", "git", source, *there).line
    assert f"{document['appended']} commands appended to {topic} at {kafka.bootstrap_servers}" in line
    assert records(kafka, topic) == 2 * document["appended"]
    assert digests(kafka, topic, Path("second")) == {"me/agent": memory["digest"]}


def test_chat_and_locomo(cli: Cli, kafka: KafkaSettings, topic: str, there: list[str]) -> None:
    Path("chat.jsonl").write_text('{"role": "user", "content": "No deploys on Fridays"}\n' * 3)
    assert cli.ok("import", "chat", "chat.jsonl", *there, "--json").json["appended"] == 3
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a puppy"}]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    Path("locomo.json").write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation}]))
    assert cli.ok("import", "locomo", "locomo.json", *there, "--json").json["appended"] == 1
    Path("empty.jsonl").write_text("")
    assert cli.ok("import", "chat", "empty.jsonl", *there).line == "me/agent: 0 turns; nothing to import"
    assert records(kafka, topic) == 4


def test_nothing_is_written_into_a_directory(cli: Cli, repo: Repo, there: list[str]) -> None:
    cli.ok("import", "git", str(repo.folder), *there)
    assert list(cli.place.iterdir()) == []


def test_an_interrupted_import_is_given_again(
    cli: Cli, repo: Repo, kafka: KafkaSettings, topic: str, there: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cli.ok("import", "git", str(repo.folder), "--json").json["new"]
    (memory,) = cli.ok("replay", "--json").json["memories"]
    submit = Published.submit_many

    def interrupted(engine: Published, drafts: Any, **options: Any) -> Any:
        yield from submit(engine, list(drafts)[:3])
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Published, "submit_many", interrupted)
        assert cli("import", "git", str(repo.folder), *there).code == 130
    assert records(kafka, topic) == 3
    assert cli.ok("import", "git", str(repo.folder), *there, "--json").json["appended"] == whole
    assert digests(kafka, topic, Path("replayed")) == {"me/agent": memory["digest"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--kafka", "127.0.0.1:1", "--dir", "here"), "it and --dir exclude each other"),
        (("--kafka", " "), "it is empty"),
        (("--topic", "acme.commands"), "it goes with --kafka"),
        (("--development",), "it goes with --kafka"),
    ],
)
@pytest.mark.parametrize("source", ["git", "chat", "locomo"])
def test_what_cannot_be_meant_is_refused(cli: Cli, source: str, arguments: tuple[str, ...], said: str) -> None:
    run = cli("import", source, ".", *arguments)
    assert run.code == 2 and said in run.err
    assert arguments[0] in run.err
    assert list(cli.place.iterdir()) == []


def test_the_environment_does_not_choose_between_kafka_and_a_directory(
    cli: Cli, repo: Repo, kafka: KafkaSettings, there: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
    monkeypatch.setenv("YGGDRASIL_DIR", "here")
    assert cli.ok("import", "git", str(repo.folder), "--json").json["new"] > 0
    assert cli.ok("import", "git", str(repo.folder), *there, "--json").json["appended"] > 0


def test_a_topic_that_is_not_there_is_named(cli: Cli, repo: Repo, kafka: KafkaSettings) -> None:
    run = cli("import", "git", str(repo.folder), "--kafka", kafka.bootstrap_servers, "--topic", "nowhere", "--json")
    assert (run.code, run.json["error"]["code"]) == (4, "no_topic")
    assert "`yggdrasil topics` creates it" in run.json["error"]["message"]


def test_the_script_does_it_too(cli: Cli, repo: Repo, there: list[str]) -> None:
    run = cli.script("import", "git", str(repo.folder), *there)
    assert (run.code, run.err) == (0, "") and "appended" in run.line
    subprocess.run(["git", "init", "--quiet", "empty"], check=True)
    assert "nothing to import" in cli.script("import", "git", "empty", *there).line
