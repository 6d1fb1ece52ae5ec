"""What is done now and then, on a thread of its own, while a context is open."""

from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Self


class Periodic:
    """Calls ``turn`` again and again on one thread, from ``__enter__`` until ``__exit__`` has waited for the last."""

    def __init__(self, name: str, turn: Callable[[], float | None], first_s: float = 0.0) -> None:
        """``turn`` returns after how many seconds it is called again, or None for never; ``name`` is the thread's.

        It is first called after ``first_s`` seconds. One that takes long looks at ``_ended`` meanwhile. What it raises
        ends the thread: it is for ``turn`` to say what it lives with.
        """
        self._name = name
        self._turn = turn
        self._first_s = first_s
        self._ended = Event()
        self._thread: Thread | None = None

    def __enter__(self) -> Self:
        self._ended.clear()
        self._thread = Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Call no more, and wait until the call that is under way has returned. More than once is nothing new."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        due: float | None = self._first_s
        while due is not None and not self._ended.wait(due):
            due = self._turn()
