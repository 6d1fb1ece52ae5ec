"""What a door is to tests and benchmark: how it is opened, what is written and read through it, and its errors."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

K: Final = 5
TOO_LONG: Final = "too long " * 40_000
"""More than a record of the log takes."""


class ToldError(Exception):
    """What a client tells in an answer, as an error of a tool or on stderr, and raises nothing."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a door leads to: the service at ``url`` with a ``key`` called ``source``, or at the socket in ``data``.

    ``memory`` is the memory, ``room`` what is kept apart within it, where the door has such a thing: a namespace, a
    session, a user. ``folder`` is the client's own.
    """

    url: str
    data: Path
    folder: Path
    memory: str
    key: str | None = None
    source: str = "agent"
    room: str = "room"


@dataclass(frozen=True, slots=True)
class Way:
    """A door that is open.

    ``write`` writes a text about a subject, ``read`` returns what is found of the subject, as one text; ``wrong`` sends
    what cannot be taken. A subject that was written before may be refused: files are made once.
    """

    write: Callable[[str, str], object]
    read: Callable[[str], str]
    wrong: Callable[[], object]


def _none() -> tuple[type[BaseException], ...]:
    return (ToldError,)


@dataclass(frozen=True, slots=True)
class Door:
    """How a door is opened, and how its client says that something went wrong: it raises one of ``errors``.

    ``silent``: it is a loop that goes on whatever the memory does. ``keeps``: what is written while the service is away
    is there later; a hook sends it then, and the command line opens the directory itself. ``ends``: the client's own
    library ends with a connection that fails, and its host makes it anew. ``deaf``: its framework takes no answer for
    one that is empty, and logs why.
    ``keyed``: it goes over HTTP, with a key; the others go through the socket of the directory. ``rooms``: it keeps
    things apart within a memory. ``dear``: it starts processes.
    """

    open: Callable[[Place], AbstractContextManager[Way]]
    errors: Callable[[], tuple[type[BaseException], ...]] = field(default=_none)
    silent: bool = False
    keeps: bool = False
    ends: bool = False
    deaf: bool = False
    keyed: bool = True
    rooms: bool = False
    dear: bool = False


def question(subject: str) -> str:
    """Return how a subject is asked for in words."""
    return f"What is known of the {subject}?"


@contextmanager
def connected(place: Place) -> Generator[Any]:
    """Open the memory at a place, over HTTP."""
    from yggdrasil import Memory

    with Memory.connect(place.url, memory=place.memory, key=place.key) as memory:
        yield memory


@contextmanager
def running() -> Generator[Callable[[Any], Any]]:
    """Return what runs coroutines one after the other, as a program with one loop does."""
    with asyncio.Runner() as runner:
        yield runner.run


def refusals() -> tuple[type[BaseException], ...]:
    """Return what the facade raises, and the doors that say no more than it does."""
    from yggdrasil import YggdrasilError

    return (YggdrasilError,)
