"""A pool wakes whom it concerns, lets the others go on when one fails, and waits for memories that are away."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.thinkers.frame.test_thinking import Raising, episodes, pairs, record
from tests.thinkers.toys import Away, Failing, Pairs, Praising
from yggdrasil import Memory
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil.thinking.once import pool_of, think_once
from yggdrasil_infra.signals.metrics import ThinkerMetrics
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore


@pytest.fixture
def thoughts(tmp_path: Path) -> Iterator[ThoughtStore]:
    with ThoughtStore(tmp_path / "thoughts") as store:
        yield store


class Broken(Raising):
    name = "broken"


def test_only_those_are_woken_whom_it_concerns(memory: Memory[Any], thoughts: ThoughtStore) -> None:
    pool = pool_of([Pairs(), Praising()], EngineMemories(memory.engine), thoughts)
    first, second = pool.desks
    assert pool.wake("me/agent", "record_event", None) and (first.waiting, second.waiting) == (1, 0)
    assert not pool.wake("me/agent", "report_use", None)
    assert not pool.wake("me/agent", "record_event", "somebody"), "what a thinker decides wakes nobody"
    assert pool.wake("me/agent", "log_outcome", "pairs"), "but those that follow it"
    assert second.waiting == 1 and not pool.wake("me/agent", "commit_episode", "pairs")


def test_what_one_decides_others_follow(memory: Memory[Any], thoughts: ThoughtStore) -> None:
    events = record(memory, 5)
    pool = pool_of([Praising(), Pairs()], EngineMemories(memory.engine), thoughts)
    done = think_once(pool, [memory.id], rest=True)
    assert [(one.thinker, one.decided, one.stopped) for one in done] == [("praising", 8, None), ("pairs", 3, None)]
    assert episodes(memory) == [*pairs(events), events[4:]]


def test_one_that_fails_stops_alone_and_is_seen(
    memory: Memory[Any], thoughts: ThoughtStore, caplog: pytest.LogCaptureFixture
) -> None:
    events = record(memory, 4)
    metrics = ThinkerMetrics()
    pool = pool_of([Broken(), Pairs()], EngineMemories(memory.engine), thoughts, metrics=metrics)
    with caplog.at_level(logging.ERROR):
        done = think_once(pool, [memory.id])
    assert episodes(memory) == pairs(events)
    assert done[0].stopped == pool.failed() == "broken/1 failed: ZeroDivisionError: a slip"
    assert "a slip" in caplog.text, "with where it happened"
    value = metrics.registry.get_sample_value
    assert value("yggdrasil_thinker_stopped", {"thinker": "broken"}) == 1
    assert value("yggdrasil_thinker_stopped", {"thinker": "pairs"}) == 0
    assert value("yggdrasil_thinker_decided_total", {"thinker": "pairs"}) == 2
    assert value("yggdrasil_thinker_read_total", {"thinker": "pairs"}) == 6, "events and episodes"


def test_memories_that_are_away_wait_on(memory: Memory[Any], thoughts: ThoughtStore) -> None:
    events = record(memory, 4)
    pool = pool_of([Pairs()], Failing(memory.engine, ["before", "", "after"]), thoughts)
    pool.wake_all([memory.id])
    for _ in range(2):
        with pytest.raises(Away):
            pool.drain()
    assert pool.desks[0].waiting == 1
    pool.drain()
    assert episodes(memory) == pairs(events) and pool.failed() is None


def test_a_memory_that_is_not_there_is_nothing_to_think_of(memory: Memory[Any], thoughts: ThoughtStore) -> None:
    pool = pool_of([Pairs()], EngineMemories(memory.engine), thoughts)
    pool.wake_all(["me/nobody"])
    assert pool.drain() == 0 and pool.failed() is None
