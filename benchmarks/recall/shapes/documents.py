"""Python's FAQ and HOWTOs, as the Debian package ``python3-doc`` has them: paragraphs, asked by their headings."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from .shape import Asked, Shape, Text

FOLDERS: Final = ("faq", "howto")
_WORDS_MIN: Final = 6
_HEADINGS: Final = ("h1", "h2", "h3", "h4")
_NUMBER: Final = re.compile(r"^[\d.]+\s*")


class _Sections(HTMLParser):
    """Collects the sections of a page: each heading with the paragraphs beneath it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []
        self._reading = ""
        self._text = ""
        self._within = self._link = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin to read a heading or a paragraph of the page's body."""
        classes = dict(attrs).get("class") or ""
        self._within = self._within or (tag == "div" and classes == "body")
        self._link = self._link or (tag == "a" and "headerlink" in classes)
        if self._within and (tag in _HEADINGS or (tag == "p" and not self._reading)):
            self._reading, self._text = tag, ""

    def handle_endtag(self, tag: str) -> None:
        """Keep what was read."""
        if tag == "a":
            self._link = False
        if tag != self._reading:
            return
        text = " ".join(self._text.split())
        if tag != "p":
            self.found.append((_NUMBER.sub("", text), []))
        elif self.found and len(text.split()) >= _WORDS_MIN:
            self.found[-1][1].append(text)
        self._reading = ""

    def handle_data(self, data: str) -> None:
        """Read on."""
        if self._reading and not self._link:
            self._text += data


def documents(folder: Path, name: str) -> Shape:
    """Read the pages of ``folder / name``: a session for each page, a question for each heading of some words."""
    texts: list[Text] = []
    asked: list[Asked] = []
    for page in sorted(each for each in (folder / name).glob("*.html") if each.stem != "index"):
        sections = _Sections()
        sections.feed(page.read_text(encoding="utf-8"))
        for heading, paragraphs in sections.found[1:]:  # the first is the page's own, above a list of the others
            if len(heading.split()) >= 2 and paragraphs:
                asked.append(Asked(heading, frozenset(range(len(texts), len(texts) + len(paragraphs)))))
            texts += [Text(paragraph, page.stem) for paragraph in paragraphs]
    return Shape(name, texts, asked)
