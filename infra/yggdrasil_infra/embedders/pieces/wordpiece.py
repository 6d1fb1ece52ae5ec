"""WordPiece: a text as the numbers of its pieces, as the uncased BERT models were taught.

The rules are those of "BERT: Pre-training of Deep Bidirectional Transformers" (Devlin and others, 2018) and its
published code, which every model here shares: clean, part Chinese characters and punctuation, strip accents, lower
case, then the longest known piece first. Over the package ``tokenizers``, which brings a client of a model hub and its
network stack along; the tests hold what that package makes of the same texts.

``bert_uncased.txt`` is the vocabulary of BERT (Google, Apache License 2.0), one piece a line, its number the line's.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

PIECES: Final = 30_522  # what the models' tables of embeddings have room for
_WORD_CHARS_MAX: Final = 100  # a longer word is one unknown piece
_CONTINUED: Final = "##"
_UNKNOWN: Final = "[UNK]"
# Characters without spaces between words: each is a word of its own. The ranges are those of BERT's code.
_IDEOGRAPH: Final = re.compile(
    "([\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f])"
)
_ASCII_PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")  # some of it is a symbol to Unicode


@cache
def vocabulary() -> dict[str, int]:
    """Return the number of each piece. Raises ValueError if the file is not the whole vocabulary."""
    text = files(__package__ or "").joinpath("bert_uncased.txt").read_text(encoding="utf-8")
    pieces = text.removesuffix("\n").split("\n")
    if len(pieces) != PIECES:
        raise ValueError(f"the vocabulary has {len(pieces)} pieces instead of {PIECES}: install the package anew")
    return {piece: number for number, piece in enumerate(pieces)}


def tokenise(text: str, tokens_max: int) -> list[int]:
    """Return the numbers of the pieces of ``text`` between those of [CLS] and [SEP], at most ``tokens_max`` in all.

    What does not fit is cut off at the end. A text that spells such a mark, "[SEP]", is text like any other here.
    """
    known = vocabulary()
    numbers = [known["[CLS]"]]
    room = tokens_max - 1
    for word in _words(text):
        numbers += [known[piece] for piece in _pieces(word, known)]
        if len(numbers) >= room:
            break
    return [*numbers[:room], known["[SEP]"]]


def _words(text: str) -> Iterator[str]:
    for run in _plain(text).split():
        word = ""
        for char in run:
            if not _is_punctuation(char):
                word += char
                continue
            if word:
                yield word
            yield char
            word = ""
        if word:
            yield word


def _plain(text: str) -> str:
    """Clean, part ideographs, strip accents and put into lower case: in this order, and character by character."""
    kept = "".join(" " if char.isspace() else char for char in text if _is_kept(char))
    marked = unicodedata.normalize("NFD", _IDEOGRAPH.sub(r" \1 ", kept))
    # Each by itself: in a whole word, Python ends "ΟΔΟΣ" with another sigma than the models were taught.
    return "".join(char.lower() for char in marked if unicodedata.category(char) != "Mn")


def _is_kept(char: str) -> bool:
    if char in "\t\n\r":
        return True
    return char != "\ufffd" and unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs"}


def _is_punctuation(char: str) -> bool:
    return char in _ASCII_PUNCTUATION or unicodedata.category(char).startswith("P")


def _pieces(word: str, known: dict[str, int]) -> list[str]:
    """The longest known piece first, from the left; a word with a part that is no piece is unknown as a whole."""
    if len(word) > _WORD_CHARS_MAX:
        return [_UNKNOWN]
    pieces: list[str] = []
    start = 0
    while start < len(word):
        prefix = _CONTINUED if start else ""
        end = len(word)
        while end > start and prefix + word[start:end] not in known:
            end -= 1
        if end == start:
            return [_UNKNOWN]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces
