"""What a service says of the topic and of its clock: nothing is lost by either, and whoever runs it has to know."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.altered import alter
from tests.kafka.hosts.test_lag import publish, said
from tests.kafka.hosts.test_query_host import Hosts, memory_on
from tests.kafka.node import free_port
from tests.service.client import Client
from tests.service.processes import serving
from yggdrasil.engines.query import QueryEngine
from yggdrasil.serving import Health, Service, Serving
from yggdrasil_infra.kafka_log.sender import Delivery, DeliveryError, KafkaSender
from yggdrasil_infra.kafka_log.settings import KafkaSettings

LOOPBACK = ("127.0.0.1", 0)
HOURS = 3 * 3_600
PARTITIONS = 2


@pytest.fixture
def hosts(kafka: KafkaSettings, tmp_path: Path) -> Hosts:
    return Hosts(kafka, tmp_path)


def clock_off(patch: pytest.MonkeyPatch, by_s: int) -> None:
    """Have what is appended say a time that is so many seconds off; all other clocks go right."""
    send = KafkaSender.send

    def sent(
        self: KafkaSender, topic: str, partition: int, key: bytes, value: bytes, *more: Any, **named: Any
    ) -> Delivery:
        at = int((time.time() + by_s) * 1_000)
        return send(self, topic, partition, key, value, more[0], at, *more[2:], **named)

    patch.setattr(KafkaSender, "send", sent)


def test_a_topic_that_may_lose_records_is_told_by_a_service_as_by_a_worker(fleet: Fleet, tmp_path: Path) -> None:
    publish(fleet, "before", 20)
    port, place = free_port(1), ("--kafka", fleet.kafka.bootstrap_servers, "--topic", fleet.topic, "--development")
    with serving(tmp_path, *place, "--dir", "q", "--metrics", f"127.0.0.1:{port}") as it:
        assert "yggdrasil_service_topic_unfit 0.0" in said(port, "/metrics")
        alter(fleet.kafka, fleet.topic, {"retention.ms": "86400000"})
        until(lambda: "may lose records" in said(port, "/readyz"), it.log.read_text)
        status, told = it.probe()
        assert (status, told) == (200, said(port, "/readyz")) and "`yggdrasil topics --check`" in told
        assert fleet.kafka.bootstrap_servers not in told  # it is answered without a key
        assert "yggdrasil_service_topic_unfit 1.0" in said(port, "/metrics")
        assert "the topic may lose records, and is folded all the same" in it.log.read_text()
        alter(fleet.kafka, fleet.topic, {"retention.ms": "-1"})
        until(lambda: said(port, "/readyz") == "ok\n", lambda: said(port, "/readyz"))


def refused(engine: QueryEngine) -> DeliveryError:
    with pytest.raises(DeliveryError) as found:
        memory_on(engine).record_event("from another time")
    return found.value


@pytest.mark.parametrize(("by_s", "direction"), [(HOURS, "ahead of theirs"), (-HOURS, "behind theirs")])
def test_a_clock_that_is_wrong_is_named_and_nothing_was_appended(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, by_s: int, direction: str
) -> None:
    alter(hosts.kafka, hosts.topic, {"message.timestamp.before.max.ms": "3600000"})
    with hosts.run("a") as engine, hosts.log() as log:
        memory_on(engine).record_event("before")
        with monkeypatch.context() as patch:
            clock_off(patch, by_s)
            error = refused(engine)
            assert not error.uncertain and "The record was not appended" in str(error) and direction in str(error)
            assert "`timedatectl`" in str(error)
            health = Health(engine.host.live, engine.host.ready, engine.host.stale, unfit=engine.host.unfit)
            body = {"type": "record_event", "body": {"features": []}, "content": {"text": "hello"}}
            with Serving(engine, Service(LOOPBACK, rate=0), health) as it, Client(it.url) as client:
                assert direction in (it.ready() or "") and "7200 s" in (it.ready() or "")
                problem = client.post("/commands", body).problem(503, "not_ready")
                assert problem["detail"].startswith("was not appended, since the record's time is 7200 s")
                assert direction in problem["detail"] and "Set the clock" in problem["remedy"]
                (line,) = [vars(one) for one in caplog.records if one.name == "yggdrasil.gateway"]
                assert problem["detail"].endswith(line["command"]) and problem["instance"].endswith(line["request"])
                batch = client.post("/commands/batch", {"commands": [body, body]}).problem(503, "not_ready")
                assert "not all of them were appended" in batch["detail"] and direction in batch["detail"]
                assert it.live() is None
                assert [one.text for one in memory_on(engine).timeline().memories] == ["before"]
        assert direction in (engine.host.ready() or ""), "nothing has been taken since"
        memory_on(engine).record_event("after")
        assert engine.host.ready() is None
        assert sum(log.end_offset(partition) for partition in range(log.partitions)) == 2


def test_a_clock_that_was_set_is_trusted_again(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    with hosts.run("a") as engine:
        with monkeypatch.context() as patch:
            clock_off(patch, HOURS)
            refused(engine)
        assert engine.host.ready() is not None
        monkeypatch.setattr("yggdrasil_processors.query_host.clock.time", lambda: time.time() - HOURS)
        until(lambda: engine.host.ready() is None, engine.host.ready)
