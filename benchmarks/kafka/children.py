"""Processes that a benchmark starts and listens to; each says one line of JSON at a time on standard output."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from time import monotonic
from typing import IO, Any, Final, Self

import orjson

Event = dict[str, Any]
"""What a process has said: ``what`` happened, and what belongs to it."""
_ROOT: Final = Path(__file__).parent.parent.parent
_END_S: Final = 30.0
_LAST_BYTES: Final = 4_000


class ChildError(RuntimeError):
    """A process ended, or hung, before it had done what it was started for."""


class Child:
    """``python -m benchmarks.NAME ARGUMENTS``; a context manager that ends it."""

    def __init__(self, name: str, *arguments: object) -> None:
        self._name = name
        self._said: SimpleQueue[Event | None] = SimpleQueue()
        self._errors = TemporaryFile()  # noqa: SIM115 - a worker's log is no news: it is shown when the process fails
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"benchmarks.{name}", *map(str, arguments)],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._listener = Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()

    def events(self, within_s: float) -> Iterator[Event]:
        """Yield what it says, as it says it. Raises ChildError when it ends, and after ``within_s`` seconds."""
        deadline = monotonic() + within_s
        while True:
            try:
                event = self._said.get(timeout=max(0.0, deadline - monotonic()))
            except Empty:
                raise self._failed(f"has not done its work within {within_s:g} s") from None
            if event is None:
                raise self._failed("ended too early")
            yield event

    def heard(self) -> Iterator[Event]:
        """Yield what it has said by now and nobody has heard yet. Raises ChildError when it has ended."""
        while not self._said.empty():
            yield next(self.events(0.0))

    def until(self, done: Callable[[Event], bool], within_s: float) -> Event:
        """Pass over what it says until ``done`` is true of it, and return that. Raises ChildError."""
        return next(event for event in self.events(within_s) if done(event))

    def go(self) -> None:
        """Say the line that it waits for, or will wait for."""
        stdin = self._process.stdin
        if stdin is not None:
            stdin.write(b"\n")
            stdin.flush()

    def kill(self) -> float:
        """End it as a power cut does; return when, by the monotonic clock."""
        at = monotonic()
        self._process.kill()
        self._process.wait()
        return at

    def stop(self) -> None:
        """Tell it to stop, and do not wait for it."""
        self._process.terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let it stop, and kill it when it does not."""
        self.stop()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._listener.join(_END_S)
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()

    def _failed(self, how: str) -> ChildError:
        self._process.kill()
        code = self._process.wait()
        self._errors.seek(0)
        last = self._errors.read()[-_LAST_BYTES:].decode(errors="replace")
        return ChildError(f"{self._name} {how} (exit code {code}); its last words:\n{last}")

    def _listen(self, stdout: IO[bytes]) -> None:
        for line in stdout:
            self._said.put(orjson.loads(line))
        self._said.put(None)
