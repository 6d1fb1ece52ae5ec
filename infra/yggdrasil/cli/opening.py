"""Open a directory for a command: say so when nothing is there, and catch up where people can see it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..embedded import Embedded
from ..memory import Memory
from .exits import CommandLineError, ExitCode
from .screen import Screen, clean


def require(path: Path) -> None:
    """Raise CommandLineError when ``path`` holds no log."""
    if not (path / "log").is_dir():
        raise CommandLineError(
            ExitCode.NOT_FOUND,
            "no_memory_here",
            f"{clean(path)} holds no memory yet. `yggdrasil record` or `yggdrasil import` makes one there; "
            "--dir or YGGDRASIL_DIR names another directory.",
        )


def catch_up(screen: Screen, engine: Embedded) -> None:
    """Fold what the log holds beyond the stores, with a bar when that takes a while."""
    behind = engine.behind()
    if behind:
        with screen.progress("Catching up with the log", behind) as advance:
            engine.catch_up(advance)


@contextmanager
def opened(screen: Screen, path: Path, memory: str, *, create: bool = False) -> Generator[Memory, None, None]:
    """Open ``memory`` in ``path``, caught up.

    Unless ``create``, raises CommandLineError for a directory and UnknownMemoryError for a memory that is not there.
    """
    if not create:
        require(path)
    with Memory.open(path, memory, source="cli") as it:
        catch_up(screen, it.engine)
        if not create:
            it.engine.graph(memory)
        yield it
