"""A command that runs beside a daemon is as one that runs where it is typed: its streams, signals, folder and end."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from tests.cli.runs import SCRIPTS
from tests.doors.daemon.test_auto import Typing, children_of, unread
from tests.doors.daemon.test_daemon import ENDED_S, ME
from yggdrasil import Store
from yggdrasil.daemon.commands import entry, handing
from yggdrasil.daemon.wish import LOCK, STARTING, VARIABLE
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.http.wire.socket_file import COMMANDS, find
from yggdrasil_infra.locks import DirectoryLock

_YGGDRASIL = SCRIPTS / "yggdrasil"


def waiting(typing: Typing) -> "subprocess.Popen[str]":
    """A command that waits for the end of its standard input, once the runner's child does so."""
    process = typing.begun("record", "from a pipe", "--payload", "-")
    if process.stdin is None:
        raise RuntimeError("a pipe was asked for")
    process.stdin.write("{")
    process.stdin.flush()
    until(lambda: not unread(process.stdin.fileno() if process.stdin else 0))
    return process


def until(it_is_so: Callable[[], object]) -> None:
    deadline = monotonic() + ENDED_S
    while not it_is_so():
        assert monotonic() < deadline
        Event().wait(0.02)


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]


def test_streams_that_are_closed_or_full_and_a_folder_that_is_gone(typing: Typing) -> None:
    typing.ok("record", "x")
    typing.served()

    def shell(words: str) -> "subprocess.CompletedProcess[str]":
        variables = typing.variables | {"Y": str(_YGGDRASIL), "YGGDRASIL_DIR": str(typing.data)}
        return subprocess.run(
            ["sh", "-c", words], cwd=typing.place, env=variables, capture_output=True, text=True, check=False
        )

    for words in ("$Y record y <&-", "$Y record y >&-", "mkdir g; cd g; rmdir ../g; $Y record y"):
        ran = shell(words)
        assert (ran.returncode, ran.stderr) == (0, ""), words
    for words in ("$Y stats >/dev/full", "$Y stats --json >/dev/full"):
        ran = shell(words)
        assert ran.returncode == 1 and "standard output (No space left" in ran.stderr, (words, ran.stderr)
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 4


def test_signals_do_to_a_command_what_they_would_do_where_it_was_typed(typing: Typing) -> None:
    typing.ok("record", "x")
    (runner,) = children_of(typing.served().pid)
    paused = waiting(typing)
    (child,) = children_of(runner)
    paused.send_signal(signal.SIGTSTP)
    until(lambda: state(paused.pid) == state(child) == "T")
    paused.send_signal(signal.SIGCONT)
    until(lambda: "T" not in state(paused.pid) + state(child))
    out, err = paused.communicate("}", timeout=ENDED_S)
    assert (paused.returncode, err) == (0, "") and out
    killed = waiting(typing)
    killed.kill()
    until(lambda: not children_of(runner))
    killed.communicate(timeout=ENDED_S)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        ignores = waiting(typing)
    finally:
        signal.signal(signal.SIGHUP, before)
    ignores.send_signal(signal.SIGHUP)
    assert ignores.communicate("}", timeout=ENDED_S)[1] == "" and ignores.returncode == 0
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 3


def test_what_is_not_waited_for_is_not_run(typing: Typing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(typing.place)
    typing.ok("record", "x")
    daemon = typing.served()
    around = handing._here(typing.data)
    assert around is not None
    answer = handing._asked(typing.data, {"words": ["record", "nobody waits"], **around})
    assert answer is not None and "process" in answer[1]
    answer[0].close()
    until(lambda: not Path(f"/proc/{answer[1]['process']}").exists())
    monkeypatch.setattr(handing, "system", lambda: [[0, 0]])  # as in a container that shares the directory
    assert handing.handed(typing.data, ["record", "in a container"]) is None
    assert typing.served() == daemon, "and it goes on for others"
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 1


def test_a_daemon_that_fails_as_it_starts_is_not_started_by_every_command(typing: Typing) -> None:
    typing.ok("record", "x", **{VARIABLE: "0"})
    (typing.data / "serve.log").mkdir()  # nothing can be written there
    typing.ok("record", "y")
    mark = typing.data / STARTING
    begun = mark.stat().st_mtime_ns
    (typing.data / "serve.log").rmdir()
    typing.ok("record", "z")
    assert find(typing.data) is None and mark.stat().st_mtime_ns == begun
    os.utime(mark, (0, 0))
    typing.ok("record", "a while later")
    typing.served()
    until(lambda: not mark.exists())


def test_nobody_waits_for_a_first_command_that_waits_for_its_input(typing: Typing) -> None:
    typing.ok("record", "x", **{VARIABLE: "0"})
    with DirectoryLock(typing.data, LOCK):  # and the log is not open
        typing.ok("record", "y")
    assert not (typing.data / COMMANDS.file).exists()


def test_a_container_has_as_much_room_as_its_limit_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "_CONTAINER", str(tmp_path))
    monkeypatch.setattr(entry, "_MEMORY_BYTES", 2)  # which any machine has
    assert entry._memory_left()
    for limit, taken, is_room in (("max", 9, True), ("4", 1, True), ("4", 3, False)):
        (tmp_path / "memory.max").write_text(f"{limit}\n")
        (tmp_path / "memory.current").write_text(f"{taken}\n")
        assert entry._memory_left() is is_room
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 2\n")
    assert entry._memory_left()


def test_the_daemon_of_a_directory_that_is_gone_writes_nothing_where_it_was(typing: Typing) -> None:
    typing.ok("record", "x")
    first = typing.served()
    event = typing.ok("record", "beside it").line
    moved = typing.place / "moved"
    typing.data.rename(moved)
    typing.ok("record", "in a new one", **{VARIABLE: "0"})
    sound = {each: each.stat().st_mtime_ns for each in typing.data.rglob("*")}
    with suppress(ProcessLookupError):  # or it has ended by itself
        os.kill(first.pid, signal.SIGTERM)
    until(lambda: not Path(f"/proc/{first.pid}").exists())
    assert {each: each.stat().st_mtime_ns for each in typing.data.rglob("*")} == sound
    assert "nothing is closed" in (moved / "serve.log").read_text()
    off = {VARIABLE: "0"}
    assert "beside it" in typing.ok("history", event, "--dir", str(moved), **off).out, "what was recorded is in the log"
    typing.ok("verify", str(typing.data))


# The library below leaves a socket that could not be connected to the collector, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_daemon_that_a_command_has_started_is_no_obstacle_to_thinkers(typing: Typing) -> None:
    typing.ok("record", "x", "-f", "deploy")
    typing.served()
    with Store.open(typing.data) as store:
        assert store.think("chunker")
        assert store.memories() == [ME], "it has come back"
    with Store.open(typing.data, thinkers="chunker") as store:
        assert isinstance(store.engine, Embedded)
