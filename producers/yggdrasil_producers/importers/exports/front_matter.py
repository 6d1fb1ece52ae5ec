"""The lines between ``---`` at the top of a note: names with a value or a list, which is all that notes use of YAML."""

import re
from dataclasses import dataclass, field
from typing import Final

_FENCE: Final = "---"
_ENDS: Final = frozenset({"---", "..."})
_NAMED: Final = re.compile(r"([^\s:#\-\[{\"'][^:]*?)\s*:(?:\s+(.*))?")
_ENTRY: Final = re.compile(r"\s*-\s+(.*)")
LINES_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands at the top of a note: its names in small letters, each with its values; and where it ends.

    ``body`` is the number of the first line after it, from 0. ``unread`` are lines that are neither.
    """

    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    body: int = 0
    unread: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def first(self, *names: str) -> str | None:
        """Return the first value of the first of some names that has one."""
        return next((self.values[name][0] for name in names if self.values.get(name)), None)

    def all(self, *names: str) -> list[str]:
        """Return the values of all of some names, each once."""
        return list(dict.fromkeys(value for name in names for value in self.values.get(name, ())))


def front_matter(lines: list[str]) -> FrontMatter:
    """Read what stands at the top of a note; nothing, if it begins otherwise or the end of it is not found."""
    if not lines or lines[0].rstrip() != _FENCE:
        return FrontMatter()
    end = next((n for n, line in enumerate(lines[1:LINES_MAX], start=1) if line.rstrip() in _ENDS), None)
    if end is None:
        return FrontMatter()
    found = FrontMatter(body=end + 1)
    values: list[str] = []
    for number, line in enumerate(lines[1:end], start=2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if entry := _ENTRY.fullmatch(line):
            values.extend(_plain(entry[1]))
        elif named := _NAMED.fullmatch(line):
            values = found.values.setdefault(named[1].strip().lower(), [])
            values.extend(_listed(named[2] or ""))
        else:
            found.unread.append((number, line))
    return found


def _listed(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [value for each in text[1:-1].split(",") for value in _plain(each)]
    return _plain(text)


def _plain(text: str) -> list[str]:
    text = text.strip()
    for quote in ('"', "'"):
        if len(text) > 1 and text.startswith(quote) and text.endswith(quote):
            text = text[1:-1]
    return [text] if text else []
