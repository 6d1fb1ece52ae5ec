"""The examples in every help are real: they are extracted and run, in order, as a newcomer would."""

import json
import shlex
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.producers.exports.samples import packed
from tests.producers.repositories import Repo
from tests.size import LONG

COMMANDS = [
    (),
    ("demo",),
    ("record",),
    ("outcome",),
    ("context",),
    ("cases",),
    ("foretell",),
    ("explain",),
    ("episodes",),
    ("episodes", "show"),
    ("episodes", "next"),
    ("episodes", "commit"),
    ("correct",),
    ("fact",),
    ("fact", "add"),
    ("fact", "show"),
    ("fact", "history"),
    ("fact", "lineage"),
    ("fact", "dependents"),
    ("fact", "thing"),
    ("fact", "verify"),
    ("fact", "promote"),
    ("fact", "define"),
    ("fact", "alias"),
    ("fact", "relate"),
    ("neighbours",),
    ("working-memory",),
    ("drift",),
    ("digestion",),
    ("replay",),
    ("past",),
    ("past", "snapshot"),
    ("past", "snapshots"),
    ("past", "fork"),
    ("past", "forks"),
    ("past", "compare"),
    ("past", "pack"),
    ("past", "unpack"),
    ("past", "check"),
    ("past", "what-if"),
    ("stats",),
    ("import",),
    ("import", "git"),
    ("import", "chat"),
    ("import", "claims"),
    ("import", "locomo"),
    ("import", "commands"),
    ("import", "mem0"),
    ("import", "langgraph"),
    ("import", "mcp-memory"),
    ("import", "claude"),
    ("import", "chatgpt"),
    ("import", "markdown"),
    ("export",),
    ("pin",),
    ("lift",),
    ("sleep",),
    ("enable-version",),
    ("checkpoint",),
    ("checkpoint", "take"),
    ("checkpoint", "list"),
    ("checkpoint", "verify"),
    ("checkpoint", "restore"),
    ("verify",),
    ("quarantine",),
    ("report",),
    ("backup",),
    ("restore",),
    ("key",),
    ("key", "new"),
    ("key", "list"),
    ("key", "revoke"),
    ("hooks",),
    ("hooks", "install"),
    ("hooks", "show"),
    ("hooks", "remove"),
]


PASTED = [("record",)]  # into a shell in every run, of those that need one


def only_words(line: str) -> bool:
    """Whether a shell would do no more with it than to cut it into words and to start ``yggdrasil`` with them."""
    return line.startswith("#") or (line.startswith("yggdrasil ") and not set(line) & set("$|<>;&*?`"))


def examples(text: str) -> list[str]:
    """The lines beneath ``Examples``, up to the next empty one."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.strip().startswith("Examples"):
            break
    found = []
    for line in lines:
        if not line.strip():
            break
        found.append(line.strip())
    return found


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command) or "yggdrasil")
def test_examples_can_be_pasted(
    cli: Cli, repo: Repo, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, where there are only words; by the shell, where it has something to do: most only at length."""
    found = examples(cli.ok(*command, "--help").out)
    name = " ".join(("yggdrasil", *command))
    assert any(name in line for line in found if not line.startswith("#"))
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello"}]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    (repo.folder / "locomo10.json").write_text(json.dumps([{"sample_id": "conv-26", "conversation": conversation}]))
    for name in ("data-export.zip", "export.zip"):
        packed(repo.folder, {"conversations.json": []}).rename(repo.folder / name)
    if not (LONG or command in PASTED or all(map(only_words, found))):
        pytest.skip("takes long: each line is a process of its own, and one such example is pasted in every run")
    if LONG or command in PASTED:
        script = "set -euo pipefail\n" + "\n".join(found)
        done = subprocess.run(
            ["bash", "-c", script], cwd=repo.folder, capture_output=True, text=True, check=False, timeout=280
        )
        assert done.returncode == 0, done.stderr
        assert not done.stderr
        return
    monkeypatch.chdir(repo.folder)
    for line in found:
        if arguments := shlex.split(line, comments=True):
            assert not cli.ok(*arguments[1:]).err, line


def test_commands_come_in_the_order_of_a_newcomer(cli: Cli) -> None:
    out = cli.ok().out
    assert out == cli.ok("--help").out
    listed = out[out.index("Commands:") :]
    names = ["demo", "record", "outcome", "context", "cases", "foretell", "explain", "replay", "stats"]
    names += ["pin", "sleep", "import"]
    places = [listed.index(f"\n  {name} ") for name in names]
    assert places == sorted(places)


def test_short_help_fits_into_a_terminal(cli: Cli) -> None:
    for command in ((), ("import",), ("checkpoint",)):
        out = cli.ok(*command, "-h").out
        assert out == cli.ok(*command, "--help").out
        assert "..." not in out[out.index("Commands:") :]


def test_the_version(cli: Cli) -> None:
    assert cli.ok("--version").line == f"yggdrasil {metadata.version('yggdrasil-substrate')}, laws interpreted"


def test_help_answers_without_touching_anything(cli: Cli) -> None:
    cli.ok("record", "--help")
    assert list(Path().iterdir()) == []
