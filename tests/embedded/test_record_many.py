"""How ``record_many`` goes about it: in chunks, with vectors in batches, and what is left when it stops."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.contract.test_recording import commands_of
from tests.embedded.directory.test_store import Letters
from yggdrasil import EmbeddingUnavailableError, Event, LogError, Memory, RecordManyError, Store, Vector
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_producers.draft import Draft
from yggdrasil_schemas.commands import ClearContent
from yggdrasil_schemas.commands.vectors import Vector as Sealed


def test_an_embedder_is_given_many_texts_in_one_call(tmp_path: Path) -> None:
    letters = Letters()
    own = letters.embed_query("zzz")
    letters.calls.clear()
    with Store.open(tmp_path, embedder=letters) as store:
        memory = store.memory("me/agent")
        made = [Event(f"abc {number}") for number in range(700)]
        made += [Event("aaa", vector=own), Event(features=["silent"]), Event("   ")]
        ids = memory.record_many(made)
        assert letters.calls == [*[64] * 7, 52, *[64] * 3, 8], "500 are drawn at a time, and not all say something"
        said = [each for each in commands_of(memory) if isinstance(each.content, ClearContent)]
        vectors = {each.id: each.content.vector for each in said if isinstance(each.content, ClearContent)}
        assert vectors[ids[700]] == own, "its own was kept"
        assert vectors[ids[3]] == letters.embed_query("abc 3")
        assert ids[701] not in vectors and vectors[ids[702]] is None


def test_one_durable_write_holds_hundreds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[int] = []
    write = LocalLog._write

    def counted(log: LocalLog, entries: list[object]) -> object:
        writes.append(len(entries))
        return write(log, entries)  # type: ignore[arg-type]

    monkeypatch.setattr(LocalLog, "_write", counted)
    with Memory.open(tmp_path, "me/agent") as memory:
        memory.record_many(Event(f"step {number}") for number in range(1_100))
    assert writes == [500, 500, 100]


def test_no_more_is_drawn_than_is_appended_next(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", partitions=1) as memory:
        ahead: list[int] = []

        def large() -> Iterator[Event]:
            for number in range(60):
                ahead.append(number - memory.engine.log.end_offset(0))
                yield Event(f"{number} " + "x" * 100_000)

        assert len(memory.record_many(large())) == 60
    assert 10 < max(ahead) < 25, "some 2 MB are held at a time, and not 6"


class Failing(Letters):
    """Fails at its second call."""

    def embed_documents(self, texts: Sequence[str]) -> list[Sealed]:
        if self.calls:
            raise EmbeddingUnavailableError("away")
        return super().embed_documents(texts)


def test_what_has_no_vector_is_not_appended_when_the_embedder_fails(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", embedder=Failing()) as memory:
        with pytest.raises(RecordManyError, match=r"away\. In the log: 64 of the events$") as stopped:
            memory.record_many(Event(f"step {number}") for number in range(501))
        assert isinstance(stopped.value.__cause__, EmbeddingUnavailableError)
        assert memory.engine.log.end_offset(memory.engine.partition(memory.id)) == 64 == len(stopped.value.ids)


def test_what_may_be_in_the_log_or_not_is_handed_back_to_be_resent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = LocalLog.append_many

    def lost(log: LocalLog, records: Iterator[tuple[bytes, bytes]]) -> object:
        append(log, records)
        raise LogError("the answer was lost")

    with Memory.open(tmp_path, "me/agent") as memory:
        with monkeypatch.context() as patched, pytest.raises(RecordManyError, match=r"lost.*2 more may be") as stopped:
            patched.setattr(LocalLog, "append_many", lost)
            memory.record_many([Event("a"), Event("b")])
        assert all(isinstance(each, Draft) for each in stopped.value.unsure)
        assert [memory.resend(each) for each in stopped.value.unsure] == [each.id for each in stopped.value.unsure]
        assert len(memory.timeline().memories) == 2, "each was taken once"


def test_a_closed_memory_takes_none(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, "me/agent")
    assert isinstance(memory.engine, Embedded)
    memory.close()
    with pytest.raises(LogError, match="closed"):
        memory.record_many([Event("a")])


def test_the_vector_of_a_facade_is_that_of_the_language() -> None:
    assert Vector is Sealed
