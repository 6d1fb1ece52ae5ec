"""Text files in a memory, below ``/memories``: each is a document, so whatever an edit replaces stays in the history.

What the memory knows of things is there too, in ``/memories/facts``, to be read only. The words of answers and errors
are those that the memory tool of Claude specifies.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import unquote

from yggdrasil_infra.forking import in_child

from ...memory import Memory
from .facts import fact_file, fact_files
from .shelf import Document, Documents, Put
from .written import DocumentError, Path

SHELF: Final = "files"
ROOT: Final = "/memories"
FACTS: Final = "facts"
FILE_BYTES_MAX: Final = 96 << 10
"""So many bytes of UTF-8 a file may have, all of which are searched."""
LINES_MAX: Final = 999_999
DEPTH_MAX: Final = 16
NAME_CHARS_MAX: Final = 255
ENTRIES_MAX: Final = 1_000
"""So many files a view of a directory shows, and so many are moved at once."""
_LEVELS: Final = 2  # that a view of a directory shows
_WIDTH: Final = 6  # of a line's number
_AROUND: Final = 2  # lines shown before and after an edit
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_UNSEEN: Final = re.compile(
    r"[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    r"|(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])"
    r"|(?<![\u203c-\u3299\U0001f000-\U0001faff])[\ufe00-\ufe0f]"
)
"""Characters without a form (Default_Ignorable_Code_Point and blank letters), and those that turn the order of others.

