"""Vectors without asking: a new directory embeds where it can, says once how it could, and others stay as they are."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.embedded.directory.test_store import Letters
from tests.embedded.vectors.test_embedding import vectors
from yggdrasil import EmbedderMissingError, EmbedderWarning, Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.opening import VARIABLE
from yggdrasil.settings import FILE, EmbedderUsed, Kept, kept, remembered
from yggdrasil_infra.embedders import LazyEmbedder
from yggdrasil_producers.draft import Drafter

ME = "me/agent"
MINILM = "all-MiniLM-L6-v2.int8.1"
PAIR = "minilm-l6-v2+use-multilingual-v3.1"
_LAZY = """
import sys
from yggdrasil import Memory

def loaded():
    return "onnxruntime" in sys.modules

with Memory.open("here", "me/agent") as memory:
    event = memory.record_event(features=["nothing is said"])
    memory.explain_action(event)
    silent = loaded()
    memory.record_event("The kitten sleeps on the sofa")
    print(silent, loaded())
"""


@pytest.fixture(autouse=True)
def as_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)  # what Python keeps for a module that must not be found
    return monkeypatch


def test_a_new_directory_embeds_and_remembers_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path, ME) as memory:
        assert remembered(tmp_path) == EmbedderUsed("offline", PAIR, 512)
        memory.record_event("The kitten sleeps on the sofa")
        memory.record_event("Interest rates were raised by the central bank")
    with Store.open(tmp_path) as store:
        again = store.memory(ME)
        again.get_context("Where does the small cat rest?")
        assert [model for _, model in vectors(again)] == [PAIR] * 3


def test_the_model_is_loaded_with_the_first_text(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", _LAZY], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "False True\n"


def test_a_directory_that_was_there_stays_as_it_is(tmp_path: Path) -> None:
    with Embedded(tmp_path) as engine:
        Memory(engine, Drafter(ME, "test", "test")).record_event("The kitten sleeps on the sofa")
    with Memory.open(tmp_path, ME) as memory:
        memory.record_event("It purrs")
        assert {model for _, model in vectors(memory)} == {None}
    assert kept(tmp_path) is None


def test_none_is_remembered_and_off_is_not(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "none", ME, embedder="none") as memory:
        memory.record_event("The kitten sleeps on the sofa")
    with Memory.open(tmp_path / "none", ME) as memory:
        memory.record_event("It purrs")
        assert {model for _, model in vectors(memory)} == {None}
    assert (tmp_path / "none" / FILE).is_file() and remembered(tmp_path / "none") is None
    Store.open(tmp_path / "off", embedder="off").close()
    assert kept(tmp_path / "off") is None
    Store.open(tmp_path / "off").close()
    assert remembered(tmp_path / "off") is not None, "nothing was recorded yet: it is as new"
    Store.open(tmp_path / "off", embedder="none").close()
    assert remembered(tmp_path / "off") is None, "who says no takes back what was remembered"


def test_without_the_extra_the_first_answer_says_once_how_to_get_it(
    tmp_path: Path, not_installed: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path, ME) as memory:
        kitten = memory.record_event("The kitten sleeps on the sofa")
    with Memory.open(tmp_path, ME) as memory:
        with pytest.warns(
            EmbedderWarning, match=r"words alone.*pip install.*\[embeddings\].*yggdrasil embed"
        ) as caught:
            first = memory.get_context("kitten sofa")
        assert first.refs == [kitten], "words find it all the same"
        assert caught[0].filename == __file__
        memory.get_similar_cases("kitten")
    not_installed.undo()
    with Memory.open(tmp_path, ME) as memory:
        memory.get_context("kitten")
        assert {model for _, model in vectors(memory)} == {None}, "it is no longer new"


def test_what_was_missing_and_is_there_is_said_too(tmp_path: Path, not_installed: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path) as store:
        store.memory(ME).record_event("The kitten sleeps on the sofa")
    not_installed.undo()
    with Store.open(tmp_path) as store:
        with pytest.warns(EmbedderWarning, match=r"not installed when .* and is now.*yggdrasil embed"):
            store.memory(ME).get_context("kitten")
        store.memory(ME).get_context("kitten")


def test_a_warning_that_is_an_error_does_not_come_again(tmp_path: Path, not_installed: pytest.MonkeyPatch) -> None:
    with Memory.open(tmp_path, ME) as memory, warnings.catch_warnings():
        warnings.simplefilter("error")
        memory.record_event("The kitten sleeps on the sofa")
        with pytest.raises(EmbedderWarning):
            memory.get_context("kitten")
        assert memory.get_context("kitten sofa").found


def test_what_is_remembered_and_gone_is_said_when_it_is_opened(
    tmp_path: Path, not_installed: pytest.MonkeyPatch
) -> None:
    with not_installed.context() as installed:
        installed.undo()
        installed.delitem(sys.modules, "onnxruntime", raising=False)
        Store.open(tmp_path, embedder="minilm").close()
    with pytest.warns(EmbedderWarning, match=r"cannot be opened .*pip install.*words alone"):
        Store.open(tmp_path).close()
    assert remembered(tmp_path) == EmbedderUsed("offline", MINILM, 384)


def test_a_setting_is_remembered_as_it_can_be_typed_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "e5-small-v2-q.onnx").touch()
    for embedder in ("e5:models", None):  # the model is loaded with the first text, and none is said
        with Store.open("here", embedder=embedder) as store:
            embedding = store._embedding
            assert embedding is not None and isinstance(embedding.current, LazyEmbedder)
            assert embedding.current.model == "e5-small-v2.int8.1"
    assert kept(Path("here")) is not None
    assert (kept(Path("here")) or Kept("none")).setting == f"e5:{tmp_path / 'models'}"


@pytest.mark.parametrize("setting", ["e5:nowhere", "nothing"])
def test_a_setting_that_cannot_be_used_leaves_no_directory_behind(tmp_path: Path, setting: str) -> None:
    with pytest.raises(EmbedderMissingError, match=r"fetch it with|names no embedder"):
        Memory.open(tmp_path / "here", ME, embedder=setting)
    assert not (tmp_path / "here").exists()


def test_the_environment_says_what_new_directories_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(tmp_path / "old").close()
    monkeypatch.setenv(VARIABLE, "none")
    Store.open(tmp_path / "new").close()
    Store.open(tmp_path / "old").close()
    assert remembered(tmp_path / "new") is None and remembered(tmp_path / "old") is not None
    monkeypatch.setenv(VARIABLE, "nothing")
    with pytest.raises(EmbedderMissingError, match="names no embedder"):
        Store.open(tmp_path / "third")
    monkeypatch.setenv(VARIABLE, "none")
    with Store.open(tmp_path / "fourth", embedder=Letters()):
        assert remembered(tmp_path / "fourth") == EmbedderUsed("test", "letters/1", 26)
