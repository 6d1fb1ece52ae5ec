"""A sentence as tokens: words, what is joined to them, and marks; each with its place in the sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MARKS: Final = frozenset(",;:()!?-.")
_PIECE: Final = re.compile(r"\S+")
_JOINED: Final = ("n't", "'s", "'re", "'ve", "'m", "'ll", "'d")
_OPEN: Final = "(`"
_CLOSE: Final = ",;:.!?)`"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark; ``low`` is it in lower case, ``start`` and ``end`` are its place in the sentence."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        """Whether it is a mark between words."""
        return self.low in MARKS

    @property
    def is_capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


def tokens_of(sentence: str) -> list[Token]:
    """Return the tokens of a sentence: "Ana's" is two, and so are "don't" and "(here"."""
    found: list[Token] = []
    for piece in _PIECE.finditer(sentence):
        _parted(piece[0], piece.start(), found)
    return found


def _parted(word: str, start: int, found: list[Token]) -> None:
    """Add a word and its marks: those before it, what is joined to it, and those behind it."""
    lead = len(word) - len(word.lstrip(_OPEN))
    core = word[lead:].rstrip(_CLOSE)
    if len(core) == 1 and core.isupper() and core != "I" and word[lead + 1 : lead + 2] == ".":
        core += "."  # an initial
    if "(" in word[:lead]:
        found.append(Token("(", "(", start, start + 1))
    begin = start + lead
    end = begin + len(core)
    low = core.lower()
    joined = next((each for each in _JOINED if low.endswith(each)), "")
    cut = len(core) - len(joined)
    for text, at in ((core[:cut], begin), (core[cut:], begin + cut)):
        if text:
            found.append(Token("-" if not text.strip("-") else text, text.lower(), at, at + len(text)))
    for place, mark in enumerate(word[lead + len(core) :]):
        if mark in MARKS:
            found.append(Token(mark, mark, end + place, end + place + 1))


def slice_of(sentence: str, tokens: Sequence[Token]) -> str:
    """Return what stands in the sentence from the first of some tokens to the last, without what quotes code."""
    return sentence[tokens[0].start : tokens[-1].end].replace("`", "") if tokens else ""
