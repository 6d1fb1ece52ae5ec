"""A broker that hangs, as a machine does and not a process that was killed: its connections stay, and say nothing."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import pytest

from tests.harness.threads import leaves_threads
from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log import log as kafka_log
from yggdrasil_infra.kafka_log import settings as kafka_settings
from yggdrasil_infra.kafka_log.consumer import PartitionConsumer
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.log import LogError

SESSION_S = 3.0
HUNG_S = 5.0
READY_S = 240.0


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    """Every test lets it go on."""
    with KafkaNode(tmp_path_factory.mktemp("hung"), free_port()) as own:
        yield own


@contextmanager
def hung(node: KafkaNode) -> Iterator[None]:
    assert node.pid is not None
    node.hold()
    try:
        yield
    finally:
        os.kill(node.pid, signal.SIGCONT)


def processor_s(others: Iterable[threading.Thread], *threads: threading.Thread) -> float:
    """For how long threads had a processor: what those of earlier tests do meanwhile is none of theirs."""
    ticks = 0
    for each in (*others, *threads):
        with suppress(FileNotFoundError):  # it has ended
            fields = Path(f"/proc/self/task/{each.native_id}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def test_a_member_waits_for_its_broker_without_a_core_and_goes_on(node: KafkaNode) -> None:
    """Its heartbeat is under way all the while, and the next is overdue (see yggdrasil_infra.kafka_log.client)."""
    kafka, topic = KafkaSettings(node.address), f"test-{uuid4().hex}"
    create_topic(kafka, topic, 1, "development")
    before = set(threading.enumerate())

    def busy_s() -> float:
        return processor_s([each for each in threading.enumerate() if each not in before], threading.current_thread())

    with (
        KafkaLog(kafka, topic, "development") as log,
        PartitionConsumer(kafka, topic, f"group-{topic}", session_timeout_s=SESSION_S) as member,
    ):
        log.append_to(0, b"key", b"before")
        read_until(member, b"before")
        with hung(node):
            until, polls = time.monotonic() + HUNG_S, 0
            used_s = busy_s()
            while time.monotonic() < until:
                member.poll(0.1, 100)
                polls += 1
            used_s = busy_s() - used_s
            assert polls < 3 * HUNG_S / 0.1, "polls return without waiting"
            assert used_s < HUNG_S / 4, f"{used_s:.1f} s of a processor in {HUNG_S:g} s in which nothing came"
        log.append_to(0, b"key", b"after")
        read_until(member, b"after")


def test_a_reader_that_finds_no_broker_says_so_as_often_as_it_is_asked_and_leaves_no_thread(
    node: KafkaNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_settings, "_BOOTSTRAP_MS", 500)
    monkeypatch.setattr(kafka_log, "_EDGE_S", 0.1)
    kafka, topic = KafkaSettings(node.address), f"test-{uuid4().hex}"
    create_topic(kafka, topic, 1, "development")
    with KafkaLog(kafka, topic, "development") as log:
        with leaves_threads(), hung(node):
            for _ in range(3):
                with pytest.raises(LogError, match="Unable to bootstrap"):
                    log.end_offset(0)
        assert log.end_offset(0) == 0


def test_whoever_comes_while_three_of_four_brokers_hang_finds_the_other(node: KafkaNode) -> None:
    """They only take connections. Each client chooses for itself whom it asks first, and none asks one for ever."""
    with ExitStack() as opened:
        silent = [opened.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(3)]
        kafka = KafkaSettings(",".join([*(f"127.0.0.1:{port}" for port in silent), node.address]))
        topic = f"test-{uuid4().hex}"
        create_topic(kafka, topic, 1, "development")
        for _ in range(3):
            with KafkaLog(kafka, topic, "development") as log:
                assert log.end_offset(0) == log.append_to(0, b"key", b"value").offset


def read_until(member: PartitionConsumer, value: bytes) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        assert time.monotonic() < deadline, "the record does not come"
        polled = member.poll(0.1, 100)
        for partition in polled.assigned:
            member.start(partition, 0)
        if any(record.value == value for records in polled.records.values() for record in records):
            return
