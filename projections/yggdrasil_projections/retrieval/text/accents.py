"""Words without what is written upon their letters: people leave it out, and write it, in the same language.

Which marks these are differs from script to script:

* of Latin letters all of them (é, ö, ş, ế), with strokes, hooks and bars (ł, ø, đ) and ligatures (æ, œ); ð and þ as d
  and th, as they are written where a keyboard has neither. ß is ss already, and the dotless i is i;
* of Greek letters all of them: the tonos, the dialytika, and breathings;
* of Cyrillic letters stress, and the dots of ё, which Russian mostly leaves out. Not the breve of й and ў, nor the dots
  of ї: these are letters, and nobody leaves that out;
* of no other script. What stands upon a kana or within a syllable of Devanagari, Thai or Arabic makes another sound,
  and what of Hebrew and Arabic is left out in writing is left out of every word (``unicode``).
"""

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

_KNOWN_MAX: Final = 16_384  # words of questions and of names, some 3 MB
# Letters that may lose something although they are one character, and all marks upon letters of these scripts.
_MARKED: Final = re.compile(
    "[\xe6\xf0\xf8\xfe\u0100-\u02af\u0300-\u036f\u1ab0-\u1aff\u1d00-\u1dff\u2c60-\u2c7f\ua720-\ua7ff\ufe20-\ufe2f]"
)
_WRITTEN_AS: Final = {"æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
_WITH: Final = re.compile("LATIN SMALL LETTER ([A-Z]) WITH ")
_STRESS: Final = "\u0300\u0301"
_DOTS: Final = "\u0308"


@lru_cache(_KNOWN_MAX)
def unmarked(word: str) -> str:
    """Return a word, in lower case and in normal form C, without the marks that people leave out."""
    if word.isascii() or (unicodedata.is_normalized("NFD", word) and not _MARKED.search(word)):
        return word
    kept: list[str] = []
    base = ""
    for letter in unicodedata.normalize("NFD", word):
        if not unicodedata.category(letter).startswith("M"):
            base = letter
            kept.append(_written(letter))
        elif not _left_out(letter, base):
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


@cache
def _written(letter: str) -> str:
    """Return a letter as it is written by whoever lacks it."""
    plain = _WITH.match(unicodedata.name(letter, ""))
    return _WRITTEN_AS.get(letter, letter if plain is None else plain[1].lower())


def _left_out(mark: str, base: str) -> bool:
    """Return whether a mark may be left out upon a letter."""
    script = _script(base)
    if script == "CYRILLIC":
        return mark in _STRESS or (mark == _DOTS and base == "\N{CYRILLIC SMALL LETTER IE}")
    return script in {"LATIN", "GREEK"}


@cache
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0] if letter else ""
