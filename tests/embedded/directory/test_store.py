"""One directory, many memories: held once in a process, and remembered how it is to be used."""

import asyncio
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.contract.logs import everything
from yggdrasil import (
    AsyncStore,
    EmbedderWarning,
    LogError,
    LogInUseError,
    Memory,
    PathError,
    Store,
    StoreSettingsError,
    Vector,
)
from yggdrasil.settings import FILE, EmbedderUsed, agree, remembered
from yggdrasil_infra.embedders import SuppliedVectors, quantise
from yggdrasil_schemas.errors import InvalidCommandError


class Letters:
    """An embedder that counts letters, and how often it is asked."""

    provider = "test"
    dimension = 26

    def __init__(self, model: str = "letters/1") -> None:
        self.model = model
        self.calls: list[int] = []

    def embed_query(self, text: str) -> Vector:
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.calls.append(len(texts))
        counts = [[float(text.lower().count(chr(97 + letter))) for letter in range(26)] for text in texts]
        return [quantise(each, self.model, self.dimension) for each in counts]

    def close(self) -> None: ...


def test_many_memories_share_one_directory(tmp_path: Path) -> None:
    with Store.open(tmp_path, partitions=2) as store:
        ana, ben, too = (store.memory(name) for name in ("acme/ana", "acme/ben", "other/x"))
        event = ana.record_event("The key is in the vault", features=["key"])
        ben.record_event("The printer is upstairs", features=["printer"])
        too.record_event("Nothing to see")
        assert store.memories() == ["acme/ana", "acme/ben", "other/x"]
        assert store.memories("acme") == ["acme/ana", "acme/ben"]
        assert ana.get_context("Where is the key?").refs == [event]
        assert event not in ben.get_context("Where is the key?").refs
        assert ana.engine is ben.engine is store.engine
        assert store.path == tmp_path
        assert {each.source for each in (store.memory("a/b", source="tool")._drafter, ana._drafter)} == {
            "tool",
            "agent",
        }
    with Memory.open(tmp_path, "acme/ana") as again:
        assert again.get_context("key", record=False).refs == [event]


