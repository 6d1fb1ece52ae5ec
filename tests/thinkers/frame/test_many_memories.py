"""Many memories with much to read: each is read once, in turns, however many there are.

Work is counted in things read and in readings asked for, never in seconds: a machine under load says nothing of a rule.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.harness.waiting import until
from tests.size import turns
from tests.thinkers.toys import Away, Pairs, Seen
from yggdrasil import Store
from yggdrasil.thinking.beside import Beside
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil.thinking.once import pool_of, think_once
from yggdrasil_processors.thinkers.frame import thinking as frame
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.pool import Pool
from yggdrasil_projections.retrieval.reads.experience.happened import Happening, Happenings

PAGE = 12
HELD = 8  # as many states as the frame holds between two pages


class Silent(Pairs):
    """Sees everything and decides nothing before the end: what it knows is kept seldom."""

    name = "silent"

    def observe(self, state: Seen, happening: Happening) -> Sequence[Any]:
        state.total += happening.kind == "event"
        return ()


class Told:
    """What memories hold, made up, each a number of events; counts what is read, and in which order."""

    source = "thinkers"

    def __init__(self, **held: int) -> None:
        self.held = held
        self.asked: list[str] = []
        self.given: Counter[str] = Counter()
        self.away: set[str] = set()
        self.after: Callable[[str], object] = lambda memory: None

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        if memory in self.away:
            raise Away(memory)
        self.asked.append(memory)
        seqs = range(since + 1, min(since + count, self.held[memory]) + 1)
        self.given[memory] += len(seqs)
        found = [Happening(at, f"e{at}", "event", "default", at, "test", "agent") for at in seqs]
        page = Happenings(found, seqs[-1] if seqs else since, self.held[memory], {})
        self.after(memory)
        return page

    def memories(self) -> list[str]:
        return list(self.held)

    def wait(self, memory: str, after: object) -> None:
        del memory, after

    def decide(self, memory: str, parts: Sequence[Any]) -> list[Any]:
        raise AssertionError((memory, parts))


@pytest.fixture
def thoughts(tmp_path: Path) -> Iterator[ThoughtStore]:
    with ThoughtStore(tmp_path / "thoughts") as store:
        yield store


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "PAGE", PAGE)


def pool_over(told: Any, thoughts: ThoughtStore) -> Pool:
    pool = pool_of([Silent()], told, thoughts)
    pool.wake_all(told.memories())
    return pool


def drained(pool: Pool, steps_max: int) -> None:
    """Let a pool think to the end. Raises AssertionError where that takes more steps than it may."""
    (desk,) = pool.desks
    for _ in range(steps_max):
        if pool.step(desk) is None:
            return
    raise AssertionError(f"after {steps_max} steps {desk.waiting} memories still wait")


@pytest.mark.parametrize("count", [1, HELD - 1, HELD, HELD + 1, 20, 100])
@pytest.mark.usefixtures("pages")
def test_each_thing_is_read_once_however_many_memories_there_are(count: int, thoughts: ThoughtStore) -> None:
    told = Told(**{f"m{at}": 4 * PAGE + at % PAGE for at in range(count)})
    pool = pool_over(told, thoughts)
    drained(pool, steps_max=6 * count)
    assert told.given == told.held, "read once, and not once more"
    pool.keep()
    for memory, held in told.held.items():
        thought = thoughts.load("silent/1", memory, Seen)
        assert (thought.position, thought.state.total) == (held, held), "and each was seen by its thinker"


@pytest.mark.parametrize("count", [HELD, HELD + 1])
def test_so_it_is_with_pages_of_their_size(count: int, thoughts: ThoughtStore) -> None:
    told = Told(**{f"m{at}": 789 for at in range(count)})  # as it was met: 7,100 were read 229,504 times
    drained(pool_over(told, thoughts), steps_max=3 * count)
    assert told.given == told.held


@pytest.mark.usefixtures("pages")
@pytest.mark.parametrize("seed", range(turns(20, 300)))
def test_any_memories_in_any_order_are_read_once(seed: int, tmp_path: Path) -> None:
    """Also where some are away now and then, some grow meanwhile, and the process is ended and started again."""
    chance = random.Random(seed)
    told = Told(**{f"m{at}": chance.randrange(9 * PAGE) for at in range(chance.randrange(1, 24))})
    names = list(told.held)

    def grow(memory: str) -> None:
        if chance.random() < 0.2:
            told.held[chance.choice(names)] += chance.randrange(2 * PAGE)

    for life in range(4):
        with ThoughtStore(tmp_path / "thoughts") as thoughts:
            pool = pool_over(told, thoughts)
            (desk,) = pool.desks
            told.after = grow if life < 3 else lambda memory: None
            for _ in range(chance.randrange(60) if life < 3 else 10_000):
                told.away = {name for name in names if life < 3 and chance.random() < 0.1}
                try:
                    if pool.step(desk) is None:
                        break
                except Away:
                    continue
            pool.keep()
    assert all(told.given[name] == held for name, held in told.held.items()), f"seed {seed}"


@pytest.mark.usefixtures("pages")
def test_a_memory_that_goes_on_being_written_keeps_no_other_waiting(thoughts: ThoughtStore) -> None:
    others = {f"m{at}": 5 * PAGE for at in range(HELD + 4)}
    told = Told(busy=5 * PAGE, **others)

    def write(memory: str) -> None:
        if memory == "busy":
            told.held["busy"] += 2 * PAGE  # more than is read of it in one turn

    told.after = write
    pool = pool_over(told, thoughts)
    (desk,) = pool.desks
    for _ in range(7 * len(told.held)):
        pool.step(desk)
    assert {name: told.given[name] for name in others} == others
    turns_of = [at for at, name in enumerate(told.asked) if name == "m0"]
    assert max(b - a for a, b in pairwise(turns_of)) <= len(told.held), "one turn each"
    assert told.given["busy"] >= 5 * PAGE, "nor is it itself forgotten"


@pytest.mark.usefixtures("pages")
def test_what_was_read_is_kept_where_the_process_ends_soon(tmp_path: Path) -> None:
    told = Told(one=9 * PAGE)
    for _ in range(5):
        with ThoughtStore(tmp_path / "thoughts") as thoughts:
            pool = pool_over(told, thoughts)
            (desk,) = pool.desks
            pool.step(desk)
            pool.step(desk)
            pool.keep()
    assert told.given == told.held


def test_one_that_may_not_be_kept_stops_its_thinker_and_says_of_which_memory(
    thoughts: ThoughtStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Hoarding(Silent):
        def observe(self, state: Seen, happening: Happening) -> Sequence[Any]:
            if not state.events:
                state.events.append("x" * (5 << 20))
            return ()

    monkeypatch.setattr(frame, "PAGE", 2)
    told = Told(**{f"m{at}": 5 for at in range(HELD + 1)})
    pool = pool_of([Hoarding()], told, thoughts)  # type: ignore[arg-type]
    pool.wake_all(told.memories())
    drained(pool, steps_max=HELD + 2)
    assert "its state of m0 takes" in (pool.failed() or "")


@pytest.mark.usefixtures("pages")
def test_nine_memories_of_a_store_are_thought_about(tmp_path: Path) -> None:
    count = HELD + 1
    with Store.open(tmp_path / "d", partitions=2, embedder="none") as store:
        memories = [store.memory(f"me/m{at}") for at in range(count)]
        for memory in memories:
            for at in range(3 * PAGE):
                memory.record_event(f"event {at}")
        told = EngineMemories(store.engine)
        with ThoughtStore(tmp_path / "thoughts") as thoughts:
            pool = pool_of([Silent(), Pairs()], told, thoughts)
            silent, pairs = think_once(pool, told.memories())
        assert silent.read == count * (3 * PAGE + 3 * PAGE // 2), "all events, and all episodes"
        assert pairs.decided == count * 3 * PAGE // 2
        assert all(len(memory.episodes(count=100).episodes) == 3 * PAGE // 2 for memory in memories)


def test_a_memory_that_is_away_keeps_no_thinker_and_no_memory_waiting(tmp_path: Path) -> None:
    class Gone(EngineMemories):
        def happened(self, memory: str, *, since: int, count: int) -> Happenings:
            if memory == "me/gone":
                raise Away(memory)
            return super().happened(memory, since=since, count=count)

    with Store.open(tmp_path / "d", embedder="none") as store:
        store.memory("me/gone").record_event("nobody can read this")
        memory = store.memory("me/here")
        for _ in range(2):
            memory.record_event("an event")
        with Beside(store.engine, [Silent(), Pairs()], Gone(store.engine)):
            until(lambda: len(memory.episodes().episodes) == 1, str)
