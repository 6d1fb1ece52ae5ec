"""One command, followed from its request to the log and the store: nothing of that is in what is hashed."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.contract.logs import everything
from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.hosts.test_query_host import Hosts, memory_on
from tests.service.client import Client
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.query import QueryEngine
from yggdrasil.serving import Health, Service, Serving
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.trace import REQUEST, TRACEPARENT, Trace
from yggdrasil_infra.tracing import said_once, trace_in, trace_of
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_processors.telling import Refusals, told_of
from yggdrasil_projections.graph.store.chain import record_hash

LOOPBACK = ("127.0.0.1", 0)
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
PARTITIONS = 2
JSON = {"Content-Type": "application/json"}
NOWHERE = "0192f0c1-0000-7000-8000-000000000001"
TOLD = {"X-Request-Id": "order-17", "traceparent": PARENT}


@pytest.fixture
def hosts(kafka: KafkaSettings, tmp_path: Path) -> Hosts:
    return Hosts(kafka, tmp_path)


def body(text: str) -> dict[str, object]:
    return {"type": "record_event", "body": {"features": []}, "content": {"text": text}}


def post(client: Client, path: str, sent: Mapping[str, object]) -> Any:
    """Send with the headers of a request that is to be followed."""
    reply = client.send("POST", f"/v1/memories/{client.memory}{path}", orjson.dumps(sent), JSON | TOLD)
    assert reply.status == 200, reply.body
    return reply.json


def records(log: LogReader) -> dict[str, LogRecord]:
    """What is in a log, by the id of its command."""
    return {orjson.loads(one.value or b"")["id"]: one for one in everything(log)}


def line_of(caplog: pytest.LogCaptureFixture, command_id: str) -> dict[str, object]:
    """The line of the access log of a command; it is written once the answer is out."""

    def lines() -> list[dict[str, object]]:
        return [vars(one) for one in list(caplog.records) if vars(one).get("command") == command_id]

    until(lambda: bool(lines()), lambda: caplog.text)
    (found,) = lines()
    return found


def test_a_request_s_id_leads_to_the_command_its_place_in_the_log_and_back(
    hosts: Hosts, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "yggdrasil.access")
    with hosts.run("a") as engine, Serving(engine, Service(LOOPBACK, rate=0)) as it, Client(it.url) as client:
        said = post(client, "/commands", body("one"))
        line = line_of(caplog, said["id"])
        assert (line["request"], line["traceparent"], line["receipt"]) == ("order-17", PARENT, said["receipt"])
        many = post(client, "/commands/batch", {"commands": [body("two"), body("three")]})["answers"]
        line = line_of(caplog, many[0]["id"])
        assert (line["request"], line["receipt"], line["commands"]) == ("order-17", many[0]["receipt"], 2)
        recalled = post(client, "/context", {"query": "one"})["recall_id"]
        assert line_of(caplog, recalled)["request"] == "order-17"
        with hosts.log() as log:
            found = records(log)
    partition, offset = map(int, said["receipt"].split("-"))
    assert (found[said["id"]].partition, found[said["id"]].offset) == (partition, offset)
    for command_id in (said["id"], many[0]["id"], many[1]["id"], recalled):
        assert found[command_id].trace == Trace("order-17", PARENT)


def test_a_memory_is_the_same_whatever_its_headers_say(hosts: Hosts, tmp_path: Path) -> None:
    with hosts.run("a") as engine, Serving(engine, Service(LOOPBACK, rate=0)) as it, Client(it.url) as client:
        post(client, "/commands", body("one"))
        memory = memory_on(engine, client.memory)
        digest, number = memory.digest(), engine.host.partition(client.memory)
        with hosts.log() as log:
            (record,) = everything(log)
            assert replay(log, tmp_path / "replayed", number).digests == {client.memory: digest}
    assert record.trace is not None
    assert record_hash(record) == record_hash(record._replace(trace=None))


def test_the_local_log_keeps_nothing_of_it(tmp_path: Path) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, rate=0)) as it,
        Client(it.url) as client,
    ):
        assert post(client, "/commands", body("one"))["accepted"]
        (record,) = [one for one in everything(engine.records) if b'"one"' in (one.value or b"")]
    assert record.trace is None and b"order-17" not in (record.value or b"")


def test_a_worker_tells_whose_request_it_has_refused(fleet: Fleet) -> None:
    worker = fleet.start("a").wait_for("partition taken")
    settings = HostSettings(fleet.kafka, fleet.directory("q"), fleet.topic, "development")
    with (
        QueryEngine(QueryHost(settings)) as engine,
        Serving(engine, Service(LOOPBACK, rate=0), Health(ready=engine.host.ready)) as it,
        Client(it.url) as client,
    ):
        until(lambda: it.ready() is None, lambda: str(it.ready()))
        post(client, "/commands", body("one"))
        outcome: dict[str, object] = {"type": "log_outcome", "body": {"event": NOWHERE, "value": 1}}
        refused = post(client, "/commands", outcome)
        assert refused["accepted"] is False
    until(lambda: bool(worker.lines("record refused")), lambda: worker.words)
    (line,) = worker.lines("record refused")
    assert f"command={refused['id']}" in line and "request=order-17" in line and f"traceparent={PARENT}" in line


@pytest.mark.parametrize(
    "parent",
    ["", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", PARENT + "-more", "ff" + PARENT[2:], PARENT.upper(), "x\ny"],
)
def test_what_is_no_traceparent_is_left_out(parent: str) -> None:
    assert trace_of("a", parent).traceparent is None
    assert trace_of("a", parent).headers() == [(REQUEST, b"a")]


@pytest.mark.parametrize("request_id", ["", "a b", "x" * 65, "\nforged", "\u00fc"])
def test_an_id_that_is_not_of_the_form_is_made_anew_or_left_out(request_id: str) -> None:
    made = trace_of(request_id, PARENT)
    assert made.request != request_id and len(made.request) == 16
    assert trace_in([(REQUEST, request_id.encode()), (TRACEPARENT, PARENT.encode())]) is None


@pytest.mark.parametrize(
    ("values", "said"),
    [((), ""), (("a",), "a"), ((" a \t",), "a"), (("a", "a"), "a"), (("a", "b"), ""), (("a", ""), "")],
)
def test_what_a_request_says_in_two_ways_is_left_out(values: tuple[str, ...], said: str) -> None:
    assert said_once(values) == said


def test_headers_of_strangers_are_passed_over() -> None:
    ours = Trace("order-17", PARENT)
    assert trace_in([("other", b"\xff\xfe"), *ours.headers(), (REQUEST, b"a-second")]) == ours
    assert trace_in([(REQUEST, b"\xff")]) is trace_in([]) is None
    assert trace_in([("filler", b"")] * 40 + ours.headers()) is None
    assert trace_in([(REQUEST, b"a"), (TRACEPARENT, b"\xff")]) == Trace("a")


def test_a_flood_of_refusals_is_some_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "yggdrasil.worker")
    refusals = Refusals()
    for offset in range(500):
        refusals.tell(LogRecord(3, offset, b"k", b"no json", 0, Trace("a")), "not_json")
    assert len(caplog.records) == 20
    assert told_of(LogRecord(3, 7, b"k", b"no json", 0, Trace("a"))) == {"partition": 3, "offset": 7, "request": "a"}
