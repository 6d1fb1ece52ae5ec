"""Who takes turns in a directory: commands with two settings would end each other's daemon, and start one each.

A directory has one writer, so there is one daemon, and a command with other settings ends it. Where the first ones come
back soon, no daemon is started until one of the two has been alone for a while.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Any, Final, cast

ALTERNATES_S: Final = 300.0
"""For how long whoever has given a command counts as being there; so long a daemon stays that nobody asks."""
FILE: Final = "serve.others"
_SETTINGS_MAX: Final = 8


@dataclass
class _Others:
    """Who has given commands lately: when, by the mark of the settings; what differs; and who has heard of it."""

    seen: dict[str, float] = field(default_factory=dict[str, float])
    told: list[str] = field(default_factory=list[str])
    differs: list[str] = field(default_factory=list[str])


def replaced(directory: Path, former: str, differs: Sequence[str]) -> None:
    """Keep that a daemon with the settings ``former`` ends for other ones; ``differs`` names what is another."""
    found = _read(directory)
    found.seen[former] = time()
    found.differs = [*differs]
    _write(directory, found)


def alternates(directory: Path, mark: str) -> bool:
    """Whether no daemon is to be started with the settings ``mark``: one was replaced, and so was another since.

    It is told on stderr, once to each of them.
    """
    found, now = _read(directory), time()
    if mark not in found.seen:
        return False
    if not any(0 <= now - at < ALTERNATES_S for other, at in found.seen.items() if other != mark):
        _forget(directory)
        return False
    found.seen[mark] = now
    if mark not in found.told:
        found.told.append(mark)
        sys.stderr.write(f"yggdrasil: {_said(directory, found.differs)}\n")
    _write(directory, found)
    return True


def _said(directory: Path, differs: Sequence[str]) -> str:
    what = ", ".join(differs) or "their settings"
    return (
        f"commands for {directory} are given with two kinds of settings in turn ({what}), and one daemon cannot have "
        f"both. So each runs without a daemon, and takes longer, until only one kind was given for "
        f"{ALTERNATES_S / 60:g} minutes. Set the same in both terminals. This is said once"
    )


def _read(directory: Path) -> _Others:
    """Return what the file says; nothing where it is not there, or is no such file."""
    try:
        found: Any = json.loads((directory / FILE).read_bytes())
        return _Others(
            {str(mark): float(at) for mark, at in cast("Mapping[str, Any]", found["seen"]).items()},
            [str(each) for each in found["told"]],
            [str(each) for each in found["differs"]],
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return _Others()


def _write(directory: Path, found: _Others) -> None:
    """Write the file; where that cannot be, daemons take turns as if nobody had looked."""
    from yggdrasil_infra.private import replace_private

    latest = sorted(found.seen, key=lambda mark: found.seen[mark])[-_SETTINGS_MAX:]
    kept = {"seen": {mark: found.seen[mark] for mark in latest}, "told": found.told[-_SETTINGS_MAX:]}
    try:
        replace_private(directory / FILE, json.dumps(kept | {"differs": found.differs}).encode())
    except OSError:
        return


def _forget(directory: Path) -> None:
    try:
        (directory / FILE).unlink(missing_ok=True)
    except OSError:
        return
