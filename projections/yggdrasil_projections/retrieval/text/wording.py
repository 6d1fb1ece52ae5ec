"""Whether two texts say the same: when their words are the same ones in the same order.

``wording`` gives what is compared, word by word and sign by sign. Case, normal form, width, the punctuation of prose
and fillers are left out, and nothing else: a *not*, a *must*, a digit, a unit, a weekday, a single letter, an accent or
the order of two names makes another saying. Where it is in doubt whether a sign says something, it is taken to.

* Punctuation that says something is kept: decimals, signs and ranges (``-5``, ``1.5``, ``5-6``, ``Mon-Fri``), percent,
  currencies and other symbols, dots and slashes within a word, ``C++`` and ``C#``, switches (``-f``), a prime after a
  number, a smiling or a frowning face, and that a question is asked. A dash is of the sentence only between blanks
  before a letter, and between two words of which the second has a small letter; any other says something (``A-``).
* A filler is a word of a closed list that says nothing in any language that has a list: nothing is guessed about the
  language of a text. Words that say nothing only where they are set off (*well, ...*) are fillers only there. A word
  with a capital elsewhere than at the beginning of a sentence is none: it may be a name.
* Case is left out of every word, but of a unit after a number that it tells from another: ``Mb`` is not ``MB``. Only
  case is: *Maßen* are not *Massen*, nor is a vowel that somebody wrote another.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from .unicode import seen

FILLERS: Final[Mapping[str, str]] = {
    "English": "the, umm, uh, uhm, uhh, erm, hmm, please, pls, plz, kindly, actually, basically, anyway, anyways",
    "German": "äh, ähm, öhm, bitte, sozusagen, gewissermaßen, übrigens",
    "French": "euh, heu, bah, svp, s'il vous plaît, s'il te plaît",
    "Spanish": "ehm, por favor",
    "Italian": "ehm, per favore",
    "Portuguese": "hã, por favor",
    "Dutch": "alsjeblieft, alstublieft",
    "Swedish": "öh, öhm, snälla, liksom",
    "Danish and Norwegian": "øh, øhm",
    "Polish": "yyy, eee",
    "Czech": "ehm, prosím",
    "Russian": "эм, эмм, пожалуйста",
    "Turkish": "lütfen",
}
"""What says nothing wherever it stands. A word that means something in another language of these is in no list."""
SET_OFF: Final[Mapping[str, str]] = {
    "English": "well, so, okay, ok, um, er, eh, ah, oh, hm, look, listen, like, you know, i mean",
    "German": "also, tja, naja, na ja",
    "French": "bon, ben, alors, eh bien, enfin, voilà",
    "Spanish": "bueno, pues, entonces, o sea, mira, oye",
    "Italian": "allora, dunque, beh, insomma, senti",
    "Portuguese": "bem, então, pois, olha",
    "Dutch": "nou, dus, kijk",
    "Swedish": "alltså, tja",
    "Danish and Norwegian": "altså",
    "Polish": "więc, cóż, proszę",
    "Russian": "ну, вот, значит, короче",
    "Turkish": "yani",
}
"""What says nothing at the beginning of a sentence, before a comma, a dash or an ellipsis."""
_DOUBTFUL: Final = frozenset(["so", "er", "ben", "mira", "bon"])
"""Of these what may be a name, a day or a word of another language: it says nothing only before a small letter."""
_HESITATIONS: Final = frozenset(["um", "er", "ah", "oh", "hm"])
"""Of these what says nothing between two commas either."""
_HASH_BYTES: Final = 8
_END: Final = "\n"  # no token has one
_PLAIN: Final = re.compile(r"[A-Za-z\s.,]*")
_LONG: Final = "\u2012\u2013\u2014\u2015"
_DASHES: Final = rf"\-\u2010\u2011{_LONG}\u2212"
_PROSE: Final = (  # what only shapes a sentence, as a class of a pattern; each sign of the rest says something
    r".,;:()\[\]{}*_\-\"'`" + _DASHES + "\u2018-\u201f\u2039\u203a\xab\xbb\u2026\xbf\xa1"
    "\u2022\xb7\u2023\u25aa\u25cf\u25cb\u3001\u3002\u3008-\u3011\u3014\u3015\u30fb\u060c\u061b\u06d4\u0964\u0965\u0589"
)
_OF_SENTENCES: Final = (  # a dash that only shapes one
    r"(?<=[^\W\d_]{2})[\-\u2010\u2011\u2014\u2015](?=[^\W\d_A-Z]{2})"
    rf"|(?<!\S)[{_DASHES}]+(?!\S)(?=\s*(?:[^\W\d_]|[*_`\"'\u2018-\u201f\xab]|\Z))"
)
_ALTERNATIVES: Final = (
    r"\w+(?:(?:['\u2019./\\@]|(?<=\d)[,:\-\u2013](?=\d))\w+)*",  # a word, a number, a path
    r"(?<!\S)[:;=]['\-]?[()\[\]DPp/|\\](?!\S)",  # a face
    rf"(?=[{_DASHES}])(?<![{_DASHES}])(?!{_OF_SENTENCES})[{_DASHES}]+",  # a sign, a difference, a switch, an arrow
    r"\((?=[\d.,]{1,24}\))",  # a debt
    r"(?<!!)!*[?\u061f][!?\u061f]*|!(?=[\w=(~])",  # what asks, and what denies
    r"(?<=\d)['\"]",  # a prime
    r"(?<=\w)\*+(?=\w)|(?<=\S )\*(?= \S)",  # a product
    r"(?<!\S)\.(?=\w)",  # a name that begins with a dot
    rf"[^\s!?\u061f{_PROSE}]",
)
# What begins none of them is passed over first: to try them all takes most of the time.
_TOKEN: Final = re.compile(rf"(?![\s,)])(?:{'|'.join(_ALTERNATIVES)})")
_ANY_DASH: Final = re.compile(f"[{_DASHES}]")
_HEADING: Final = re.compile("^#+(?= )", re.MULTILINE)
_UNIT: Final = re.compile(  # after a number, or behind it; in small letters it may be another one
    r"(?:[\d.,]*\d)?(?:[kmgtp]i?b(?:ps|its?)?|[mp](?:[wvajnsgmlf]|hz|pa|wh|va)|n[mn]|[bcdfghkmnpstvw])(?:/.*)?",
    re.IGNORECASE,
)
_BEGUN: Final = re.compile(r"[.!?\u2026\n\u3002\xbf\xa1]")
_SEPARATED: Final = re.compile(rf"\s?[,\u2026{_LONG}]|\.\.|\s-")
_APART: Final = re.compile(rf"[,\u2026{_LONG}]")
_OPENS: Final = {sign: re.compile(rf"(?<!\w){sign}(?=[^\W_])") for sign in "'\""}
_SIGMAS: Final = ("\N{GREEK SMALL LETTER FINAL SIGMA}", "\N{GREEK SMALL LETTER SIGMA}")
_GREEK: Final = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")


def _lower(text: str) -> str:
    """Return a text in small letters, and nothing else of it changed: no letter is another one's."""
    return text.lower().replace("i\N{COMBINING DOT ABOVE}", "i").replace(*_SIGMAS)


