"""Rates, places and waiting: who asks too much is told when to come again, and the others are served."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.waiting import until
from tests.service.client import Client, Reply
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_infra.http.rates import Buckets, Gate
from yggdrasil_producers.draft import Drafter


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "data", sliced=True) as it:
        yield it


def test_a_key_that_asks_too_often_waits_and_another_does_not(engine: Embedded, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = [new_key(file, "me", ["read", "operate"], name)[1] for name in ("greedy", "modest")]
    with Serving(engine, Service(LOOPBACK, Keys(file), rate=2)) as it, Client(it.url, keys[0]) as greedy:
        replies = [greedy.send("GET", "/v1/memories") for _ in range(20)]
        late = [reply for reply in replies if reply.status != 200]
        assert 1 <= len(late) < 20
        late[-1].problem(429, "too_many_requests")
        assert late[-1].headers["retry-after"] == "1"
        with Client(it.url, keys[1]) as modest:
            assert modest.send("GET", "/v1/memories").status == 200
            told = modest.send("GET", "/metrics").body.decode()
            assert f'yggdrasil_service_requests_refused_total{{kind="too_many_requests"}} {len(late)}.0' in told


def test_the_bucket_fills_again() -> None:
    buckets = Buckets(1_000.0, burst=2)
    buckets.take("a")
    buckets.take("a")
    with pytest.raises(ProblemError) as late:
        for _ in range(1_000):
            buckets.take("a")
    assert late.value.headers["Retry-After"] == "1"
    buckets.take("b")
    threading.Event().wait(0.01)
    buckets.take("a")


def asked(url: str, path: str, key: str | None, replies: list[Reply]) -> threading.Thread:
    """Ask from a thread of its own."""

    def ask() -> None:
        with Client(url, key) as asking:
            replies.append(asking.send("GET", path))

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_when_all_places_are_taken_others_are_told_to_come_again(engine: Embedded) -> None:
    """Two places, and two who may wait for one: six who ask while nobody has a turn."""
    with Serving(engine, Service(LOOPBACK, rate=0, concurrency=2)) as it, Client(it.url) as client:
        client.event("First")
        replies: list[Reply] = []
        with engine.turns.folding():
            threads = [asked(it.url, "/v1/memories/me/agent/timeline", None, replies) for _ in range(6)]
            assert client.send("GET", "/readyz").status == 200
            assert client.send("GET", "/metrics").status == 200
            until(lambda: len(replies) == 4)
            for reply in replies:
                reply.problem(503, "busy")
                assert "retry-after" in reply.headers
        for thread in threads:
            thread.join()
        assert [reply.status for reply in replies[4:]] == [200, 200]
        assert client.event("And on it goes")["accepted"]


def test_a_tenant_with_many_keys_leaves_places_for_others(engine: Embedded, tmp_path: Path) -> None:
    """Four places: three for the tenant that asks while nobody has a turn, and one for the other one."""
    file = tmp_path / "keys.json"
    keys = [new_key(file, "a", ["read"], f"a{number}")[1] for number in range(4)]
    _, other = new_key(file, "b", ["read"], "b")
    with Serving(engine, Service(LOOPBACK, Keys(file), rate=0, concurrency=4)) as it:
        engine.submit(Drafter("a/agent", "test", "test").record_event("First"))
        replies: list[Reply] = []
        with engine.turns.folding(), Client(it.url, other) as client:
            threads = [asked(it.url, "/v1/memories/a/agent/timeline", key, replies) for key in keys * 4]
            until(lambda: len(replies) == 13)  # neither a place nor a place in the queue, soon or after 2 s
            threads += [asked(it.url, "/v1/memories/a/agent/timeline", key, replies) for key in keys]
            client.send("GET", "/v1/memories/b/agent/timeline?count=none").problem(422, "invalid")
        for thread in threads:
            thread.join()
        assert sorted(reply.status for reply in replies[:13]) == [503] * 13
        assert [reply.status for reply in replies].count(200) >= 3


def test_the_gate_lets_in_as_many_as_there_are_places_in_the_order_in_which_they_came() -> None:
    async def run() -> None:
        gate = Gate(2, queue=3)
        inside: list[int] = []
        most = 0
        release = asyncio.Event()

        async def enter(number: int) -> None:
            nonlocal most
            async with gate.entered("key", 60):
                inside.append(number)
                most = max(most, len(inside) - len(left))
                await release.wait()
                left.append(number)

        left: list[int] = []
        tasks = [asyncio.create_task(enter(number)) for number in range(5)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (inside, gate.waiting) == ([0, 1], 3)
        with pytest.raises(ProblemError, match="busy"):
            async with gate.entered("key", 60):
                pass
        release.set()
        await asyncio.gather(*tasks)
        assert inside == [0, 1, 2, 3, 4]
        assert most == 2

    asyncio.run(run())


def test_who_gives_up_leaves_no_place_behind() -> None:
    async def run() -> None:
        gate = Gate(1, queue=5)
        async with gate.entered("key"):
            for _ in range(3):
                with pytest.raises(ProblemError, match="busy"):
                    async with gate.entered("key", 0.01):
                        pass
            waiting = asyncio.create_task(anext_entered(gate))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert gate.waiting == 0
        async with gate.entered("key", 0.01):
            pass

    async def anext_entered(gate: Gate) -> None:
        async with gate.entered("key", 60):
            pass

    asyncio.run(run())


def test_one_name_leaves_places_and_room_in_the_queue_for_others() -> None:
    async def run() -> None:
        gate = Gate(2, queue=2, share=1)
        async with gate.entered("greedy"):
            with pytest.raises(ProblemError, match=r"no place became free"):
                async with gate.entered("greedy", 0.01):
                    pass
            waits = asyncio.create_task(enter(gate, "greedy"))
            await asyncio.sleep(0)
            with pytest.raises(ProblemError, match=r"under way"):
                async with gate.entered("greedy", 60):
                    pass
            async with gate.entered("modest"):
                second = asyncio.create_task(enter(gate, "modest"))
                await asyncio.sleep(0)
                assert gate.waiting == 2
            await second
        await waits
        async with gate.entered("greedy"), gate.entered("modest", 0.01):
            pass

    async def enter(gate: Gate, name: str) -> None:
        async with gate.entered(name, 60):
            pass

    asyncio.run(run())
