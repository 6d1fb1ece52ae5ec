"""Vectors beside the fold: in batches, bounded, in order, and nothing that was complete is lost."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest

from tests.contract.test_recording import commands_of
from tests.embedded.directory.test_store import Letters
from yggdrasil import EmbeddingUnavailableError, Event, Memory, RecordManyError, Vector
from yggdrasil.engines.beside import BATCH, completed_beside
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil_infra.embedders import quantise
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.commands import ClearContent
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.limits import RECORD_BYTES_MAX

ME = "me/agent"
WAIT_S = 60.0
DRAFTER = Drafter(ME, "test", "test", "import")


def imported(count: int, first: int = 0) -> Iterator[Draft]:
    for number in range(first, first + count):
        yield DRAFTER.record_event(f"abc {number}", stamp=Stamp(derived_id("test", str(number)), 1_000))


def written(engine: Embedded) -> list[Any]:
    """The vectors of all that is in the log, None for what has none."""
    contents = [each.content for each in commands_of(Memory(engine, DRAFTER))]
    return [each.vector if isinstance(each, ClearContent) else None for each in contents]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "here", partitions=1) as opened:
        yield opened


def run(engine: Embedded, embedding: Embedding, drafts: Iterator[Draft]) -> list[bool]:
    """Import, and return of each command whether it was known."""
    batches = completed_beside(embedding, engine, drafts)
    return [answer.duplicate for batch in batches for _, answer in engine.submit_many(batch)]


class Waiting(Letters):
    """Its third call ends when something was folded meanwhile."""

    def __init__(self, engine: Embedded) -> None:
        super().__init__()
        self.engine = engine
        self.folded = Signal()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if len(self.calls) == 2:
            assert self.folded.wait(WAIT_S), "nothing is folded while vectors are made"
        return super().embed_documents(texts)


def test_the_fold_goes_on_while_vectors_are_made(engine: Embedded) -> None:
    model = Waiting(engine)
    batches = completed_beside(Embedding(model), engine, imported(4 * BATCH))
    for batch in batches:
        assert all(answer.refused is None for _, answer in engine.submit_many(batch))
        model.folded.set()
    assert model.calls == [BATCH] * 4
    assert len(written(engine)) == 4 * BATCH and all(written(engine))
    assert written(engine)[100] == model.embed_query("abc 100"), "each has its own"


def test_no_more_is_drawn_than_some_batches(engine: Embedded) -> None:
    drawn = 0

    def counted() -> Iterator[Draft]:
        nonlocal drawn
        for draft in imported(20 * BATCH):
            drawn += 1
            yield draft

    batches = completed_beside(Embedding(Letters()), engine, counted())
    for taken in range(1, 4):
        next(batches)
        assert drawn <= (taken + 2) * BATCH
    batches.close()
    assert drawn <= 5 * BATCH, "who stops early draws no more"


def test_large_records_come_in_smaller_batches(engine: Embedded) -> None:
    large = (DRAFTER.record_event("a" * 100_000) for _ in range(20))
    sizes = [len(batch) for batch in completed_beside(Embedding(Letters()), engine, large)]
    assert sizes == [11, 9]


def test_what_is_imported_again_is_not_embedded_again_and_stays_the_same(engine: Embedded) -> None:
    first = Letters()
    assert run(engine, Embedding(first), imported(100)) == [False] * 100

    class Elsewhere(Letters):
        """The same model on another processor: not quite the same numbers."""

        def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
            made = super().embed_documents(texts)
            return [quantise([each + 1 for each in vector.values], self.model, self.dimension) for vector in made]

    other = Elsewhere()
    assert run(engine, Embedding(other), imported(150)) == [True] * 100 + [False] * 50
    assert sum(other.calls) == 50
    assert len(written(engine)) == 150


def test_what_was_imported_without_vectors_is_the_same_command(engine: Embedded) -> None:
    assert [answer.duplicate for _, answer in engine.submit_many(imported(10))] == [False] * 10
    assert run(engine, Embedding(Letters()), imported(10)) == [True] * 10
    assert run(engine, Embedding(Letters()), iter([DRAFTER.record_event("else", stamp=Stamp(derived_id("a"), 1))])) == [
        False
    ]
    [[other]] = completed_beside(
        Embedding(Letters()), engine, [DRAFTER.record_event("changed", stamp=Stamp(derived_id("a"), 1))]
    )
    assert str(engine.submit(other).refused).startswith("id_reused"), "another command under its id is still refused"


class Failing(Letters):
    """Fails at its third call."""

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if len(self.calls) == 2:
            raise EmbeddingUnavailableError("away")
        return super().embed_documents(texts)


def test_what_was_complete_before_the_embedder_failed_is_appended_and_the_rest_can_be_given_again(
    engine: Embedded,
) -> None:
    with pytest.raises(EmbeddingUnavailableError):
        run(engine, Embedding(Failing()), imported(5 * BATCH))
    assert len(written(engine)) == 2 * BATCH and all(written(engine))
    again = run(engine, Embedding(Letters()), imported(5 * BATCH))
    assert again == [True] * (2 * BATCH) + [False] * (3 * BATCH)


def test_what_came_before_a_source_broke_off_is_appended(engine: Embedded) -> None:
    def broken() -> Iterator[Draft]:
        yield from imported(70)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        run(engine, Embedding(Letters()), broken())
    assert len(written(engine)) == 70


def test_what_has_no_room_for_a_vector_is_recorded_without(tmp_path: Path) -> None:
    with Memory.open(tmp_path, ME, embedder=Letters()) as memory:
        spare = RECORD_BYTES_MAX - len(DRAFTER.record_event("a", payload={"log": ""}).value) - 60
        memory.record_event("a", payload={"log": "x" * spare})
        memory.record_many([Event("b", payload={"log": "x" * spare}), Event("c")])
        assert [vector is not None for vector in written(memory.engine)] == [False, False, True]


def test_record_many_says_what_is_in_the_log_when_the_embedder_fails_between(tmp_path: Path) -> None:
    with Memory.open(tmp_path, ME, embedder=Failing()) as memory:
        with pytest.raises(RecordManyError, match=r"away\. In the log: 128 of the events$") as stopped:
            memory.record_many(Event(f"abc {number}") for number in range(400))
        assert len(written(memory.engine)) == len(stopped.value.ids) == 128
        assert stopped.value.unsure == []
