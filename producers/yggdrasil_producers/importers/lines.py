"""Files of JSON lines: bounded lines with their numbers, and the object that stands in one."""

from collections.abc import Callable, Iterator
from json import JSONDecoder
from pathlib import Path
from typing import Any, Final, cast

import orjson

from ..errors import ImporterError
from .run import NotUnderstoodError, shown

MARK: Final = b"\xef\xbb\xbf"


def lines_in(path: Path, bytes_max: int, seen: Callable[[int], object] | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers from 1.

    Of one that is longer than ``bytes_max`` only so much comes that it shows to be. ``seen`` is told how many bytes
    were read. Raises ImporterError for a file that cannot be read.
    """
    regular(path)
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(bytes_max + 1):
                number += 1
                count, rest = len(line), line
                while len(rest) > bytes_max and not rest.endswith(b"\n"):
                    rest = file.readline(bytes_max + 1)
                    count += len(rest)
                if seen is not None:
                    seen(count)
                line = line.removeprefix(MARK) if number == 1 else line
                if line.strip() or len(line) > bytes_max:
                    yield number, line
    except OSError as error:
        raise ImporterError(f"expected a file of JSON lines at {path}: {error.strerror}") from error


def regular(path: Path) -> None:
    """Raise ImporterError for a pipe or a device: a source is read more than once, and a pipe may never be written."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ImporterError(f"{path} is a pipe or a device: a source is read more than once, so give a file")


def values_in(line: bytes) -> list[bytes]:
    """Return the values that stand on a line: mostly one, or several objects where a line end was lost."""
    if b"}" not in line[:-2].rstrip()[:-1]:
        return [line]
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return _several(line) or [line]
    return [line]


def _several(line: bytes) -> list[bytes]:
    """Return the objects that a line is made of; nothing where it is made of something else."""
    decoder, text, found, at = JSONDecoder(), line.decode("utf-8", "surrogateescape"), list[bytes](), 0
    while at < len(text):
        begin = at
        while begin < len(text) and text[begin] in " \t\r\n,":
            begin += 1
        if begin == len(text):
            break
        try:
            value, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(text[begin:at].encode("utf-8", "surrogateescape"))
    return found


def object_in(line: bytes, bytes_max: int, expected: str) -> dict[str, Any]:
    """Return the object that a line is. Raises NotUnderstoodError, which says what is ``expected``."""
    if len(line) > bytes_max:
        raise NotUnderstoodError(f"longer than {bytes_max} bytes; split it", "too long")
    try:
        found: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise NotUnderstoodError(f"{expected}, and this is no JSON: {error}", "no JSON") from error
    if not isinstance(found, dict):
        raise NotUnderstoodError(f"{expected}, and got {shown(found)}")
    return cast(dict[str, Any], found)