Joiners are a part of words of other scripts than ours and of pictures, selectors of a variation of pictures alone.
"""
_UNITS: Final = "BKMG"


class FileError(DocumentError):
    """A file is not there, or cannot be as it is asked for, in words for a model."""


class Files:
    """The files of one memory. Safe to use from several threads: edits through one of these follow each other.

    Every method returns what a model is told, and raises FileError in the same manner, or what the memory raises.
    """

    def __init__(self, memory: Memory[Any]) -> None:
        """``memory`` stays the caller's to close."""
        self.documents = Documents(memory, SHELF)
        self._memory = memory
        self._begin()
        in_child(self, Files._begin)  # an edit of the parent's may be under way, and never ends in the child

    def _begin(self) -> None:
        self._editing = Lock()

    def key(self, path: str) -> str:
        """Return the key under which ``Memory.history`` has all versions of a file."""
        return self.documents.key(self._named(path))

    def view(self, path: str, lines: Sequence[int] | None = None) -> str:
        """Return a file, or its ``lines`` from the first to the last (-1: the end), numbered; or a directory."""
        parts = self._named(path)
        if parts[:1] == (FACTS,):
            text = fact_file(self._memory, parts[1]) if len(parts) == 2 else None
        else:
            found = self.documents.get(parts) if parts else None
            text = None if found is None else _text(found)
        if text is not None:
            return _numbered(path, text, lines)
        return self._listed(path, parts)

    def create(self, path: str, text: str) -> str:
        """Make a file of ``text``. No other file is to look like it: see ``_check_new``."""
        parts = self._named(path, editing=True)
        with self._editing:
            if not parts or self._there(parts):
                raise FileError(f"File {path} already exists")
            _check_new(parts)
            self._check_above(parts)
            self._put(parts, text)
        return f"File created successfully at: {path}"

    def replace(self, path: str, old: str, new: str) -> str:
        """Put ``new`` in the place of ``old``, which occurs once; the file's own ends of lines stay what they are."""
        parts = self._named(path, editing=True)
        with self._editing:
            text = self._read(path, parts)
            begin, end = _place_of(path, text, old)
            line = text.count("\n", 0, begin)
            text = text[:begin] + _ended_alike(new, text, begin) + text[end:]
            self._put(parts, text)
        shown = text.split("\n")
        first = max(0, line - _AROUND)
        told = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([told, *_with_numbers(shown[first : line + 1 + _AROUND], first + 1)])

    def insert(self, path: str, line: int, text: str) -> str:
        """Put ``text`` after a line, 0 being before the first."""
        parts = self._named(path, editing=True)
        with self._editing:
            before = self._read(path, parts)
            lines = before.removesuffix("\n").split("\n") if before else []
            if not 0 <= line <= len(lines):
                raise FileError(
                    f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
                )
            above = "".join(f"{each}\n" for each in lines[:line])
            below = before[len(above) :]
            at = max(0, len(above) - 1)
            end = _end_at(before, at)
            added = _ended_alike(text.rstrip(end), before, at) + end
            if len(above) > len(before):  # the last line has no end yet
                above = before + end
            self._put(parts, above + added + below + ("" if below[-1:] in ("", "\n") else end))
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Withdraw a file, or all files in a directory."""
        parts = self._named(path, editing=True)
        if not parts:
            raise FileError(f"Cannot delete the {ROOT} directory itself")
        with self._editing:
            one = self.documents.get(parts)
            paths = [parts] if one is not None else self._some_under(parts)
            if not paths:
                raise FileError(f"The path {path} does not exist")
            while paths:
                self.documents.delete(paths, f"deleted {path}")
                paths = [] if one is not None else self._some_under(parts)
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> str:
        """Move a file, or all files in a directory; each stands in the place of what it was."""
        before, after = self._named(old, editing=True), self._named(new, editing=True)
        if not before:
            raise FileError(f"Cannot rename the {ROOT} directory itself")
        with self._editing:
            if not after or self._there(after):
                raise FileError(f"The destination {new} already exists")
            found = self._all_of(before)
            if not found:
                raise FileError(f"The path {old} does not exist")
            if after[: len(before)] == before:
                raise FileError(f"{old} cannot be moved into itself: choose a destination outside of it")
            _check_new(after)
            self._check_above(after)
            moved = [(after + each.path[len(before) :], each) for each in found]
            self.documents.put_many([Put(path, each.value, _searched(_text(each)), each) for path, each in moved])
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> str:
        """Withdraw all files."""
        with self._editing:
            while paths := self._some_under(()):
                self.documents.delete(paths, "cleared")
        return "All memory cleared"

    def _named(self, path: str, *, editing: bool = False) -> Path:
        """Return the parts of a path, as ``_parts`` does: of a file that was written decomposed, as it was written."""
        parts = _parts(path, editing=editing)
        apart = tuple(normalize("NFD", part) for part in parts)
        if apart == parts or self.documents.get(parts) is not None or self.documents.get(apart) is None:
            return parts
        return apart

    def _there(self, parts: Path) -> bool:
        """Whether there is a file, or a directory with something in it."""
        return self.documents.get(parts) is not None or any(True for _ in self.documents.under(parts, count=1))

    def _check_above(self, parts: Path) -> None:
        for end in range(1, len(parts)):
            if self.documents.get(parts[:end]) is not None:
                raise FileError(f"The path {_path(parts[:end])} is not a directory")

    def _read(self, path: str, parts: Path) -> str:
        found = self.documents.get(parts) if parts else None
        if found is not None:
            return _text(found)
        if not parts or self._there(parts):
            raise FileError(f"The path {path} is not a file.")
        raise FileError(f"The path {path} does not exist. Please provide a valid path.")

    def _some_under(self, parts: Path) -> list[Path]:
        """Return where files in a directory are: all of them, or as many as are taken at once."""
        return [each.path for each in islice(self.documents.under(parts), ENTRIES_MAX)]

    def _all_of(self, parts: Path) -> list[Document]:
        """Return the file, or the files of the directory, that are at a path."""
        found = self.documents.get(parts)
        if found is not None:
            return [found]
        some = list(islice(self.documents.under(parts), ENTRIES_MAX + 1))
        if len(some) > ENTRIES_MAX:
            raise FileError(f"{_path(parts)} has more than {ENTRIES_MAX} files: rename what is in it in smaller parts")
        return some

    def _put(self, parts: Path, text: str) -> None:
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise FileError(f"{_path(parts)} would hold half of a character: write whole ones") from error
        if size > FILE_BYTES_MAX:
            raise FileError(
                f"{_path(parts)} would have {size} bytes, and a file has at most {FILE_BYTES_MAX}: split it into two"
            )
        if text.count("\n") >= LINES_MAX:
            raise FileError(f"File {_path(parts)} exceeds maximum line limit of {LINES_MAX:,} lines.")
        self.documents.put(parts, {"text": text}, _searched(text))

    def _listed(self, path: str, parts: Path) -> str:
        """Return a directory, two levels deep, each entry with its size."""
        some = list(islice(self.documents.under(parts), ENTRIES_MAX + 1))
        sizes = {each.path[len(parts) :]: len(_text(each).encode()) for each in some[:ENTRIES_MAX]}
        if not parts or parts == (FACTS,):
            facts = [FACTS] if not parts else []
            sizes |= {(*facts, name): size for name, size in fact_files(self._memory)}
        if parts and not sizes:
            raise FileError(f"The path {path} does not exist. Please provide a valid path.")
        told = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        lines = [told, f"{_size(sum(sizes.values()))}\t{path}"]
        lines += [f"{_size(size)}\t{_path(parts)}/{name}" for name, size in _levels(sizes)]
        if len(some) > ENTRIES_MAX:
            lines.append(f"There are more than {ENTRIES_MAX} files: view one of the directories to see the rest.")
        return "\n".join(lines)


def _parts(path: str, *, editing: bool = False) -> Path:
    """Return the parts of a path below the root. Raises FileError for one that leads out, or may not be written."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise FileError(f"Path must start with {ROOT}, got: {path[:NAME_CHARS_MAX]}")
    composed = normalize("NFC", path.removeprefix(ROOT))  # or one name, written in two ways, would be two files
    parts = tuple(part for part in composed.split("/") if part not in ("", "."))
    if any(".." in re.split(r"[/\\]", unquote(part)) for part in parts):
        raise FileError(f"Path {path[:NAME_CHARS_MAX]} would escape {ROOT} directory")
    if len(parts) > DEPTH_MAX or any(len(part) > NAME_CHARS_MAX or _CONTROL.search(part) for part in parts):
        raise FileError(
            f"A path has at most {DEPTH_MAX} names of at most {NAME_CHARS_MAX} characters, and no control characters"
        )
    if editing and parts[:1] == (FACTS,):
        raise FileError(
            f"{ROOT}/{FACTS} is made of what the memory knows, and is read-only. Write what you have learnt to another "
            f"file below {ROOT}; a fact is changed by whoever has said it, with `yggdrasil fact` or Memory.observe"
        )
    return parts


