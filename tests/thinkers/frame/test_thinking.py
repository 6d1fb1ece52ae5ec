"""What a thinker decides takes effect once: after crashes, with two at once, another version, or no store."""

import logging
import random
from pathlib import Path
from typing import Any

import pytest

from tests.size import turns
from tests.thinkers.toys import Away, Failing, Pairs, Praising, Triples
from yggdrasil import Memory
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.replay import replay
from yggdrasil_processors.thinkers.frame import thinking as frame
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.thinking import ThinkerError, Thinking
from yggdrasil_processors.thinkers.thinker import Decision, Thinker


def think(
    memory: Memory[Any],
    store: Path,
    thinker: Thinker[Any] | None = None,
    memories: EngineMemories | None = None,
    *,
    rest: bool = False,
) -> int:
    """Let a thinker read to the end; return how many commands were taken."""
    taken = 0
    with ThoughtStore(store) as opened:
        it = Thinking(thinker or Pairs(), memories or EngineMemories(memory.engine), opened)
        while not (progress := it.advance(memory.id, resting=rest)).whole:
            taken += progress.taken
        return taken + progress.taken


def happened(memory: Memory[Any]) -> list[Any]:
    return memory.happened(count=200).happened


def episodes(memory: Memory[Any]) -> list[list[str]]:
    return [one.members for one in happened(memory) if one.kind == "episode"]


def record(memory: Memory[Any], count: int) -> list[str]:
    return [memory.record_event(f"event {at}", features=[f"kind:{at % 3}"]) for at in range(count)]


def pairs(events: list[str]) -> list[list[str]]:
    return [events[at : at + 2] for at in range(0, len(events) - 1, 2)]


def test_it_decides_what_follows_and_goes_on_where_it_was(memory: Memory[Any], tmp_path: Path) -> None:
    events = record(memory, 5)
    assert think(memory, tmp_path / "t") == 2
    assert episodes(memory) == pairs(events)
    made = [one for one in happened(memory) if one.kind == "episode"]
    assert {(one.thinker, one.origin, one.source, one.text) for one in made} == {
        ("pairs", "thinker", "thinkers", "2 events")
    }
    assert made[0].payload == {"why": "they are two"}
    assert memory.happened().cursors == {"pairs": 4}, "the seq of the event after which it decided last"
    assert think(memory, tmp_path / "t") == 0
    events += record(memory, 1)
    assert think(memory, tmp_path / "t") == 1
    assert episodes(memory) == pairs(events)


def test_nothing_is_decided_twice_without_its_store(memory: Memory[Any], tmp_path: Path) -> None:
    events = record(memory, 5)
    think(memory, tmp_path / "t")
    assert think(memory, tmp_path / "lost") == 0
    events += record(memory, 3)
    assert think(memory, tmp_path / "lost") == 2, "the odd one of before is known again"
    assert episodes(memory) == pairs(events)


def test_a_rest_concludes_what_is_open_and_is_no_decision_when_nothing_happened(
    memory: Memory[Any], tmp_path: Path
) -> None:
    events = record(memory, 3)
    assert think(memory, tmp_path / "t", rest=True) == 2
    assert episodes(memory) == [events[:2], events[2:]]
    assert think(memory, tmp_path / "t", rest=True) == 0


