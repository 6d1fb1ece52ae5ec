"""A directory that another process has for a moment: whoever wants it waits, and is not turned away."""

import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest

import yggdrasil.opening
from tests.cli.runs import Cli
from tests.harness.children import environment
from yggdrasil import LogInUseError, Memory
from yggdrasil.cli import completing, main, opening
from yggdrasil.cli.completing import Shared
from yggdrasil.engines import embedded, own_log
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.own_log import briefly, opened_log
from yggdrasil_infra.http.wire.socket_file import find
from yggdrasil_infra.locks import is_brief

ME = "me/agent"
WAIT_S = 60.0
HOLDER = """
import sys
from contextlib import nullcontext
from yggdrasil import Memory
from yggdrasil.engines.own_log import briefly
with briefly() if sys.argv[2] == "briefly" else nullcontext():
    memory = Memory.open(sys.argv[1], "me/agent", embedder="off")
with memory:
    memory.record_event("by the first")
    print("open", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.chdir(tmp_path)
    return Cli(tmp_path, capsys)


@contextmanager
def held(path: Path, how: str) -> "Generator[subprocess.Popen[str]]":
    """Let another process have a directory until it is told a line, or its input ends."""
    command = [sys.executable, "-c", HOLDER, str(path), how]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment()) as process:
        assert process.stdout is not None and process.stdout.readline() == "open\n"
        yield process


def test_whoever_opens_it_waits_for_a_process_that_says_it_is_brief(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yggdrasil.opening, "_PATIENCE_S", 0.0)
    waits = Event()

    def noticed(path: Path) -> bool:
        waits.set()
        return is_brief(path)

    monkeypatch.setattr(own_log, "is_brief", noticed)

    def second() -> list[str | None]:
        with Memory.open(tmp_path, ME, embedder="off") as memory:
            memory.record_event("by the second")
            return [each.text for each in memory.timeline().memories]

    with held(tmp_path, "briefly") as first, ThreadPoolExecutor() as pool:
        opening = pool.submit(second)
        assert waits.wait(WAIT_S)
        first.communicate("end\n")
        assert sorted(map(str, opening.result(WAIT_S))) == ["by the first", "by the second"]


def test_whoever_stays_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yggdrasil.opening, "_PATIENCE_S", 0.0)
    with held(tmp_path, "for long"), pytest.raises(LogInUseError, match="does not serve it"):
        Memory.open(tmp_path, ME, embedder="off")


def test_whoever_says_it_is_brief_and_is_not_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_log, "BRIEF_S", 0.2)
    monkeypatch.setattr(yggdrasil.opening, "_PATIENCE_S", 1.0)
    tried: list[Path] = []

    def counted(path: Path, *rest: Any) -> Any:
        tried.append(path)
        return opened_log(path, *rest)

    monkeypatch.setattr(embedded, "opened_log", counted)
    with held(tmp_path, "briefly"), pytest.raises(LogInUseError, match="does not serve it"):
        Memory.open(tmp_path, ME, embedder="off")
    assert tried == [tmp_path]


@pytest.mark.parametrize(("misses", "untold_s"), [(1, 0.0), (2, 0.0), (12, 240.0)])
def test_whoever_has_not_said_yet_that_it_is_brief_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, misses: int, untold_s: float
) -> None:
    """What is made, or catches up after a kill, is locked for longer than between two looks before that is said."""
    monkeypatch.setattr(own_log, "UNTOLD_S", untold_s)
    left, open_it = [LogInUseError("has its one writer", str(tmp_path))] * misses, own_log._opened

    def late(*given: Any) -> Any:
        if left:
            raise left.pop()
        return open_it(*given)

    monkeypatch.setattr(own_log, "_opened", late)
    if misses == 1 or untold_s:
        Embedded(tmp_path).close()
    else:
        with pytest.raises(LogInUseError):
            Embedded(tmp_path)


def test_what_fails_as_it_is_opened_is_told_to_nobody_as_brief(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Embedded(tmp_path).close()

    def fails(_: Path) -> None:
        raise OSError("it fails")

    monkeypatch.setattr(embedded, "settle", fails)
    with briefly(), pytest.raises(OSError, match="it fails"):
        Embedded(tmp_path)
    assert not is_brief(tmp_path / "log")


@pytest.mark.parametrize(
    "words", [["record", "x"], ["stats"], ["context", "x"], ["import", "chat", "chat.jsonl"], ["embed"]]
)
def test_commands_say_that_they_are_brief(cli: Cli, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    cli.ok("record", "The kitten sleeps")
    Path("chat.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    said: list[bool] = []
    monkeypatch.setattr(opening, "catch_up", lambda *_: said.append(is_brief(cli.place / ".yggdrasil" / "log")))
    assert main(words) == 0
    assert said == [True] and not is_brief(cli.place / ".yggdrasil" / "log")


def test_what_is_served_is_not_waited_for_any_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completing, "_ALONE_S", 0.0)
    with briefly():
        engine = Embedded(tmp_path)
    with engine:
        assert is_brief(tmp_path / "log")
        with Shared(engine, None):
            until = monotonic() + WAIT_S
            while is_brief(tmp_path / "log") and monotonic() < until:
                sleep(0.02)
            assert not is_brief(tmp_path / "log") and find(tmp_path) is not None


def test_stats_of_what_is_served_by_the_time_it_is_opened_are_of_its_files(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("record", "x")
    with Memory.open(".yggdrasil", ME, embedder="off") as memory:
        monkeypatch.setattr(completing, "_ALONE_S", 0.0)
        engine = memory.engine
        assert isinstance(engine, Embedded)

        def late(path: Path) -> None:
            serving.__enter__()
            until = monotonic() + WAIT_S
            while find(path) is None and monotonic() < until:
                sleep(0.02)
            raise LogInUseError("has its one writer", str(path))

        serving = Shared(engine, None)
        monkeypatch.setattr("yggdrasil.engines.embedded.Embedded", late)
        try:
            assert [each["memory"] for each in cli.ok("stats", "--json").json["memories"]] == [ME]
        finally:
            serving.__exit__(None, None, None)
