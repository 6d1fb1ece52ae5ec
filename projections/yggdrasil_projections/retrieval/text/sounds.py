"""How a word of Latin letters sounds, about: names that are spelt in several ways are one by that.

A phonetic key in the manner of Metaphone (Philips, "Hanging on the Metaphone", 1990), but for many languages and with
the vowels, by three: so *Faheem* is *Fahim* and *Katherine* is *Catherine*, and *meter* is no *motor*.
"""

import re
from typing import Final

from .accents import unmarked

LETTERS_MIN: Final = 4
LETTERS_MAX: Final = 24
_SOUNDS_MIN: Final = 4  # of fewer too many names are made
_LATIN: Final = re.compile(f"[a-z]{{{LETTERS_MIN},{LETTERS_MAX}}}")
# One after the other, each on what the former has left.
_SAID_AS: Final = [
    (re.compile(each), sound)
    for each, sound in (
        ("(?<=[^aeiouy])e$", ""),  # which nobody hears
        ("ph|v|w", "f"),
        ("sch|sh|ch", "S"),
        ("x", "ks"),
        ("ck|q|c(?![eiy])", "k"),
        ("c|z", "s"),
        ("g(?=[eiy])", "j"),
        ("h(?![aeiouy])|(?<=[bdgkt])h", ""),
        ("[eiy][aeiouy]*|a[iy]", "I"),
        ("[ou][aeiouy]*", "U"),
        ("a[aeou]*", "A"),
        (r"(.)\1", r"\1"),
    )
]


def sound(word: str) -> str:
    """Return how a word sounds; nothing of one that is short or very long, or not of Latin letters alone."""
    plain = unmarked(word.lower())
    if _LATIN.fullmatch(plain) is None:
        return ""
    for said, sounds in _SAID_AS:
        plain = said.sub(sounds, plain)
    return plain if len(plain) >= _SOUNDS_MIN else ""
