"""A host is ended by its watchdog when nothing goes on, and not while it builds; and it says how far it is.

The brokers of the first tests are made up, and so are their clocks: what the watch decides hangs on no machine.
"""

import logging
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest

from tests.harness.waiting import until
from tests.kafka.hosts.test_query_host import Hosts, memory_on
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import LogError
from yggdrasil_processors import opening, watch
from yggdrasil_processors.graph_worker.partition import OwnedPartition, catching_up
from yggdrasil_processors.opening import GoOn, StoreOpening
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_processors.query_host import building as building_module
from yggdrasil_processors.query_host.building import Building, Built, in_words
from yggdrasil_processors.watch import Edges, Watch

WATCHDOG_S = 120.0


class EndedError(Exception):
    """The process would have ended."""


@dataclass
class Clock:
    now: float = 1_000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    it = Clock()
    monkeypatch.setattr(watch, "monotonic", lambda: it.now)
    return it


class Looked(Watch):
    """A watch that is asked by hand."""

    def __init__(self, clock: Clock, **ends: int) -> None:
        self.clock = clock
        settings = HostSettings(KafkaSettings("127.0.0.1:1"), Path(), watchdog_s=WATCHDOG_S)
        super().__init__(settings, cast(Any, None), dict, threading.Event())
        self.edges = {int(name[1:]): Edges(0, end) for name, end in ends.items()}

    def after(self, seconds: float, positions: Mapping[int, int]) -> None:
        self.clock.now += seconds
        self._watch_partitions(positions, self.clock.now)

    def _end(self, why: str) -> NoReturn:
        raise EndedError(why)


def test_a_partition_that_stands_still_while_its_log_goes_on_ends_the_process(clock: Clock) -> None:
    looked = Looked(clock, p0=10)
    looked.after(0.5, {0: 4})
    looked.after(WATCHDOG_S - 1, {0: 4})
    with pytest.raises(EndedError, match="partition 0 stands at offset 4 for 120 s although the log goes on to 10"):
        looked.after(2, {0: 4})


def test_what_another_one_that_is_behind_does_is_progress(clock: Clock) -> None:
    looked = Looked(clock, p0=1_000, p1=1_000)
    for at in range(100):
        looked.after(WATCHDOG_S / 2, {0: at, 1: 7})
    with pytest.raises(EndedError, match="partition"):
        for _ in range(4):
            looked.after(WATCHDOG_S / 2, {0: 99, 1: 7})


def test_what_one_at_its_end_does_is_none(clock: Clock) -> None:
    """It moves whenever somebody appends, and would hide for ever that another one is not handed its records."""
    looked = Looked(clock, p0=5, p1=1_000)
    with pytest.raises(EndedError, match="partition 1 stands at offset 7"):
        for at in range(5, 20):
            looked.edges = {**looked.edges, 0: Edges(0, at)}
            looked.after(WATCHDOG_S / 4, {0: at, 1: 7})


def test_a_store_that_is_opened_is_progress_for_all(clock: Clock) -> None:
    looked = Looked(clock, p0=10)
    looked.after(0.5, {0: 4})
    for _ in range(20):
        looked.after(WATCHDOG_S / 2, {0: 4})
        looked.went_on()
    with pytest.raises(EndedError):
        for _ in range(4):
            looked.after(WATCHDOG_S / 2, {0: 4})


def test_brokers_that_are_away_and_a_log_at_its_end_are_no_fault(clock: Clock) -> None:
    looked = Looked(clock, p0=4)
    for _ in range(10):
        looked.after(WATCHDOG_S, {0: 4})
    looked.edges = {}
    for _ in range(10):
        looked.after(WATCHDOG_S, {0: 2})
    looked.edges = {0: Edges(0, 4)}
    looked.after(WATCHDOG_S - 1, {0: 2})
    with pytest.raises(EndedError):
        looked.after(WATCHDOG_S, {0: 2})


def test_a_build_says_how_far_it_is_and_what_it_waits_for(caplog: pytest.LogCaptureFixture) -> None:
    building = Building()
    building.begin(range(3))
    assert building.missing({0, 1, 2}) == "3 partitions are not open yet"
    building.opens(1, "read for damage, 12 bytes by now")
    assert building.missing({1, 2}) == "2 partitions are not open yet; partition 1: read for damage, 12 bytes by now"
    building.opened()
    with caplog.at_level(logging.INFO, "yggdrasil.query"):
        building.look({0: 4, 1: 10}, {0: 10, 1: 10})
    assert building.behind == {0, 2} and "partition caught up" in caplog.text
    assert building.built(building.behind, {0: 4}, {0: 10}) == Built(4, 10, 1)
    assert in_words(Built(4, 10, 1), 2) == (
        "1 partitions have not caught up with the log yet: 4 of 10 records are folded, 6 records remain; of 1 "
        "partitions no broker has said yet where the log ends, which is waited for"
    )
    assert in_words(Built(0, 0, 2), 2).startswith("of 2 partitions no broker has said yet")


