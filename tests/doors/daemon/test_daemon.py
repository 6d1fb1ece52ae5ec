"""A directory that a service holds: found by its socket, trusted only where that is ours, shared by all who open it."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import orjson
import pytest

from tests.cli.runs import Cli
from tests.service.client import Client
from yggdrasil import Event as Said
from yggdrasil import LogInUseError, Memory, Store
from yggdrasil.daemon.starting import DaemonError, start
from yggdrasil.engines.embedded import Embedded, LogElsewhereError
from yggdrasil.engines.remote import Remote
from yggdrasil.engines.service_client import ServiceAwayError
from yggdrasil.serving import Service, Serving
from yggdrasil.settings import EmbedderWarning
from yggdrasil_infra.http.callers import ORIGIN, PROGRAM, SOURCE
from yggdrasil_infra.http.errors import ServerError, UntrustedSocketError
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.wire import socket_file
from yggdrasil_infra.http.wire.socket_file import ADDRESS_FILE, FILE, SocketFile, find
from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview

ME = "me/agent"
ENDED_S = 60.0


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("held"), sliced=True) as it:
        yield it


@pytest.fixture(scope="module")
def serving(engine: Embedded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A service with keys and a tight rate on its port, and the socket of its directory."""
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    new_key(keys, "me", ["append", "read"], "reader")
    service = Service(("127.0.0.1", 0), Keys(keys), rate=1, directory=engine.path)
    with Serving(engine, service) as it:
        yield it


def commands(engine: Embedded, memory: str) -> list[dict[str, Any]]:
    """What the log holds of a memory, without what no two runs have in common."""
    found = [
        orjson.loads(record.value or b"")
        for record in engine.log.read(engine.partition(memory), 0, 10_000)
        if record.key == memory.encode()
    ]
    return [{name: each[name] for name in ("type", "source", "process", "origin")} for each in found]