def test_a_memory_that_was_only_named_is_not_there(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.memory("acme/ana")
        assert store.memories() == []
        with pytest.raises(InvalidCommandError, match="TENANT/AGENT"):
            store.memory("no tenant")


def test_closing_a_memory_leaves_the_store_open_and_closing_the_store_closes_all(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    with store.memory("acme/ana") as ana:
        ana.record_event("x")
    with pytest.raises(LogError, match="acme/ana is closed"):
        ana.record_event("y")
    with pytest.raises(LogError, match="acme/ana is closed"):
        ana.get_context("x")
    ben = store.memory("acme/ben")
    ben.record_event("x")
    store.close()
    store.close()
    with pytest.raises(LogError, match="closed"):
        ben.record_event("y")
    for use in (store.memories, lambda: store.memory("acme/ana")):
        with pytest.raises(LogError, match="closed"):
            use()


def test_a_second_opening_in_this_process_is_told_of_the_store(tmp_path: Path) -> None:
    for opening in (Store.open, lambda path: Memory.open(path, "me/agent")):
        with Store.open(tmp_path) as store:
            with pytest.raises(LogInUseError, match=r"in this process already.*Store\.open.*store\.memory"):
                opening(tmp_path / "." / ".." / tmp_path.name)
            store.memory("me/agent").record_event("the first one goes on")
        opening(tmp_path).close()


def test_what_could_not_be_opened_or_was_dropped_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("a file where a directory belongs")
    for _ in range(2):
        with pytest.raises(PathError) as failed:
            Store.open(tmp_path)
        assert failed.value.code == "not_a_directory"
    (tmp_path / "log").unlink()
    Store.open(tmp_path).close()


def test_another_process_is_kept_out_in_other_words(tmp_path: Path) -> None:
    code = f"from yggdrasil import Store; Store.open({str(tmp_path)!r})"
    with Store.open(tmp_path):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
    assert "LogInUseError" in ran.stderr
    assert "this process already" not in ran.stderr


def test_stores_are_awaited(tmp_path: Path) -> None:
    async def live() -> list[str]:
        async with await AsyncStore.open(tmp_path) as store:
            ana, ben = store.memory("acme/ana"), store.memory("acme/ben", source="tool")
            await asyncio.gather(*(each.record_event("x", features=["x"]) for each in (ana, ben) * 5))
            await ana.close()
            with pytest.raises(LogError, match="acme/ana is closed"):
                await ana.record_event("y")
            assert len((await ben.get_context("x")).found) > 0
            found = await store.memories("acme")
        with pytest.raises(LogError, match="acme/ben is closed"):
            await ben.record_event("y")
        return found

    assert asyncio.run(live()) == ["acme/ana", "acme/ben"]


def test_a_directory_remembers_its_embedder_and_warns_when_it_is_opened_without(tmp_path: Path) -> None:
    letters = Letters()
    with Store.open(tmp_path, embedder=letters) as store:
        store.memory("me/agent").record_event("abc")
    assert remembered(tmp_path) == EmbedderUsed("test", "letters/1", 26)
    with Memory.open(tmp_path, "me/agent", embedder=letters):
        pass
    with pytest.warns(EmbedderWarning, match=r"letters/1.*without.*yggdrasil embed --embedder letters/1") as caught:
        Memory.open(tmp_path, "me/agent").close()
    assert caught[0].filename == __file__, "it points at whoever opens"
    with pytest.warns(EmbedderWarning, match="without") as caught:
        Store.open(tmp_path).close()
    assert caught[0].filename == __file__
    Memory.open(tmp_path, "me/agent", embedder="off").close()  # this is meant, and remembered by nobody
    assert remembered(tmp_path) == EmbedderUsed("test", "letters/1", 26)


def test_another_embedder_is_said_and_remembered(tmp_path: Path) -> None:
    first, second, third = Letters(), Letters("letters/2"), Letters("letters/3")
    Store.open(tmp_path, embedder=first).close()
    with pytest.warns(EmbedderWarning, match=r"letters/1.*letters/2.*yggdrasil embed --embedder letters/2.*former"):
        Store.open(tmp_path, embedder=second).close()
    Store.open(tmp_path, embedder=second).close()
    Store.open(tmp_path, embedder=third, former_embedder=second).close()  # whoever names both knows
    assert remembered(tmp_path) == EmbedderUsed("test", "letters/3", 26)
    assert [path.name for path in tmp_path.glob(f"{FILE}*")] == [FILE], "nothing is left beside it"


def test_a_directory_without_an_embedder_warns_of_nothing(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    Store.open(tmp_path, embedder="off").close()
    assert remembered(tmp_path) is None


def test_a_warning_that_is_an_error_leaves_nothing_open(tmp_path: Path) -> None:
    Store.open(tmp_path, embedder=Letters()).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(EmbedderWarning):
                Store.open(tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 2, "embedder": {}}'])
def test_settings_that_cannot_be_read_are_named_with_the_remedy(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(StoreSettingsError, match=rf"{FILE} (cannot be read.*delete it|was written by a newer release)"):
        Store.open(tmp_path)
    (tmp_path / FILE).unlink()
    Store.open(tmp_path).close()


@pytest.mark.parametrize(
    ("used", "setting"),
    [
        (EmbedderUsed("offline", "minilm-l6-v2+use-multilingual-v3.1", 512), "pair"),
        (EmbedderUsed("offline", "all-MiniLM-L6-v2.int8.1", 384), "minilm"),
        (EmbedderUsed("offline", "e5-small-v2.int8.1", 384), "e5:FOLDER"),
        (EmbedderUsed("offline", "multilingual-e5-small.q4.1", 384), "multilingual"),
        (EmbedderUsed("supplied", "mine/1", 3), "supplied:mine/1@3"),
        (EmbedderUsed("openai", "openai:small@512", 512), "openai:small@512"),
    ],
)
def test_what_is_remembered_can_be_typed(used: EmbedderUsed, setting: str) -> None:
    assert used.setting == setting


def test_agents_that_supply_vectors_are_remembered_too(tmp_path: Path) -> None:
    assert agree(tmp_path, SuppliedVectors("mine/1", 3)) is None
    assert "mine/1" in (agree(tmp_path, None) or "")


def test_the_log_of_a_store_holds_what_its_memories_say(tmp_path: Path) -> None:
    with Store.open(tmp_path, partitions=1) as store:
        for name in ("a/a", "a/b"):
            store.memory(name).record_event("x")
        assert [record.key for record in everything(store.engine.log)] == [b"a/a", b"a/b"]
