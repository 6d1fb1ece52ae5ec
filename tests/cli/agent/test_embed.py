"""``yggdrasil embed``, as it is typed."""

import sys
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from yggdrasil.opening import VARIABLE
from yggdrasil.settings import agree, remembered
from yggdrasil_infra.embedders import SuppliedVectors
from yggdrasil_infra.embedders.onnx import OnnxEmbedder


def test_what_was_recorded_without_vectors_gets_them_once(cli: Cli) -> None:
    event = cli.ok("record", "The kitten sleeps on the sofa").line
    cli.ok("outcome", event, "1", "--text", "It purred")
    cli.ok("record", "Nothing else", "--memory", "you/other")
    first = cli.ok("embed", "--json").json
    assert [(one["memory"], one["attached"], one["covered"], one["texts"]) for one in first["memories"]] == [
        ("me/agent", 2, 2, 2),
        ("you/other", 1, 1, 1),
    ]
    assert "0 texts given a vector of" in cli.ok("embed", "--memory", "me/agent").out
    assert cli.ok("rebuild", "--json").json["same"]


def test_what_is_not_there_gets_no_vectors(cli: Cli) -> None:
    refused = cli("embed", "--dir", "nowhere")
    assert (refused.code, Path("nowhere").exists()) == (4, False)
    cli.ok("record", "x")
    assert cli("embed", "--memory", "me/nobody").code == 4


def test_a_directory_is_used_on_with_the_model_that_it_was_embedded_with(cli: Cli) -> None:
    event = cli.ok("record", "The kitten sleeps on the sofa")
    assert event.err == ""
    cli.ok("embed")
    used = remembered(cli.place / ".yggdrasil")
    assert used is not None and used.setting == "pair"
    Path("chat.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    for arguments in (
        ("record", "It purrs"),
        ("outcome", event.line, "1", "--text", "It was content"),
        ("context", "kitten", "--json"),
        ("import", "chat", "chat.jsonl"),
    ):
        assert cli.ok(*arguments).err == "", arguments
    [there] = cli.ok("embed", "--json").json["memories"]
    assert (there["attached"], there["covered"], there["texts"]) == (0, 4, 4), "each had its vector already"


def test_what_is_remembered_and_cannot_be_opened_is_said_where_vectors_would_be_made(cli: Cli) -> None:
    event = cli.ok("record", "The kitten sleeps on the sofa")
    Path("chat.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    agree(cli.place / ".yggdrasil", SuppliedVectors("mine/1", 3))
    for arguments in (
        ("record", "It purrs"),
        ("outcome", event.line, "1"),
        ("context", "kitten"),
        ("context", "kitten", "--json"),
        ("cases", "kitten"),
        ("import", "chat", "chat.jsonl"),
    ):
        warned = cli.ok(*arguments).err
        assert "mine/1" in warned and "`yggdrasil embed --embedder supplied:mine/1@3`" in warned, arguments
    for silent in (["explain", event.line], ["stats"], ["sleep"]):
        assert cli.ok(*silent).err == "", "it makes no vector anyway"
    assert cli.ok("record", "It purrs", "--embedder", "off").err == ""
    assert cli.ok("record", "It purrs", "--embedder", "none").err == cli.ok("record", "And sleeps").err == ""


def test_without_asking_a_first_record_and_a_first_import_embed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    Path("chat.jsonl").write_text('{"role": "user", "content": "The kitten sleeps on the sofa"}\n')
    cli.ok("record", "The kitten sleeps on the sofa", "--dir", "one")
    cli.ok("import", "chat", "chat.jsonl", "--dir", "two")
    for place in ("one", "two"):
        assert "0 texts given a vector of minilm-l6-v2+use-multilingual-v3.1" in cli.ok("embed", "--dir", place).out
    assert "nothing changed" in cli.ok("import", "chat", "chat.jsonl", "--dir", "two").out
    cli.ok("import", "chat", "chat.jsonl", "--dir", "three", "--embedder", "none")
    assert remembered(Path("three")) is None


def test_without_the_extra_the_first_answer_says_so_on_stderr_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert cli.ok("record", "The kitten sleeps on the sofa").err == ""
    first = cli.ok("context", "kitten", "--json")
    assert len(first.err.splitlines()) == 1 and "pip install 'yggdrasil-substrate[embeddings]'" in first.err
    assert len(first.json["found"]) == 1
    assert cli.ok("context", "kitten").err == ""


def test_what_makes_no_vectors_loads_no_model(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    event = cli.ok("record", "The kitten sleeps on the sofa").line

    def loaded(*_: object) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr(OnnxEmbedder, "__init__", loaded)
    for arguments in (["--help"], ["stats"], ["replay"], ["explain", event], ["sleep"], ["foretell", "kitten"]):
        cli.ok(*arguments)
    assert cli("record", "It purrs").code != 0, "as this one does"
