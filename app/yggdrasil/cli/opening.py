"""Open a directory for a command: say so when it cannot serve, and catch up where people can see it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ..engines.embedded import Embedded, check_own_log
from ..memory import Memory
from ..settings import remembered
from .exits import CommandLineError, ExitCode
from .screen import Screen, clean


def usable(path: Path, option: str = "--dir") -> None:
    """Raise CommandLineError when ``path`` is no directory that can be written to, nor can become one."""
    there = _existing(path, option)
    for one in (there, path / "log", path / "log" / "records"):
        if os.access(one, os.F_OK) and not os.access(one, os.W_OK | os.X_OK):
            message = f"{clean(one)} cannot be written to: see to its permissions, or name another directory ({option})"
            raise CommandLineError(ExitCode.USAGE, "not_writable", message)


def _existing(path: Path, option: str) -> Path:
    """Return ``path`` or the nearest directory above it that exists. Raises CommandLineError when that is a file."""
    there = next((one for one in (path, *path.parents) if os.access(one, os.F_OK)), Path())
    if there.is_file():
        message = f"{clean(there)} is a file, and {option} takes a directory"
        raise CommandLineError(ExitCode.USAGE, "not_a_directory", message)
    return there


def require(path: Path) -> None:
    """Raise CommandLineError when ``path`` holds no log, and LogElsewhereError when it is a worker's."""
    _existing(path, "--dir")
    check_own_log(path)
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


def warn_of_embedder(screen: Screen, path: Path) -> None:
    """Say so when what is said and asked here gets no vector, though the directory is used with an embedder."""
    before = remembered(path)
    if before is not None:
        screen.warn(
            f"{clean(path)} is used with the embedder {clean(before.model)}, and this command takes none: what it "
            "records gets no vector, and what it asks is compared by words alone. "
            f"`yggdrasil embed --embedder {clean(before.setting)}` gives vectors to what has none."
        )


@contextmanager
def opened(screen: Screen, path: Path, memory: str, *, create: bool = False) -> Generator[Memory[Embedded], None, None]:
    """Open ``memory`` in ``path``, caught up.

    Raises CommandLineError for a directory that cannot be written to. Unless ``create``, raises it as well for a
    directory, and UnknownMemoryError for a memory, that is not there.
    """
    if not create:
        require(path)
    usable(path)
    with Memory.open(path, memory, source="cli", embedder="off") as it:
        catch_up(screen, it.engine)
        if not create:
            it.engine.graph(memory)
        yield it