def _check_new(parts: Path) -> None:
    """Raise FileError for a name that nobody could tell from another one: what differs cannot be seen."""
    for part in parts:
        if part != part.strip() or part.endswith(".") or _UNSEEN.search(part):
            raise FileError(
                f"{part[:NAME_CHARS_MAX]!r} looks like another name: leave out blanks at the ends, dots at the end and "
                "characters that cannot be seen"
            )


def _end_at(text: str, place: int) -> str:
    """Return how the line at a place of a text ends; one that does not end yet, as the one before it does."""
    end = text.find("\n", place)
    end = end if end >= 0 else text.rfind("\n", 0, place)
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _ended_alike(new: str, text: str, place: int) -> str:
    """Return ``new`` with the ends of lines that a text has at a place: CR LF where it has those (DOS, Windows)."""
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if _end_at(text, place) == "\r\n" else new


def _place_of(path: str, text: str, old: str) -> tuple[int, int]:
    """Return where ``old`` begins and ends in a text. Raises FileError unless it occurs once.

    Where it does not occur as it is written, ends of lines are taken for the same: CR LF, which a model does not see.
    """
    places, times = [(place, place + len(old)) for place in _occurrences(text, old)], text.count(old)
    if not places and "\r\n" in text + old:
        bare = text.replace("\r\n", "\n")
        ends = [place - at for at, place in enumerate(_occurrences(text, "\r\n"))]  # where they are in ``bare``
        found = _occurrences(bare, wanted := old.replace("\r\n", "\n"))
        spans = ((place, place + len(wanted)) for place in found)
        places = [(begin + bisect_left(ends, begin), end + bisect_left(ends, end)) for begin, end in spans]
        times = bare.count(wanted)
    if not places:
        raise FileError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if times > 1:
        lines = ", ".join(str(text.count("\n", 0, begin) + 1) for begin, _ in places)
        raise FileError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    return places[0]


def _path(parts: Path) -> str:
    return "/".join((ROOT, *parts))


def _text(found: Document) -> str:
    text = found.value.get("text")
    return text if isinstance(text, str) else ""


def _searched(text: str) -> str | None:
    """Return what is searched of a file; None of one that says nothing."""
    return text if text.strip() else None


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    """Yield where a text has another, whether or not these overlap."""
    place = text.find(wanted) if wanted else -1
    while place >= 0:
        yield place
        place = text.find(wanted, place + 1)


def _numbered(path: str, text: str, lines: Sequence[int] | None) -> str:
    shown, first = text.split("\n"), 1
    if lines is not None and len(lines) == 2:
        first = max(1, lines[0])
        shown = shown[first - 1 : None if lines[1] == -1 else max(0, lines[1])]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(_with_numbers(shown, first))


def _with_numbers(lines: Iterable[str], first: int) -> Iterator[str]:
    return (f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first))


def _levels(sizes: dict[Path, int]) -> list[tuple[str, int]]:
    """Return files and directories two levels deep, each directory before what is in it, in order of name.

    Nothing of which a name begins with a dot is shown.
    """
    found: dict[Path, int] = {}
    for name, size in sizes.items():
        shown = next((end for end, part in enumerate(name) if part.startswith(".")), len(name))
        for end in range(1, min(len(name), shown + 1, _LEVELS + 1)):
            found[(*name[:end], "")] = found.get((*name[:end], ""), 0) + size
        if shown == len(name) <= _LEVELS:
            found[name] = size
    return [("/".join(name), found[name]) for name in sorted(found)]


def _size(size: int) -> str:
    """Return a size as people read it, such as 1.5K."""
    unit = min(max(0, size.bit_length() - 1) // 10, len(_UNITS) - 1)
    return f"{size / 1024**unit:.1f}".removesuffix(".0") + _UNITS[unit]
