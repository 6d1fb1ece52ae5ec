"""A markdown note, taken apart into its sections: a heading, what stands below it, and the tags and links in that."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?")
_HEADING_CHARS_MAX: Final = 1_024  # all that is below it says it; a longer line is a text
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE: Final = re.compile(r"`[^`\n]*`")
_TAG: Final = re.compile(r"(?<![\w&/#])#([^\W\d][\w/-]*)")
_WIKI: Final = re.compile(r"\[\[([^\]\[|#\n]{1,300})(?:#[^\]\[|\n]{0,300})?(?:\|[^\]\[\n]{0,300})?\]\]")
_LINK: Final = re.compile(r"\]\(<?([^)\s>#:]{1,300}\.(?:md|markdown))(?:#[^)\s>]{0,300})?>?\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its headings from the top of the note down to its own, its line from 1, its text, tags and links."""

    headings: tuple[str, ...]
    line: int
    text: str
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


def sections(lines: list[str], first: int) -> Iterator[Section]:
    """Yield the sections of a note whose text begins with the line ``first``, from 0; what has no text is left out.

    A heading with nothing below it, neither text nor other headings, is a text by itself.
    """
    above: list[tuple[int, str]] = []
    begun, below, prose = first, list[str](), list[str]()
    fence = ""
    for number, line in enumerate([*lines[first:], "#"], start=first):
        last = number == len(lines)
        mark = _FENCE.match(line)
        heads = last or not (fence or mark or len(line) > _HEADING_CHARS_MAX)
        heading = _HEADING.fullmatch(line) if heads else None
        if heading is None:
            if mark and (not fence or (mark[1].startswith(fence) and not line.strip().strip(fence[0]))):
                fence = "" if fence else mark[1]
            below.append(line)
            prose.append("" if fence or mark else line)
            continue
        level = len(heading[1])
        text = "\n".join(below).strip()
        leaf = bool(above) and (last or level <= above[-1][0])
        if text or leaf:
            yield _section(above, begun + 1, text, "\n".join(prose))
        above = [each for each in above if each[0] < level] + [(level, _title(heading[2] or ""))]
        begun, below, prose = number, [], []


def _title(text: str) -> str:
    """Return the title in a heading, without the number signs that may close it."""
    text = text.strip()
    bare = text.rstrip("#")
    return text if bare and bare[-1] not in " \t" else bare.strip()


def _section(above: list[tuple[int, str]], line: int, text: str, prose: str) -> Section:
    headings = tuple(title for _, title in above if title)
    prose = _CODE.sub("", prose)
    links = [found[1].strip() for found in _WIKI.finditer(prose)]
    links += [PurePosixPath(found[1].replace("%20", " ")).stem for found in _LINK.finditer(prose)]
    tags = _TAG.findall(_WIKI.sub("", prose))
    return Section(headings, line, text or (headings[-1] if headings else ""), _once(tags), _once(links))


def _once(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
