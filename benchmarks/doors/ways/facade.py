"""The facade itself: in a directory, over HTTP, through the socket, awaited, and from the command line."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from .way import TOO_LONG, K, Place, ToldError, Way, connected, question, running


def _of(memory: Any) -> Way:
    return Way(
        lambda subject, text: memory.record_event(text, features=[subject]),
        lambda subject: str(memory.get_context(question(subject), k=K).text()),
        lambda: memory.record_event(TOO_LONG),
    )


@contextmanager
def directory(place: Place) -> Generator[Way]:
    """Open the directory, where no service holds it: the service's socket where one does."""
    from yggdrasil import Memory

    with Memory.open(place.data, place.memory) as memory:
        yield _of(memory)


@contextmanager
def service(place: Place) -> Generator[Way]:
    """Use the facade over HTTP."""
    with connected(place) as memory:
        yield _of(memory)


@contextmanager
def awaited(place: Place) -> Generator[Way]:
    """Use the asynchronous facade over HTTP."""
    from yggdrasil import AsyncMemory

    with running() as run:
        memory = run(AsyncMemory.connect(place.url, memory=place.memory, key=place.key))

        async def read(subject: str) -> str:
            return str((await memory.get_context(question(subject), k=K)).text())

        try:
            yield Way(
                lambda subject, text: run(memory.record_event(text, features=[subject])),
                lambda subject: run(read(subject)),
                lambda: run(memory.record_event(TOO_LONG)),
            )
        finally:
            run(memory.close())


@contextmanager
def command_line(place: Place) -> Generator[Way]:
    """Use the command line, a process for each command, through the socket."""

    def call(*arguments: str) -> str:
        command = [sys.executable, "-m", "yggdrasil", *arguments, "--dir", str(place.data), "--memory", place.memory]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "200"}
        )
        if done.returncode:
            raise ToldError(done.stderr)
        return done.stdout

    yield Way(
        lambda subject, text: call("record", text, "--feature", subject),
        lambda subject: call("context", question(subject), "-k", str(K)),
        lambda: call("outcome", "no-such-event", "1"),
    )
