"""Events as the shell has kept them, each in a file, until a process has taken what they say into the outbox.

``hook.sh`` writes an event as it comes, before Python is started, so that none is lost where that takes too long: on a
busy machine, or where the agent ends it. It is there as it came, and not redacted: on a quiet machine for milliseconds,
and in a folder that is its owner's alone, of ``$XDG_RUNTIME_DIR`` where there is one, which is in memory. What was left
behind is taken in by the next hook, of whichever project, and by ``yggdrasil hooks show``.

A file begins with fields that end with a zero byte: the form, the folder, four variables, how many options the hook was
given, and these. The event follows.
"""

import fcntl
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import time
from typing import Any, Final, NamedTuple

from ..outbox import count_lost
from ..service import Away, record

FOLDER: Final = "hooks-spool"
RUNTIME_FOLDER: Final = "yggdrasil-hooks"
EVENT_BYTES_MAX: Final = 32 << 20
WAITING_MAX: Final = 2_000
_OWN_S: Final = 3.0  # what is younger is most likely about to be taken in by its own process
_PART: Final = ".part"
_PART_S: Final = 60.0  # ... and what is not whole by then never will be
_LOCK: Final = "lock"
_FORM: Final = b"1"
_VARIABLES: Final = ("CLAUDE_PROJECT_DIR", "YGGDRASIL_DIR", "YGGDRASIL_MEMORY", "YGGDRASIL_SOURCE")
_OPTIONS_MAX: Final = 64
_DIGITS_MAX: Final = 300  # far below what Python refuses to read
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")


class Kept(NamedTuple):
    """An event as it was kept: where it happened, with which variables and options, and what the agent said."""

    folder: str
    variables: Mapping[str, str]
    options: Sequence[str]
    said: bytes


Take = Callable[[Kept], bool]
"""Takes an event into the outbox; returns whether it could be read. An OSError, or Away, leaves the event there."""


def folders(variables: Mapping[str, str], data: str) -> list[str]:
    """Return where events may be kept: in the folder of what runs, and in that of the memories."""
    runtime = variables.get("XDG_RUNTIME_DIR", "")
    found = [os.path.join(runtime, RUNTIME_FOLDER)] if os.path.isabs(runtime) else []
    return [*found, os.path.join(data, FOLDER)]


def parsed(said: bytes) -> dict[str, Any]:
    """Return an event as it is meant: with bytes that are no UTF-8, control characters, or a torn line before it.

    Empty where it is none.
    """
    text = said.decode("utf-8", "replace")
    decoder = json.JSONDecoder(strict=False, parse_int=_number)
    for begin in dict.fromkeys((text.find("{"), text.rfind("\n{") + 1)):
        if begin >= 0:
            with suppress(ValueError, RecursionError):
                found, _ = decoder.raw_decode(text, begin)
                return record(_whole(found) if _HALF.search(text) else found)
    return {}


def _number(digits: str) -> int | str:
    """Return an integer; one that is longer than any that is meant, as the text that it is."""
    return int(digits) if len(digits) <= _DIGITS_MAX else digits


def _whole(found: Any) -> Any:
    """Return what has halves of characters with others in their place: no file and no service takes them."""
    return json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))


def kept_in(path: str) -> Kept | None:
    """Return the event in a file; None where it is none of ours. Raises OSError."""
    with open(path, "rb") as file:
        data = file.read(EVENT_BYTES_MAX + (1 << 20))
    fields = data.split(b"\0", len(_VARIABLES) + 3)
    form, folder, *variables, count, rest = fields if len(fields) == len(_VARIABLES) + 4 else [b"", b"", b"", b""]
    if form != _FORM or not count.isdigit() or int(count) > _OPTIONS_MAX:
        return None
    *options, said = rest.split(b"\0", int(count))
    if len(options) != int(count):
        return None
    given = {name: os.fsdecode(value) for name, value in zip(_VARIABLES, variables, strict=True) if value}
    return Kept(os.fsdecode(folder), given, [os.fsdecode(option) for option in options], said)


def age_s(path: str) -> float:
    """Return how many seconds ago an event was kept; 0 of one that is none."""
    try:
        return max(0.0, time() - os.stat(path).st_mtime)
    except OSError:
        return 0.0


def done(path: str) -> None:
    """Let go of an event that has been taken in."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def waiting(folder: str) -> int:
    """Return how many events are kept in a folder."""
    return len(_left(folder, -1.0))


def take_in(folder: str, take: Take) -> None:
    """Take in what was left behind, the oldest first, one process at a time.

    What cannot be written now, since its directory is away, goes behind the others, and stands in nobody's way.
    """
    if not _left(folder, _OWN_S):
        return
    at = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # another does it
        left = _left(folder, _OWN_S)
        for path in left[:-WAITING_MAX]:
            count_lost(folder, 1)
            done(path)
        for path in left[-WAITING_MAX:]:
            try:
                kept = kept_in(path)
            except FileNotFoundError:
                continue
            try:
                readable = kept is not None and take(kept)
            except (Away, OSError):
                with suppress(OSError):
                    os.utime(path)
                continue
            if not readable:
                count_lost(folder, 1)
            done(path)
    finally:
        os.close(at)


def _left(folder: str, older_s: float) -> list[str]:
    """Return the events in a folder that are older than so many seconds, the oldest first."""
    now, found = time(), list[tuple[float, str]]()
    try:
        with os.scandir(folder) as each:
            for entry in each:
                number, _, rest = entry.name.partition("-")
                if number.isdigit() and rest.removesuffix(_PART).isdigit() and entry.is_file(follow_symlinks=False):
                    at = entry.stat(follow_symlinks=False).st_mtime
                    if now - at > max(older_s, _PART_S if rest.endswith(_PART) else older_s):
                        found.append((at, entry.path))
    except OSError:
        return []
    return [path for _, path in sorted(found)]
