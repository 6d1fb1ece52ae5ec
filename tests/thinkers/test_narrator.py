"""The nightly narrative: which days become an episode over their episodes, when, and once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

import orjson
import pytest

from tests.thinkers.told import decided, episode, event, stored
from yggdrasil import Memory, Store
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.thinking import Thinking
from yggdrasil_processors.thinkers.narrator import DAY_MS, LATER_EVENTS, UNDATED_MAX, Days, Narrator
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.answers import Described
from yggdrasil_projections.retrieval.reads.experience.described import AskDescribed

FIRST = 20_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


@pytest.fixture
def memory(store: Store) -> Memory[Any]:
    return store.memory("me/agent")


def live(memory: Memory[Any], day: int, goals: Sequence[str] = ("mine iron", "sell wool")) -> None:
    """A day with an episode for each goal."""
    for number, goal in enumerate(goals):
        for step in range(3):
            at = (FIRST + day) * DAY_MS + number * 3_600_000 + step * 60_000
            memory.record_event(f"{goal} {step} on day {day}", features=[f"goal:{goal} {day}"], at=at)


def narratives(memory: Memory[Any]) -> dict[str, list[str]]:
    """By day, the texts of the episodes that a narrative is of."""
    found = [each.memory for each in memory.episodes(count=200).episodes]
    texts = {each.ref: str(each.text) for each in found}
    told = [each for each in found if (each.payload or {}).get("trigger") == "day"]
    return {cast(dict[str, str], each.payload)["day"]: [texts[one] for one in each.members] for each in told}


def think(store: Store, *, rest: bool = False) -> int:
    runs = store.think("chunker,narrator", rest=rest)
    assert [each.stopped for each in runs] == [None, None]
    return runs[1].decided


def test_a_day_is_an_episode_over_its_episodes_once(store: Store, memory: Memory[Any]) -> None:
    for day in range(3):
        live(memory, day)
    assert think(store) == 0, "whoever reads a history finds its episodes only at its end"
    assert think(store, rest=True) == 3
    told = narratives(memory)
    assert sorted(told) == ["2024-10-04", "2024-10-05", "2024-10-06"] and {len(each) for each in told.values()} == {2}
    assert all("on day 1" in text for text in told["2024-10-05"])
    assert think(store, rest=True) == think(store, rest=True) == 0


def test_the_summary_is_of_the_days_own_words_and_leads_to_its_events(store: Store, memory: Memory[Any]) -> None:
    live(memory, 0)
    think(store, rest=True)
    (night,) = [each.memory for each in memory.episodes().episodes if (each.memory.payload or {})["trigger"] == "day"]
    assert str(night.text).startswith("2024-10-04: ") and "mine iron" in str(night.text) and len(str(night.text)) <= 420
    assert (night.payload or {})["summary"] == "extractive/1" and night.session == "narrator"
    around = memory.neighbourhood(night.ref, depth=2).neighbours
    events = {str(each.text) for each in around if each.node_kind == "event"}
    assert {f"mine iron {step} on day 0" for step in range(3)} <= events
    context = memory.get_context("mine iron")
    act = memory.record_event("Mined on", informed_by=[str(context.recall_id)])
    assert memory.explain_action(act).informed_by[0].query == "mine iron"


def test_a_day_of_one_episode_is_none(store: Store, memory: Memory[Any]) -> None:
    live(memory, 0, ("mine iron",))
    for day in (1, 2):
        live(memory, day)
    think(store, rest=True)
    assert sorted(narratives(memory)) == ["2024-10-05", "2024-10-06"]


def test_what_comes_of_a_day_that_was_told_is_told_under_its_date(store: Store, memory: Memory[Any]) -> None:
    live(memory, 0)
    assert think(store, rest=True) == 1
    live(memory, 0, ("bake bread", "brew ale"))
    assert think(store, rest=True) == 1
    found = [each.memory for each in memory.episodes().episodes if (each.memory.payload or {})["trigger"] == "day"]
    assert [(each.payload or {})["day"] for each in found] == ["2024-10-04"] * 2
    assert len({member for each in found for member in each.members}) == 4
    assert think(store, rest=True) == 0


def test_what_strangers_say_is_in_no_narrative_and_ends_no_day(store: Store, memory: Memory[Any]) -> None:
    live(memory, 0)
    stranger = memory.speaking(trust=0)
    for number in range(3):
        at = FIRST * DAY_MS + 5_000 * number
        stranger.record_event(f"A letter {number}", features=["goal:beg"], session="mail", at=at)
    memory.record_event("Rested", features=["goal:rest"], at=FIRST * DAY_MS + 9_000_000)
    think(store)
    for number in range(LATER_EVENTS + 1):
        stranger.record_event(f"News {number}", session="mail", at=(FIRST + 900) * DAY_MS)
    assert think(store) == 0
    live(memory, 0, ("bake bread", "brew ale"))
    assert think(store, rest=True) == 1
    found = [each.memory for each in memory.episodes().episodes]
    assert min(each.trust for each in found) == 0, "there is an episode of strangers"
    (night,) = [each for each in found if (each.payload or {})["trigger"] == "day"]
    assert night.trust == 1 and len(night.members) == 4


# By hand


def told(narrator: Narrator, state: Days, days: dict[str, int]) -> list[Decision]:
    """Answer what is asked: the day on which an event was, and that an episode is trusted."""
    found: list[Decision] = []
    while queries := narrator.asks(state, "me/agent", again=True):
        answers = [_at(days.get(cast(AskDescribed, each).ref, 0)) for each in queries]
        found += narrator.answered(state, answers)
    return found


def _at(day: int) -> Any:
    class _Memory:
        at = day * DAY_MS
        trust = 1

    return Described(cast(Any, _Memory()), None, 1)


@pytest.mark.parametrize(("later", "ends"), [(LATER_EVENTS - 1, False), (LATER_EVENTS, True)])
def test_a_day_has_ended_with_the_sixteenth_event_of_later_days(later: int, ends: bool) -> None:
    narrator, state = Narrator(), Days()
    decided(narrator, [episode(1, "a"), episode(2, "b")], state=state)
    assert told(narrator, state, {"a": 5, "b": 5}) == []
    found = decided(narrator, [event(9 + n, at=6 * DAY_MS) for n in range(later)], state=state)
    assert [each.body["episodes"] for _, each in found] == ([["ep1", "ep2"]] if ends else [])
    assert stored(narrator, state) == state


def test_of_more_than_64_episodes_the_latest_are_told() -> None:
    narrator, state = Narrator(), Days()
    decided(narrator, [episode(n, f"e{n}") for n in range(1, 101)], state=state)
    told(narrator, state, {f"e{n}": 5 for n in range(1, 101)})
    (night,) = narrator.rest(state)
    assert night.body["episodes"] == [f"ep{n}" for n in range(37, 101)] and night.body["events"] == []


def test_its_state_is_bounded() -> None:
    narrator, state = Narrator(), Days()
    for n in range(1, 3_000):
        text = f"{n} " * 200
        narrator.observe(state, replace(episode(n, f"e{n}"), text=text))
        if n % 40 == 0:
            told(narrator, state, {f"e{at}": at % 997 for at in range(1, n + 1)})
    assert len(state.undated) <= UNDATED_MAX
    assert len(orjson.dumps(state)) < 2_000_000


def test_two_that_take_turns_tell_each_day_once(tmp_path: Path) -> None:
    chance = Random("nights")
    with (
        Memory.open(tmp_path / "memory", "me/agent", embedder="none") as memory,
        ThoughtStore(tmp_path / "one") as one,
        ThoughtStore(tmp_path / "two") as two,
    ):
        for day in range(12):
            for goal in ("a", "b"):
                at = (FIRST + day) * DAY_MS
                events = [memory.record_event(f"{goal} {step} {day}", at=at + step) for step in range(3)]
                memory.commit_episode(events)
            thinking = Thinking(Narrator(), EngineMemories(memory.engine), chance.choice((one, two)))
            while not thinking.advance(memory.id, resting=chance.random() < 0.4).whole:
                pass
            thinking.keep()
        thinking = Thinking(Narrator(), EngineMemories(memory.engine), one)
        while not thinking.advance(memory.id, resting=True).whole:
            pass
        nights = narratives(memory)
        assert len(nights) == 12 and all(len(each) == 2 for each in nights.values())


@pytest.mark.parametrize(("day", "named"), [(0, "1970-01-01"), (2_932_896, "9999-12-31"), (2_932_897, "day 2932897")])
def test_a_day_beyond_the_calendar_has_a_number(day: int, named: str) -> None:
    """Whoever says that something happens in ten thousand years stops nobody."""
    narrator, state = Narrator(), Days()
    decided(narrator, [episode(1, "a"), episode(2, "b")], state=state)
    told(narrator, state, {"a": day, "b": day})
    (night,) = narrator.rest(state)
    assert night.payload["day"] == named == night.text
