"""What the files of an export hold, value by value: elements of an array, lines, or lists that an object has."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast

import orjson

from ...errors import ImporterError
from ..lines import MARK, values_in
from ..run import NotUnderstoodError, Seen, Unread, shown
from .arrays import ELEMENT_BYTES_MAX, ArrayReader, CutOffError
from .files import ExportFile, Wanted, files_of, reading

_BEGINNING_BYTES: Final = 4_096
# Half a character: one of a pair of escapes without the other, as a program leaves it that cuts a text to a length.
_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_REPLACEMENT: Final = rb"\ufffd"


@dataclass(frozen=True, slots=True)
class Element:
    """An object of an export: where it stands, its fields, and of what list of another object it was, if of one."""

    place: str
    fields: dict[str, Any]
    under: str | None = None


@dataclass(slots=True)
class Export:
    """The export at ``path``: which files of it are read, and of which lists of an object at their top the elements."""

    path: Path
    wanted: Wanted
    lists: tuple[str, ...] = ()

    def elements(self, unread: Unread, seen: Seen) -> Iterator[Element]:
        """Yield the objects; what is none is noted in ``unread``. ``seen`` is told how many bytes were read.

        Raises ImporterError as ``files_of`` and ``reading`` do, and for what is not in UTF-8.
        """
        files = files_of(self.path, self.wanted, unread)
        for file in files:
            where = f"{file.name}, " if len(files) > 1 else ""
            for place, raw in self._values(file, where, unread, seen):
                with unread.noting(place):
                    yield from self._unfolded(place, _decoded(raw, place, unread), unread)

    def _unfolded(self, place: str, value: Any, unread: Unread) -> Iterator[Element]:
        fields = _object(value)
        lists = [name for name in self.lists if isinstance(fields.get(name), list)]
        if not lists:
            yield Element(place, fields)
        for name in lists:
            for number, each in enumerate(cast(list[Any], fields[name]), start=1):
                with unread.noting(within := f"{place}, {name} {number}"):
                    yield Element(within, _object(each), name)

    def _values(self, file: ExportFile, where: str, unread: Unread, seen: Seen) -> Iterator[tuple[str, bytes]]:
        if _begins_with_array(self.path, file):
            with reading(self.path, file) as stream:
                yield from _of_array(stream, where, unread, seen)
            return
        whole = None
        with reading(self.path, file) as stream:
            if not all(
                map(_is_value, values_in(_first_line(stream)) or [b""])
            ):  # one document over several lines, or a line that is damaged
                whole = _document(self.path, file)
        if whole is not None:
            seen(len(whole))
            yield f"{where}the document", whole
            return
        with reading(self.path, file) as stream:
            yield from _of_lines(stream, where, unread, seen)


def _begins_with_array(path: Path, file: ExportFile) -> bool:
    with reading(path, file) as stream:
        begun = stream.read(_BEGINNING_BYTES)
    if begun.startswith(b"PK\3\4"):
        raise ImporterError(f"{path} is an archive that was cut off or is damaged: download the export again")
    if begun.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in begun:
        named = path if path.name == file.name else f"{path}, {file.name}"
        raise ImporterError(f"{named}: expected JSON in UTF-8, and this is UTF-16 or no text; convert it")
    return begun.removeprefix(MARK).lstrip()[:1] == b"["


def _of_array(stream: IO[bytes], where: str, unread: Unread, seen: Seen) -> Iterator[tuple[str, bytes]]:
    mark = stream.read(len(MARK))
    seen(len(mark))
    mark = b"" if mark == MARK else mark
    number = 0
    try:
        for raw in ArrayReader(stream, seen, mark).elements():
            number += 1
            if raw is None:
                unread.add(
                    f"{where}element {number}", "too long", f"longer than {ELEMENT_BYTES_MAX:,} bytes", hides=True
                )
            else:
                yield f"{where}element {number}", raw
    except CutOffError as error:
        unread.add(f"{where}after element {number}", "the rest of a file", str(error), hides=True)


def _of_lines(stream: IO[bytes], where: str, unread: Unread, seen: Seen) -> Iterator[tuple[str, bytes]]:
    number = 0
    while line := stream.readline(ELEMENT_BYTES_MAX + 1):
        number += 1
        seen(len(line))
        if len(line) > ELEMENT_BYTES_MAX:
            why = f"longer than {ELEMENT_BYTES_MAX:,} bytes: give one object a line"
            unread.add(f"{where}line {number}", "too long", why, hides=True)
            while line and not line.endswith(b"\n"):
                line = stream.readline(ELEMENT_BYTES_MAX)
                seen(len(line))
            continue
        line = line.removeprefix(MARK) if number == 1 else line
        if line.strip():
            values = values_in(line)
            for place, value in enumerate(values, start=1):
                yield f"{where}line {number}" + (f", object {place}" if len(values) > 1 else ""), value


def _first_line(stream: IO[bytes]) -> bytes:
    """Return the first line that is not blank; of one that is too long nothing, as it is no value."""
    while line := stream.readline(ELEMENT_BYTES_MAX + 1):
        if line.removeprefix(MARK).strip():
            return line.removeprefix(MARK)
    return b""


def _document(path: Path, file: ExportFile) -> bytes | None:
    """Return the whole file if it is one value, and of a size that one may have."""
    with reading(path, file) as stream:
        whole = stream.read(ELEMENT_BYTES_MAX + 1).removeprefix(MARK)
    return whole if len(whole) <= ELEMENT_BYTES_MAX and _is_value(whole) else None


def _is_value(raw: bytes) -> bool:
    try:
        _loaded(raw)
    except orjson.JSONDecodeError:
        return False
    return True


def _decoded(raw: bytes, place: str, unread: Unread) -> Any:
    """Return a value. What is only half a character is replaced, and that is noted."""
    try:
        value, mended = _loaded(raw)
    except orjson.JSONDecodeError as error:
        raise NotUnderstoodError(f"this is no JSON: {error}", "no JSON") from error
    if mended:
        unread.add(place, "half a character: U+FFFD is in its place, and the rest is taken")
    return value


def _loaded(raw: bytes) -> tuple[Any, bool]:
    """Return a value, and whether there was half a character in it. Raises JSONDecodeError."""
    try:
        return orjson.loads(raw), False
    except orjson.JSONDecodeError:
        if (mended := _mended(raw)) == raw:
            raise
        return orjson.loads(mended), True


def _mended(raw: bytes) -> bytes:
    return _ESCAPE.sub(lambda found: _REPLACEMENT if found[1] else found[0], raw)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotUnderstoodError(f"expected an object, and got {shown(value)}", "no object")
    return cast(dict[str, Any], value)
