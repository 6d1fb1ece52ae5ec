"""A long text in pieces: where a model reads it part by part, and where what is shown of it may begin and end.

A piece ends where a sentence or a line does, if one does near enough. Begin and end are places in the text, in
characters. All of it takes one look at each character.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from yggdrasil_schemas.limits import PIECES_MAX

LONG_CHARS: Final = 520
"""A text of more characters is embedded in pieces, too, and so much of it is shown: 130 tokens."""
PIECE_CHARS: Final = 400
"""So many characters a piece has at most, unless that makes too many of them."""
BLANKS_MAX: Final = 3
"""Where more stand between two parts, these are apart."""
Span = tuple[int, int]

# The stops of Chinese and Japanese, of Hindi and of Urdu need no blank behind them.
_ENDS: Final = re.compile("(?<=[.!?;:])\\s|(?<=[\n\u3002\uff01\uff1f\uff1b\u0964\u06d4])")


def sentences(text: str, chars_max: int) -> list[Span]:
    """Return the sentences and lines of a text, without blanks at their ends; what is longer than that in parts."""
    places = [0, *(match.end() for match in _ENDS.finditer(text)), len(text)]
    found: list[Span] = []
    for begin, end in pairwise(places):
        said = text[begin:end]
        first = begin + len(said) - len(said.lstrip())
        last = first + len(said.strip())
        found += [(at, min(last, at + chars_max)) for at in range(first, last, chars_max)]
    return found


def pieces(text: str) -> list[Span]:
    """Return a long text in 1 to 128 pieces, of some sentences each; nothing of one that is short, or blank."""
    if len(text) <= LONG_CHARS:
        return []
    size = max(PIECE_CHARS, -(-2 * len(text) // PIECES_MAX))  # two that follow each other have more than one's size
    return gathered(sentences(text, size), size)


def joined(text: str, parts: Sequence[Span]) -> list[Span]:
    """Return parts of a text, which are in order, those as one that nothing but a blank or two stands between."""
    found: list[Span] = []
    for begin, end in parts:
        if found and begin - found[-1][1] <= BLANKS_MAX and not text[found[-1][1] : begin].strip():
            found[-1] = found[-1][0], end
        else:
            found.append((begin, end))
    return found


def gathered(parts: Sequence[Span], chars_max: int) -> list[Span]:
    """Return parts, which are in order, as many together as have so many characters."""
    found: list[Span] = []
    for begin, end in parts:
        if found and end - found[-1][0] <= chars_max:
            found[-1] = found[-1][0], end
        else:
            found.append((begin, end))
    return found
