"""A thinker that has to know how things stand asks, and is told between what happened and what it decides."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.thinkers.frame.test_thinking import think
from tests.thinkers.toys import Away
from yggdrasil import Memory
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.shadow import Shadow
from yggdrasil_processors.thinkers.frame.thinking import ASKED_MAX, ThinkerError, Thinking
from yggdrasil_processors.thinkers.thinker import Decision, Thinker
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.described import AskDescribed
from yggdrasil_projections.retrieval.reads.experience.happened import Happening


@dataclass
class Open:
    waiting: list[str] = field(default_factory=list[str])
    begun: list[bool] = field(default_factory=list[bool])


class Settling(Thinker[Open]):
    """Archives each event that nobody has judged by the time that all is read; it asks for two at a time."""

    name = "settling"
    version = "1"
    wakes = frozenset({"record_event"})
    state = Open

    def observe(self, state: Open, happening: Happening) -> Sequence[Decision]:
        if happening.kind == "event":
            state.waiting.append(happening.id)
        return ()

    def asks(self, state: Open, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        state.begun = [*state.begun, again][-4:]
        return [AskDescribed(each) for each in state.waiting[:2]]

    def answered(self, state: Open, answers: Sequence[Any]) -> Sequence[Decision]:
        asked, state.waiting = state.waiting[:2], state.waiting[2:]
        known = [each for each, found in zip(asked, answers, strict=True) if found is not None]
        quiet = [
            each for each, found in zip(asked, answers, strict=True) if found is not None and not found.memory.outcomes
        ]
        assert len(known) == len(asked)
        if not quiet:
            return ()
        body = {"items": [{"node": each, "verdict": "archive"} for each in quiet], "reason": "settled"}
        return [Decision("judge", body, None, {"why": "nobody has judged them"})]


class Curious(Settling):
    """Never has enough."""

    name = "curious"

    def answered(self, state: Open, answers: Sequence[Any]) -> Sequence[Decision]:
        return ()


def told(memory: Memory[Any]) -> list[bool]:
    """Tell of six events, of which the middle two are judged; return which are archived, whenever this is called."""
    events = [memory.record_event(f"event {at}") for at in range(6)]
    for event in events[2:4]:
        memory.log_outcome(event, 1.0)
    return [archived(memory, event) for event in events]


def archived(memory: Memory[Any], ref: str) -> bool:
    found = memory.describe(ref)
    assert found is not None
    return found.memory.archived


def events(memory: Memory[Any]) -> list[str]:
    return [each.id for each in memory.happened(count=50).happened if each.kind == "event"]


SETTLED = [True, True, False, False, True, True]


def test_it_is_told_until_it_decides_and_then_again(memory: Memory[Any], tmp_path: Path) -> None:
    assert told(memory) == [False] * 6
    assert think(memory, tmp_path / "t", Settling()) == 2
    assert [archived(memory, each) for each in events(memory)] == SETTLED
    assert think(memory, tmp_path / "t", Settling()) == 0


def test_where_its_memories_go_away_nothing_is_lost_and_nothing_done_twice(memory: Memory[Any], tmp_path: Path) -> None:
    class Leaving(EngineMemories):
        left = 3

        def ask(self, memory: str, query: Query[Any]) -> Any:
            if type(self).left:
                type(self).left -= 1
                raise Away("while it asks")
            return super().ask(memory, query)

    told(memory)
    for _ in range(3):
        with pytest.raises(Away):
            think(memory, tmp_path / "t", Settling(), Leaving(memory.engine))
    assert think(memory, tmp_path / "t", Settling(), Leaving(memory.engine)) == 2
    assert [archived(memory, each) for each in events(memory)] == SETTLED


def test_a_store_that_was_lost_leads_to_no_second_decision(memory: Memory[Any], tmp_path: Path) -> None:
    told(memory)
    assert think(memory, tmp_path / "t", Settling()) == 2
    before = memory.digest()
    assert think(memory, tmp_path / "lost", Settling()) == 2  # the same verdicts: on what is archived already
    assert [archived(memory, each) for each in events(memory)] == SETTLED
    assert memory.digest() != before


def test_who_asks_for_ever_is_stopped(memory: Memory[Any], tmp_path: Path) -> None:
    memory.record_event("one")
    with pytest.raises(ThinkerError, match=f"asked {ASKED_MAX} times"):
        think(memory, tmp_path / "t", Curious())


def test_what_it_was_told_at_rest_is_kept(memory: Memory[Any], tmp_path: Path) -> None:
    """As the trainer is, which reads on at rest: else it would read the same again, and never be through."""

    class Turns(Curious):
        name = "turns"

        def asks(self, state: Open, memory: str, *, again: bool) -> Sequence[Query[Any]]:
            return [] if again else [AskDescribed(events_of[0])]

        def answered(self, state: Open, answers: Sequence[Any]) -> Sequence[Decision]:
            state.begun.append(False)
            return ()

    events_of = [memory.record_event("one")]
    with ThoughtStore(tmp_path / "t") as store:
        for turn in range(1, 4):
            it = Thinking(Turns(), EngineMemories(memory.engine), store)
            assert it.advance(memory.id, resting=turn > 1).whole
            it.keep()
            assert len(store.load("turns/1", memory.id, Open).state.begun) == turn


def test_what_is_asked_of_what_is_gone_is_answered_with_nothing(memory: Memory[Any]) -> None:
    memory.record_event("one")
    assert EngineMemories(memory.engine).ask(memory.id, AskDescribed("01890a5d-ac96-774b-bcce-b302099a8057")) is None


def test_a_shadow_is_told_too(memory: Memory[Any], tmp_path: Path) -> None:
    told(memory)
    with ThoughtStore(tmp_path / "t") as store:
        Shadow(Settling(), EngineMemories(memory.engine), store, tmp_path / "would").advance(memory.id)
    assert (tmp_path / "would").read_text().count('"type":"judge"') == 2
    assert [archived(memory, each) for each in events(memory)] == [False] * 6
