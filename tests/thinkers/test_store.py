"""Thinkers in a directory: in the background of a store, or when they are told to."""

from pathlib import Path
from threading import Event

import pytest

from tests.harness.waiting import until
from tests.thinkers.toys import Pairs
from yggdrasil import Memory, Store
from yggdrasil.thinking.beside import Beside
from yggdrasil.thinking.known import THINKERS, USUAL, UnknownThinkerError, thinkers_of
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_infra.log import LogError
from yggdrasil_processors.thinkers.frame.shadow import difference


def work(memory: Memory) -> list[str]:
    """Two tasks, the first of which ends badly."""
    events = [memory.record_event(f"plan step {at}", features=["goal:ship", f"s{at}"]) for at in range(4)]
    memory.log_outcome(events[-1], -6, kind="outage", text="It broke")
    return events + [memory.record_event(f"bake bread {at}", features=["goal:bread"]) for at in range(4)]


def test_they_decide_in_the_background_of_a_store(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", thinkers="usual") as store:
        memory, other = store.memory("me/agent"), store.memory("me/other")
        events = work(memory)
        until(lambda: bool(memory.episodes().episodes), str)
        work(other)
        until(lambda: bool(other.episodes().episodes), str)
        episode = memory.episodes().episodes[-1]
        assert episode.memory.members == events[:4] and episode.trigger == "outcome" and episode.thinker == "chunker"
        with pytest.raises(LogError, match="at work on this store already"):
            store.think()
    with Store.open(tmp_path / "d") as store:
        assert store.think()[0].decided == 2, "what is open in both is concluded"
        assert [one.decided for one in store.think()] == [0] * len(USUAL)


def test_what_nothing_happens_to_is_concluded_after_a_while(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d") as store:
        memory = store.memory("me/agent")
        with Beside(store.engine, [Pairs()], EngineMemories(store.engine), idle_s=0.3):
            events = [memory.record_event(f"e{at}") for at in range(3)]
            until(lambda: len(memory.episodes().episodes) == 2, str)
        assert memory.episodes().episodes[0].memory.members == events[2:]
        memory.record_event("nobody thinks of this")
        Event().wait(0.2)
        assert len(memory.episodes().episodes) == 2


def test_they_think_when_told_to_in_the_shadow_or_not(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d") as store:
        work(store.memory("me/agent"))
        report = tmp_path / "would.jsonl"
        seen: list[int] = []
        done = store.think("chunker", shadow=report, progress=seen.append)
        assert [(one.thinker, one.decided) for one in done] == [("chunker", 0)] and sum(seen) == done[0].read == 9
        assert store.memory("me/agent").episodes().episodes == []
        done = store.think(["chunker"])
        assert done[0].decided == len(store.memory("me/agent").episodes().episodes) >= 1
        store.think("chunker", shadow=report)
        (compared,) = difference(report)
        assert (compared.both, compared.only_shadow, compared.only_made) == (done[0].decided, 0, 0)


def test_only_those_that_there_are_can_be_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownThinkerError, match="no thinker cunker, wise; there are: chunker"):
        Store.open(tmp_path / "d", thinkers="cunker,wise")
    assert not (tmp_path / "d").exists()
    assert [one.name for one in thinkers_of("all")] == list(THINKERS)
    assert [one.name for one in thinkers_of("reflector, chunker")] == ["chunker", "reflector"]
    assert all(one.version for one in thinkers_of("usual"))
