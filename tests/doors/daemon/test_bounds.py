"""What a daemon that the command line has started may not be: one of hundreds, the last word, or in anybody's way."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest

from tests.cli.runs import SCRIPTS
from tests.doors.daemon.test_auto import Typing, children_of, unread
from tests.doors.daemon.test_daemon import ENDED_S
from tests.harness.children import environment
from yggdrasil import DaemonSettingError, Memory, Store
from yggdrasil.cli.options import given_in
from yggdrasil.daemon.commands.handing import handed
from yggdrasil.daemon.commands.wire import receive_with_streams, settings, system
from yggdrasil.daemon.places import DAEMONS_MAX, free_place
from yggdrasil.daemon.wish import VARIABLE
from yggdrasil_infra.http.errors import ServerError
from yggdrasil_infra.http.wire import socket_file
from yggdrasil_infra.http.wire.socket_file import ADDRESS_FILE, COMMANDS, SocketFile, find
from yggdrasil_infra.locks import has_holder

FAILING_RUNNER = """
import signal
from pathlib import Path
from yggdrasil.daemon.commands.running import Runner, begin

def load():
    raise MemoryError

begin(Runner(Path.cwd(), True, load, print))
signal.pause()
"""


@pytest.fixture
def runtime(typing: Typing, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this session's sockets, and of the places of daemons, for this test alone."""
    made = typing.place / "run"
    made.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(made))
    typing.variables["XDG_RUNTIME_DIR"] = str(made)
    return made


def until(happened: Callable[[], bool]) -> None:
    deadline = monotonic() + ENDED_S
    while not happened():
        assert monotonic() < deadline
        Event().wait(0.02)


def is_free() -> bool:
    """Whether there is a place for another daemon."""
    with free_place() or nullcontext() as found:
        return found is not None


@pytest.mark.usefixtures("runtime")
def test_whoever_goes_through_many_directories_has_a_few_daemons(typing: Typing) -> None:
    with ExitStack() as held:
        taken = [free_place() for _ in range(DAEMONS_MAX)]
        for each in taken:
            assert each is not None
            held.enter_context(each)
        assert not is_free()
        typing.ok("record", "x")
        typing.ok("record", "beside nobody")
        assert not (typing.data / "serve.log").exists() and not has_holder(typing.data, "serve.lock")
        assert taken[3] is not None
        taken[3].close()
        typing.ok("record", "y")
        daemon = typing.served()
        assert not is_free(), "it holds the place that became free"
        (runner,) = children_of(daemon.pid)
        os.kill(runner, signal.SIGSTOP)  # and would hold it with its daemon
        os.kill(daemon.pid, signal.SIGKILL)
        until(is_free)
        os.kill(runner, signal.SIGCONT)
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 3


def test_a_folder_of_places_that_another_could_have_made_has_none(runtime: Path) -> None:
    assert is_free()
    (folder,) = runtime.iterdir()
    folder.chmod(0o777)
    assert not is_free()
    folder.chmod(0o700)
    folder.rename(runtime / "elsewhere")
    folder.symlink_to(runtime / "elsewhere")
    assert not is_free()


def test_a_command_that_was_lost_says_so_as_json_where_that_was_asked(typing: Typing) -> None:
    typing.ok("record", "x")
    typing.served()
    runner = find(typing.data, COMMANDS)
    assert runner is not None
    for json in (True, False):
        waiting = typing.begun("record", "never", "--payload", "-", *(["--json"] if json else []))
        typed = waiting.stdin
        assert typed is not None
        typed.write("{")
        typed.flush()
        until(partial(is_read, typed.fileno()))  # then it is at work
        (child,) = [each for each in children_of(runner.pid) if is_at_work(each)]
        os.kill(child, signal.SIGKILL)
        out, err = waiting.communicate(timeout=ENDED_S)
        assert waiting.returncode == 1
        said = out if json else err
        assert "would stand there twice" in said and (out, err).count("") == 1
        assert said.startswith('{\n  "error": {\n    "code": "lost",' if json else "yggdrasil: the process")


def is_read(pipe: int) -> bool:
    return not unread(pipe)


def is_at_work(child: int) -> bool:
    """Whether a child of a runner reads what was typed; what has ended has no files."""
    try:
        return os.readlink(f"/proc/{child}/fd/0").startswith("pipe:")
    except OSError:
        return False


