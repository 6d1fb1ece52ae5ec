"""The facade over Kafka: it appends only, and what was not acknowledged can be sent again."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.logs import everything, fresh_topic
from tests.kafka.node import KafkaNode, free_port
from yggdrasil import Memory
from yggdrasil.engines.published import Published
from yggdrasil.memory import AppendOnlyError
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings, SettingsError
from yggdrasil_infra.kafka_log.topics import TopicError
from yggdrasil_processors.auditing.replay import fresh_projector
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.errors import InvalidCommandError

ROOT = Path(__file__).parents[3]


def connect(kafka: KafkaSettings, topic: str) -> Memory[Published]:
    return Memory.connect(kafka.bootstrap_servers, memory="me/agent", topic=topic, profile="development")


@pytest.fixture
def memory(kafka: KafkaSettings) -> Iterator[Memory[Published]]:
    with connect(kafka, fresh_topic(kafka, 2)) as connected:
        yield connected


READING: list[Callable[[Memory], object]] = [
    lambda memory: memory.get_context("x"),
    lambda memory: memory.explain_action("01890000-0000-7000-8000-000000000000"),
    lambda memory: memory.digest(),
    lambda memory: memory.attest(),
]


@pytest.mark.parametrize("read", READING, ids=["get_context", "explain_action", "digest", "attest"])
def test_what_reads_is_refused_before_anything_is_appended(
    memory: Memory[Published], read: Callable[[Memory], object], request: pytest.FixtureRequest
) -> None:
    with pytest.raises(AppendOnlyError, match=rf"^{request.node.callspec.id} .*only appends.*yggdrasil replay --kafka"):
        read(memory)
    assert everything(memory.engine.log) == []


def test_use_may_be_reported_of_a_recall_that_was_made_elsewhere(memory: Memory[Published]) -> None:
    recall, used = (f"01890000-0000-7000-8000-00000000000{number}" for number in range(2))
    reported = memory.report_use(recall, [used], result="success", helpful=True)
    (record,) = everything(memory.engine.log)
    decoded = decode(record.value)
    assert isinstance(decoded, Decoded)
    assert (decoded.command.id, decoded.command.type) == (reported, "report_use")


def test_a_malformed_memory_is_refused_before_any_broker_is_asked() -> None:
    with pytest.raises(InvalidCommandError, match="invalid_envelope"):
        Memory.connect("127.0.0.1:1", memory="no tenant")
    with pytest.raises(InvalidCommandError, match="reserved_memory"):
        Memory.connect("127.0.0.1:1", memory="_yggdrasil/partition-0")


def test_a_topic_that_is_not_fit_is_refused(kafka: KafkaSettings) -> None:
    with pytest.raises(TopicError, match="development profile"):
        Memory.connect(kafka.bootstrap_servers, memory="me/agent", topic=fresh_topic(kafka, 1))


@pytest.fixture
def node(tmp_path: Path) -> Iterator[KafkaNode]:
    """A broker of this test's own, to be stopped."""
    own = KafkaNode(tmp_path / "kafka", free_port())
    own.start()
    try:
        own.wait_until_ready()
        yield own
    finally:
        own.stop()


class Appending:
    """The process of appending.py."""

    def __init__(self, kafka: KafkaSettings, topic: str) -> None:
        command = [sys.executable, "-m", "tests.kafka.log.appending", kafka.bootstrap_servers, topic]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, line: str) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def __enter__(self) -> "Appending":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=240)


def test_what_was_not_acknowledged_is_given_back_and_taken_once_however_often_it_is_sent(
    node: KafkaNode, tmp_path: Path
) -> None:
    kafka = KafkaSettings(node.address)
    topic = fresh_topic(kafka, 1)
    with Appending(kafka, topic) as appending:
        acknowledged = appending("record before")["id"]
        assert node._process is not None
        node.hold()  # the request will reach its socket, and be answered too late
        try:
            frozen = appending("record while it is frozen")
        finally:
            os.kill(node._process.pid, signal.SIGCONT)
        node.kill()
        away = appending("record while it is away")
        assert frozen["uncertain"]
        for said in (frozen, away):
            assert said["given_back"] in said["message"]
            assert "sending the same command again is safe" in said["message"]
        node.start()
        node.wait_until_ready()
        given_back = [frozen["given_back"], away["given_back"]]
        for _ in range(2):
            assert appending("resend") == {"ids": given_back}
    with KafkaLog(kafka, topic, "development") as log:
        ids = [one.command.id for record in everything(log) if isinstance(one := decode(record.value), Decoded)]
        assert set(ids) == {acknowledged, *given_back}
        assert len(ids) >= 5
        projector = fresh_projector(log, tmp_path / "replayed", 0)
        projector.catch_up()
        graph = projector.store.peek("me/agent")
        assert graph is not None and graph.header.seq == 3
        projector.close()


def test_what_cannot_be_meant_is_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="profile is production or development, not 'dev'"):
        Memory.connect("127.0.0.1:1", memory="me/agent", profile="dev")  # type: ignore[arg-type]  # pyright: ignore
    with pytest.raises(InvalidCommandError, match="memory takes TENANT/AGENT, such as me/agent"):
        Memory.connect("127.0.0.1:1", memory="acme")


@pytest.mark.parametrize("servers", ["foo:bar", "a:9092,", "a:0", "a:65536", ":9092", "http://a:9092", "a b:1", "::1"])
def test_brokers_that_are_none_are_refused_before_anything_is_sent(servers: str) -> None:
    with pytest.raises(SettingsError, match=r"write HOST:PORT\[,HOST:PORT\]"):
        KafkaSettings(servers)


def test_brokers_are_hosts_with_or_without_a_port() -> None:
    for servers in ("broker", "broker_1:9092, 10.0.0.1:1", "[::1]:9092", "a.example-1.org:65535"):
        assert KafkaSettings(servers).bootstrap_servers == servers
