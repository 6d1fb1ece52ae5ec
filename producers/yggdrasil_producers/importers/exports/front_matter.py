"""The lines between ``---`` at the top of a note: names with a value or a list, which is all that notes use of YAML."""

import re
from dataclasses import dataclass, field
from typing import Final

_FENCE: Final = "---"
_ENDS: Final = frozenset({"---", "..."})
_BEGINS: Final = re.compile(r"[^\s:#\-\[{\"']")
_ENTRY: Final = re.compile(r"[ \t]*-(?:[ \t]|$)")
_COMMENT: Final = re.compile(r"(?:^|[ \t])#")
_PARTS: Final = re.compile(r"\"(?:[^\"\\]|\\.){0,256}\"|'(?:[^']|''){0,256}'|[^,\"']+|[\"']|,")
_QUOTES: Final = ('"', "'")
_BLOCKS: Final = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
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
    """Read what stands at the top of a note; nothing, if it begins otherwise or the end of it is not found.

    Where more lines between are no names with values than are, it is what somebody wrote between two rules, and nothing
    of it is taken away.
    """
    if not lines or lines[0].rstrip() != _FENCE:
        return FrontMatter()
    end = next((n for n, line in enumerate(lines[1:LINES_MAX], start=1) if line.rstrip() in _ENDS), None)
    if end is None:
        return FrontMatter()
    found = FrontMatter(body=end + 1)
    values: list[str] | None = None
    for number, line in enumerate(lines[1:end], start=2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if values is not None and _ENTRY.match(line):
            values.extend(_plain(line.lstrip()[1:]))
        elif values is not None and line[0] in " \t":
            values.append(line.strip())  # a text over several lines, or what a name has below it
        elif (name := _name(line)) is not None:
            values = found.values.setdefault(name, [])
            values.extend(_listed(line.partition(":")[2]))
        else:
            found.unread.append((number, line))
    return found if len(found.values) >= max(1, len(found.unread)) else FrontMatter()


def _name(line: str) -> str | None:
    """Return the name that a line gives a value, in small letters; None where it gives none."""
    name, colon, rest = line.partition(":")
    if not colon or not _BEGINS.match(line) or (rest and rest[0] not in " \t"):
        return None
    return name.strip().lower()


def _listed(text: str) -> list[str]:
    text = _without_comment(text).strip()
    if text.startswith("[") and text.endswith("]"):
        parts, part = list[str](), ""
        for found in _PARTS.finditer(text[1:-1]):
            if found[0] == ",":
                parts.append(part)
                part = ""
            else:
                part += found[0]
        return [value for each in (*parts, part) for value in _unquoted(each)]
    return [] if text in _BLOCKS else _unquoted(text)


def _plain(text: str) -> list[str]:
    return _unquoted(_without_comment(text))


def _without_comment(text: str) -> str:
    """Return a value without the comment behind it; a number sign within quotes, or within a word, begins none."""
    text = text.strip()
    quote = text[:1]
    if quote in _QUOTES:
        end = text.find(quote, 1)
        while end > 0 and text[end - 1] == "\\" and quote == '"':
            end = text.find(quote, end + 1)
        return text[: end + 1] if end > 0 and _COMMENT.match(text, end + 1) else text
    if text.startswith("["):
        end = text.find("]") if "#" in text else -1
        while end >= 0 and not _COMMENT.match(text, end + 1):
            end = text.find("]", end + 1)
        return text if end < 0 else text[: end + 1]
    found = _COMMENT.search(text)
    return text if found is None else text[: found.start()]


def _unquoted(text: str) -> list[str]:
    text = text.strip()
    if len(text) > 1 and text[0] in _QUOTES and text[0] == text[-1]:
        text = text[1:-1].replace('\\"', '"') if text[0] == '"' else text[1:-1].replace("''", "'")
    return [text] if text else []