def test_a_runner_that_does_not_answer_is_given_no_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the other end, as of `| cat`, would wait until the runner goes on: it may have been stopped."""
    given: list[list[int]] = []
    listens = SocketFile(tmp_path, COMMANDS)

    def runner() -> None:
        listens.socket.setblocking(True)
        with listens.socket.accept()[0] as made:
            given.append(receive_with_streams(made)[1])

    answers = Thread(target=runner)
    with listens.socket, open(os.devnull) as nothing:
        monkeypatch.setattr("sys.stdin", nothing)  # that of pytest has no encoding
        answers.start()
        assert handed(tmp_path, ["stats"]) is None
        answers.join()
        listens.remove()
    assert given == [[]]


def test_a_setting_with_a_slip_is_told_as_json_where_that_was_asked(typing: Typing) -> None:
    wrong = typing("history", "x", "--json", **{VARIABLE: "no"})
    assert (wrong.code, wrong.json["error"]["code"], wrong.err) == (2, "daemon_setting", "")
    assert "takes auto, 1 or 0" in wrong.json["error"]["message"]


def test_a_setting_with_a_slip_is_told_to_a_program_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "true")
    for opens in (Memory.open, partial(Memory.open, daemon=True)):
        with pytest.raises(DaemonSettingError, match="takes auto, 1 or 0, and not 'true'"):
            opens(tmp_path / "new", "me/agent")
    with pytest.raises(DaemonSettingError):
        Store.open(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_it_is_in_nobodys_way(typing: Typing) -> None:
    typing.ok("record", "x")
    daemon = typing.served()
    (runner,) = children_of(daemon.pid)
    for each in (daemon.pid, runner):
        assert os.readlink(f"/proc/{each}/cwd") == str(typing.data), "where the command was typed can be unmounted"


def test_a_daemon_whose_runner_was_killed_ends_and_another_is_started(typing: Typing) -> None:
    typing.ok("record", "x")
    daemon = typing.served()
    (runner,) = children_of(daemon.pid)
    os.kill(runner, signal.SIGKILL)
    until(lambda: not has_holder(typing.data, "serve.lock"))
    typing.ok("record", "y")
    typing.served(daemon.pid)
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 2


def test_a_daemon_whose_runner_has_failed_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FAILING_RUNNER]
    run = subprocess.run(
        command, check=False, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=ENDED_S
    )
    assert run.returncode == -signal.SIGTERM and "MemoryError" in run.stderr, run.stderr


def test_what_a_provider_of_vectors_is_told_is_a_setting(tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "VOYAGE_API_KEY", "HTTPS_PROXY", "YGGDRASIL_RANKER"):
        assert settings({name: "a"}, tmp_path) != settings({name: "b"}, tmp_path) != settings({}, tmp_path)
    assert settings({"LANG": "a", "TZ": "b"}, tmp_path) == settings({}, tmp_path)
    assert system()[0] == "utf-8", "names of files are other bytes in another encoding"


def test_a_runtime_folder_with_a_long_path_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tmp_path / ("run " * 24)
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    place = tmp_path / ("long" * 20) / "path"
    place.mkdir(parents=True)
    made = SocketFile(place, COMMANDS)
    try:
        assert made.path.parent.parent != runtime and not [*runtime.iterdir()]
    finally:
        made.remove()
        made.socket.close()
    monkeypatch.setattr(socket_file, "PATH_BYTES_MAX", 10)
    temporary = tmp_path / "t"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.raises(ServerError, match="no socket can be made"):
        SocketFile(place)
    assert not [*temporary.iterdir()] and not (place / ADDRESS_FILE).exists()


def test_a_stream_without_an_end_is_not_read_to_it(typing: Typing) -> None:
    with pytest.raises(Exception, match="more than 1,048,576 bytes"):
        given_in("/dev/zero", "--payload")
    run = typing("record", "x", "--payload", "@/dev/zero", **{VARIABLE: "0"})
    assert run.code == 2 and "no record has as many" in run.err


def test_many_at_once_in_a_new_directory_make_it_one_after_another(typing: Typing) -> None:
    all_of_them = [typing.begun("record", f"at once {number}") for number in range(12)]
    for each in all_of_them:
        out, err = each.communicate(timeout=ENDED_S)
        assert each.returncode == 0, (out, err)
    assert typing.ok("stats", "--json").json["memories"][0]["seq"] == 12
    assert (typing.data / "serve.log").read_text().count("serving") == 1


def test_a_working_directory_that_is_gone_is_told(typing: Typing) -> None:
    gone = typing.place / "gone"
    gone.mkdir()
    words = f"cd {gone} && rmdir {gone} && {SCRIPTS / 'yggdrasil'} record x"
    ran = subprocess.run(["sh", "-c", words], env=typing.variables, capture_output=True, text=True, check=False)
    assert (ran.returncode, "give the whole path" in ran.stderr) == (2, True), ran.stderr


def test_an_old_store_beside_a_sound_one_is_told_each_time_and_costs_one_start(typing: Typing) -> None:
    from tests.graph.store.test_store import change_state
    from yggdrasil_projections.graph.store.state import FORMAT

    with_none = {VARIABLE: "0"}
    typing.ok("record", "x", "--memory", "me/agent", **with_none)
    typing.ok("record", "x", "--memory", "acme/b", **with_none)  # of another partition
    old, sound = sorted((typing.data / "graph").iterdir())
    change_state(old, format=FORMAT - 1)
    told = []
    for memory in ("me/agent", "acme/b") * 2:
        run = typing("record", "y", "--memory", memory)
        told.append(run.code)
        assert run.code == 0 or "`yggdrasil rebuild` makes it anew from the log" in run.err
    assert sorted(told) == [0, 0, 1, 1] and sound.exists()
    until(lambda: not has_holder(typing.data, "serve.lock"))
    assert (typing.data / "serve.log").read_text().count("older release") == 1, "it is not tried again at once"
    typing.ok("rebuild", "--dir", str(typing.data))
    for memory in ("me/agent", "acme/b"):
        typing.ok("record", "z", "--memory", memory)
