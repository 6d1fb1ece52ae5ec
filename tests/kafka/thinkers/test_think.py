"""Thinkers woken by Faust decide once, killed at any moment and two at once; and a replay gives the same memory."""

import random
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.harness.waiting import until
from tests.kafka.log.raw import Raw, batch, produce
from tests.kafka.thinkers.processes import PARTITIONS, Thinkers, digest_when_audited
from tests.size import turns
from tests.thinkers.frame.test_thinking import episodes, pairs, record
from yggdrasil import Memory
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_schemas.partitions import partition_for

KILLS = turns(5, 20)  # the long form is ``test_killed``


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


def test_a_record_that_a_client_cannot_name_stops_neither_them_nor_the_service(thinkers: Thinkers) -> None:
    """Who may write to the topic may name a header as no UTF-8; Faust's client would fail there for ever."""
    memory, there = thinkers.memory(), partition_for(b"me/agent", PARTITIONS)
    before = record(memory, 3)
    with thinkers.thinking("one") as process:
        until(lambda: episodes(memory) == pairs(before), thinkers.words)
        for unnamed in (Raw(b"me/agent", b"v", [(b"\xff", b"x")]), Raw(None, None, [(b"\xc3", None)])):
            assert produce(thinkers.kafka, thinkers.topic, there, batch([unnamed]))[0] == 0
        after = record(memory, 4)
        until(lambda: episodes(memory) == pairs(before + after), thinkers.words)
        assert process.poll() is None
    assert "Traceback" not in thinkers.words() and "ERROR" not in thinkers.words()


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
    assert digest_when_audited(thinkers, "me/agent", replayed.digests["me/agent"]) == replayed.digests["me/agent"]


def test_a_shadow_appends_nothing(thinkers: Thinkers) -> None:
    memory = thinkers.memory()
    record(memory, 4)
    report = thinkers.folder / "would.jsonl"
    with thinkers.thinking("shadow", "--shadow", str(report), "--thinkers", "pairs"):
        until(lambda: report.exists() and report.read_text().count("\n") == 2, thinkers.words)
        record(memory, 2)
        until(lambda: report.read_text().count("\n") == 3, thinkers.words)
    assert episodes(memory) == [] and memory.happened().as_of == 6
