"""A thinker in the shadow appends nothing, and its report says how it differs from the one in office."""

from pathlib import Path
from typing import Any

import orjson

from tests.thinkers.frame.test_thinking import episodes, happened, pairs, record, think
from tests.thinkers.toys import Pairs, Triples
from yggdrasil import Memory
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.shadow import Difference, Shadow, difference
from yggdrasil_processors.thinkers.thinker import Thinker


def shadowed(memory: Memory[Any], place: Path, thinker: Thinker[Any], *, rest: bool = False) -> Path:
    report = place / "report.jsonl"
    with ThoughtStore(place / "thoughts") as store:
        it = Shadow(thinker, EngineMemories(memory.engine), store, report)
        while not it.advance(memory.id, resting=rest).whole:
            pass
    return report


def test_it_appends_nothing_and_says_what_it_would(memory: Memory[Any], tmp_path: Path) -> None:
    events = record(memory, 6)
    digest = memory.digest()
    report = shadowed(memory, tmp_path, Triples())
    assert memory.digest() == digest and episodes(memory) == []
    said = [orjson.loads(line) for line in report.read_bytes().splitlines()]
    assert [(one["by"], one["seq"], one["type"]) for one in said] == [
        ("shadow/2", 3, "commit_episode"), ("shadow/2", 6, "commit_episode"),
    ]  # fmt: skip
    assert said[0]["about"] == sorted(events[:3]) and said[0]["why"] == "they are two"
    assert report.stat().st_mode & 0o077 == 0, "what a memory says is its owner's"


def test_it_is_compared_with_the_one_in_office(memory: Memory[Any], tmp_path: Path) -> None:
    record(memory, 7)
    think(memory, tmp_path / "office")
    assert difference(shadowed(memory, tmp_path / "same", Pairs())) == [Difference("commit_episode", 3, 0, 0)]
    assert difference(shadowed(memory, tmp_path / "other", Triples())) == [Difference("commit_episode", 0, 2, 3)]
    record(memory, 1)
    think(memory, tmp_path / "office")
    assert difference(shadowed(memory, tmp_path / "same", Pairs())) == [Difference("commit_episode", 4, 0, 0)]
    rested = shadowed(memory, tmp_path / "rested", Triples(), rest=True)
    assert difference(rested) == [Difference("commit_episode", 1, 2, 3)]


def test_what_is_said_twice_after_a_crash_counts_once(memory: Memory[Any], tmp_path: Path) -> None:
    events = record(memory, 4)
    think(memory, tmp_path / "office")
    report = shadowed(memory, tmp_path, Pairs())
    report.write_bytes(report.read_bytes() * 2)
    assert difference(report) == [Difference("commit_episode", 2, 0, 0)]
    assert episodes(memory) == pairs(events)


def test_office_and_shadow_share_a_store_and_not_what_they_know(memory: Memory[Any], tmp_path: Path) -> None:
    record(memory, 2)
    report = shadowed(memory, tmp_path, Pairs())
    assert think(memory, tmp_path / "thoughts") == 1
    assert len([one for one in happened(memory) if one.kind == "episode"]) == 1
    assert difference(shadowed(memory, tmp_path, Pairs())) == [Difference("commit_episode", 1, 0, 0)]
    assert report.exists()
