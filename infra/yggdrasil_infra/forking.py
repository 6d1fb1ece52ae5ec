"""What a forked process has of its parent: a copy of the memory, none of the threads, and the same files and sockets.

So nothing that is open may be used there. The parent goes on writing what the child believes to be its own; a lock that
another thread held at that moment is held for ever; RocksDB waits for threads that only the parent has. What is open in
a process says here what becomes of it in a child:

* ``stays`` for what refuses there, in words, and is never closed nor destroyed there;
* ``in_child`` for what lets go there of a file that holds a lock, or begins anew: connections, pools of threads.

The hooks run in the child before anything else does, and it has one thread. A program that is started (``subprocess``,
the start methods ``spawn`` and ``forkserver``) has nothing of all this.
"""

import os
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Any, Final, NoReturn, Self, SupportsIndex
from weakref import ref

from yggdrasil_schemas.errors import YggdrasilError

REMEDY: Final = (
    "Open it in the process that uses it, after the fork: in the worker itself, in gunicorn's `post_fork` (or without "
    "--preload), in the initializer of a pool. Or start processes that share nothing, with "
    'multiprocessing.get_context("spawn"). Several processes share one directory when each opens it with daemon=True'
)


class ForkedError(YggdrasilError):
    """Something that another process has open is used in a process that was forked from it."""


def stays(thing: object, what: str, closing: str = "close") -> None:
    """Let ``thing`` refuse everything but ``closing`` in each process forked from this one; ``what`` says what it is.

    To close it, or to leave it as a context, does nothing there, and nothing destroys it there: either would wait for
    threads that the child does not have, or write where the parent writes. Its class has a ``__dict__``.
    """
    import ctypes  # noqa: PLC0415 - clients need none of it; and a child may wait for an import for ever

    opened_by = os.getpid()

    def refuse(it: object) -> None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(it))
        if not hasattr(type(it), _REFUSES):  # as in a child of a child
            kind = _refusing(type(it), f"{what} was opened in process {opened_by}, and this is", closing)
            object.__setattr__(it, "__class__", kind)

    in_child(thing, refuse)


def in_child(thing: object, what_to_do: Callable[[Any], object]) -> None:
    """Call ``what_to_do`` with ``thing`` in each process forked from this one, while it is there."""
    number = next(_NUMBERS)

    def forget(_: object) -> None:
        _THINGS.pop(number, None)  # atomic, and may come in the midst of anything

    _THINGS[number] = ref(thing, forget), what_to_do


class OfThisProcess:
    """What has something of this process open, such as a directory: it is neither deep-copied nor pickled."""

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: object) -> Self:
        """Raise TypeError, which says what to do."""
        raise TypeError(self._why_not("deep-copied"))

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Raise TypeError, which says what to do."""
        raise TypeError(self._why_not("pickled"))

    def _why_not(self, what: str) -> str:
        name = type(self).__name__
        named = f"{'an' if name.startswith('A') else 'a'} {name}"
        return (
            f"{named} cannot be {what}: it has a directory or connections of this process open. "
            "Pass on the one that there is, which threads may share; another process opens the directory itself, or "
            "connects (with daemon=True several use one directory)"
        )


class NativeThreads:
    """Whether the native library of databases has begun threads in a process that this one was forked from.

    It takes itself to have them still. What it then wants done beside it is never done: a database that is opened waits
    for ever as soon as its first table is full, or as it is closed.
    """

    def __init__(self) -> None:
        self._begun_in: int | None = None

    def begin(self, what: str) -> None:
        """Say that the library opens ``what`` now. Raises as ``check``."""
        self.check(what)
        self._begun_in = os.getpid()

    def check(self, what: str) -> None:
        """Raise ForkedError where the threads are those of another process, so that ``what`` cannot be opened here."""
        mine = os.getpid()
        if self._begun_in not in (None, mine):
            raise ForkedError(
                f"{what} cannot be opened here: process {self._begun_in} had a memory open before it was forked, and "
                f"RocksDB's threads stayed there, so this process ({mine}) would wait for them for ever. Open the "
                "first memory after the fork, or start processes that share nothing, with "
                'multiprocessing.get_context("spawn"); or open it here with daemon=True, by a process of its own, as '
                "long as no other has it open"
            )


NATIVE_THREADS: Final = NativeThreads()
"""Those of RocksDB in this process."""


_REFUSES: Final = "__in_a_forked_process__"
_THINGS: Final[dict[int, tuple[ref[Any], Callable[[Any], object]]]] = {}
_NUMBERS: Final = count()  # nothing else has one of them, where numbers of objects are given again


def _after_fork() -> None:
    for of, what_to_do in list(_THINGS.values()):
        if (thing := of()) is not None:
            what_to_do(thing)


def _refusing(kind: type, why: str, closing: str) -> type:
    """Return a class whose objects are of ``kind`` and refuse everything but to be closed."""

    def refuse() -> NoReturn:
        raise ForkedError(f"{why} process {os.getpid()}, forked from it, which may not touch it. {REMEDY}.")

    def getattribute(self: object, name: str) -> Any:
        if name == closing or (name.startswith("__") and name.endswith("__")):
            return object.__getattribute__(self, name)
        return refuse()

    def nothing(_self: object, *_: object, **__: object) -> None:
        """Do nothing: what is open is the parent's."""

    def leave(
        _self: object,
        _kind: type[BaseException] | None = None,
        _error: BaseException | None = None,
        _trace: TracebackType | None = None,
    ) -> None:
        """Do nothing, and let an error be raised."""

    def enter(_self: object) -> NoReturn:
        refuse()

    def assign(_self: object, _name: str, _value: object) -> NoReturn:
        refuse()

    def words(_self: object) -> str:
        return f"<{kind.__name__} of another process>"

    made: dict[str, Any] = {
        "__slots__": (),
        "__getattribute__": getattribute,
        "__setattr__": assign,
        "__enter__": enter,
        "__exit__": leave,
        "__del__": nothing,
        "__repr__": words,
        closing: nothing,
        _REFUSES: True,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
    }
    return type(kind)(kind.__name__, (kind,), made)


os.register_at_fork(after_in_child=_after_fork)
