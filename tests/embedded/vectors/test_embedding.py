"""Vectors by a real model: what is said and asked gets them, what was said before gets them later, two never mix."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

import pytest

from tests.contract.logs import everything
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Coverage, coverage, reembed
from yggdrasil.engines.upkeep.reembedding import Reembedding
from yggdrasil_infra.embedders import Embedder, EmbeddingUnavailableError, minilm, quantise
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import AttachVector, ClearContent, RecordRecall
from yggdrasil_schemas.commands.vectors import Vector

ME = "me/agent"


@pytest.fixture(scope="module")
def model() -> Iterator[Embedder]:
    opened = minilm()
    yield opened
    opened.close()


class Other:
    """Another model: the numbers of the first one under another name, the other way round."""

    provider = "offline"
    model = "other/1"

    def __init__(self, within: Embedder, fails_after: int = 1_000) -> None:
        self._within = within
        self._calls_left = fails_after
        self.dimension = within.dimension

    def embed_query(self, text: str) -> Vector:
        return Vector.of(self.model, self._within.embed_query(text).values[::-1])

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if not self._calls_left:
            raise EmbeddingUnavailableError("away")
        self._calls_left -= 1
        return [Vector.of(self.model, each.values[::-1]) for each in self._within.embed_documents(texts)]

    def close(self) -> None:
        pass


def commands(memory: Memory[Embedded]) -> list[Decoded]:
    return [one for record in everything(memory.engine.log) if isinstance(one := decode(record.value), Decoded)]


def vectors(memory: Memory[Embedded]) -> list[tuple[str, str | None]]:
    """The type of each command, and the model of its vector."""
    found: list[tuple[str, str | None]] = []
    for one in commands(memory):
        content = one.command.content
        vector = content.vector if isinstance(content, ClearContent) else None
        found.append((one.command.type, vector.model if vector else None))
    return found


def test_what_is_said_and_asked_gets_vectors_that_are_compared(tmp_path: Path, model: Embedder) -> None:
    with Memory.open(tmp_path, ME, embedder=model) as memory:
        cat = memory.record_event("The kitten sleeps on the sofa")
        memory.record_event("Interest rates were raised by the central bank")
        memory.log_outcome(cat, 1, text="It purred")
        memory.record_event(features=["nothing said"])
        memory.commit_episode([cat], text="A quiet afternoon at home")
        found = memory.get_context("Where does the kitten rest?", k=1)
        assert found.refs == [cat]
        assert found.found[0].scores.vector > 0.3
        name = model.model
        assert vectors(memory) == [
            ("record_event", name),
            ("record_event", name),
            ("log_outcome", name),
            ("record_event", None),
            ("commit_episode", name),
            ("record_recall", name),
        ]
        recall = commands(memory)[-1].command
        assert isinstance(recall, RecordRecall) and isinstance(recall.content, ClearContent)
        asked = recall.content.vector
        assert asked is not None and asked == model.embed_query("Where does the kitten rest?")


def test_an_agent_may_supply_its_own_vectors(memory: Memory[Embedded]) -> None:
    first, second = (quantise(values, "mine/1", 3) for values in ([1.0, 0.0, 0.2], [0.0, 1.0, 0.2]))
    one = memory.record_event("a note", vector=first)
    memory.record_event("another note", vector=second)
    found = memory.get_context("note", vector=first).found
    assert [entry.memory.ref for entry in found][:1] == [one]
    assert found[0].scores.vector > 0.9


def test_what_was_said_before_gets_vectors_later_and_stopping_loses_nothing(tmp_path: Path, model: Embedder) -> None:
    with Memory.open(tmp_path, ME) as memory:
        for number in range(80):
            memory.record_event(f"Note {number}: the kitten sleeps")
        memory.record_event(features=["nothing said"])
        engine, digest = memory.engine, memory.digest()
        assert coverage(engine, ME, model) == Coverage(0, 80)
        told: list[tuple[int, int]] = []
        with pytest.raises(EmbeddingUnavailableError):
            reembed(engine, ME, Other(model, fails_after=2), lambda done, total: told.append((done, total)))
        assert told == [(32, 80), (64, 80)]
        assert reembed(engine, ME, Other(model)) == 16
        assert reembed(engine, ME, Other(model)) == 0
        assert coverage(engine, ME, Other(model)) == Coverage(80, 80)
        attached = [one.command for one in commands(memory) if isinstance(one.command, AttachVector)]
        assert len({one.body.node for one in attached}) == len(attached) == 80
        assert {one.origin for one in attached} == {"operator"}
        assert memory.digest() != digest  # it is in the history, and changes no value
    with Memory.open(tmp_path, ME, embedder=Other(model)) as memory:
        assert memory.get_context("Where does the kitten rest?", record=False).found[0].scores.vector > 0


def test_the_former_model_answers_until_the_new_one_covers_the_memory(tmp_path: Path, model: Embedder) -> None:
    with Memory.open(tmp_path, ME, embedder=model) as memory:
        for number in range(20):
            memory.record_event(f"Note {number}: the kitten sleeps")
    new = Other(model)

    def asked() -> str:
        with Memory.open(tmp_path, ME, embedder=new, former_embedder=model) as memory:
            memory.get_context("Where does the kitten rest?")
            return vectors(memory)[-1][1] or ""

    assert asked() == model.model
    with Memory.open(tmp_path, ME, embedder="off") as memory:
        reembed(memory.engine, ME, new)
    assert asked() == new.model


def test_a_service_gives_vectors_in_the_background_to_the_memories_that_are_asked(
    tmp_path: Path, model: Embedder
) -> None:
    with Embedded(tmp_path, partitions=1, sliced=True) as engine:
        asked, other = (Memory(engine, Drafter(name, "test", "test")) for name in (ME, "me/other"))
        for number in range(70):
            asked.record_event(f"Note {number}: the kitten sleeps")
            other.record_event(f"Note {number}: nobody asks")
        asked.get_context("kitten")
        with Reembedding(engine, model, look_every_s=0.01):
            deadline = monotonic() + 240
            while coverage(engine, ME, model) != Coverage(70, 70):
                assert monotonic() < deadline, coverage(engine, ME, model)
                asked.record_event(features=["life goes on"])
        assert engine.memories_asked() == [ME]
        said = [one.command for one in commands(other) if isinstance(one.command, AttachVector)]
        assert {one.memory for one in said} == {ME}


class Picky(Other):
    """Takes no text with one word in it."""

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if any("unspeakable" in text for text in texts):
            raise EmbeddingUnavailableError("this text is not taken")
        return super().embed_documents(texts)


def test_a_text_that_no_model_takes_keeps_no_other_memory_waiting(tmp_path: Path, model: Embedder) -> None:
    names = ["me/a", "me/b", "me/c"]
    picky = Picky(model)
    with Embedded(tmp_path, partitions=1, sliced=True) as engine:
        for name in names:
            memory = Memory(engine, Drafter(name, "test", "test"))
            memory.record_event("It is unspeakable" if name < "me/c" else "The kitten sleeps")
            memory.get_context("kitten")
        with Reembedding(engine, picky, look_every_s=0.01):
            deadline = monotonic() + 240
            while coverage(engine, "me/c", picky) != Coverage(1, 1):
                assert monotonic() < deadline, coverage(engine, "me/c", picky)
