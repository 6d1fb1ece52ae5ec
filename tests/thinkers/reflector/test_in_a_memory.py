"""The reflector in a real memory: the fold takes all that it decides, and a question is answered otherwise."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.ports import Part
from yggdrasil_processors.thinkers.frame.thinking import Thinking
from yggdrasil_processors.thinkers.reflector.reflector import Reflector
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import SimilarCases

MEMORY = "test/reflector"


class Noting(EngineMemories):
    """Notes what is decided, and what the fold says of it."""

    def __init__(self, engine: Embedded) -> None:
        super().__init__(engine)
        self.decided: list[tuple[Part, Answer]] = []

    def decide(self, memory: str, parts: Sequence[Part]) -> list[Answer]:
        answers = super().decide(memory, parts)
        self.decided += zip(parts, answers, strict=True)
        return answers


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "memory", MEMORY, embedder="none", partitions=1) as opened:
        yield opened


def breakfast(memory: Memory[Embedded], turn: int, ate: str, end: float) -> str:
    session = f"day-{turn}-{ate}"
    told = [("The inn opens", ["inn", "morning"]), (f"For breakfast there was {ate}", [f"ate:{ate}", "breakfast"])]
    told += [("Walked on", ["walk"]), ("Evening came", ["evening"])]
    ids = [memory.record_event(text, features=features, session=session) for text, features in told]
    memory.log_outcome(ids[1], 1.0 if ate == "cake" else 0.5, session=session)
    memory.log_outcome(ids[3], end, session=session)
    memory.commit_episode(ids, session=session)
    return ids[1]


def think(memory: Memory[Embedded], path: Path) -> Noting:
    noting = Noting(memory.engine)
    with ThoughtStore(path) as store:
        thinking = Thinking(Reflector(), noting, store)
        while not thinking.advance(MEMORY).whole:
            pass
    return noting


def first(cases: SimilarCases) -> str | None:
    return cases.good[0].found.memory.text


def test_the_fold_takes_every_decision_and_the_cases_change_their_order(
    memory: Memory[Embedded], tmp_path: Path
) -> None:
    eaten: dict[str, list[str]] = {"cake": [], "bread": []}
    for turn in range(12):
        for ate, end in (("bread", 0.5), ("cake", -3.0)):
            eaten[ate].append(breakfast(memory, turn, ate, end))
    before = memory.get_similar_cases("For breakfast there was", record=False)
    stood = {id_: memory.describe(id_).memory for ids in eaten.values() for id_ in ids}
    noting = think(memory, tmp_path / "thoughts")

    assert noting.decided
    assert all(answer.refused is None for _, answer in noting.decided)
    assert {part.payload["rule"] for part, _ in noting.decided} >= {"lift", "brittle"}
    moved = {ref for part, _ in noting.decided for ref in part.body["trajectory"] if not ref.startswith("feature:")}
    assert moved
    for id_ in moved:
        now = memory.describe(id_).memory
        assert (
            now.permanence > stood[id_].permanence if id_ in eaten["bread"] else now.permanence < stood[id_].permanence
        )
        assert now.valence == stood[id_].valence
    after = memory.get_similar_cases("For breakfast there was", record=False)
    assert first(before) == "For breakfast there was cake"
    assert first(after) == "For breakfast there was bread"


def test_what_reflection_learned_is_in_no_feature_s_valence(memory: Memory[Embedded], tmp_path: Path) -> None:
    for turn in range(12):
        for ate, end in (("bread", 0.5), ("cake", -3.0)):
            breakfast(memory, turn, ate, end)
    before = memory.foretell(features=["ate:cake"]).foretold
    think(memory, tmp_path / "thoughts")
    assert memory.foretell(features=["ate:cake"]).foretold == before  # adjust moves no valence: docs/thinkers.md


def test_thinking_again_over_the_same_history_decides_nothing_more(memory: Memory[Embedded], tmp_path: Path) -> None:
    for turn in range(12):
        for ate, end in (("bread", 0.5), ("cake", -3.0)):
            breakfast(memory, turn, ate, end)
    assert think(memory, tmp_path / "thoughts").decided
    digest = memory.digest()
    assert not think(memory, tmp_path / "lost").decided
    assert memory.digest() == digest
