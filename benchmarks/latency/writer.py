"""A thread that writes at a steady rate while others ask."""

from collections.abc import Callable, Sequence
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

_TICK_S: Final = 0.02
_BATCH_MAX: Final = 100


class Writer:
    """Gives ``commands`` to ``append`` in small batches, ``per_s`` a second; a context manager.

    It goes on until there are no more of them. Behind its time it hurries: ``per_s`` then says what it has reached.
    """

    def __init__(self, append: Callable[[Sequence[Any]], object], commands: Sequence[Any], per_s: float) -> None:
        self._append = append
        self._commands = commands
        self._wanted = per_s
        self._stop = Event()
        self._failed: BaseException | None = None
        self._thread = Thread(target=self._run)
        self.per_s = 0.0

    def going(self) -> bool:
        """Return whether it still writes."""
        return self._thread.is_alive()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        if self._failed is not None:
            raise self._failed

    def _run(self) -> None:
        start, done = perf_counter(), 0
        try:
            while done < len(self._commands) and not self._stop.is_set():
                due = min(len(self._commands), int((perf_counter() - start) * self._wanted) + 1)
                batch = self._commands[done : min(due, done + _BATCH_MAX)]
                if batch:
                    self._append(batch)
                    done += len(batch)
                if done >= due:
                    self._stop.wait(_TICK_S)
        except BaseException as error:  # told by whoever waits
            self._failed = error
        self.per_s = done / (perf_counter() - start)
