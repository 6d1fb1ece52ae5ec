"""What the documents say of Kafka is done as it stands there, on a broker of its own at another address."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from urllib.request import urlopen

import orjson
import pytest
from kafka.errors import CoordinatorNotAvailableError

from tests.cli.runs import SCRIPTS
from tests.contract.logs import everything
from tests.kafka.node import KafkaNode, free_port
from tests.producers.repositories import Repo
from tests.test_docs import ROOT, blocks
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin, create_topic
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import CommandLog
from yggdrasil_processors.auditing.replay import fresh_projector, replay
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import PARTITIONS

PUBLISHING, DOORS, README = ROOT / "docs" / "publishing.md", ROOT / "docs" / "doors.md", ROOT / "README.md"
WRITTEN = "127.0.0.1:19092"  # the address in the documents
MEMORY = b"acme/coder"
WORKER_S = 240.0  # it starts, and folds a handful of records


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaSettings]:
    """A broker without topics: the documents name theirs."""
    with KafkaNode(tmp_path_factory.mktemp("kafka"), free_port()) as node:
        yield KafkaSettings(node.address)


@pytest.fixture
def log(kafka: KafkaSettings) -> Iterator[KafkaLog]:
    create_topic(kafka, "yggdrasil.commands", PARTITIONS, "development")
    with KafkaLog(kafka, profile="development") as opened:
        yield opened


def run(script: str, place: Path) -> str:
    environment = {**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(document: Path, word: str, kafka: KafkaSettings) -> str:
    """The only console block with ``word`` in it, to be run against ``kafka``."""
    (found,) = [block for block in blocks(document, "console") if word in block]
    return re.sub(r"^\$ ", "", found, flags=re.MULTILINE).replace(WRITTEN, kafka.bootstrap_servers)


def refusals(log: CommandLog, partition: int, path: Path) -> list[Any]:
    projector = fresh_projector(log, path, partition)
    projector.catch_up()
    found = projector.store.refusals()
    projector.close()
    return found


def test_plain_json_from_the_console_producer_becomes_memory(
    kafka: KafkaSettings, log: KafkaLog, tmp_path: Path
) -> None:
    run(commands(PUBLISHING, "ConsoleProducer", kafka), ROOT)
    partition = partition_for(MEMORY, PARTITIONS)
    assert {(record.partition, record.key) for record in everything(log)} == {(partition, MEMORY)}
    assert list(replay(log, tmp_path / "replayed", partition).digests) == [MEMORY.decode()]
    assert refusals(log, partition, tmp_path / "again") == []


@pytest.mark.parametrize("page", [PUBLISHING, DOORS], ids=["publishing", "doors"])
def test_the_example_in_python_appends(kafka: KafkaSettings, log: KafkaLog, page: Path) -> None:
    before = len(everything(log))
    (ours,) = [block for block in blocks(page, "py") if "from yggdrasil import" in block and WRITTEN in block]
    code = ours.replace(WRITTEN, kafka.bootstrap_servers)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"[0-9a-f-]{36}\n", done.stdout)
    assert len(everything(log)) == before + 2


def test_the_partitions_to_compare_with_are_right() -> None:
    text = " ".join(PUBLISHING.read_text().split())
    named = re.search(r"of 16 partitions, `(\S+)` belongs to number (\d+) and `(\S+)` to number (\d+)", text)
    assert named is not None
    for memory, number in (named.group(1, 2), named.group(3, 4)):
        assert partition_for(memory.encode(), 16) == int(number)


def test_a_refusal_looks_as_it_is_shown(tmp_path: Path) -> None:
    (shown,) = [json.loads(block) for block in blocks(PUBLISHING, "json")]
    (records,) = re.findall(r"^acme/coder\|(.*outage.*)$", PUBLISHING.read_text(), re.MULTILINE)
    with LocalLog.create_or_open(tmp_path / "log", PARTITIONS) as local:
        receipt = local.append(MEMORY, records.encode())  # an outcome whose event has not been appended
        (refused,) = refusals(local, receipt.partition, tmp_path / "store")
    assert {**shown, "offset": 0, "topic_id": local.topic_id} == orjson.loads(orjson.dumps(refused))


def test_the_refusals_can_be_read_as_it_is_shown(kafka: KafkaSettings) -> None:
    create_topic(kafka, "yggdrasil.refused", PARTITIONS, "development")
    shown = b'{"reason": "unknown_event"}'
    with KafkaLog(kafka, "yggdrasil.refused", "development") as refused:
        refused.append(MEMORY, shown)
    patiently = commands(PUBLISHING, "ConsoleConsumer", kafka).replace(
        "--timeout-ms 5000", "--timeout-ms 60000 --max-messages 1"
    )  # five seconds are few for a Java that begins on a busy machine
    assert "--max-messages" in patiently
    assert run(patiently, ROOT).splitlines() == [shown.decode()]


def test_the_way_from_an_import_to_an_audit(kafka: KafkaSettings, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    for number in range(3):
        repo.commit(f"Step {number}", {"file": str(number)})
    topics, imports, works, replays, serves = commands(README, "yggdrasil topics", kafka).splitlines()
    assert "Fit for development" in run(topics, repo.folder)
    assert "appended to yggdrasil.commands" in run(imports, repo.folder)
    command = [str(SCRIPTS / "yggdrasil"), *works.split("#")[0].split()[1:], "--http", "off"]
    worker = subprocess.Popen(command, cwd=repo.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_folded(kafka)
    finally:
        worker.send_signal(signal.SIGINT)
        assert worker.wait(WORKER_S) == 0
    assert "Equal: the log gives exactly the memories that stand." in run(replays, repo.folder)
    port = free_port()
    command = [str(SCRIPTS / "yggdrasil"), *serves.split("#")[0].split()[1:], "--http", f"127.0.0.1:{port}"]
    service = subprocess.Popen(command, cwd=repo.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert "Step 2" in answered(f"http://127.0.0.1:{port}/v1/memories/me/agent/timeline")
    finally:
        service.send_signal(signal.SIGINT)
        assert service.wait(WORKER_S) == 0


def answered(url: str) -> str:
    """Wait until the service has folded what the first page of a timeline shows."""
    until = monotonic() + WORKER_S
    found = ""
    while monotonic() < until:
        with suppress(OSError), urlopen(url, timeout=WORKER_S) as answer:
            found = answer.read().decode()
            if "Step 2" in found:
                break
        Event().wait(0.1)
    return found


def wait_until_folded(kafka: KafkaSettings) -> None:
    """Wait until the group has committed the end of every partition."""
    with KafkaLog(kafka, profile="development") as log:
        ends = [log.end_offset(partition) for partition in range(log.partitions)]
    with admin(kafka) as client:
        until = monotonic() + WORKER_S
        while monotonic() < until:
            with suppress(CoordinatorNotAvailableError):  # the broker makes the topic of offsets when it is first asked
                (group,) = client.list_group_offsets(["yggdrasil-graph"]).values()
                if sum(committed.offset for committed in group.values()) == sum(ends):
                    return
            Event().wait(0.1)
    raise AssertionError(f"the worker has not folded everything within {WORKER_S:g} s")
