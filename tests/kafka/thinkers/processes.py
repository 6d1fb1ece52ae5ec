"""A topic, a service that answers from it, and processes that think beside it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson

from tests.faults.workers.processes import ROOT
from tests.harness.waiting import until
from tests.service.processes import Process, serving
from tests.thinkers.once import in_order
from yggdrasil import Memory
from yggdrasil.engines.service_client import AccessError
from yggdrasil_infra.http.keys import new_key
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import refused_topic

PARTITIONS = 2


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
    def thinking(
        self, name: str, *more: str, module: str = "tests.kafka.thinkers.toy_command"
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A process that thinks; with the toys for thinkers, unless ``module`` is another one."""
        said = self.folder / f"{name}.said"
        arguments = [
            *("think", "--kafka", self.kafka.bootstrap_servers, "--topic", self.topic, "--development"),
            *("--service", self.service.url, "--group", self.group, "--dir", str(self.folder / name)),
            *("--session-timeout-s", "1", "--http", "off", *more),
        ]
        with said.open("ab") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT, stdout=out, stderr=out, env={**os.environ, "YGGDRASIL_KEY": self.thinkers},
            )  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def words(self) -> str:
        return "\n".join(f"--- {path.name}\n{path.read_text()[-4000:]}" for path in self.folder.glob("*.said"))


def digest_when_audited(thinkers: Thinkers, name: str, wanted: str) -> str:
    """The digest of a memory by the service, once it knows a key that may audit, and has the digest that is wanted."""
    _, key = new_key(thinkers.folder / "keys.json", "me", ["audit"], "auditor")
    thinkers.service.process.send_signal(signal.SIGHUP)
    found = [""]

    def told() -> bool:
        try:
            found.append(audited.digest())
        except AccessError:  # it has not read of the key yet
            return False
        return found[-1] == wanted

    with Memory.connect(thinkers.service.url, memory=name, key=key) as audited:
        until(told, lambda: f"{found[-1]}, and not {wanted}")
    return found[-1]


def taken(memory: Memory[Any], thinkers: Thinkers, name: str, thinker: str) -> list[dict[str, Any]]:
    """The bodies of all commands of a thinker that the fold of memory ``name`` has taken, by cursor and part."""
    with KafkaLog(thinkers.kafka, thinkers.topic, "development") as log:
        partition = partition_for(name.encode(), PARTITIONS)
        records: list[LogRecord] = []
        offset = log.start_offset(partition)
        while offset < log.end_offset(partition):
            records += log.read(partition, offset, 1_000)
            offset = records[-1].offset + 1
    said: dict[str, dict[str, Any]] = {}
    for record in records:  # the first under an id is the one that was answered
        one = orjson.loads(record.value or b"{}")
        said.setdefault(one["id"], one["body"])
    of = {id_: body for id_, body in said.items() if body.get("thinker", {}).get("name") == thinker}
    accepted = [body for id_, body in of.items() if (became := memory.became(id_)) is not None and became.accepted]
    return in_order(accepted)