def test_pages_make_no_difference(memory: Memory[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = record(memory, 11)
    monkeypatch.setattr(frame, "PAGE", 1)
    assert think(memory, tmp_path / "t") == 5
    assert episodes(memory) == pairs(events)


@pytest.mark.parametrize("seed", range(turns(25, 300)))
def test_it_takes_effect_once_wherever_it_is_interrupted(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with Memory.open(tmp_path / "memory", "me/agent", partitions=1) as memory:
        events: list[str] = []
        for _ in range(4):
            events += record(memory, chance.randrange(1, 5))
            memories = Failing(memory.engine, chance.choices(["", "before", "after"], k=chance.randrange(12)))
            for thinker, place in ((Pairs(), "a"), (Praising(), "a"), (Pairs(), "b")):  # b: another instance
                store = tmp_path / (place if chance.random() > 0.2 else f"lost-{chance.random()}")
                while True:
                    try:
                        think(memory, store, thinker, memories)
                        break
                    except Away:
                        continue
        while think(memory, tmp_path / "a", Pairs()) or think(memory, tmp_path / "a", Praising()):
            pass
        assert episodes(memory) == pairs(events), f"seed {seed}"
        whole = memory.happened(count=200)
        assert whole.open == {}
        lifted = {one: memory.describe(one).memory for one in events}
        assert all(memory.became(one) is not None for one in lifted)
        with ThoughtStore(tmp_path / "check") as checked:
            told = Failing(memory.engine)
            it = Thinking(Praising(), told, checked)
            while not it.advance(memory.id).whole:
                pass
        assert told.sent == [], "all of its decisions are in, as the cursor says"


def test_two_instances_at_once_decide_once(memory: Memory[Any], tmp_path: Path) -> None:
    events: list[str] = []
    with ThoughtStore(tmp_path / "a") as first, ThoughtStore(tmp_path / "b") as second:
        both = [Thinking(Pairs(), EngineMemories(memory.engine), store) for store in (first, second)]
        for at in range(12):
            events += record(memory, 1 + at % 3)
            for it in both if at % 2 else both[::-1]:
                while not it.advance(memory.id).whole:
                    pass
    assert episodes(memory) == pairs(events)


def test_a_new_version_goes_on_from_the_cursor_of_the_one_before(memory: Memory[Any], tmp_path: Path) -> None:
    events = record(memory, 4)
    think(memory, tmp_path / "t")
    events += record(memory, 2)
    assert think(memory, tmp_path / "t", Triples()) == 1, "it reads all, and decides only of what is new"
    assert episodes(memory)[2] == events[3:6]
    assert think(memory, tmp_path / "t") == 0, "the old one finds the cursor beyond what it would decide"


def test_a_part_that_is_refused_is_replaced_so_that_the_decision_becomes_whole(
    memory: Memory[Any], tmp_path: Path
) -> None:
    events = record(memory, 3)
    think(memory, tmp_path / "t")
    before = memory.describe(events[1]).memory.salience
    assert think(memory, tmp_path / "t", Praising(wrong=events[2])) == 2, "its evidence is elsewhere"
    found = memory.happened()
    assert found.open == {} and found.cursors["praising"] > 0
    assert memory.describe(events[1]).memory.salience > before
    events += record(memory, 1)
    think(memory, tmp_path / "t")
    assert think(memory, tmp_path / "t", Praising(wrong=events[0])) == 2


def test_what_is_decided_and_what_is_refused_of_it_have_lines_with_their_commands(
    memory: Memory[Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "yggdrasil.thinkers")
    events = record(memory, 3)
    think(memory, tmp_path / "t")
    caplog.clear()
    think(memory, tmp_path / "t", Praising(wrong=events[2]))
    decided, refused = [
        [vars(one) for one in caplog.records if one.getMessage().startswith(said)]
        for said in ("decided", "a part was refused: ")
    ]
    assert decided and refused and {one["thinker"] for one in decided + refused} == {"praising"}
    became = [memory.became(one["command"]) for one in decided + refused]
    assert None not in became
    assert [one.accepted for one in became if one is not None][-len(refused) :] == [False] * len(refused)


class Losing(Pairs):
    """Of every second pair it names an event that is not there."""

    def observe(self, state: Any, happening: Any) -> Any:
        found = super().observe(state, happening)
        if found and not state.total % 4:
            found[0].body["events"][:] = ["01890a5d-ac96-774b-bcce-b302099a8057"]
        return found


def test_a_decision_that_is_refused_as_a_whole_is_dropped_and_those_sent_with_it_are_not(
    memory: Memory[Any], tmp_path: Path
) -> None:
    events = record(memory, 14)
    assert think(memory, tmp_path / "t", Losing()) == 4
    assert episodes(memory) == pairs(events)[::2]
    assert think(memory, tmp_path / "t", Losing()) == think(memory, tmp_path / "lost", Losing()) == 0


@pytest.mark.parametrize("seed", range(turns(15, 200)))
def test_what_was_sent_with_a_refused_decision_takes_effect_once(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    with Memory.open(tmp_path / "memory", "me/agent", partitions=1) as memory:
        events: list[str] = []
        for _ in range(3):
            events += record(memory, 2 * chance.randrange(1, 6))
            memories = Failing(memory.engine, chance.choices(["", "before", "after"], k=chance.randrange(12)))
            for place in "ab":
                while True:
                    try:
                        think(memory, tmp_path / place, Losing(), memories)
                        break
                    except Away:
                        continue
        assert episodes(memory) == pairs(events)[::2], f"seed {seed}"
        assert memory.happened().open == {}


def test_one_that_was_retired_begins_with_the_present(memory: Memory[Any], tmp_path: Path) -> None:
    events = record(memory, 4)
    think(memory, tmp_path / "t")
    memory.retire_thinker("pairs")
    events += record(memory, 1)
    assert think(memory, tmp_path / "t") == 0
    events += record(memory, 2)
    assert think(memory, tmp_path / "t") == 1
    assert episodes(memory) == [events[:2], events[2:4], events[5:7]]


@pytest.mark.parametrize("without", ["store", "nothing"])
def test_one_that_was_retired_and_knows_nothing_of_it_gets_on(
    without: str, memory: Memory[Any], tmp_path: Path
) -> None:
    events = record(memory, 4)
    think(memory, tmp_path / "t")
    memory.retire_thinker("pairs")
    events += record(memory, 1)
    place = tmp_path / ("new" if without == "store" else "t")
    think(memory, place)
    events += record(memory, 2)
    think(memory, place)
    found = episodes(memory)
    assert found[:2] == pairs(events[:4])
    assert len(found) == 3 and found[2] in (events[4:6], events[5:7])
    assert memory.happened().cursors["pairs"] > 4


def test_a_decision_that_another_left_half_way_is_completed(
    memory: Memory[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = record(memory, 2)
    stamp = {"name": "pairs", "version": "0", "cursor_from": 0, "cursor_to": 2, "part": 1, "parts": 3}
    memory.sleep(thinker=stamp)
    assert memory.happened().open["pairs"].missing == [0, 2]
    with ThoughtStore(tmp_path / "t") as store:
        it = Thinking(Pairs(), EngineMemories(memory.engine), store)
        assert it.advance(memory.id).waits, "whoever began it may be about to go on"
        monkeypatch.setattr(frame, "_ABANDONED_S", 0.0)
        assert not it.advance(memory.id).waits
        assert memory.happened().open == {} and memory.happened().cursors == {"pairs": 2}
        events += record(memory, 2)
        while not it.advance(memory.id).whole:
            pass
    assert episodes(memory) == [events[2:]]


class Raising(Pairs):
    def observe(self, state: Any, happening: Any) -> Any:
        raise ZeroDivisionError("a slip")


class Flooding(Pairs):
    def observe(self, state: Any, happening: Any) -> Any:
        one = happening.id if happening.kind == "event" else None
        return [Decision("commit_episode", {"events": [one]})] * 60 if one else ()


class Hoarding(Pairs):
    def observe(self, state: Any, happening: Any) -> Any:
        state.events.append("x" * (5 << 20))
        return ()


class Wordy(Pairs):
    def observe(self, state: Any, happening: Any) -> Any:
        found = super().observe(state, happening)
        if found:
            found[0].body["events"][:] = ["no id"]
        return found


class Many(Pairs):
    def observe(self, state: Any, happening: Any) -> Any:
        return [None] * 65


@pytest.mark.parametrize(
    ("thinker", "what"),
    [
        (Raising, "failed: ZeroDivisionError: a slip"),
        (Flooding, "would flood it"),
        (Hoarding, "may take 4,194,304"),
        (Wordy, "what no command may say"),
        (Many, "65 things at once"),
    ],
)
def test_one_that_fails_or_wants_too_much_is_stopped(
    thinker: type[Pairs], what: str, memory: Memory[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame, "_KEPT_EVERY", 1)
    record(memory, 8)
    with pytest.raises(ThinkerError, match=what):
        think(memory, tmp_path / "t", thinker())


def test_one_that_takes_too_long_is_stopped(
    memory: Memory[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(memory, 1)
    monkeypatch.setattr(frame, "OBSERVE_S_MAX", -1.0)
    with pytest.raises(ThinkerError, match="for one thing"):
        think(memory, tmp_path / "t")


def test_a_replay_asks_no_thinker_and_gives_the_same(memory: Memory[Any], tmp_path: Path) -> None:
    record(memory, 7)
    think(memory, tmp_path / "t", rest=True)
    think(memory, tmp_path / "t", Praising())
    digest, path = memory.digest(), memory.engine.path
    memory.close()
    with LocalLog.open_read_only(path / "log") as log:
        assert replay(log, tmp_path / "again", 0).digests == {"me/agent": digest}
