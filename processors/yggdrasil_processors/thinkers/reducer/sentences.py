"""Where the sentences of a text begin and end."""

import re
from collections.abc import Iterator
from typing import Final

TEXT_CHARS_MAX: Final = 20_000
"""How much of a text is read."""
SENTENCE_CHARS_MAX: Final = 300
_END: Final = re.compile(r"(?<=[.!?…])[\"'\u201d\u2019)]*\s+|\n+")
_NO_END: Final = re.compile(r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Prof|Inc|Ltd|Co|No|vs|etc|approx)|e\.g|i\.e)\.$")
_NO_END_CHARS: Final = 16  # of a piece: what ends no sentence is shorter, and what was said before is not looked at
_SPELT: Final = {0x2019: "'", 0x2013: "-", 0x2014: ";"}


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are not too long, each without what surrounds it."""
    begun: list[str] = []
    for piece in _END.split(text[:TEXT_CHARS_MAX]):
        begun.append(piece)
        if not _NO_END.search(piece[-_NO_END_CHARS:]):
            yield from _whole(begun)
            begun = []
    yield from _whole(begun)


def _whole(pieces: list[str]) -> Iterator[str]:
    sentence = " ".join(pieces).strip()
    if 0 < len(sentence) <= SENTENCE_CHARS_MAX:
        yield sentence


def spelt(sentence: str) -> str:
    """Return a sentence with one sort of apostrophes, and dashes as marks; each character stays where it is."""
    return sentence.translate(_SPELT)
