"""Put directories that were built beside others in their places, so that a crash leaves the one or the other.

What is new is built in ``rebuilt.partial``. Renaming that to ``rebuilt`` is the decision; from then on ``settle`` can
finish what was begun, as often as it takes. What was there before waits in ``replaced`` until the end.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from .private import make_directory

_PARTIAL: Final = "rebuilt.partial"
_DECIDED: Final = "rebuilt"
_REPLACED: Final = "replaced"


def _go_on(step: str) -> None:
    """Do nothing between two steps."""


def begin(directory: Path) -> Path:
    """Return the empty directory in which to build what will take places below ``directory``."""
    partial = directory / _PARTIAL
    shutil.rmtree(partial, ignore_errors=True)
    make_directory(partial)
    return partial


def discard(directory: Path, path: Path) -> None:
    """Throw away the directory at ``path``, which is below ``directory`` and in nobody's use.

    Whenever the process ends, it stands there whole, or is gone but for what ``settle`` throws away.
    """
    path.rename(begin(directory) / path.name)
    abandon(directory)


def abandon(directory: Path) -> None:
    """Throw away what was built; what stands remains."""
    shutil.rmtree(directory / _PARTIAL, ignore_errors=True)


def decide(directory: Path, at: Callable[[str], None] = _go_on) -> None:
    """Let what was built take its places, one after another. ``at`` is called between the steps, with their names.

    1. Everything that was built is synced. 2. It is renamed, and with that decided. 3. The rest is ``settle``.
    """
    at("built")
    partial = directory / _PARTIAL
    for folder, _, files in os.walk(partial):
        for name in files:
            _sync(Path(folder, name))  # 1
        _sync(Path(folder))
    at("synced")
    partial.rename(directory / _DECIDED)  # 2
    _sync(directory)
    at("decided")
    settle(directory, at)  # 3


def settle(directory: Path, at: Callable[[str], None] = _go_on) -> bool:
    """Tidy up after a process that ended while it built or swapped; return whether something new has its place now.

    Whoever opens what is below ``directory`` calls this first, with the directory to itself.
    """
    abandon(directory)
    decided, replaced = directory / _DECIDED, directory / _REPLACED
    found = decided.is_dir()
    for new in _entries(decided) if found else ():
        place = new.relative_to(decided)
        stands, old = directory / place, replaced / place
        if stands.exists():
            if old.exists():  # made by somebody who did not settle first, from what was decided against
                shutil.rmtree(stands)
            else:
                _rename(stands, old)
        at(f"{place} moved away")
        _rename(new, stands)
        at(f"{place} moved in")
    if found:
        shutil.rmtree(decided)
        at("all moved")
    shutil.rmtree(replaced, ignore_errors=True)
    return found


def _entries(decided: Path) -> Iterator[Path]:
    """Yield what is moved as one: each directory within a directory of the top level, and the others as they are.

    An empty one is nothing to move: it held what has its place by now, and would take it away again.
    """
    for top in sorted(decided.iterdir()):
        held = sorted(top.iterdir())
        inner = [each for each in held if each.is_dir()]
        if inner:
            yield from inner
        elif held:
            yield top


def _rename(source: Path, target: Path) -> None:
    make_directory(target.parent)
    source.rename(target)
    _sync(target.parent)
    _sync(source.parent)


def _sync(path: Path) -> None:
    """Let a file's bytes, or the names in a directory, outlive a power cut."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
