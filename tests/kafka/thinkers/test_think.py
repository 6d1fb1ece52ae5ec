"""Thinkers woken by Faust decide once, killed at any moment and two at once; and a replay gives the same memory."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from tests.faults.workers.processes import ROOT, until
from tests.service.processes import Process, serving
from tests.size import turns
from tests.thinkers.frame.test_thinking import episodes, pairs, record
from yggdrasil import Memory
from yggdrasil.engines.service_client import AccessError
from yggdrasil_infra.http.keys import new_key
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import refused_topic

PARTITIONS = 2
KILLS = turns(5, 100)


class Thinkers:
    """A topic, a service that answers from it, and processes that think beside it."""

    def __init__(self, kafka: KafkaSettings, folder: Path, stack: ExitStack) -> None:
        self.kafka = kafka
        self.folder = folder
        self.topic = f"test-{uuid4().hex}.commands"
        self.group = f"group-{uuid4().hex}"
        create_topic(kafka, self.topic, PARTITIONS, "development")
        create_topic(kafka, refused_topic(self.topic), 1, "development")
        self._stack = stack
        keys = folder / "keys.json"
        _, self.agent = new_key(keys, "me", ["append", "read"], "agent")
        _, self.thinkers = new_key(keys, "me", ["read", "operate"], "thinkers")
        there = ["--kafka", kafka.bootstrap_servers, "--topic", self.topic, "--development", "--keys", str(keys)]
        self.service: Process = stack.enter_context(serving(folder, *there, "--data", str(folder / "host")))

    def memory(self, name: str = "me/agent") -> Memory[Any]:
        return self._stack.enter_context(Memory.connect(self.service.url, memory=name, key=self.agent))

    @contextmanager
    def thinking(self, name: str, *more: str) -> Iterator[subprocess.Popen[bytes]]:
        said = self.folder / f"{name}.said"
        arguments = [
            *("think", "--kafka", self.kafka.bootstrap_servers, "--topic", self.topic, "--development"),
            *("--service", self.service.url, "--group", self.group, "--dir", str(self.folder / name)),
            *("--session-timeout-s", "1", "--http", "off", *more),
        ]
        with said.open("ab") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.kafka.thinkers.toy_command", *arguments],
                cwd=ROOT, stdout=out, stderr=out, env={**os.environ, "YGGDRASIL_KEY": self.thinkers},
            )  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def words(self) -> str:
        return "\n".join(f"--- {path.name}\n{path.read_text()[-4000:]}" for path in self.folder.glob("*.said"))


@pytest.fixture
def thinkers(kafka: KafkaSettings, tmp_path: Path) -> Iterator[Thinkers]:
    with ExitStack() as stack:
        yield Thinkers(kafka, tmp_path, stack)


def settled(memory: Memory[Any], events: list[str]) -> bool:
    found = memory.happened(count=200)
    while found.position < found.as_of:
        more = memory.happened(since=found.position, count=200)
        found = type(found)([*found.happened, *more.happened], more.position, more.as_of, more.cursors, more.open)
    made = [one.members for one in found.happened if one.kind == "episode"]
    last = max((one.seq for one in found.happened if one.kind == "episode"), default=0)
    return made == pairs(events) and found.cursors.get("praising", 0) >= last and not found.open


def test_they_are_woken_by_the_topic_and_stop_when_told(thinkers: Thinkers) -> None:
    memory, other = thinkers.memory(), thinkers.memory("me/other")
    before = record(memory, 3)
    with thinkers.thinking("one", "--idle-s", "5") as process:
        until(lambda: episodes(memory) == pairs(before), thinkers.words)
        events = record(other, 5)
        until(lambda: episodes(other) == [*pairs(events), events[4:]], thinkers.words)  # what is open is concluded
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, thinkers.words()
    assert "Traceback" not in thinkers.words()


def test_a_decision_counts_once_wherever_its_thinkers_are_killed(thinkers: Thinkers, tmp_path: Path) -> None:
    chance = random.Random(KILLS)
    memory = thinkers.memory()
    events: list[str] = []
    with ExitStack() as stack:
        running = [stack.enter_context(thinkers.thinking(name)) for name in ("one", "two")]
        for kill in range(KILLS):
            events += record(memory, chance.randrange(2, 12))
            Event().wait(chance.random() * 5)  # some before they think at all
            at = chance.randrange(2)
            running[at].kill()
            running[at].wait()
            running[at] = stack.enter_context(thinkers.thinking(f"again-{kill}" if kill % 3 else ("one", "two")[at]))
        events += record(memory, 4)
        until(lambda: settled(memory, events), thinkers.words)
    found = memory.happened(count=1)
    assert found.cursors["pairs"] > 0
    with KafkaLog(thinkers.kafka, thinkers.topic, "development") as log:
        replayed = replay(log, tmp_path / "replayed", partition_for(b"me/agent", PARTITIONS))
    _, key = new_key(thinkers.folder / "keys.json", "me", ["audit"], "auditor")
    thinkers.service.process.send_signal(signal.SIGHUP)
    with Memory.connect(thinkers.service.url, memory="me/agent", key=key) as audited:
        until(lambda: digest_of(audited) == replayed.digests["me/agent"], lambda: str(replayed))


def digest_of(memory: Memory[Any]) -> str:
    """The digest that the service tells whoever may audit; nothing where it has not read of the key yet."""
    try:
        return memory.digest()
    except AccessError:
        return ""


def test_a_shadow_appends_nothing(thinkers: Thinkers) -> None:
    memory = thinkers.memory()
    record(memory, 4)
    report = thinkers.folder / "would.jsonl"
    with thinkers.thinking("shadow", "--shadow", str(report), "--thinkers", "pairs"):
        until(lambda: report.exists() and report.read_text().count("\n") == 2, thinkers.words)
        record(memory, 2)
        until(lambda: report.read_text().count("\n") == 3, thinkers.words)
    assert episodes(memory) == [] and memory.happened().as_of == 6
