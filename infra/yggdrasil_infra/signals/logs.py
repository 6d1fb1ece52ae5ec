"""Logging of a process that runs for months: one line per entry on stderr, for a collector (json) or for people (text).

What a sender chose may be part of a message, so no entry can break its line, forge another or move a terminal.
"""

import json
import logging
import re
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Final, Literal, TextIO, cast

from ..paths import whole
from ..private import open_private
from .trouble import Folded

Form = Literal["json", "text"]
Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]

ROOT: Final = "yggdrasil"
"""The name above all loggers of this system."""
_LIBRARIES: Final = ("aiokafka", "asyncio", "faust", "kafka", "mode", "uvicorn")
_OF_KAFKA: Final = ("aiokafka", "faust", "kafka", "mode")
_HANDLER: Final = "yggdrasil-stderr"
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_SELDOM_S: Final = 30.0
_FILE_BYTES_MAX: Final = 1_000_000
_KEYS_MAX: Final = 1_000
_KEY_CHARS_MAX: Final = 200
# Controls of both sets, other ends of lines, and what changes the direction of writing.
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def configure(form: Form, level: Level = "INFO", file: Path | None = None) -> None:
    """Send the log of this system to stderr in ``form`` from ``level`` on, and the warnings of libraries with it.

    What clients of Kafka say while brokers are away is folded (see ``trouble``), unless ``level`` is DEBUG.
    With ``file`` it goes there, and what is older is in one more file, both of at most a megabyte. Calling it again
    replaces what the last call has set up.
    """
    out = sys.stderr if file is None else cast(TextIO, BoundedFile(file))
    folded = Folded()
    for name, least in ((ROOT, level), *((name, "WARNING") for name in _LIBRARIES)):
        handler = logging.StreamHandler(out)
        handler.set_name(_HANDLER)
        handler.setFormatter(JsonLines() if form == "json" else TextLines())
        if name in _OF_KAFKA and level != "DEBUG":
            handler.addFilter(folded)
        elif name in _LIBRARIES:
            handler.addFilter(Seldom())
        logger = logging.getLogger(name)
        for old in [known for known in logger.handlers if known.get_name() == _HANDLER]:
            logger.removeHandler(old)
        logger.addHandler(handler)
        logger.setLevel(least)


class BoundedFile:
    """A file that several handlers write to; when it is full it is put aside, in place of the one before."""

    def __init__(self, path: Path, bytes_max: int = _FILE_BYTES_MAX) -> None:
        self._path = path = whole(path)
        self._bytes_max = bytes_max
        self._lock = threading.Lock()
        self._file = open_private(path, "ab")

    def write(self, text: str) -> None:
        """Write whole lines."""
        with self._lock:
            if self._file.tell() >= self._bytes_max:
                self._file.close()
                self._path.rename(self._path.with_name(f"{self._path.name}.1"))
                self._file = open_private(self._path, "ab")
            self._file.write(text.encode(errors="backslashreplace"))

    def flush(self) -> None:
        """Hand to the system what was written."""
        with self._lock:
            self._file.flush()


class Seldom(logging.Filter):
    """Let the same message through once in a while: kafka-python says fifteen times a second that a broker is away.

    What it says with a traceback is said with the error's own words: it logs one whenever a connection is closed while
    it reads, and nobody can do anything about the lines of a library.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether this message, whatever its arguments, was last let through long enough ago."""
        key = record.name, str(record.msg)[:_KEY_CHARS_MAX]
        if record.created - self._last.get(key, 0.0) < _SELDOM_S:
            return False
        if len(self._last) >= _KEYS_MAX:
            self._last.clear()
        self._last[key] = record.created
        if record.exc_info and record.exc_info[1] is not None:
            record.msg, record.args = f"{record.getMessage()}: {record.exc_info[1]!r}", ()
            record.exc_info = None
        return True


class JsonLines(logging.Formatter):
    """One JSON object per entry: time, level, logger, event, what was given as ``extra``, and exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry as one line of ASCII, which no terminal, collector or locale can misread."""
        line: dict[str, object] = {
            "time": _moment(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
        }
        for name, value in _extra(record).items():
            line[f"{name}_" if name in line or name == "exception" else name] = _plain(value)
        if trace := _trace(self, record):
            line["exception"] = trace
        return json.dumps(line)


class TextLines(logging.Formatter):
    """Time of day in UTC, level, logger, message, then ``name=value``; a traceback follows on indented lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the entry; everything but the lines of its traceback stands on one line."""
        words = [f"{_moment(record):%H:%M:%S}.{record.msecs:03.0f}", f"{record.levelname:<7}", f"{record.name}:"]
        words += [record.getMessage(), *(f"{name}={value}" for name, value in _extra(record).items())]
        trace = _trace(self, record).split("\n") if record.exc_info else []
        return "\n".join([_visible(" ".join(words)), *(f"    {_visible(line)}" for line in trace)])


def _moment(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _OWN}


def _trace(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    return formatter.formatException(record.exc_info) if record.exc_info and record.exc_info[0] else ""


def _plain(value: object) -> object:
    """Return what JSON has a form for as it is, a list or a tuple of that too, and the text of everything else."""
    if isinstance(value, list | tuple):
        return [one if _is_plain(one) else str(one) for one in cast(Sequence[object], value)]
    return value if _is_plain(value) else str(value)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value))


def _visible(text: str) -> str:
    return _CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)
