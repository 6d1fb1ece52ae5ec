"""Lag tells the truth: of a store that is folded again, of a partition that comes back, and while brokers are away."""

import os
import shutil
import signal
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_processors.query_host import host as query_host
from yggdrasil_processors.watch import Edges, Watch

PARTITIONS = 2
RECORDS = 400


def said(port: int, path: str) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.read().decode()
    except OSError as error:
        return str(error)


def sum_of(port: int, metric: str) -> float | None:
    found = [line for line in said(port, "/metrics").splitlines() if line.startswith(f"{metric}{{")]
    return sum(float(line.split()[-1]) for line in found) if found else None


def publish(fleet: Fleet, seed: str, count: int = RECORDS) -> None:
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(Mix(seed, PARTITIONS).take(count))
        publisher.settle()


def ends(fleet: Fleet) -> int:
    return sum(fleet.log.end_offset(partition) for partition in range(PARTITIONS))


def test_a_store_that_is_folded_again_says_so_to_the_group_in_readyz_and_in_the_metrics(fleet: Fleet) -> None:
    publish(fleet, "again")
    fleet.start("a")
    fleet.settle()
    fleet.stop()
    shutil.rmtree(fleet.directory("a") / "graph")
    port = free_port(1)
    worker = fleet.start("a", "--http", f"127.0.0.1:{port}", shim=("slow", "0.2", "_"))
    seen: list[tuple[str, float | None, float | None, int]] = []

    def rebuilt() -> bool:
        seen.append(
            (
                said(port, "/readyz").strip(),
                sum_of(port, "yggdrasil_worker_rebuilding_records"),
                sum_of(port, "yggdrasil_worker_lag_records"),
                sum(fleet.committed().values()),
            )
        )
        return seen[-1][0] == "ok"

    until(rebuilt, lambda: f"{seen[-3:]}\n{worker.words}", look_s=0.1)
    during = [each for each in seen if "records remain" in each[0]]
    assert during, seen
    assert any(remain and lag and remain <= lag for _, remain, lag, _ in during)
    assert any(committed < ends(fleet) for _, _, _, committed in during), "the group says that nothing is missing"
    assert seen[-1][1] == 0
    fleet.settle()
    fleet.stop()


def test_what_is_known_of_a_partition_that_left_is_not_said_of_it_when_it_comes_back(
    fleet: Fleet,
) -> None:
    """The log has gone on meanwhile, which an old figure would hide for as long as it is kept."""
    publish(fleet, "left")
    positions = {0: fleet.log.end_offset(0)}
    settings = HostSettings(fleet.kafka, fleet.directory("watch"), fleet.topic, "development", look_every_s=60.0)
    watched = KafkaLog(fleet.kafka, fleet.topic, "development")
    with Watch(settings, watched, lambda: positions, threading.Event()) as watch:
        until(lambda: 0 in watch.edges, lambda: "no edges")
        watch.forget(0)
        assert 0 not in watch.edges
        publish(fleet, "meanwhile")
        until(
            lambda: watch.edges.get(0) == Edges(0, fleet.log.end_offset(0)),
            lambda: f"{watch.edges} of {fleet.log.end_offset(0)}",
        )


def test_a_query_host_goes_on_answering_while_brokers_are_away_and_says_since_when(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_host, "_AWAY_S", 0.5)
    with KafkaNode(tmp_path / "kafka", free_port()) as node, Fleet(KafkaSettings(node.address), tmp_path, 1) as fleet:
        publisher = Publisher(fleet.kafka, fleet.topic, 1)
        with publisher:
            publisher.send(Mix("away", 1).take(100))
            publisher.settle()
        settings = HostSettings(fleet.kafka, fleet.directory("q"), fleet.topic, "development", look_every_s=0.5)
        with QueryHost(settings) as host:
            until(lambda: host.ready() is None, lambda: str(host.ready()))
            assert host.stale() is None
            assert node.pid is not None
            node.hold()
            try:
                until(lambda: host.stale() is not None, lambda: "it does not notice")
                assert host.ready() is None
                assert "no broker has answered" in (host.stale() or "")
                assert [lag.end for lag in host.lags()] == [host.lags()[0].position] and host.lags()[0].end > 0
            finally:
                os.kill(node.pid, signal.SIGCONT)
            until(lambda: host.stale() is None, lambda: "it does not come back")


def test_a_member_without_a_partition_is_ready_and_stays_it(fleet: Fleet) -> None:
    """It stands by: others have everything, and whoever asks for its readiness would restart it for nothing."""
    ports = [free_port(1) for _ in range(PARTITIONS + 1)]
    workers = [fleet.start(f"w{at}", "--http", f"127.0.0.1:{port}") for at, port in enumerate(ports)]
    until(lambda: all(said(port, "/readyz") == "ok\n" for port in ports), lambda: str([w.words for w in workers]))

    def held() -> list[int]:
        return [len(worker.lines("partition taken")) - len(worker.lines("partition left")) for worker in workers]

    until(lambda: sorted(held()) == [0, 1, 1], lambda: str([w.words for w in workers]))  # one may be on its way
    idle = ports[held().index(0)]
    until_s = time.monotonic() + 5.0
    while time.monotonic() < until_s:
        assert said(idle, "/readyz") == "ok\n"
        threading.Event().wait(0.05)
