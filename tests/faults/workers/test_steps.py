"""A worker that ends at one certain step: by a kill, a write that fails, a hang, or a version of the future."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.faults.kafka.load import Mix, Outgoing, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.records.test_versions import enabling
from tests.faults.workers.processes import ROOT, Fleet, Worker
from tests.faults.workers.test_records import metric
from tests.harness.waiting import until
from tests.kafka.node import free_port
from tests.size import turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_projections.graph.rules import RULES
from yggdrasil_schemas.codec import LANGUAGES
from yggdrasil_schemas.commands import system_memory

PARTITIONS = 4
FIXED = ("--partitions", f"0-{PARTITIONS - 1}")  # so that nobody waits for the session of the one that was killed
WHEN = {"write": "after", "fold": "before", "publish": "after", "delete": "before", "group": "after"}
STEPS = {"write": 4, "fold": 4, "publish": 4, "delete": 1, "group": 1}
"""How often each is taken at least when 60 more records wait."""


def test_kills_beside_every_durable_step(kafka: KafkaSettings, tmp_path: Path) -> None:
    """Again and again on what the one before has left."""
    mix = Mix("steps", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        for nth in range(1, turns(1, 6) + 1):
            for step, often in STEPS.items():
                for when in turns([WHEN[step]], ["before", "after"]):
                    publisher.send(mix.take(60))
                    publisher.settle()
                    worker = fleet.start("a", *FIXED, shim=(step, when, str(min(nth, often))))
                    assert worker.ended() == -signal.SIGKILL, (step, when, nth, worker.words)
        acknowledged = publisher.settle()
        fleet.start("a", *FIXED)
        fleet.settle()
        fleet.stop()
        seen = check(fleet, acknowledged)
        assert seen.published > len(seen.truth.refusals), "no kill came between sending a refusal and forgetting it"


def test_a_write_that_fails_ends_the_process_at_once(kafka: KafkaSettings, tmp_path: Path) -> None:
    mix = Mix("full", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        for number in range(turns(1, 20)):
            publisher.send(mix.take(150))
            publisher.settle()
            worker = fleet.start("a", *FIXED, shim=("write", "full", str(1 + number % 4)))
            assert worker.ended() == 1, worker.words
            (said,) = worker.lines("yggdrasil: ")
            assert "File too large" in said
            assert "Traceback" not in worker.words
        acknowledged = publisher.settle()
        fleet.start("a", *FIXED)
        fleet.settle()
        fleet.stop()
        check(fleet, acknowledged)


@contextmanager
def worker_whose_log_nobody_reads(fleet: Fleet) -> Iterator[subprocess.Popen[bytes]]:
    """Start one whose standard error is a pipe that is full: the first line that is logged blocks whoever logs it."""
    reading, writing = os.pipe()
    os.write(writing, b"x" * fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4_096))
    arguments = ["--topic", fleet.topic, "--group", f"{fleet.group}-2", "--dir", str(fleet.directory("b"))]
    arguments += ["--kafka", fleet.kafka.bootstrap_servers, "--development", "--watchdog-s", "5", "--http", "off"]
    process = subprocess.Popen([sys.executable, "-m", "yggdrasil", "worker", *arguments], cwd=ROOT, stderr=writing)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        os.close(reading)
        os.close(writing)


def test_a_main_loop_that_hangs_ends_the_process(kafka: KafkaSettings, tmp_path: Path) -> None:
    """Be it in a write, be it in saying something."""
    mix = Mix("hang", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(300))
        acknowledged = publisher.settle()
        worker = fleet.start("a", *FIXED, "--watchdog-s", "5", shim=("fold", "hang", "2"))
        with worker_whose_log_nobody_reads(fleet) as mute:
            assert mute.wait(240) == 1
        assert worker.ended() == 1
        assert "the watchdog ends this process" in worker.words
        stack = worker.words.partition("Thread MainThread (most recent call last):")[2].partition("Thread ")[0]
        assert "shim.py" in stack, "the traceback shows where it hangs"
        fleet.start("a", *FIXED)
        fleet.settle()
        fleet.stop()
        check(fleet, acknowledged)


def ready(port: int) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return 0, "nobody listens yet"
    finally:
        connection.close()


def halted(worker: Worker, port: int, partition: int) -> bool:
    """Whether the worker says so in every way that it has."""
    status, why = ready(port)
    return (
        bool(worker.lines(f"partition halted: partition {partition}, "))
        and status == 503
        and "this release knows 1 and 1" in why
        and metric(port, "halted").get(f'partition="{partition}"') == 1.0
    )


def test_a_version_of_the_future_halts_its_partition_and_no_other_until_a_release_knows_it(
    kafka: KafkaSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mix = Mix("future", PARTITIONS)
    ports = [free_port(1), free_port(1)]
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(300))
        low = fleet.start("low", "--partitions", "0-1", "--http", f"127.0.0.1:{ports[0]}")
        fleet.start("high", "--partitions", "2-3", "--http", f"127.0.0.1:{ports[1]}")
        publisher.settle()
        fleet.settle()
        publisher.send([Outgoing(system_memory(1).encode(), enabling(1, 2, 2), 1)])
        publisher.send(mix.take(300))
        acknowledged = publisher.settle()
        fleet.settle([0, 2, 3])
        until(lambda: halted(low, ports[0], 1), lambda: f"{ready(ports[0])} {metric(ports[0], 'halted')} {low.words}")
        assert ready(ports[1]) == (200, "ok\n")
        assert metric(ports[0], "halted")['partition="0"'] == 0.0
        fleet.stop()
        newer = fleet.start("low", "--partitions", "0-1", shim=("release", "2", ""))
        fleet.start("high", "--partitions", "2-3", shim=("release", "2", ""))
        fleet.settle()
        fleet.stop()
        assert not newer.lines("halted")
        older = fleet.start("low", "--partitions", "0-1")
        assert older.ended() == 1
        assert "was written by a newer release; install that one. It was folded in schema version 2" in older.words
        monkeypatch.setitem(RULES, 2, RULES[1])
        monkeypatch.setitem(LANGUAGES, 2, LANGUAGES[1])
        check(fleet, acknowledged)
