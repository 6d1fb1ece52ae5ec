"""What the command line does by itself: it starts a daemon beside a first command, and hands all that follow to it."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic

import orjson
import pytest

from tests.cli.runs import SCRIPTS, Run
from tests.doors.daemon.test_daemon import ENDED_S, ME, until_ended
from yggdrasil import Memory
from yggdrasil.cli import background
from yggdrasil.cli.app import command
from yggdrasil.daemon.commands.handing import is_auto, step_aside
from yggdrasil.daemon.commands.typed import OWNS, QUICK, directory_of, is_help, is_owner, is_quick
from yggdrasil.daemon.wish import IDLE_VARIABLE, STARTING, VARIABLE, DaemonSettingError, wish
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.remote import Remote
from yggdrasil_infra.http.wire.socket_file import COMMANDS, Answering, find
from yggdrasil_infra.locks import has_holder


class Typing:
    """Commands typed in a directory of their own, each in a process."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.data = place / ".yggdrasil"
        self.variables = {name: value for name, value in os.environ.items() if name != "YGGDRASIL_DIR"}
        self.variables |= {VARIABLE: "auto"}

    def begun(self, *words: str, **variables: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(SCRIPTS / "yggdrasil"), *words],
            cwd=self.place,
            env=self.variables | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str, stdin: str = "", **variables: str) -> Run:
        process = self.begun(*words, **variables)
        out, err = process.communicate(stdin, timeout=ENDED_S)
        return Run(process.returncode, out, err)

    def ok(self, *words: str, stdin: str = "", **variables: str) -> Run:
        run = self(*words, stdin=stdin, **variables)
        assert run.code == 0, run.err
        return run

    def served(self, other: int = 0) -> Answering:
        """The daemon once it and its runner are ready, which is not the process ``other``."""
        deadline = monotonic() + ENDED_S
        while (
            (found := find(self.data)) is None
            or found.pid == other
            or find(self.data, COMMANDS) is None
            or (self.data / STARTING).exists()  # who ends it now makes one of it that fails whenever it starts
        ):
            assert monotonic() < deadline, (self.data / "serve.log").read_text()
            Event().wait(0.02)
        return found

    def end(self) -> None:
        step_aside(self.data)
        if (left := find(self.data)) is not None:
            os.kill(left.pid, signal.SIGKILL)


@pytest.fixture
def typing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Typing]:
    made = Typing(tmp_path_factory.mktemp("t"))  # short: the sockets are to lie in it
    try:
        yield made
    finally:
        made.end()


