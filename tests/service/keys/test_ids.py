"""Nobody takes the ids of another one's import first, and an import may be repeated by whoever it is of."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.remote import Remote
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key, renew
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.importers import import_chat
from yggdrasil_schemas.ids import derived_id


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A service, and the keys of an importer, of its renewal, and of somebody else."""
    file = tmp_path / "keys.json"
    entry, importer = new_key(file, "acme", ["append", "read"], "importer", "import")
    keys = {
        "importer": importer,
        "renewed": renew(file, entry.id)[1],
        "other": new_key(file, "acme", ["append", "read"], "other")[1],
    }
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it,
    ):
        yield it.url, keys


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    file = tmp_path / "chat.jsonl"
    turns = [{"role": "user", "content": f"Turn {number}", "at": 1_700_000_000_000} for number in range(5)]
    file.write_bytes(b"\n".join(map(orjson.dumps, turns)))
    return file


def drafts(chat: Path, source: str) -> list[Draft]:
    return list(import_chat(chat, Drafter("acme/agent", source, "test", "import")).drafts)


def imported(url: str, key: str, chat: Path) -> list[int]:
    """The seqs of what an import says with a key."""
    engine = Remote(url, key)
    try:
        answers = [answer for _, answer in engine.submit_many(drafts(chat, "importer"))]
    finally:
        engine.close()
    assert all(answer.refused is None for answer in answers)
    return [answer.seq for answer in answers]


def test_an_import_is_idempotent_and_nobody_can_be_there_before_it(
    house: tuple[str, dict[str, str]], chat: Path
) -> None:
    url, keys = house
    with Client(url, keys["other"], "acme/agent") as other:
        for draft in drafts(chat, "importer"):
            squatted = {"type": "record_event", "id": draft.id, "body": {}, "content": {"text": "I was here first"}}
            said = other.post("/commands", squatted).problem(403, "forbidden")["detail"]
            assert "the name of this key" in said
            same = {
                name: orjson.loads(draft.value)[name] for name in ("type", "id", "at", "session", "body", "content")
            }
            other.post("/commands", same).problem(403, "forbidden")
        other.get("/stats").problem(404, "unknown_memory")
        first = imported(url, keys["importer"], chat)
        assert first == [1, 2, 3, 4, 5]
        assert imported(url, keys["importer"], chat) == first
        assert imported(url, keys["renewed"], chat) == first
        assert {one["text"] for one in other.get("/timeline").json["memories"]} == {f"Turn {n}" for n in range(5)}


def test_the_same_content_of_two_sources_is_two_commands(house: tuple[str, dict[str, str]], chat: Path) -> None:
    mine, theirs = drafts(chat, "importer"), drafts(chat, "other")
    assert not {one.id for one in mine} & {one.id for one in theirs}
    assert [one.id for one in mine] == [one.id for one in drafts(chat, "importer")]


def test_an_id_that_is_derived_for_nobody_is_refused(house: tuple[str, dict[str, str]]) -> None:
    url, keys = house
    with Client(url, keys["importer"], "acme/agent") as client:
        event = {"type": "record_event", "id": derived_id("git", "commit", "abc"), "body": {}}
        client.post("/commands/batch", {"commands": [event]}).problem(403, "forbidden")
