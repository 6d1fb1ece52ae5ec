"""The tokenizer ``unicode/1``: the words of any script, each counted by the first letters of its stem.

Texts that look the same are the same: in either normal form, in any case, in half or full width. What counts as what is
decided word by word, by the word alone, so that a question meets its documents whatever language each is taken for:

* a word is counted by its first six letters, of one in plain ASCII letters those of its English stem. Endings of
  languages that have many (Can and others, "Information retrieval on Turkish texts", 2008) do not part what belongs
  together, and no language has to be known. What has digits in it is meant as it is spelt, and is counted whole;
* a run of a script that is written without spaces is counted by its pairs of characters, one alone by itself; Hangul
  too, whose words run on in endings (Lee and Ahn, "Using n-grams for Korean text retrieval", 1996). A character of Han
  is a word in itself as well;
* a pictograph is a word; of a joined sequence the first counts, without its variation and its tone of skin;
* English stop words say nothing, but in a text that has more function words of other languages than of English.

Letters, marks and pictographs are what Python's tables of Unicode say. Those of another version of Unicode may say more
of characters that are new in it, so that what has such characters may be proved by the Python version that answered.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from .accents import unmarked
from .english import IRREGULAR, STOP
from .stem import stem

NAME: Final = "unicode/1"
LETTERS_MAX: Final = 6
"""Of a word count so many letters, and the marks upon them."""
_SPELT_MAX: Final = 16_384  # words of questions and of features, some 3 MB; a stem takes 20 us
_KNOWN_MAX: Final = 200_000  # words, some 30 MB; what is written by people has fewer
_ASCII_WORD: Final = re.compile("[a-z0-9]+(?:'[a-z0-9]+)*")
_WORD: Final = re.compile("[^\\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}][^\\W_]+)*")
# Latin, Greek and Cyrillic letters, punctuation and currencies, without marks and signs: here all is words.
_ALPHABETS: Final = re.compile(
    "[\x00-\xa5\xa7\xa8\xaa-\xac\xaf\xb1-\u02af\u0370-\u0481\u048a-\u052f\u1e00-\u1fff"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20c0]*"
)
_QUOTE: Final = "\N{RIGHT SINGLE QUOTATION MARK}"
_JOINER: Final = "\N{ZERO WIDTH JOINER}"
_HAN: Final = (
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
)
_HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f\u30fc\U0001b001-\U0001b11f\U0001b150-\U0001b152"
_KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\U0001b000\U0001b120-\U0001b122\U0001b164-\U0001b167"
_OTHERS: Final = (  # written without spaces, or with few; without their digits, which are words
    "\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"  # Hangul
    "\u0e01-\u0e30\u0e32-\u0e33\u0e40-\u0e46"  # Thai
    "\u0e81-\u0eb0\u0eb2-\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"  # Lao
    "\u1780-\u17b3\u17d7\u17dc"  # Khmer
    "\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065-\u1066\u106e-\u1070\u1075-\u1081\u108e"  # Myanmar
)
_WIDE: Final = re.compile("[\uff00-\uffef]+")  # and half as wide
_UNSEEN_SIGNS: Final = (
    "\u00ad\u034f\u061c\u180b-\u180f\u200c\u200e\u200f\u2060\ufeff"  # hyphens that may be, joiners, directions
    "\u0640"  # what stretches Arabic letters
    "\u20e3\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"  # keys, variations, skin
)
_POINTS: Final = (
    "\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7"  # of Hebrew, which are written or not
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"  # of Arabic
)
_UNSEEN: Final = re.compile(f"[{_UNSEEN_SIGNS}{_POINTS}]+")
_INVISIBLE: Final = re.compile(f"[{_UNSEEN_SIGNS}]+")
_BEYOND: Final = 0x10000  # the first plane; apart, since a pattern tries all ranges beyond it one by one
_ASTRAL: Final = "\U00010000-\U0010ffff"
_PLANES: Final = 0x20000  # beyond the first two there are Han characters, and what cannot be seen
_ENGLISH_ENDING: Final = re.compile("'(?:s|m|d|ll|re|ve)$")
_DRAWN: Final = ("\u2500", "\u259f")  # lines and blocks, of which tables are drawn
_EMOJI: Final = "\U0001f000-\U0001faff"
# The most frequent words of other languages in Latin letters that are not frequent in English.
_FOREIGN_WORDS: Final = """
der die das und ist nicht ich wir sie mit auf dem ein eine einen einer zu im von bei aus nach wie wer wann auch noch nur
haben sind wird kann el la los las que y una del por con para como pero donde cuando quien esta tiene le les des et est
dans pour pas qui avec au aux du ce cette il elle nous vous je ou sont een het niet dat voor op met zijn maar hoe waar
di che della sono dove chi gli uno um uma da em na quem onde ve bir bu ile kim nerede kadar hangi yok och att det som
inte jag till av og ikke jeg po nie jest czy dla yang untuk
"""
_FOREIGN: Final = frozenset(_FOREIGN_WORDS.split()) - STOP
_DENYING: Final = frozenset(["not", "no", "nor", "nicht", "pas", "niet", "yok", "inte", "ikke", "nie"]) & (
    STOP | _FOREIGN
)


class _Patterns(NamedTuple):
    """``token`` finds words, runs and signs in groups of these names; ``pair`` is two characters of a run, ``joiner``
    one that joins no signs, ``letter`` one with its marks.
    """

    token: re.Pattern[str]
    pair: re.Pattern[str]
    joiner: re.Pattern[str]
    letter: re.Pattern[str]


class _Known(dict[str, str]):
    """What each word counts as, empty for one that says nothing; bounded."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _KNOWN_MAX:
            self.clear()
        term = self[word] = _term(word)
        return term


