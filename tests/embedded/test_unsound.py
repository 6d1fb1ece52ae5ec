"""Records that were changed in the store: no read shows one, each is counted and told of, and the answer goes on."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
import pytest

from tests.faces.life import Known, lived
from yggdrasil import Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_processors.auditing.exporting import Exported, commands
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_processors.auditing.verifying import verify
from yggdrasil_processors.scrubbing import Scrub, ScrubSettings
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.families import ALL, CONTENTS, VECTORS
from yggdrasil_projections.graph.unsound import UNSOUND_MAX, UnsoundRecordError
from yggdrasil_projections.retrieval.errors import UnknownActionError, UnknownNodeError, UnknownSessionError
from yggdrasil_projections.retrieval.query import Read
from yggdrasil_projections.retrieval.table import READS
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.graph.codec import NUMBER
from yggdrasil_schemas.graph.records import is_feature, seq_of

ME: Final = "me/agent"
OTHER: Final = "me/other"
QUESTION: Final = "Deployed release 1 on a Friday"
SAID: Final = (b"Deploy", b"Ship", b"Down", b"eats", b"oslo", b"city")
"""What its records say, and, with a capital in it, what is in those that were changed."""
Record = tuple[bytes, bytes]  # its key in the store, and its bytes


class Home(NamedTuple):
    """A directory with a memory, which nobody has open."""

    path: Path
    known: Known


@contextmanager
def opened(path: Path, **options: Any) -> Iterator[Memory[Any]]:
    with (
        Embedded(path, partitions=1, **options) as engine,
        Memory(engine, Drafter(ME, "agent", "unsound", "operator")) as memory,
    ):
        yield memory


@pytest.fixture
def home(tmp_path: Path) -> Home:
    path = tmp_path / "home"
    with opened(path) as memory:
        known = lived(memory)
        Memory(memory.engine, Drafter(OTHER, "agent", "unsound", "operator")).record_event(QUESTION)
    return Home(path, known)


def database(home: Home) -> Rocks:
    return Rocks(home.path / "graph" / "0000", ALL, MemoryBudget.of())


def records(db: Rocks) -> dict[int, Record]:
    """The records of the memory by node: it was the first, so it has the number 1 in this store."""
    rows = {NUMBER.unpack_from(key, 4)[0]: (key, value) for key, value in db.scan(CONTENTS, bytes((0, 0, 0, 1)))}
    return {number: row for number, row in rows.items() if not is_feature(number)}


def put(db: Rocks, key: bytes, value: bytes, family: str = CONTENTS) -> None:
    batch = db.batch()
    batch.put(family, key, value)
    db.write(batch)


def shouted(record: bytes) -> bytes:
    """A record of which every known word has another letter: one byte of each."""
    for word in SAID:
        record = record.replace(word, word[:-1] + word[-1:].upper())
    return record


def change(home: Home, changed: Callable[[bytes], bytes], says: bytes = b"") -> dict[int, Record]:
    """Change all records that say something; return what they were, by node."""
    with database(home) as db:
        found = {number: row for number, row in records(db).items() if says in row[1]}
        for key, record in found.values():
            put(db, key, changed(record))
    assert found
    return found


def the_first(home: Home) -> tuple[int, Record]:
    with database(home) as db:
        return next((number, row) for number, row in records(db).items() if QUESTION.encode() in row[1])


def asked(memory: Memory[Any], home: Home, read: Read[Any]) -> bytes:
    """An answer as bytes; nothing where what was asked about is not there any more."""
    with suppress(UnknownNodeError, UnknownActionError, UnknownSessionError):
        return orjson.dumps(getattr(memory, read.called)(**home.known.filled(read.example)))
    return b""


def counted(memory: Memory[Any]) -> float:
    return float(memory.engine.view.unsound.metrics.records_unsound.labels(0)._value.get())


def texts(memory: Memory[Any]) -> list[str | None]:
    return [each.memory.text for each in memory.get_context(QUESTION, k=50).found]


@pytest.mark.parametrize("read", READS, ids=lambda read: read.name)
def test_no_read_shows_what_was_changed(home: Home, read: Read[Any]) -> None:
    """Every record that says anything is another: what is left of an answer says nothing of them."""
    with opened(home.path) as memory:
        before = asked(memory, home, read)
    change(home, shouted)
    with opened(home.path) as memory:
        after = asked(memory, home, read)
    for word in SAID:
        assert word[:-1] + word[-1:].upper() not in after
    if read.name in ("get_context", "timeline", "get_similar_cases", "happened", "claims", "episodes"):
        assert any(word in before for word in SAID)


@pytest.mark.parametrize("read", READS, ids=lambda read: read.name)
def test_every_read_goes_on_without_one_that_is_no_record_any_more(home: Home, read: Read[Any]) -> None:
    _, (key, _) = the_first(home)
    with database(home) as db:
        put(db, key, b"{")
    with opened(home.path) as memory:
        assert asked(memory, home, read) or read.name in ("describe", "neighbourhood")
        memory.timeline()
        assert counted(memory) == 1


def another_node_s(home: Home, number: int) -> bytes:
    with database(home) as db:
        return next(record for other, (_, record) in records(db).items() if other != number)


def of_another_memory(home: Home, number: int) -> bytes:
    with database(home) as db:
        rows = db.scan(CONTENTS, bytes((0, 0, 0, 2)))
    return next(record for _, record in rows if QUESTION.encode() in record)


def with_another_time(home: Home, number: int) -> bytes:
    with database(home) as db:
        fields = orjson.loads(records(db)[number][1])
    return orjson.dumps(fields | {"at": fields["at"] + 1})


def with_another_letter(home: Home, number: int) -> bytes:
    with database(home) as db:
        return shouted(records(db)[number][1])


CHANGES: Final = [another_node_s, of_another_memory, with_another_time, with_another_letter]


@pytest.mark.parametrize("changed", CHANGES, ids=lambda each: each.__name__)
def test_it_is_left_out_counted_and_told_of_and_a_mended_store_shows_it_again(
    home: Home, changed: Callable[[Home, int], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    number, (key, record) = the_first(home)
    value = changed(home, number)
    with opened(home.path) as memory:
        whole = texts(memory)
    with database(home) as db:
        put(db, key, value)
    with opened(home.path) as memory, caplog.at_level(logging.ERROR, "yggdrasil.reads"):
        assert set(texts(memory)) == set(whole) - {QUESTION}
        assert QUESTION not in [each.text for each in memory.timeline().memories]
        assert counted(memory) == 1
        (told,) = (each.getMessage() for each in caplog.records if each.name == "yggdrasil.reads")
        assert ME in told and f"seq {seq_of(number)}" in told and "--recover" in told and "Friday" not in told
        command = orjson.loads(record)["id"]
        assert (command in told) == (orjson.loads(value)["id"] == command)
    with database(home) as db:
        put(db, key, record)
    with opened(home.path) as memory:
        assert set(texts(memory)) == set(whole)
        assert counted(memory) == 0


def test_what_changes_while_it_is_asked_is_found_at_the_next_answer(home: Home) -> None:
    """Its words are in an index that was read before; and what is mended is found again."""
    _, (key, record) = the_first(home)
    with opened(home.path) as memory:
        whole = texts(memory)
        db = memory.engine.store(0)._db
        for _ in range(2):
            put(db, key, shouted(record))
            assert set(texts(memory)) == set(whole) - {QUESTION}
            memory.record_event("Something else")
            assert QUESTION not in texts(memory)
            put(db, key, record)
            assert QUESTION in texts(memory)
        memory.engine.view.rebuild(memory.engine.store(0).peek(ME))
        put(db, key, shouted(record))
        assert QUESTION not in texts(memory)


def test_what_an_index_could_not_read_is_in_it_once_it_is_mended(home: Home) -> None:
    _, (key, record) = the_first(home)
    with database(home) as db:
        put(db, key, shouted(record))
    with opened(home.path) as memory:
        assert QUESTION not in texts(memory)
        put(memory.engine.store(0)._db, key, record)
        assert QUESTION in texts(memory)


def test_no_image_is_kept_of_an_index_that_lacks_something(home: Home) -> None:
    _, (key, record) = the_first(home)
    for directory in home.path.glob("views/*"):
        directory.unlink()
    with database(home) as db:
        put(db, key, shouted(record))
    with opened(home.path) as memory:
        memory.engine.view._image_documents_min = 1
        assert QUESTION not in texts(memory)
    assert not list(home.path.glob("views/*.index"))
    with opened(home.path) as memory:
        memory.engine.view._image_documents_min = 1
        put(memory.engine.store(0)._db, key, record)
        assert QUESTION in texts(memory)
    assert list(home.path.glob("views/*.index"))


def test_the_recall_of_such_an_answer_can_be_proved_and_names_what_was_left_out(home: Home, tmp_path: Path) -> None:
    number, (key, record) = the_first(home)
    with database(home) as db:
        put(db, key, shouted(record))
    with opened(home.path) as memory:
        ids = [memory.get_context(QUESTION, k=3).recall_id, memory.get_similar_cases(QUESTION).recall_id]
        put(memory.engine.store(0)._db, key, record)
        whole = memory.get_context(QUESTION, k=3).recall_id
    with LocalLog.open_read_only(home.path / "log") as log:
        proofs = {proof.recall.id: proof for proof in prove(log, tmp_path / "proof", list(recalls_in(log, ME)))}
    for each in ids:
        content = proofs[str(each)].recall.command.content
        assert content is not None and content.payload["unsound"] == [number]  # type: ignore[union-attr, index]
    assert [proof.reason for proof in proofs.values()] == [None] * len(proofs)
    assert {tuple(proofs[str(each)].without) for each in ids} == {(seq_of(number),)}
    assert proofs[str(whole)].without == []
    first = proofs[str(whole)].returned_again
    assert first is not None and orjson.loads(record)["id"] in first


def test_with_too_many_of_them_nothing_is_answered(home: Home) -> None:
    with opened(home.path) as memory:
        for number in range(UNSOUND_MAX + 1):
            memory.record_event(f"Walked home by way {number}")
    change(home, lambda record: record.replace(b"Walked", b"Welked"), b"Walked")
    with opened(home.path) as memory, pytest.raises(UnsoundRecordError, match="--recover"):
        texts(memory)


def test_verify_and_the_scrub_find_it_and_recover_mends_it(home: Home) -> None:
    number, (key, record) = the_first(home)
    with opened(home.path) as memory:
        command = memory.record_event("Said with a vector", vector=Vector.of("toy", bytes([1] * 8)))
        memory.attach_vector(command, Vector.of("toy2", bytes([1] * 8)))
    with database(home) as db:
        put(db, key, shouted(record))
        ((vector, row),) = [row for row in db.scan(VECTORS, bytes((0, 0, 0, 1))) if b"toy2" in row[0]]
        put(db, vector, row[:-1] + b" ", VECTORS)
    said = sorted(each.said for each in verify(home.path, lambda _what, _size: None).findings)
    assert len(said) == 2 and f"record of seq {seq_of(number)} is not" in said[0] and "--recover" in said[0]
    assert "vector that seq" in said[1]
    settings = ScrubSettings(1 << 30, first_s=0.0)
    with opened(home.path) as memory:
        scrub = Scrub(home.path, memory.engine.hosting, settings)
        scrub.once()
        scrub.once()
        assert settings.metrics.damage.labels("record", 0)._value.get() == 2
        found = texts(memory)
        assert found and not {QUESTION, "Said with a vector"} & set(found)  # and all else is answered
        assert memory.engine.hosting.damage.told() is None
    with opened(home.path, recover=True) as memory:
        assert QUESTION in texts(memory)
        assert memory.engine.store(0).broken() == []


def test_an_export_leaves_it_out_and_counts_it(home: Home) -> None:
    _, (key, record) = the_first(home)
    with database(home) as db:
        put(db, key, shouted(record))
    with opened(home.path) as memory:
        found = Exported()
        lines = list(commands(memory.engine.store(0), ME, found))
    ids = [orjson.loads(line)["id"] for line in lines]
    assert ids and orjson.loads(record)["id"] not in ids
    assert found.missing["record_event"] == 1 + found.withheld, "and what was put out stays out"


def test_a_lens_does_not_show_it_either(home: Home) -> None:
    _, (key, record) = the_first(home)
    with database(home) as db:
        put(db, key, shouted(record))
    with opened(home.path) as memory:
        seen = memory.seen(trust_min=1)
        assert len(texts(seen)) > 3 and QUESTION not in texts(seen)
        assert QUESTION not in [each.text for each in seen.timeline().memories]
        found = memory.get_context(QUESTION, k=20, where=Where(trust_min=1)).found
        assert len(found) > 3 and QUESTION not in [each.memory.text for each in found]


@pytest.mark.parametrize("said", ["all", 64, {"0": 1}, [64, 64], [1, "2"], [-1], [True], [2**63]])
def test_a_recall_that_says_that_something_else_was_left_out_is_not_proved(
    home: Home, tmp_path: Path, said: object
) -> None:
    with opened(home.path) as memory:
        first = memory.get_context(QUESTION, k=3)
        assert first.recall_id is not None
        with LocalLog.open_read_only(home.path / "log") as log:
            body = next(one for one in recalls_in(log, ME) if one.id == first.recall_id).command.body
        drafter = Drafter(ME, "agent", "unsound", "operator")
        content = {"text": QUESTION, "payload": {"unsound": said}}
        forged = drafter.draft("record_recall", body.model_dump(mode="json"), content)
        assert memory.engine.submit(forged).refused is None
    with LocalLog.open_read_only(home.path / "log") as log:
        recalls = [one for one in recalls_in(log, ME) if one.id == forged.id]
        (proof,) = prove(log, tmp_path / "proof", recalls)
    assert proof.reason is not None and "left out" in proof.reason
