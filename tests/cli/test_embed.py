"""``yggdrasil embed``, as it is typed."""

from pathlib import Path

from tests.cli.runs import Cli
from yggdrasil.settings import remembered


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


def test_a_directory_that_is_used_with_an_embedder_says_what_gets_no_vector(cli: Cli) -> None:
    event = cli.ok("record", "The kitten sleeps on the sofa")
    assert event.err == ""
    cli.ok("embed")
    used = remembered(cli.place / ".yggdrasil")
    assert used is not None and used.setting == "minilm"
    Path("chat.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    for arguments in (
        ("record", "It purrs"),
        ("outcome", event.line, "1"),
        ("context", "kitten"),
        ("context", "kitten", "--json"),
        ("import", "chat", "chat.jsonl"),
    ):
        warned = cli.ok(*arguments).err
        assert "all-MiniLM-L6-v2" in warned and "`yggdrasil embed --embedder minilm`" in warned, arguments
    for silent in (["explain", event.line], ["stats"], ["sleep"]):
        assert cli.ok(*silent).err == "", "it makes no vector anyway"
