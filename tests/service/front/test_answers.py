"""Answers that nobody reads: they are bounded by tenant and in all, and keep nobody from what is small."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from tests.harness.waiting import until
from tests.service.client import Client, Reply
from tests.service.conftest import LOOPBACK
from tests.service.front.strangers import head, unread
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http import bodies
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_infra.http.rates import Held
from yggdrasil_infra.http.wire import connection

LONG = "a" * 100_000
EVENTS = 12
TENANTS = ("a", "b", "c")


@dataclass(frozen=True, slots=True)
class House:
    url: str
    keys: dict[str, str]

    def client(self, tenant: str) -> Client:
        return Client(self.url, self.keys[tenant], f"{tenant}/agent")

    def asks(self, tenant: str) -> bytes:
        return head(f"GET /v1/memories/{tenant}/agent/timeline?count=200", f"Authorization: Bearer {self.keys[tenant]}")

    def timeline(self, tenant: str) -> Reply:
        with self.client(tenant) as client:
            return client.get("/timeline?count=200")


@contextmanager
def lived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, concurrency: int) -> Iterator[House]:
    """Memories of whose timelines a page has 1.1 MB; one tenant may hold two, and all of them three."""
    monkeypatch.setattr(bodies, "ANSWERS_SHARE", 2_500_000)
    monkeypatch.setattr(connection, "ANSWER_S_MAX", 240.0)  # however busy the machine is
    monkeypatch.setattr(bodies, "ANSWERS_BYTES_MAX", 3_800_000)
    file = tmp_path / "keys.json"
    house = {tenant: new_key(file, tenant, ["append", "read"], tenant)[1] for tenant in TENANTS}
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0, concurrency=concurrency)) as it,
    ):
        found = House(it.url, house)
        for tenant in TENANTS:
            with found.client(tenant) as client:
                for _ in range(EVENTS):
                    client.event(LONG)
        yield found


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with lived(tmp_path, monkeypatch, 16) as it:
        yield it


def until_refused(house: House, tenant: str) -> Reply:
    def refused() -> Reply | None:
        reply = house.timeline(tenant)
        return reply if b"not taken" in reply.body else None

    return until(refused)


def holding(house: House, tenant: str) -> socket.socket:
    """A connection whose answer is begun and never taken; a refused one asks again."""

    def begun() -> socket.socket | None:
        made = unread(house.url, house.asks(tenant))
        if made.recv(12, socket.MSG_PEEK | socket.MSG_WAITALL).endswith(b" 200"):
            return made
        made.close()
        return None

    return until(begun)


def until_answered(house: House, tenant: str) -> None:
    until(lambda: house.timeline(tenant).status == 200)


def test_answers_that_nobody_reads_are_bounded(house: House) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(holding(house, "a"))
        reply = until_refused(house, "a")
        reply.problem(429, "too_many_requests")
        assert reply.headers["retry-after"] == "1"
        with house.client("a") as client:  # who comes before that is refused before anything is done
            assert b"no room" in client.get("/timeline?count=1").body
        assert house.timeline("b").status == 200
        stack.enter_context(holding(house, "b"))
        reply = until_refused(house, "c")
        reply.problem(503, "busy")
        assert reply.headers["retry-after"] == "1"
        Event().wait(float(reply.headers["retry-after"]))
        for tenant in TENANTS:
            with house.client(tenant) as client:
                assert client.event("Short")["accepted"]
                assert client.get("/timeline?count=1").status == 200
    for tenant in TENANTS:
        until_answered(house, tenant)


def test_whoever_takes_nothing_is_cut_and_holds_no_more(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with holding(house, "a"), holding(house, "a"):
        until_refused(house, "a")
        monkeypatch.setattr(connection, "ANSWER_S_MAX", 0.5)
        until_answered(house, "a")


def test_an_answer_that_nobody_reads_keeps_no_place_to_work_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lived(tmp_path, monkeypatch, 1) as house, unread(house.url, house.asks("a")), house.client("a") as client:
        for _ in range(10):
            assert client.event("Short")["accepted"]


def test_what_is_larger_than_a_bound_goes_alone() -> None:
    held = Held("answers", 100, 10)
    held.take("a", 50)
    with pytest.raises(ProblemError, match="too_many_requests"):
        held.take("a", 1)
    held.take("b", 9)
    held.take("b", 1)
    with pytest.raises(ProblemError, match="busy"):
        held.take("c", 41)
    held.take("c", 0)
    held.give("a", 50)
    held.take("c", 90)
    for key, size in (("b", 10), ("c", 90), ("c", 0)):
        held.give(key, size)
    assert held.bytes == 0
    held.take("c", 1_000)


def test_a_long_answer_arrives_whole(house: House) -> None:
    page = house.timeline("a").json
    with house.client("a") as client:
        rest = client.get(f"/timeline?before={page['before']}").json
    assert [one["text"] for one in (*page["memories"], *rest["memories"])] == [LONG] * EVENTS