def test_it_is_told_in_the_log_now_and_then(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(building_module, "monotonic", lambda: clock.now)
    building = Building()
    building.begin([0])
    with caplog.at_level(logging.INFO, "yggdrasil.query"):
        for at in range(100):
            clock.now += 1
            building.look({0: at}, {0: 1_000})
    told = [record.getMessage() for record in caplog.records]
    assert 8 <= len(told) <= 10 and "of 1000 records are folded" in told[0]


def test_a_worker_says_how_far_it_is_and_never_that_nothing_remains() -> None:
    def of(position: int, remaining: int | None) -> OwnedPartition:
        return cast(OwnedPartition, SimpleNamespace(position=position, remaining=remaining))

    assert catching_up([of(4, 0)]) is None
    assert catching_up([of(4, 6), of(1, 0)]) == (
        "1 partitions are catching up with the log: 4 of 10 records are folded, 6 records remain"
    )
    assert catching_up([of(0, None)]) == (
        "of 1 partitions no broker has said yet where the log ends, which is waited for"
    )


class Slow(StoreOpening):
    """A store that takes long to open, and says so."""

    steps: threading.Semaphore

    def projector(self, partition: int, go_on: GoOn) -> Any:
        if partition == 1:
            while not self.steps.acquire(timeout=0.05):
                go_on("made up, 3 of 5")
        return super().projector(partition, go_on)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    Slow.steps = threading.Semaphore(0)
    monkeypatch.setattr("yggdrasil_processors.query_host.host.StoreOpening", Slow)
    yield Slow.steps
    Slow.steps.release(10)


def test_a_host_is_not_ended_while_it_opens_a_store_and_says_how_far_that_is(
    kafka: KafkaSettings, tmp_path: Path, slow: threading.Semaphore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    monkeypatch.setattr(Watch, "_end", lambda _, why: ended.append(why))
    hosts = Hosts(kafka, tmp_path)
    with hosts.log() as log:
        log.append_to(0, b"me/agent", b"no command")
        log.append_to(1, b"me/agent", b"no command")
    settings = HostSettings(kafka, tmp_path / "a", hosts.topic, "development", group=hosts.topic, watchdog_s=1.5)
    with QueryHost(settings) as host:
        until(lambda: "partition 1: made up, 3 of 5" in (host.ready() or ""), host.ready)
        with hosts.log() as log:
            log.append_to(0, b"me/agent", b"the log goes on")
        threading.Event().wait(4.0)
        assert ended == [] and host.live() is None
        slow.release(10)
        until(lambda: host.ready() is None, host.ready)
        assert [lag.position for lag in host.lags()][:2] == [2, 1]


def test_a_host_that_cannot_see_the_end_of_the_log_waits_for_that_and_says_so(
    kafka: KafkaSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = Hosts(kafka, tmp_path)
    with hosts.run("a") as engine:
        memory_on(engine).record_event("before")

    def away(*_: object) -> NoReturn:
        raise LogError("no answer")

    monkeypatch.setattr(Watch, "_look_at_edges", away)
    settings = HostSettings(kafka, tmp_path / "a", hosts.topic, "development", group=hosts.topic)
    with QueryHost(settings) as host:
        until(lambda: not (host.ready() or "").endswith("not open yet"), host.ready)
        said = host.ready()
        for _ in range(20):
            assert said is not None and "0 records remain" not in said
            threading.Event().wait(0.05)
            said = host.ready()
        assert said == "of 3 partitions no broker has said yet where the log ends, which is waited for"
        monkeypatch.undo()
        until(lambda: host.ready() is None, host.ready)


def test_what_is_told_of_a_restored_store_names_no_path() -> None:
    told: list[str] = []
    read = opening._counting(told.append)  # pyright: ignore[reportPrivateUsage]
    read(10)
    read(5)
    assert told == ["read for damage, 10 bytes by now", "read for damage, 15 bytes by now"]
