"""A broker that hangs keeps nobody longer than was said: appends, readings, openings and endings have their deadlines.

It takes connections, and says nothing: so does a machine that is out of memory, or a firewall that swallows answers.
"""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.harness.threads import leaves_threads
from tests.harness.waiting import until
from tests.kafka.hosts.test_hung import hung
from tests.kafka.hosts.test_query_host import Hosts, memory_on
from tests.kafka.node import KafkaNode, free_port
from tests.service.client import Client, Reply
from yggdrasil.engines.query import QueryEngine
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.sender import DeliveryError
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Draft, Drafter

LOOPBACK = ("127.0.0.1", 0)
MARGIN_S = 12.0  # of a machine that others use as well; who waits for a broker waits for half a minute
DEADLINES = [0.0, 0.5, 2.0]
LEAST_S = 1.0  # what the brokers have at least


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNode]:
    """Every test lets it go on."""
    with KafkaNode(tmp_path_factory.mktemp("hung"), free_port()) as own:
        yield own


@pytest.fixture
def hosts(node: KafkaNode, tmp_path: Path) -> Hosts:
    return Hosts(KafkaSettings(node.address), tmp_path)


@pytest.fixture
def engine(hosts: Hosts) -> Iterator[QueryEngine]:
    with hosts.run("a") as it:
        yield it


def took(call: Callable[[], object]) -> tuple[float, object]:
    """How long a call took, and what it returned or raised."""
    begun = time.monotonic()
    try:
        done = call()
    except Exception as error:
        done = error
    return time.monotonic() - begun, done


def event(text: str) -> Draft:
    return Drafter("me/agent", "agent", "test").draft("record_event", {"features": []}, {"text": text})


def test_an_append_is_answered_by_its_deadline_and_counts_once_when_it_is_sent_again(
    node: KafkaNode, engine: QueryEngine
) -> None:
    memory_on(engine).record_event("before")
    drafts = {deadline_s: event(f"with {deadline_s} s") for deadline_s in DEADLINES}
    with hung(node):
        for deadline_s, draft in drafts.items():
            seconds, error = took(lambda: engine.place([draft], deadline_s))  # noqa: B023 - called at once
            assert seconds < max(LEAST_S, deadline_s) + MARGIN_S
            assert isinstance(error, DeliveryError) and error.uncertain
            assert "may have been written all the same; sending the same command again is safe" in str(error)
    until(lambda: not engine.host.stale(), engine.host.stale)
    for draft in drafts.values():
        assert engine.submit(draft).refused is None
    texts = [one.text for one in memory_on(engine).happened().happened]
    assert sorted(texts, key=str) == sorted(["before", *(f"with {each} s" for each in DEADLINES)])


def test_a_sender_that_never_found_a_broker_says_that_nothing_was_written(node: KafkaNode, hosts: Hosts) -> None:
    with hosts.log() as log, leaves_threads(2):  # those of one producer
        with hung(node):
            for deadline_s in (0.3, 1.0):
                seconds, error = took(lambda: log.append_many([(b"k", b"v")], deadline_s))  # noqa: B023 - at once
                assert seconds < deadline_s + MARGIN_S
                assert isinstance(error, DeliveryError) and not error.uncertain
                assert "The record was not appended" in str(error)
        until(lambda: isinstance(took(lambda: log.append_many([(b"k", b"again")], 5.0))[1], list), str)
        records = [record.value for partition in range(log.partitions) for record in log.read(partition, 0, 10)]
        assert records == [b"again"]


def test_many_at_once_are_answered_and_readings_go_on(node: KafkaNode, engine: QueryEngine) -> None:
    memory = memory_on(engine)
    memory.record_event("before")
    found: list[tuple[float, object]] = []
    with hung(node):
        threads = [
            threading.Thread(target=lambda at=at: found.append(took(lambda: engine.place([event(f"{at}")], 1.5))))
            for at in range(24)
        ]
        for thread in threads:
            thread.start()
        seconds, context = took(lambda: memory.get_context("before"))
        assert seconds < MARGIN_S and not context.recorded  # type: ignore[attr-defined]
        for told in (engine.lags, engine.host.ready, engine.host.stale, engine.host.live):
            assert took(told)[0] < 4.0  # or it would wait for the brokers
        for thread in threads:
            thread.join()
    assert len(found) == 24 and all(isinstance(error, DeliveryError) for _, error in found)
    assert max(seconds for seconds, _ in found) < 1.5 + MARGIN_S


def test_over_http_an_append_is_answered_by_its_deadline(node: KafkaNode, engine: QueryEngine) -> None:
    memory_on(engine).record_event("before")
    body = {"type": "record_event", "body": {"features": []}, "content": {"text": "hello"}}
    with Serving(engine, Service(LOOPBACK, rate=0)) as serving, Client(serving.url) as client, hung(node):
        for parameters in ("deadline_s=1", "deadline_s=0", "wait=false&deadline_s=2"):
            seconds, answer = took(lambda: client.post(f"/commands?{parameters}", body))  # noqa: B023 - at once
            assert isinstance(answer, Reply) and answer.status == 503, answer
            assert seconds < (5.0 if "wait" in parameters else 1.0) + MARGIN_S
            said = answer.problem(503, "not_ready")
            assert "may have it all the same" in said["detail"] and "Send it again" in said["remedy"], said


def test_a_host_and_a_log_are_closed_and_opened_in_a_bounded_time(node: KafkaNode, hosts: Hosts) -> None:
    with hosts.run("a") as engine:
        log = hosts.log()
        log.append(b"me/agent", b"before")
        with hung(node):
            assert isinstance(took(lambda: engine.place([event("lost")], 0.5))[1], DeliveryError)
            assert isinstance(took(lambda: log.append_many([(b"k", b"v")], 0.5))[1], DeliveryError)
            reading = threading.Thread(target=lambda: took(lambda: log.end_offset(0)))
            reading.start()
            assert took(log.close)[0] < 15 + MARGIN_S
            assert took(engine.close)[0] < 20 + MARGIN_S
            seconds, error = took(hosts.log)
            assert isinstance(error, LogError) and seconds < 20 + MARGIN_S
            reading.join(30)
            assert not reading.is_alive()


def test_readers_that_wait_for_each_other_wait_no_longer_than_one_of_them(
    node: KafkaNode, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yggdrasil_infra.kafka_log.log._TURN_S", 1.0)
    monkeypatch.setattr("yggdrasil_infra.kafka_log.log._EDGE_S", 0.5)
    with hosts.log() as log:
        assert log.end_offset(0) >= 0
        found: list[tuple[float, object]] = []
        with hung(node):
            threads = [threading.Thread(target=lambda: found.append(took(lambda: log.end_offset(0)))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert all(isinstance(error, LogError) for _, error in found) and len(found) == 8
        assert max(seconds for seconds, _ in found) < 10 + 1 + MARGIN_S
    with KafkaLog(hosts.kafka, hosts.topic, "development") as log:
        assert log.end_offset(0) >= 0
