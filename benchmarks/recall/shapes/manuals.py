"""Manual pages: what each describes, asked by its purpose in one line."""

import gzip
import re
from pathlib import Path
from typing import Final, NamedTuple

from .shape import Asked, Shape, Text

PAGES_MAX: Final = 400
_LEFT_OUT: Final = 40  # pages that are asked for and not remembered
_LOOKED_AT: Final = 1_600
_WORDS: Final = 90  # of a description
_WORDS_MIN: Final = 12
_PURPOSE_MIN: Final = 3
_TEXT: Final = re.compile(r"\.(?:B|I|BR|IR|RB|RI|BI|IB|Nm|Nd|Fl|Ar|Xr|Em|Li|Pa)\s+(.*)")
_SECTION: Final = re.compile(r'\.(?:SH|Sh)\s+"?([^"]+)"?')
_FONT: Final = re.compile(r"\\f\(..|\\f\[[^]]*\]|\\f.|\\s[-+]?\d")
_PLAIN: Final = {"\\-": "-", "\\&": "", "\\ ": " ", "\\(aq": "'", "\\e": "\\", "\\|": "", "\\'": "'"}
_NAMED: Final = re.compile(r"\\\(..|\\\*\(..|\\\[[^]]*\]")


class Page(NamedTuple):
    """A manual page: its purpose in one line, and how its description begins."""

    purpose: str
    description: str


def manuals(folder: Path) -> Shape:
    """Read up to 400 of the commands' pages below ``folder``, evenly spaced; 40 more are asked for and not there."""
    files = sorted(file for section in ("man1", "man8") for file in (folder / section).glob("*.gz"))
    seen: set[str] = set()
    pages: list[Page] = []
    for file in files[:: max(1, len(files) // _LOOKED_AT)]:
        page = _page(file)
        if page and not seen & {page.purpose.lower(), page.description}:
            seen |= {page.purpose.lower(), page.description}
            pages.append(page)
    kept, others = pages[::2][:PAGES_MAX], pages[1::2][:_LEFT_OUT]
    asked = [Asked(page.purpose, frozenset([place])) for place, page in enumerate(kept)]
    asked += [Asked(page.purpose, frozenset()) for page in others]
    return Shape("manuals", [Text(page.description) for page in kept], asked)


def _page(file: Path) -> Page | None:
    try:
        with gzip.open(file, "rt", encoding="utf-8", errors="replace") as source:
            lines = source.read().splitlines()
    except OSError:  # a link that leads nowhere
        return None
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if heading := _SECTION.match(line):
            current = sections.setdefault(heading[1].strip().upper(), [])
        elif line.startswith("."):
            if text := _TEXT.match(line):
                current.append(("- " if line.startswith(".Nd") else "") + text[1].replace('"', ""))
        elif not line.startswith("'"):
            current.append(line)
    name, dash, purpose = _plain(sections.get("NAME", [])).partition(" - ")
    description = _plain(sections.get("DESCRIPTION", [])).split()
    if not (name and dash) or len(purpose.split()) < _PURPOSE_MIN or len(description) < _WORDS_MIN:
        return None
    return Page(purpose, " ".join(description[:_WORDS]))


def _plain(lines: list[str]) -> str:
    text = _FONT.sub("", " ".join(lines))
    for escape, character in _PLAIN.items():
        text = text.replace(escape, character)
    return " ".join(_NAMED.sub("", text).split())
