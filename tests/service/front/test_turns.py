"""Work in threads: one tenant after the other has its turn, and none has all threads."""

import asyncio
from threading import Barrier, Event, Lock
from time import thread_time

from tests.harness.waiting import DEADLINE_S
from yggdrasil_infra.http.workroom import FOR, Workroom


def test_who_comes_after_a_greedy_one_need_not_wait_for_all_of_its_work() -> None:
    release = Event()
    done: list[str] = []

    async def ask(name: str) -> None:
        FOR.set(name)
        await room.run(work, name)

    def work(name: str) -> None:
        assert name != "greedy" or release.wait(DEADLINE_S)
        done.append(name)

    async def run() -> None:
        greedy = [asyncio.create_task(ask("greedy")) for _ in range(20)]
        await asyncio.sleep(0)
        await asyncio.gather(*(asyncio.create_task(ask("modest")) for _ in range(3)))
        assert done == ["modest"] * 3
        release.set()
        await asyncio.gather(*greedy)

    with Workroom("work", 4, share=2) as room:
        asyncio.run(run())
    assert done == ["modest"] * 3 + ["greedy"] * 20


def test_a_single_tenant_s_errors_and_answers_come_back() -> None:
    async def run() -> None:
        assert await room.run(lambda: 1) == 1
        found = await asyncio.gather(room.run(int, "no number"), room.run(int, "2"), return_exceptions=True)
        assert isinstance(found[0], ValueError) and found[1] == 2

    with Workroom("work", 1) as room:
        asyncio.run(run())


def test_a_tenant_whose_work_is_heavy_has_one_thread_until_it_is_not() -> None:
    lock, working, most, together = Lock(), set[int](), list[int](), Barrier(1)

    def work(number: int, heavy: bool) -> None:
        with lock:
            working.add(number)
            most.append(len(working))
        begun = thread_time()
        while heavy and thread_time() - begun < 0.06:
            pass
        if not heavy:  # of two that may work at once neither ends before the other has begun
            together.wait(DEADLINE_S)
        with lock:
            working.remove(number)

    async def run(count: int, heavy: bool) -> int:
        FOR.set("greedy")
        most.clear()
        await asyncio.gather(*(room.run(work, number, heavy) for number in range(count)))
        return max(most)

    with Workroom("work", 4, share=2) as room:
        asyncio.run(run(1, heavy=True))
        assert asyncio.run(run(6, heavy=True)) == 1
        together = Barrier(1)
        asyncio.run(run(1, heavy=False))
        together = Barrier(2)
        assert asyncio.run(run(6, heavy=False)) == 2
