"""Concepts and sleep in a memory of its own: the fold takes every decision."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.thinkers.concepts.lives import themed
from yggdrasil import Event, Memory
from yggdrasil.engines.engine import ReadingEngine
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.concepts import ConceptFormer
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.ports import Part
from yggdrasil_processors.thinkers.frame.thinking import Thinking
from yggdrasil_processors.thinkers.sleeper import Sleeper
from yggdrasil_projections.graph.fold import Answer


class Noted(EngineMemories):
    """Memories of an engine that keep what was answered."""

    def __init__(self, engine: ReadingEngine) -> None:
        super().__init__(engine)
        self.answers: Counter[tuple[str, str]] = Counter()

    def decide(self, memory: str, parts: Sequence[Part]) -> list[Answer]:
        answers = super().decide(memory, parts)
        for part, answer in zip(parts, answers, strict=True):
            self.answers[part.type, str(answer.refused)] += 1
        return answers


def test_the_fold_takes_all_that_is_decided(tmp_path: Path) -> None:
    """Two themes: each becomes a concept of its features."""
    life = [(told.features, told.session) for told in themed(4, 12, themes=2)(Random("a memory"))]
    with (
        Memory.open(tmp_path / "memory", "me/agent", embedder="none") as memory,
        ThoughtStore(tmp_path / "thoughts") as store,
    ):
        memories = Noted(memory.engine)
        thinking: list[Thinking[Any]] = [
            Thinking(ConceptFormer(), memories, store),
            Thinking(Sleeper(), memories, store),
        ]
        for start in range(0, len(life), 150):
            page = life[start : start + 150]
            list(memory.record_many(Event(" ".join(each), features=each, session=name) for each, name in page))
            for thinks in thinking:
                while not thinks.advance(memory.id).whole:
                    pass
        formed = [one for one in memory.happened(count=10_000).happened if one.kind == "concept"]
        assert {key: count for key, count in memories.answers.items() if key[1] != "None"} == {}
        assert memories.answers["form_concept", "None"] == 2
        assert memories.answers["sleep", "None"] >= 2
        assert {frozenset(one.members[:4]) for one in formed} == {
            frozenset(f"feature:t{theme}-{n}" for n in range(4)) for theme in range(2)
        }
        assert all(one.thinker == "concepts" and (one.payload or {})["evidence"] for one in formed)