def children_of(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_a_first_command_starts_a_daemon_and_the_next_ones_run_beside_it(typing: Typing) -> None:
    event = typing.ok("record", "Deployed on a Friday", "-f", "deploy").line
    daemon = typing.served()
    assert is_auto(typing.data)
    assert stat.S_IMODE((typing.data / COMMANDS.file).stat().st_mode) == 0o600
    outcome = typing.ok("outcome", event, "-3", "--kind", "outage").line
    assert outcome in typing.ok("explain", event).out
    assert "Deployed on a Friday" in typing.ok("context", "Should we deploy?").out
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 4  # with the recalls
    piped = typing.ok("record", "Built", "--payload", "-", "--json", stdin='{"build": 512}').json["event"]
    assert "Built" in typing.ok("history", piped).out
    (typing.place / "more.json").write_text('{"a": 1}')
    assert typing.ok("record", "From a file", "--payload", "@more.json").line  # relative to where it was typed
    for code, words in (
        (4, ("context", "x", "--memory", "acme/none")),
        (2, ("outcome", event, "99")),
        (2, ("record",)),
    ):
        run = typing(*words)
        assert (run.code, run.out) == (code, "") and run.err, run
    assert typing.served() == daemon, "it was the same one all along"
    log = (typing.data / "serve.log").read_text()
    assert "Traceback" not in log, log
    said = orjson.loads(typing.ok("context", "x", "--memory", ME, "--json").out)
    assert said["as_of"] == 6


def test_what_runs_beside_the_daemon_is_what_would_have_run_here(typing: Typing) -> None:
    event = typing.ok("record", "Déployé 🚢", "-f", "deploy").line
    typing.served()
    for words in (
        ("history", event),
        ("context", "deploy", "--no-record"),
        ("read", "overview", "--json"),
        ("fact", "show"),
    ):
        beside, here = typing(*words), typing(*words, **{VARIABLE: "0"})
        assert (beside.code, beside.out, beside.err) == (here.code, here.out, here.err)
    for words in (("explain", "nonsense"), ("neighbours", "nonsense"), ("episodes", "show", "nonsense")):
        assert typing(*words).code == 4, "as where the directory is open"
    assert typing.ok("history", event, PYTHONIOENCODING="ascii").out.startswith("D\\xe9ploy\\xe9 \\U0001f6a2")


def test_a_daemon_that_nobody_asks_ends(typing: Typing) -> None:
    typing.ok("record", "x", **{IDLE_VARIABLE: "1"})
    runner = children_of(typing.served().pid)
    assert len(runner) == 1
    until_ended(typing.data)
    assert "nothing was asked for 1 s" in (typing.data / "serve.log").read_text()
    deadline = monotonic() + ENDED_S
    while Path(f"/proc/{runner[0]}").exists():
        assert monotonic() < deadline, "the runner ends with its daemon"
        Event().wait(0.02)
    assert not (typing.data / COMMANDS.file).exists()


def test_it_steps_aside_for_what_needs_the_directory(typing: Typing) -> None:
    event = typing.ok("record", "x", "-f", "deploy").line
    first = typing.served()
    assert typing.ok("sleep", "--json").json["changed"] is not None, "as where the directory is open"
    assert find(typing.data) is None and not has_holder(typing.data, "serve.lock")
    typing.ok("history", event)  # here, and starts another one
    assert typing.served().pid != first.pid
    typing.ok("rebuild", "--dir", str(typing.data))
    typing.ok("export", str(typing.data), "out.jsonl")
    assert find(typing.data) is None


def test_what_was_started_on_purpose_does_not_step_aside(typing: Typing) -> None:
    typing.ok("record", "x")
    typing.served()
    started = typing.ok("serve", "--data", str(typing.data), "--daemon").line
    daemon = typing.served()
    assert started.startswith(f"process {daemon.pid} serves") and "already" not in started
    try:
        run = typing("rebuild")
        assert (run.code, f"process {daemon.pid} holds" in run.err) == (5, True), run.err
        assert not is_auto(typing.data)
        typing.ok("record", "y")
        assert typing.served() == daemon
    finally:
        os.kill(daemon.pid, signal.SIGTERM)
        until_ended(typing.data)


def test_other_settings_or_another_release_are_not_used_silently(typing: Typing) -> None:
    event = typing.ok("record", "x").line
    first = typing.served()
    typing.ok("history", event, YGGDRASIL_LADDER="0")
    second = typing.served(first.pid)
    typing.ok("history", event, YGGDRASIL_LADDER="0")
    assert typing.served() == second


def test_two_terminals_with_other_settings_do_not_end_each_others_daemon_for_ever(typing: Typing) -> None:
    event = typing.ok("record", "x").line
    first = typing.served()
    other = {"YGGDRASIL_LADDER": "0"}
    assert typing.ok("history", event, **other).err == ""
    typing.served(first.pid)
    told = [typing.ok("history", event, **(other if turn % 2 else {})).err for turn in range(4)]
    assert all("YGGDRASIL_LADDER" in each and "runs without a daemon" in each for each in told[:2]), told
    assert told[2:] == ["", ""], "it is said once to each"
    assert find(typing.data) is None and not has_holder(typing.data, "serve.lock"), "nobody has started one"
    log = (typing.data / "serve.log").read_text()
    assert log.count("serving") == 2, log


def test_a_setting_that_the_directory_passes_over_ends_no_daemon(typing: Typing) -> None:
    event = typing.ok("record", "x").line
    first = typing.served()
    typing.ok("history", event, YGGDRASIL_EMBEDDER="off", OPENAI_API_KEY="another")
    assert typing.served() == first


def test_two_at_once_start_one(typing: Typing) -> None:
    typing.ok("record", "x", **{VARIABLE: "0"})
    assert find(typing.data) is None
    both = [typing.begun("record", f"at once {number}") for number in range(3)]
    for each in both:
        out, err = each.communicate(timeout=ENDED_S)
        assert each.returncode == 0, (out, err)
    daemon = typing.served()
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 4
    assert typing.served() == daemon
    log = (typing.data / "serve.log").read_text()
    assert log.count("serving") == 1, log


def test_a_daemon_that_was_killed_is_replaced_and_loses_nothing(typing: Typing) -> None:
    typing.ok("record", "x")
    first = typing.served()
    event = typing.ok("record", "beside it").line
    os.kill(first.pid, signal.SIGKILL)
    assert "beside it" in typing.ok("history", event).out
    assert typing.served(first.pid).pid != first.pid
    (runner,) = children_of(typing.served().pid)
    os.kill(runner, signal.SIGKILL)
    assert "beside it" in typing.ok("history", event).out, "without it, a command asks the daemon itself"


def test_where_it_must_not_be_none_is_started(typing: Typing) -> None:
    assert typing("context", "x").code == 4
    assert not typing.data.exists()
    typing.ok("record", "x", **{VARIABLE: "0"})
    typing.ok("verify")
    typing.ok("replay")
    assert typing("context", "x", "--memory", "acme/none").code == 4
    wrong = typing("history", "x", **{VARIABLE: "no"})
    assert (wrong.code, "takes auto, 1 or 0" in wrong.err) == (2, True)
    wrong = typing("history", "x", **{IDLE_VARIABLE: "soon"})
    assert (wrong.code, "takes seconds" in wrong.err) == (2, True)
    assert "Usage" in typing.ok("record", "--help").out, "which needs none"
    with Embedded(typing.data):
        assert typing("record", "held").code == 5
    assert not (typing.data / "serve.log").exists()
    assert not has_holder(typing.data, "serve.lock")


# The library below leaves a socket that could not be connected to the collector, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_library_finds_it_and_has_it_again_when_it_has_ended(typing: Typing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDLE_VARIABLE, "300")
    typing.ok("record", "x", **{IDLE_VARIABLE: "300"})
    first = typing.served()
    with Memory.open(typing.data, ME) as memory:
        assert isinstance(memory.engine, Remote)
        memory.record_event("by a library")
        os.kill(first.pid, signal.SIGKILL)
        deadline = monotonic() + ENDED_S
        while Path(f"/proc/{first.pid}").exists():  # or it may take the call, and end before it has answered
            assert monotonic() < deadline
            Event().wait(0.02)
        memory.record_event("after it has ended")
        assert typing.served(first.pid)
        assert is_auto(typing.data)


def test_a_socket_that_another_could_have_made_gets_no_command(typing: Typing) -> None:
    typing.ok("record", "x")
    typing.served()
    (typing.data / COMMANDS.file).chmod(0o622)
    run = typing.ok("record", "not by the runner")  # but by the service, whose own socket is sound
    assert run.line
    (typing.data / COMMANDS.file).chmod(0o600)


def test_a_directory_that_is_gone_keeps_no_daemon(typing: Typing) -> None:
    typing.ok("record", "x", **{IDLE_VARIABLE: "4"})
    daemon = typing.served()
    typing.data.rename(typing.place / "moved")
    deadline = monotonic() + ENDED_S
    while Path(f"/proc/{daemon.pid}").exists():
        assert monotonic() < deadline
        Event().wait(0.05)
    assert "its socket is gone" in (typing.place / "moved" / "serve.log").read_text()


def test_what_was_typed_is_read_for_where_it_may_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from yggdrasil.cli.commands import COMMANDS as ALL

    monkeypatch.delenv("YGGDRASIL_DIR", raising=False)
    assert not QUICK & OWNS
    assert {*ALL} >= QUICK | OWNS
    assert is_quick(["record", "x"]) and not is_owner(["record", "x"])
    assert not is_quick(["record", "x", "--embedder=minilm"]) and is_owner(["record", "x", "--embedder", "minilm"])
    assert is_quick(["record", "--", "--embedder"])
    for words in (["record", "x", "--service", "http://x"], ["sleep", "--kafka=b:1"], ["demo"], [], ["--version"]):
        assert not is_quick(words) and not is_owner(words)
    assert directory_of(["record", "x"]) == Path(".yggdrasil")
    assert directory_of(["record", "x", "--dir", "a", "--dir=b"]) == Path("b")
    assert directory_of(["record", "--", "--dir", "a"]) == Path(".yggdrasil")
    assert is_help(["fact", "add", "--help"]) and is_help(["sleep", "-h", "--dir", "a"])
    assert not is_help(["record", "--", "--help"]) and not is_help(["record", "help"]) and not is_help([])
    monkeypatch.setenv(VARIABLE, "yes")
    with pytest.raises(DaemonSettingError, match="takes auto, 1 or 0"):
        wish()


def test_a_runner_has_made_every_quick_command_before_it_forks() -> None:
    background.load()
    made = {name for name, each in dict.items(command().commands) if each is not None}
    assert made >= QUICK


def test_ctrl_c_reaches_a_command_that_runs_beside_the_daemon(typing: Typing) -> None:
    typing.ok("record", "x")
    typing.served()
    waiting = typing.begun("record", "never said", "--payload", "-")  # which reads to the end of its standard input
    if waiting.stdin is None:
        raise RuntimeError("a pipe was asked for")
    waiting.stdin.write("{")
    waiting.stdin.flush()
    deadline = monotonic() + ENDED_S
    while unread(waiting.stdin.fileno()):  # then it is at work
        assert monotonic() < deadline
        Event().wait(0.02)
    deadline = monotonic() + ENDED_S
    while waiting.poll() is None:  # its input is still open: nothing else can end it
        assert monotonic() < deadline
        waiting.send_signal(signal.SIGINT)  # as people do: one that comes between two reads is heard by neither
        with suppress(subprocess.TimeoutExpired):
            waiting.wait(5)
    out, err = waiting.communicate(timeout=ENDED_S)
    assert (waiting.returncode, out) == (130, "") and "interrupted" in err, err


def unread(pipe: int) -> int:
    """How many bytes of a pipe nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