def _phrases(lists: Mapping[str, str]) -> dict[str, list[tuple[str, ...]]]:
    """Return the phrases of lists by their first words, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in {tuple(_lower(seen(phrase)).split()) for listed in lists.values() for phrase in listed.split(", ")}:
        found.setdefault(phrase[0], []).append(phrase)
    return {first: sorted(phrases, key=lambda words: (-len(words), words)) for first, phrases in found.items()}


_FILLERS: Final = _phrases(FILLERS)
_SET_OFF: Final = _phrases(SET_OFF)
_FIRST_OF_FILLERS: Final = frozenset([*_FILLERS, *_SET_OFF])
_ALONE: Final = frozenset(first for first, phrases in _FILLERS.items() if phrases == [(first,)])


def wording(text: str) -> tuple[str, ...]:
    """Return what a text says, word by word and sign by sign: two texts say the same if this is the same.

    A text of nothing but fillers says these. Takes time linear in the text.
    """
    return tuple(_worded(text))


def saying(text: str, *beside: str) -> int:
    """Return a hash of what a text says, and of what has to be the same ``beside`` it, 63 bits; 0 of no text."""
    if not text or text.isspace():
        return 0
    words = _worded(text) or [text.strip()]
    said = "\x1f".join(words) if not beside else "\x1e".join(["\x1f".join(words), *beside])
    return (int.from_bytes(blake2b(said.encode(), digest_size=_HASH_BYTES).digest(), "big") >> 1) or 1


def follows(words: Sequence[str], among: Sequence[str]) -> bool:
    """Return whether all ``words`` stand ``among`` others in the same order."""
    rest = iter(among)
    return all(word in rest for word in words)


def _worded(text: str) -> list[str]:
    text = seen(text)
    if ";" in text and _GREEK.search(text):  # it is how Greek asks
        text = text.replace(";", "?")
    if "#" in text:
        text = _HEADING.sub("", text)
    tokens: list[str] = _TOKEN.findall(text)
    if not tokens:
        return []
    words = _END.join(tokens).lower().split(_END) if text.isascii() else [_lower(token) for token in tokens]
    if not _PLAIN.fullmatch(text):
        words = _taken(text, tokens, words)
    if not _FIRST_OF_FILLERS.isdisjoint(words):
        words = _without_fillers(text, tokens, words) or words
    return words if "" not in words else list(filter(None, words))


def _taken(text: str, tokens: list[str], words: list[str]) -> list[str]:
    """Return what the words and signs of a text count as, without those that say nothing."""
    primes = {sign for sign, opens in _OPENS.items() if text.count(sign) % 2 or not opens.search(text)}  # close nothing
    taken: list[str] = []
    for token, word in zip(tokens, words, strict=True):
        of_number = bool(taken) and taken[-1][-1:].isdigit()
        taken.append(word if word.isalpha() and not of_number else _counted(token, word, primes, of_number=of_number))
    return taken


def _counted(token: str, word: str, primes: Collection[str], *, of_number: bool) -> str:
    """Return what a token counts as that is a ``word`` in lower case, empty for one that says nothing."""
    if word in ("'", '"'):
        return word if word in primes else ""
    if word[0] in "?!\u061f":
        return "!" if word == "!" else "?"
    if (of_number or token[0].isdigit()) and _UNIT.fullmatch(token):
        return token
    word = _ANY_DASH.sub("-", word.replace("\u2019", "'"))
    emphasised = len(word) > 2 and word[0] == word[-1] == "_" and word[1] != "_"
    return word[1:-1] if emphasised else word


def _without_fillers(text: str, tokens: list[str], words: list[str]) -> list[str]:
    spans: list[tuple[int, int]] = []
    kept: list[str] = []
    shouted = text.isupper()
    at = 0
    while at < len(words):
        word = words[at]
        if word in _ALONE and tokens[at][0 if at else 1 :].islower():  # as mostly
            at += 1
            continue
        phrase = 0
        if word in _FIRST_OF_FILLERS:
            spans = spans or [match.span() for match in _TOKEN.finditer(text)]
            phrase = _phrase(text, words, spans, at, shouted=shouted)
        if not phrase:
            kept.append(word)
        at += max(1, phrase)
    return kept


def _phrase(text: str, words: list[str], spans: list[tuple[int, int]], at: int, *, shouted: bool) -> int:
    """Return of how many words the filler is that begins at a place, 0 where none does."""
    first, (begin, end) = words[at], spans[at]
    before = text[spans[at - 1][1] : begin] if at else "\n"
    begins = words[at - 1] in ("?", "!") if at else True
    begins = begins or bool(_BEGUN.search(before))
    said = text[begin:end]
    if not shouted and ((said[0].isupper() and not begins) or (len(said) > 1 and said.isupper())):
        return 0
    for phrase in _FILLERS.get(first, ()):
        if tuple(words[at : at + len(phrase)]) == phrase:
            return len(phrase)
    begins = begins or (first in _HESITATIONS and bool(_APART.search(before)))
    for phrase in _SET_OFF.get(first, ()) if begins else ():
        last = at + len(phrase)
        if tuple(words[at:last]) == phrase and _SEPARATED.match(text, spans[last - 1][1]):
            doubtful = first in _DOUBTFUL and not shouted and last < len(spans) and text[spans[last][0]].isupper()
            return 0 if doubtful else len(phrase)
    return 0
