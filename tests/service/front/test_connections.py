"""Connections are counted one by one, and whoever holds them keeps nobody else from the service."""

import contextlib
import gc
import logging
import resource
import select
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.harness.waiting import until
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from tests.service.front.strangers import COMMANDS, connected, descriptors, head, opened, reply_of, said, unread
from tests.service.processes import SCRIPT
from tests.service.processes import serving as process
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.wire import connection, listener
from yggdrasil_infra.http.wire.cycle import Cycle
from yggdrasil_infra.signals import tally

LIMIT = 1_024
HELD = (connection.Connection, Cycle)


def test_three_thousand_connections_leave_the_service_at_work(tmp_path: Path) -> None:
    """With 1,024 descriptors: appends of a good client go on, and descriptors stay below the limit."""
    command = ["prlimit", f"--nofile={LIMIT}:{LIMIT}", SCRIPT]
    with process(tmp_path, "--log-format", "json", command=command) as it, Client(it.url) as good:
        good.event("Before")
        limits = resource.prlimit(it.process.pid, resource.RLIMIT_NOFILE)
        assert limits == (LIMIT, LIMIT)
        assert "room for" in (tmp_path / "serve.log").read_text()
        most = 0
        with opened(it.url, 3_000):
            for number in range(30):
                assert good.event(f"Meanwhile {number}")["accepted"]
                with Client(it.url) as another:  # who comes now is let in as well
                    assert another.event(f"Besides {number}")["accepted"]
                most = max(most, descriptors(it.process.pid))
        assert most < LIMIT
        assert good.event("Afterwards")["accepted"]
        assert it.process.poll() is None
    lines = (tmp_path / "serve.log").read_text().splitlines()
    assert all(line.startswith("{") for line in lines)
    assert len([line for line in lines if '"yggdrasil.access"' not in line and '"yggdrasil.audit"' not in line]) < 20, (
        "a bounded number of lines"
    )


def test_who_comes_by_the_hundred_is_paced_and_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "ACCEPTS_BURST", 4.0)
    monkeypatch.setattr(listener, "ACCEPTS_PER_S", 50.0)
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, rate=0)) as it,
    ):
        begun = monotonic()
        with opened(it.url, 34) as them:
            for one in them:
                one.settimeout(60)
                one.sendall(head("GET /livez", "Connection: close"))
            for one in them:
                assert reply_of(one).status == 200
        assert monotonic() - begun > 0.5, "thirty beyond the burst, fifty a second"


def test_connections_that_are_gone_leave_nothing_to_the_garbage_collector(guarded: tuple[str, str]) -> None:
    """It comes seldom, and by then a flood would have left hundreds of megabytes."""
    url, key = guarded
    gc.collect()
    before = [one for one in gc.get_objects() if type(one) in HELD]  # of another service, or a test that is over
    gc.disable()
    try:
        with opened(url, 20) as them:
            them[-1].settimeout(60)
            them[-1].sendall(head("GET /livez"))
            assert them[-1].recv(1_000)
        for _ in range(5):
            said(url, head("GET /v1/memories", "Connection: close"))
            said(url, b"GET / HTTP/9.9\r\n\r\n")
            with connected(url) as half:
                half.sendall(head(f"POST {COMMANDS}", "Content-Length: 9", f"Authorization: Bearer {key}"))
            with unread(url, head("GET /docs/swagger-ui-bundle.js") * 20):
                pass
            with Client(url, key) as good:
                assert good.event("Read")["accepted"]
        known = set(map(id, before))

        def left() -> list[str]:
            return [repr(one) for one in gc.get_objects() if type(one) in HELD and id(one) not in known]

        until(lambda: not left(), left, look_s=0.05)
    finally:
        gc.enable()


def test_a_limit_that_leaves_no_room_is_refused_with_a_remedy(tmp_path: Path) -> None:
    command = ["prlimit", "--nofile=200:200", SCRIPT, "serve", "--http", "127.0.0.1:0"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode != 0
    assert "ulimit -n" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_soft_limit_is_raised(tmp_path: Path) -> None:
    with process(tmp_path, command=["prlimit", "--nofile=512:4096", SCRIPT]) as it:
        assert resource.prlimit(it.process.pid, resource.RLIMIT_NOFILE) == (4_096, 4_096)
        assert "room for" not in (tmp_path / "serve.log").read_text()


@pytest.fixture
def few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """A service with room for three connections: its URL, and a key."""
    monkeypatch.setattr(listener, "CONNECTIONS_MAX", 3)
    _, key = new_key(tmp_path / "keys.json", "me", ["append", "read"], "me")
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(tmp_path / "keys.json"), rate=0)) as it,
    ):
        yield it.url, key


def alive(one: socket.socket) -> bool:
    one.sendall(head("GET /livez"))
    found = b""
    while not found.endswith(b"ok\n"):
        more = one.recv(65_536)
        if not more:
            return False
        found += more
    return True


def ended(one: socket.socket) -> bool:
    with contextlib.suppress(ConnectionResetError):
        return one.recv(1) == b""
    return True


def test_the_one_that_was_idle_for_longest_goes(few: tuple[str, str]) -> None:
    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(connected(few[0])) for _ in range(3)]
        for one in (*idle, *idle[:2]):  # all are let in; then the third waits longest
            assert alive(one)
        assert alive(stack.enter_context(connected(few[0])))
        assert ended(idle[2])
        for one in (idle[0], idle[1]):
            assert alive(one)


def test_who_has_shown_a_key_stays_while_there_are_strangers(few: tuple[str, str]) -> None:
    """Even strangers that are being answered: whoever takes no answer would hold all places otherwise."""
    with Client(*few) as good:
        good.event("Known from here on")
        kept = good._connection.sock
        unread_ones = [unread(few[0], head("GET /docs/swagger-ui-bundle.js")) for _ in range(20)]
        for number in range(5):
            assert good.event(f"Said {number}")["accepted"]
        assert good._connection.sock is kept, "the connection was let go"
        for one in unread_ones:
            one.close()


def test_a_client_that_takes_a_little_now_and_then_is_cut_as_well(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "ANSWER_S_MAX", 0.5)
    with unread(serving.url, head("GET /docs/swagger-ui-bundle.js")) as slow:
        poll = select.poll()
        poll.register(slow, 0)

        def cut() -> bool:
            try:
                return bool(poll.poll(50)) or not slow.recv(100)
            except ConnectionResetError:  # between the two
                return True

        until(cut, lambda: "it holds its connection for ever")


def test_what_happens_often_is_said_seldom(caplog: pytest.LogCaptureFixture) -> None:
    counted = tally.Tally(logging.getLogger("yggdrasil.test"))
    for _ in range(5):
        counted.add("it happened")
    begun = counted._said["it happened"]
    counted.sweep(begun + 59)
    assert [record.__dict__["times"] for record in caplog.records] == [1]
    counted.sweep(begun + 61)
    counted.sweep(begun + 122)
    assert [record.__dict__["times"] for record in caplog.records] == [1, 4]


def test_a_connection_that_is_silent_ends(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "IDLE_S_MAX", 0.2)
    assert said(serving.url, head("GET /livez")).status == 200
