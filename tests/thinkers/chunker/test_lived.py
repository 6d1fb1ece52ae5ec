"""The chunker in a real memory: the fold takes all that it decides, buffers are cleared as it says, nothing is lost."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.thinkers.chunker.told import GARDEN, SERVER
from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_processors.thinkers.chunker import Chunker
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

MEMORY = "me/agent"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


def lived(memory: Memory[Embedded], lots: Random, steps: int) -> None:
    """Live a while: several sessions, goals, topics, outcomes of all sizes, a catastrophe."""
    events: list[str] = []
    for number in range(steps):
        session = "abcdefgh"[min(7, int(lots.expovariate(0.8)))]
        text = lots.choice(GARDEN if number // 25 % 2 else SERVER)
        features = [f"tool:{lots.randrange(3)}"] + ([f"goal:{number // 20}"] if number % 20 == 0 else [])
        causes = events[-1:] if lots.random() < 0.2 else []
        events.append(memory.record_event(text, features=features, session=session, caused_by=causes))
        if lots.random() < 0.15:
            value = lots.choice((-7.0, -0.5, 0.5, 5.0))
            memory.log_outcome(events[-1], value, catastrophic=value < -5, session=session)


def everything(memory: Memory[Any]) -> list[Happening]:
    found: list[Happening] = []
    since = 0
    while True:
        page = memory.happened(since=since, count=500)
        found += page.happened
        if page.position == page.as_of:
            return found
        since = page.position


def alone(history: list[Happening]) -> list[Decision]:
    """Return what a chunker decides of what was told, by itself."""
    chunker = Chunker()
    state = chunker.state()
    found = [one for happening in history for one in chunker.observe(state, happening)]
    return [*found, *chunker.rest(state)]


def test_the_fold_takes_all_that_it_decides(store: Store) -> None:
    memory = store.memory(MEMORY, origin="user")
    lived(memory, Random(4), 600)
    told = everything(memory)
    expected = alone(told)
    (done,) = store.think("chunker")
    assert done.stopped is None
    assert done.decided == len(expected), "nothing was refused"
    episodes = [one for one in everything(memory) if one.kind == "episode"]
    assert [(one.members, one.text, one.session, one.payload) for one in episodes] == [
        (one.body["events"], one.text, one.session, dict(one.payload)) for one in expected
    ]
    assert {one.thinker for one in episodes} == {"chunker"}
    assert set(Counter(one.payload["trigger"] for one in episodes if one.payload)) >= {"boundary", "outcome", "cycle"}
    (again,) = store.think("chunker")
    assert again.decided == 0
    assert [one for one in everything(memory) if one.kind == "episode"] == episodes


def test_thinking_now_and_then_decides_as_thinking_at_the_end(store: Store, tmp_path: Path) -> None:
    memory = store.memory(MEMORY, origin="user")
    lots = Random(9)
    for _ in range(12):
        lived(memory, lots, 40)
        store.think("chunker", rest=False)
    made = [one for one in everything(memory) if one.kind == "episode"]
    told = [one for one in everything(memory) if one.kind != "episode"]
    chunker = Chunker()
    state = chunker.state()
    expected = [one for happening in told for one in chunker.observe(state, happening)]
    assert [one.members for one in made] == [one.body["events"] for one in expected]


def test_what_others_committed_is_in_no_second_episode(store: Store) -> None:
    memory = store.memory(MEMORY)
    events = [memory.record_event(text, session="s") for text in GARDEN]
    memory.commit_episode(events[2:8], text="By hand", session="s")
    store.think("chunker")
    episodes = [one for one in everything(memory) if one.kind == "episode"]
    assert [one.members for one in episodes] == [events[2:8], events[:2] + events[8:]]


@pytest.mark.parametrize("notes", [59, 60])
def test_the_buffer_is_cleared_as_each_trigger_says(store: Store, notes: int) -> None:
    memory = store.memory(MEMORY)
    for _ in range(notes):
        memory.record_event("Note", session="s")
    store.think("chunker", rest=notes < 60)
    (made,) = [one for one in everything(memory) if one.kind == "episode"]
    buffer = store.engine.graph(MEMORY).sessions["s"].buffer
    assert len(buffer) == (0 if notes < 60 else 4 + notes - len(made.members))


def test_a_chunker_that_lost_its_state_decides_on_as_if_nothing_had_been(store: Store) -> None:
    memory = store.memory(MEMORY)
    for text in GARDEN:
        memory.record_event(text, session="s")
    store.think("chunker")
    history = everything(memory)
    chunker = Chunker()
    state = chunker.state()
    for happening in history:
        chunker.observe(state, happening)
    assert [stretch.events for stretch in state.sessions.values()] == [[]], "its own episodes tell it what is gone"
