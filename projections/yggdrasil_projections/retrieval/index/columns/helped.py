"""Work that a second thread helps with, and that nobody waits for.

A scan is bound by the speed at which one core reads memory, and numpy lets go of the interpreter meanwhile. So two
threads are quicker than one where there is a core to spare; where there is none, whoever asks does it all.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache


def helped(work: Callable[[int], None], count: int) -> None:
    """Do ``work`` for each number below ``count``, some of them in another thread.

    What that has begun and not ended when nothing else is left is done here once more, rather than waited for. So
    ``work`` must be what may be done twice, at the same time too; and it may still be under way after the return.
    """
    left, done = deque(range(count)), set[int]()

    def take() -> None:
        with suppress(IndexError):  # nothing is left
            while True:
                number = left.popleft()
                work(number)
                done.add(number)

    with suppress(RuntimeError):  # when the process ends nobody helps any more
        _helper().submit(take)
    take()
    for number in set(range(count)) - done:
        work(number)


@cache
def _helper() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "scan")