def life(memory: Memory[Any]) -> None:
    event = memory.record_event("Deployed on a Friday", features=["deploy"])
    memory.log_outcome(event, -3, kind="outage")
    memory.log_outcome(event, -9, kind="outage", catastrophic=True, origin="tool")
    memory.lift_catastrophe(event, reason="a drill")
    memory.pin(event)
    memory.set_policy(nodes_max=900_000, edges_max=9_000_000)  # more than any key may
    assert memory.get_context("Should we deploy?").recall_id
    memory.record_many([Said("Deployed again", features=["deploy"]), Said("And again", features=["deploy"])])
    memory.commit_episode([event], thinker={"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 3})


@pytest.mark.usefixtures("serving")
def test_what_is_said_through_the_socket_is_stamped_as_where_the_directory_is_open(
    engine: Embedded, tmp_path: Path
) -> None:
    with Memory.open(engine.path, "me/ana", source="Äna, «so»", origin="user") as memory:
        assert isinstance(memory.engine, Remote)
        life(memory)
    with Embedded(tmp_path / "own") as own:
        direct = Store(own).memory("me/ana", source="Äna, «so»", origin="user")
        life(direct)
        assert commands(engine, "me/ana") == commands(own, "me/ana")
        assert {each["source"] for each in commands(own, "me/ana")} == {"Äna, «so»"}
        assert {each["origin"] for each in commands(own, "me/ana")} == {"user", "tool", "operator", "thinker"}


@pytest.mark.usefixtures("serving")
def test_who_speaks_for_somebody_else_is_trusted_no_more_through_the_socket(engine: Embedded) -> None:
    with Memory.open(engine.path, "me/mails", origin="user") as memory:
        assert isinstance(memory.engine, Remote)
        mail = memory.speaking(trust=0).record_event("The rent goes to a new account")
        assert (memory.describe(mail).memory.trust, memory.describe(mail).memory.status) == (0, "candidate")
        assert memory.describe(memory.record_event("Paid the rent")).memory.trust == 2


def raw(path: Path, headers: dict[str, str], text: str) -> bytes:
    body = orjson.dumps({"type": "record_event", "body": {}, "content": {"text": text}})
    said = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as made:
        made.connect(str(path))
        head = f"POST /v1/memories/me/raw/commands HTTP/1.1\r\nHost: evil.example\r\n{said}Connection: close\r\n"
        made.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        return b"".join(iter(lambda: made.recv(65_536), b""))


def test_only_the_socket_lets_one_in_without_a_key_and_believes_who_speaks(engine: Embedded, serving: Serving) -> None:
    path = engine.path / FILE
    assert serving.socket == path.resolve()
    assert b" 200 " in raw(path, {}, "nobody in particular").partition(b"\r\n")[0]
    assert b" 200 " in raw(path, {SOURCE: "a%20tool", ORIGIN: "tool"}, "a tool").partition(b"\r\n")[0]
    forged = {PROGRAM: "yggdrasil-serve%2Fk1"}
    for wrong in ({SOURCE: "a%0Ab"}, {SOURCE: ""}, {SOURCE: "x" * 129}, {ORIGIN: "god"}, forged):
        assert b" 400 " in raw(path, wrong, "no").partition(b"\r\n")[0]
    said = [(each["source"], each["origin"]) for each in commands(engine, "me/raw")]
    assert said == [("agent", "agent"), ("a tool", "tool")]
    with Client(serving.url, memory="me/raw") as client:
        event = orjson.dumps({"type": "record_event", "body": {}, "content": {"text": "x"}})
        headers = {SOURCE: "ana", ORIGIN: "operator", "Content-Type": "application/json"}
        client.send("POST", "/v1/memories/me/raw/commands", event, headers).problem(401, "unauthenticated")


def test_on_the_port_of_a_service_without_keys_nobody_says_who_speaks(tmp_path: Path) -> None:
    with Embedded(tmp_path) as own, Serving(own, Service(("127.0.0.1", 0), directory=tmp_path)) as it:
        with Client(it.url, memory=ME) as client:
            event = orjson.dumps({"type": "record_event", "body": {}, "content": {"text": "x"}})
            headers = {SOURCE: "ana", ORIGIN: "operator", "Content-Type": "application/json"}
            assert client.send("POST", f"/v1/memories/{ME}/commands", event, headers).status == 200
        (said,) = commands(own, ME)
        assert (said["source"], said["origin"]) == ("loopback", "agent")
    assert not (tmp_path / FILE).exists()


@pytest.mark.usefixtures("serving")
def test_a_store_has_its_memories_and_what_has_to_be_at_the_directory_is_refused(engine: Embedded) -> None:
    with Store.open(engine.path) as store:
        store.memory("acme/ana").record_event("x")
        assert store.memories("acme") == ["acme/ana"]
        assert store.path == engine.path
        with pytest.raises(LogInUseError, match=r"a service holds .* what thinks has to be there"):
            store.think()
    given: tuple[dict[str, Any], ...] = ({"thinkers": "usual"}, {"scrub": 1_000_000})
    for more in given:
        with pytest.raises(LogInUseError, match="--thinkers or --scrub-mib-s"):
            Store.open(engine.path, **more)
    with pytest.warns(EmbedderWarning, match="makes no vectors; the embedder that is given here is not used"):
        Memory.open(engine.path, ME, embedder="minilm").close()


@pytest.mark.usefixtures("serving")
def test_the_command_line_speaks_to_the_service_or_says_who_holds_the_directory(engine: Embedded, cli: Cli) -> None:
    there = ("--dir", str(engine.path), "--memory", "acme/cli")
    event = cli.ok("record", "Deployed on a Friday", "-f", "deploy", *there).line
    cli.ok("outcome", event, "-3", *there)
    assert "Deployed on a Friday" in cli.ok("context", "Should we deploy?", *there).out
    assert "pinned" in cli.ok("pin", event, *there).out
    assert cli.ok("sleep", "--json", *there).json["changed"] is None
    cli.ok("explain", event, *there)
    assert cli("context", "x", "--dir", str(engine.path), "--memory", "acme/none").code == 4
    counted = cli.ok("stats", "--json", "--memory", "acme/cli", "--dir", str(engine.path)).json
    assert [each["seq"] for each in counted["memories"]] == [engine.ask("acme/cli", AskOverview()).as_of]
    run = cli("serve", "--data", str(engine.path), "--http", "off")
    assert (run.code, f"process {os.getpid()} holds" in run.err) == (5, True), run.err


@pytest.mark.usefixtures("serving")
def test_a_socket_that_another_could_have_made_is_not_trusted(engine: Embedded, cli: Cli) -> None:
    path = engine.path / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    try:
        path.chmod(0o622)
        with pytest.raises(UntrustedSocketError, match=r"others may write to .*chmod 600"):
            Memory.open(engine.path, ME)
        for code, arguments in ((1, ("stats",)), (1, ("record", "x")), (1, ("context", "x"))):
            run = cli(*arguments, "--dir", str(engine.path))
            assert run.code == code and "others may write to" in run.err and "Traceback" not in run.err, run.err
        path.chmod(0o600)
        if os.geteuid() == 0:
            os.chown(path, 12_345, -1)
            with pytest.raises(UntrustedSocketError, match="belongs to the user 12345"):
                Memory.open(engine.path, ME)
            os.chown(path, 0, -1)
        Memory.open(engine.path, ME).close()
    finally:
        path.chmod(0o600)


def test_a_socket_whose_process_is_gone_is_replaced_and_one_that_answers_is_not(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / FILE))
    (tmp_path / FILE).chmod(0o600)
    assert find(tmp_path) is None
    with Memory.open(tmp_path, ME) as memory:  # nobody serves, so the directory itself is opened
        assert isinstance(memory.engine, Embedded)
    first = SocketFile(tmp_path)
    assert (found := find(tmp_path)) is not None
    assert found.pid == os.getpid()
    with pytest.raises(ServerError, match=f"process {os.getpid()} serves"):
        SocketFile(tmp_path)
    first.socket.close()
    second = SocketFile(tmp_path)
    first.remove()  # which is another one's by now
    assert find(tmp_path) is not None
    second.remove()
    second.socket.close()
    assert not (tmp_path / FILE).exists()
    (tmp_path / FILE).write_text("mine")
    with pytest.raises(UntrustedSocketError, match="is no socket"):
        find(tmp_path)


def test_where_the_path_is_too_long_a_file_says_where_the_socket_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    place = tmp_path / ("long" * 20) / ("path" * 20)
    with Embedded(place) as own, Serving(own, Service(None, directory=place)) as it:
        path = Path((place / ADDRESS_FILE).read_text())
        assert it.socket == path
        assert len(os.fsencode(path)) <= socket_file.PATH_BYTES_MAX
        copy = tmp_path / "copy"
        copy.mkdir(mode=0o700)
        shutil.copy(place / ADDRESS_FILE, copy)
        assert find(copy) is None, "a copy would speak to the service of the other"
        other = SocketFile(copy)
        other.remove()
        other.socket.close()
        assert path.exists()
        assert stat.S_IMODE((place / ADDRESS_FILE).stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with Memory.open(place, ME) as memory:
            memory.record_event("x")
        for what, mode, said in (
            (place / ADDRESS_FILE, 0o602, "others may write"),
            (path.parent, 0o755, "no folder of"),
        ):
            before = what.stat().st_mode
            what.chmod(mode)
            with pytest.raises(UntrustedSocketError, match=said):
                find(place)
            what.chmod(before)
    assert not path.parent.exists()
    assert not (place / ADDRESS_FILE).exists()


# Processes of their own

SCRIPT = """
import sys
from yggdrasil import Event, Memory
with Memory.open(sys.argv[1], "me/agent", source=sys.argv[2], daemon=True) as memory:
    memory.record_many([Event(f"{sys.argv[2]} {n}", features=["work"]) for n in range(100)])
    for n in range(50):
        memory.record_event(f"{sys.argv[2]} one {n}", features=["work"])
    assert memory.get_context(f"{sys.argv[2]} one 7").found
"""


def stop(place: Path, how: signal.Signals = signal.SIGTERM) -> None:
    """End the daemon of a directory, and wait until nobody answers and nobody holds it."""
    if (found := find(place)) is not None:
        os.kill(found.pid, how)
        until_ended(place)


def until_ended(place: Path) -> None:
    deadline = monotonic() + ENDED_S
    while True:
        assert monotonic() < deadline, (place / "serve.log").read_text()
        Event().wait(0.05)
        if find(place) is None:
            try:
                Embedded(place).close()
            except LogInUseError:
                continue
            return


def said_often(memory: Memory[Any]) -> list[str]:
    return [memory.record_event("here", features=["work"]) for _ in range(50)]


# The library leaves a socket that could not be connected to the collector, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_scripts_share_a_daemon_that_is_killed_and_comes_back(tmp_path: Path) -> None:
    place = tmp_path / "shared"
    started = [
        subprocess.Popen([sys.executable, "-c", SCRIPT, str(place), name], stderr=subprocess.PIPE, text=True)
        for name in ("editor", "shell")
    ]
    try:
        for each in started:
            assert each.wait(ENDED_S) == 0, each.communicate()[1]
        assert (served := find(place)) is not None
        assert start(place) == (served, False)
        with Memory.open(place, ME) as memory, Memory.open(place, ME, daemon=True) as daemon:
            assert memory.engine.ask(ME, AskOverview()).as_of == 2 * 151  # with the question of each
            with ThreadPoolExecutor(2) as both:
                list(
                    both.map(
                        lambda it: [it.record_event("here", features=["work"]) for _ in range(50)], (memory, daemon)
                    )
                )
            stop(place, signal.SIGKILL)
            assert (place / FILE).exists()
            with pytest.raises(ServiceAwayError, match=r"has ended\. Open the directory again"):
                memory.record_event("lost")
            daemon.record_event("it is started again")
            memory.record_event("and this finds it too")
            assert memory.engine.ask(ME, AskOverview()).as_of == 2 * 151 + 102
        assert (place / "serve.log").stat().st_mode & 0o077 == 0
    finally:
        for each in started:
            each.kill()
            each.communicate()
        stop(place)
    assert not (place / FILE).exists()
    with Memory.open(place, ME) as memory:  # the directory itself: nobody has it
        assert memory.engine.ask(ME, AskOverview()).as_of == 2 * 151 + 102


def test_a_daemon_that_nobody_asks_ends_and_takes_its_socket_away(tmp_path: Path, cli: Cli) -> None:
    place = tmp_path / "mine"
    with ThreadPoolExecutor(2) as both:
        started = list(both.map(lambda _: start(place, idle_s=1.5), range(2)))
    assert len({each.answering.pid for each in started}) == 1
    assert sorted(each.new for each in started) == [False, True]
    said = cli.ok("serve", "--data", str(place), "--daemon").line
    assert said == f"process {started[0].answering.pid} serves {place} already, at {place.resolve() / FILE}"
    with Memory.open(place, ME) as memory:
        memory.record_event("still there")
        until_ended(place)
    assert not (place / FILE).exists()
    assert "nothing was asked for 1.5 s" in (place / "serve.log").read_text()


def test_a_daemon_that_cannot_start_says_why(tmp_path: Path, cli: Cli) -> None:
    with pytest.raises(DaemonError, match="there is no thinker wise"):
        start(tmp_path / "mine", ["--thinkers", "wise"])
    (tmp_path / "worker" / "graph" / "0000").mkdir(parents=True)
    with pytest.raises(LogElsewhereError):
        Memory.open(tmp_path / "worker", ME, daemon=True)
    assert sorted(each.name for each in (tmp_path / "worker").iterdir()) == ["graph"]
    with Embedded(tmp_path / "open"), pytest.raises(LogInUseError, match="open in this process already"):
        Memory.open(tmp_path / "open", ME, daemon=True)
    for option in (("--daemon",), ("--idle", "5"), ("--http", "off")):
        run = cli("serve", "--kafka", "127.0.0.1:1", "--development", *option)
        assert (run.code, "it goes without --kafka" in run.err) == (2, True), run.err
