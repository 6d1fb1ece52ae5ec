"""What a writer chose, made plain: on one line, in quotes, or as a name behind a word of ours for who says it.

Whoever writes to a memory chooses texts, features, kinds and names. None of it can be taken for what we say ourselves.
"""

import re
from typing import Final
from unicodedata import category, normalize

# Controls of both sets, soft hyphens, what changes the direction of writing, and tags and selectors of variants, with
# which a text can speak unseen to a model. Joiners stay: Persian and emoji are written with them.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
# Joiners and marks upon letters take no room: however many stand between, it looks like a label. What is seen may be
# four characters. Nothing is given back (``*+``), so that it takes one look at each.
_MARK: Final = r"[\u0300-\u036f\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f]"
_BETWEEN: Final = rf"{_MARK}*+(?:(?!{_MARK})[\W_]{_MARK}*+){{0,4}}+"
_LABEL_LIKE: Final = re.compile(rf"[\[\uff3b](?={_BETWEEN}[m\uff4d\uff2d]{_BETWEEN}\d)", re.IGNORECASE)
# What is written with other forms of these letters and digits, such as mathematical ones or superscripts, is the same
# under NFKC: the bracket, and what stands within so many characters behind it.
_OPENING: Final = re.compile("[\\[\uff3b\ufe47]")
_LABEL_AFTER: Final = re.compile(rf"{_BETWEEN}m{_BETWEEN}\d", re.IGNORECASE)
_LABEL_CHARS: Final = 16
# Double quotes of all sorts, and what looks like one: two single ones, also with something between that takes no room.
_QUOTE: Final = re.compile(
    '["\u00ab\u00bb\u02ba\u02dd\u02ee\u02f6\u05f2\u05f4\u1cd3\u201c-\u201f\u2033\u2034\u2036\u2037\u2057\u275d\u275e'
    "\u2760\u276e\u276f\u300a\u300b\u3003\u301d-\u301f\uff02\U0001f676-\U0001f678]"
    "|(?:['`\u00b4\u02b9-\u02bd\u055a\u05f3\u2018-\u201b\u2032\u2035\uff07\uff40]\\W{0,4}){2,}"
)
_TIERS: Final = ("stranger", "agent", "user", "tool", "operator")
_SOURCE_CHARS_MAX: Final = 24
_READ_CHARS_MAX: Final = 256  # of a source, before it is made plain: one character may be many then
_PLAIN: Final = "-_.@/"
_MARKS: Final = ("Mn", "Mc")  # vowels of many scripts; what encloses a letter is none of them


def said_by(trust: int, source: str | None, others: int = 0) -> str:
    """Return who says something, such as ``user "ines" and 2 others``.

    The word is that of ``trust``, 0 to 4, whoever the ``source`` calls itself: that is a name of somebody's choosing,
    so it stands in quotes, plain and short, and never first. It is left out where it says no more than the word, and
    where it is None. ``others`` are those who are trusted as far and say the same.
    """
    word = _TIERS[trust]
    name = "" if source is None else _named(source)
    told = f'{word} "{name}"' if name and name != word else word
    return f"{told} and {others} other{'' if others == 1 else 's'}" if others else told


def quoted(text: str, chars_max: int | None = None) -> str:
    """Return what a writer chose in quotes, on one line, with nothing in it that could end them."""
    once = _QUOTE.sub("'", one_line(text, chars_max))
    return f'"{_QUOTE.sub(chr(39), once)}"'  # two that were quotes of different sorts are two apostrophes by now


def one_line(text: str, chars_max: int | None = None) -> str:
    """Return what a sender chose on one line: without what nobody sees, and with nothing that could be a label."""
    line = " ".join(_UNSEEN.sub(" ", text).split())
    if chars_max is not None and len(line) > chars_max:
        line = line[: chars_max - 1] + "…"
    line = _LABEL_LIKE.sub("(", line)
    if line.isascii():
        return line
    return _OPENING.sub(lambda found: "(" if _is_label(line, found.end()) else found[0], line)


def _is_label(line: str, at: int) -> bool:
    """Return whether what stands behind a bracket is a label in other forms of its letter and digits."""
    return _LABEL_AFTER.match(normalize("NFKC", line[at : at + _LABEL_CHARS])) is not None


def _named(source: str) -> str:
    """Return a source with nothing in it but letters, digits and ``- _ . @ /``: what else it has is a hyphen."""
    whole = _UNSEEN.sub("", normalize("NFKC", source[:_READ_CHARS_MAX]))[:_READ_CHARS_MAX]
    kept = "".join(each if each.isalnum() or each in _PLAIN or category(each) in _MARKS else " " for each in whole)
    name = "-".join(kept.split())
    name = name[next((at for at, each in enumerate(name) if each.isalnum()), len(name)) :]
    return name if len(name) <= _SOURCE_CHARS_MAX else f"{name[: _SOURCE_CHARS_MAX - 1]}…"