def words(text: str) -> list[str]:
    """Return the words of a text in order: in lower case, each character of a run without spaces beside the pairs."""
    return [plain for word in _found(text, alone=True) if (plain := _plain(word))]


def split(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, as ``counted_as`` takes them, without English stop words."""
    found = _found(text)
    if _english(found):
        return [word for word in found if word not in STOP]
    return found


def denies(text: str) -> bool:
    """Return whether a text has one of the words that count as nothing, and turn what is said into its opposite."""
    return any(word in _DENYING for word in words(text))


def counted_as(word: str) -> str:
    """Return what a word counts as, empty for one that says nothing."""
    return _KNOWN[word]


def pair(word: str) -> bool:
    """Return whether a word is a pair of characters of a run without spaces."""
    return not word.isascii() and _patterns().pair.fullmatch(word) is not None


def unaccented(word: str) -> tuple[str, ...]:
    """Return what a word counts as without accents: by its stem, and by its first letters, as of a word with accents
    that is longer than these no more may be known. None of one with digits, which is spelt as it is meant.
    """
    plain = unmarked(_plain(word))
    return () if has_digit(plain) else tuple(dict.fromkeys(filter(None, (_KNOWN[plain], _first(plain)))))


@lru_cache(_SPELT_MAX)
def spelt(word: str) -> str:
    """Return a word with all the letters of its stem."""
    plain = _plain(word)
    return stem(IRREGULAR.get(plain, plain)) if plain.isascii() else plain


def folded(text: str) -> str:
    """Return a text as it is compared: without regard to case, normal form, width, and what cannot be seen."""
    if text.isascii():
        return text.lower()
    text = cased(text).casefold()
    # Case folding makes i of the dotted and of the dotless capital, and leaves the dot of one, and the other's small i.
    text = text.replace("i\N{COMBINING DOT ABOVE}", "i").replace("\N{LATIN SMALL LETTER DOTLESS I}", "i")
    return unicodedata.normalize("NFC", text)


def cased(text: str) -> str:
    """Return a text without regard to normal form, width, points of vowels, and what cannot be seen, in its case."""
    return _shown(text, _UNSEEN)


def seen(text: str) -> str:
    """Return a text without regard to normal form, width, and what cannot be seen; its points of vowels stay."""
    return _shown(text, _INVISIBLE)


def _shown(text: str, left_out: re.Pattern[str]) -> str:
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    if not _ALPHABETS.fullmatch(text):
        text = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text)
        text = left_out.sub("", text)
    return text


def _found(text: str, *, alone: bool = False) -> list[str]:
    """Return the words of a text in order; with ``alone`` each character of a run as well."""
    text = folded(text)
    if text.isascii():
        return _ASCII_WORD.findall(text)
    if _ALPHABETS.fullmatch(text):
        return _WORD.findall(text)
    patterns = _patterns()
    found: list[str] = []
    for match in patterns.token.finditer(patterns.joiner.sub("", text) if _JOINER in text else text):
        token = match[0]
        match match.lastgroup:
            case "han" | "run":
                letters: list[str] = patterns.letter.findall(token)
                if alone or match.lastgroup == "han" or len(letters) == 1:
                    found += letters
                found += map("".join, pairwise(letters))
            case "sign":
                found.append(token.partition(_JOINER)[0])
            case _:
                found.append(token)
    return found


def _english(found: Sequence[str]) -> bool:
    """Whether words are taken for English: unless more of them are function words of other languages."""
    if _FOREIGN.isdisjoint(found):
        return True
    return sum(map(STOP.__contains__, found)) >= sum(map(_FOREIGN.__contains__, found))


def _plain(word: str) -> str:
    """Return what a word with apostrophes is about: its longest part, or one with digits, without an English ending.

    So "Ann's", "l'Ann" and "Ann'in" are all about Ann.
    """
    word = word.replace(_QUOTE, "'")
    if "'" not in word:
        return word
    parts = _ENGLISH_ENDING.sub("", word).split("'")
    return max(parts, key=lambda part: (has_digit(part), len(part)))


def _term(word: str) -> str:
    plain = _plain(word)
    if plain != word and (plain in STOP or word.endswith(("n't", f"n{_QUOTE}t"))):
        return ""
    if has_digit(plain):
        return plain
    return _first(spelt(plain))


def _first(whole: str) -> str:
    """Return the first letters of a word, each with the marks upon it."""
    if whole.isascii() or len(whole) <= LETTERS_MAX:
        return whole[:LETTERS_MAX]
    return "".join(_patterns().letter.findall(whole)[:LETTERS_MAX])


def has_digit(word: str) -> bool:
    """Whether a word has a digit in it: then it is meant as it is spelt."""
    return any(map(str.isdigit, word))


@cache
def _patterns() -> _Patterns:
    """Compile what texts in other than a few alphabets need: 50 ms, once."""
    begin, beyond = _those("M", 0, _BEYOND), _those("M", _BEYOND, _PLANES)
    signs = _those("So", 0, ord(_DRAWN[0])) + _those("So", ord(_DRAWN[1]) + 1, _BEYOND) + _EMOJI
    mark = f"(?:[{begin}]|(?=[{_ASTRAL}])[{beyond}])"
    spaceless = _HAN + _HIRAGANA + _KATAKANA + _OTHERS
    letter = f"[^\\W_{spaceless}]++{mark}*+"  # gives nothing back: one within the other would be exponential
    run = f"[{_HIRAGANA}]+|[{_KATAKANA}]+|[{_OTHERS}](?:[{_OTHERS}]|{mark})*"
    flags = "[\U0001f1e6-\U0001f1ff]{2}"
    token = (
        f"(?P<han>[{_HAN}]+)|(?P<run>{run})|(?P<sign>{flags}|[{signs}](?:{_JOINER}[{signs}])*)"
        f"|(?P<word>(?:{letter})+(?:['{_QUOTE}](?:{letter})+)*)"
    )
    return _Patterns(
        re.compile(token),
        re.compile(f"(?:[{spaceless}]{mark}*){{2}}"),
        re.compile(f"(?<![{signs}]){_JOINER}|{_JOINER}(?![{signs}])"),
        re.compile(f"(?!{mark}).{mark}*"),
    )


def _those(category: str, begin: int, end: int) -> str:
    """Return all characters of a category from ``begin`` on and before ``end``, as ranges for a pattern."""
    found = [code for code in range(begin, end) if unicodedata.category(chr(code)).startswith(category)]
    begins = [code for code, before in zip(found, [-1, *found], strict=False) if code != before + 1]
    ends = [code for code, after in zip(found, [*found[1:], -1], strict=True) if after != code + 1]
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in zip(begins, ends, strict=True))


_KNOWN: Final = _Known()
