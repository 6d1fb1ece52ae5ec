"""What a sender chose never colours, moves or rewrites the terminal of whoever looks at it."""

import os
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.runs import SCRIPTS, Cli
from yggdrasil import Memory
from yggdrasil.cli.screen import Screen, clean

HOSTILE = "[bold red]paint[/bold red] [link=file:x]go[/link] [/] \x1b[2J\x1b]0;title\x07 \x9b31m \u202eback \r over"
ALLOWED = ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[1;32m", "\x1b[1;31m", "\r\n")


def on_a_terminal(*arguments: str, columns: int = 100, typed: str = "", code: int = 0) -> str:
    """What the script sends to a terminal on which ``typed`` is typed; it ends with ``code``."""
    reader, writer = os.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    env.pop("NO_COLOR", None)
    command = [str(SCRIPTS / "yggdrasil"), *arguments]
    process = subprocess.Popen(command, stdin=writer if typed else None, stdout=writer, stderr=writer, env=env)
    os.close(writer)
    os.write(reader, typed.encode())
    received = b""
    while True:
        try:
            part = os.read(reader, 65_536)
        except OSError:  # how Linux says that the last writer has closed
            break
        if not part:
            break
        received += part
    os.close(reader)
    assert process.wait(timeout=240) == code
    return received.decode()


@pytest.fixture
def hostile(cli: Cli) -> str:
    """An event whose every text is hostile, followed by a recall that found it and an action."""
    with Memory.open(Path(".yggdrasil"), "me/agent") as memory:
        event = memory.record_event(HOSTILE, features=["[red]feature[/red]"], session="[blink]s[/blink]")
        memory.log_outcome(event, -1, kind="[red]kind[/red]", text=HOSTILE)
        recall = memory.get_context("[red]paint[/red]\x1b[2J")
        assert recall.recall_id is not None
        return memory.record_event(HOSTILE, informed_by=[recall.recall_id], session="[blink]s[/blink]")


def test_markup_is_text_and_controls_are_not_sent(cli: Cli, hostile: str) -> None:
    shown = on_a_terminal("context", "paint")
    assert "[bold red]paint[/bold red]" in shown
    others = ("context", "paint", "--prompt"), ("cases", "paint"), ("explain", hostile), ("stats",)
    for sent in (shown, *(on_a_terminal(*arguments) for arguments in others)):
        plain = sent
        for allowed in ALLOWED:
            plain = plain.replace(allowed, "\n")
        left = [char for char in plain if char != "\n" and (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0)]
        assert left == [] and "\u202e" not in plain


def test_a_narrow_terminal_shows_whole_digests(cli: Cli) -> None:
    cli.ok("record", "x")
    assert "…" not in on_a_terminal("replay", columns=60)


def test_errors_are_cleaned_as_well(cli: Cli) -> None:
    cli.ok("record", "x")
    run = cli("explain", "[red]\x1b[2J")
    assert "\x1b" not in run.err and "[red]" in run.err


def test_plain_output_has_no_escapes(cli: Cli, hostile: str) -> None:
    for arguments in (("context", "paint"), ("cases", "paint"), ("explain", hostile), ("stats",), ("replay",)):
        assert "\x1b" not in cli.ok(*arguments).out


def test_json_has_no_raw_controls_and_loses_nothing(cli: Cli, hostile: str) -> None:
    run = cli.ok("explain", hostile, "--json")
    assert run.json["text"] == HOSTILE
    assert not [char for char in run.out if char != "\n" and (ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0)]
    assert "\u202e" not in run.out


def test_clean() -> None:
    assert clean("a\nb\tc  d") == "a b c d"
    assert clean("\x1b[31m\x9b\x7f") == "\ufffd[31m\ufffd\ufffd"
    assert clean("abcdef", 4) == "abc…"


def test_a_bar_tells_the_rate_of_what_has_to_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yggdrasil.cli.screen._SHORT_WORK_S", -1.0)
    screen, file = Screen(), StringIO()
    screen.errors = Console(file=file, force_terminal=True, width=120)
    with screen.progress("Replaying", 1_000) as moving:
        moving.less(400)
        for _ in range(3):
            moving(200)
    assert "600/600" in file.getvalue() and "/s" in file.getvalue()
