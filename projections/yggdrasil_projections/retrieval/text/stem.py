"""Stems of English words by Snowball's algorithm for English, as of its release 3.1 (M. Porter's second stemmer).

It is written out here, and not taken from a package, because an answer can be proved only as long as its words are cut
as they were: another release of a stemmer is another tokenizer. Letters that English does not have count as consonants.
"""

from typing import Final

_VOWELS: Final = frozenset("aeiouy")
_LONG: Final = frozenset("aeiouywxY")  # what no short syllable ends with
_LI: Final = frozenset("cdeghkmnrt")
_WHOLE: Final = {
    "andes": "andes", "atlas": "atlas", "bias": "bias", "cosmos": "cosmos", "early": "earli", "gently": "gentl",
    "howe": "howe", "idly": "idl", "news": "news", "only": "onli", "singly": "singl", "skies": "sky", "skis": "ski",
    "sky": "sky", "ugly": "ugli",
}  # fmt: skip
_PREFIXES: Final = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")
_DOUBLES: Final = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_KEPT_WITH_ING: Final = frozenset(("even", "cann", "inn", "earr", "herr", "out"))
_STEP_2: Final = {
    "anci": "ance", "enci": "ence", "ogi": "og", "li": "", "bli": "ble", "abli": "able", "alli": "al", "fulli": "ful",
    "lessli": "less", "ousli": "ous", "entli": "ent", "aliti": "al", "biliti": "ble", "iviti": "ive",
    "tional": "tion", "ational": "ate", "alism": "al", "ation": "ate", "ization": "ize", "izer": "ize", "ator": "ate",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "ogist": "og",
}  # fmt: skip
_STEP_3: Final = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "tional": "tion", "ational": "ate",
    "ful": "", "ness": "",
}  # fmt: skip
_STEP_4: Final = {
    "ic": "", "ance": "", "ence": "", "able": "", "ible": "", "ate": "", "ive": "", "ize": "", "iti": "", "al": "",
    "ism": "", "ion": "", "er": "", "ous": "", "ant": "", "ent": "", "ment": "", "ement": "",
}  # fmt: skip


def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    if len(word) < 3:
        return word
    whole = _WHOLE.get(word)
    if whole is not None:
        return whole
    word = _marked(word.removeprefix("'"))
    first, second = _regions(word)
    word = _step_1b(_step_1a(word), first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _step_2(word, first)
    word = _step_3(word, first, second)
    suffix = _longest(word, _STEP_4, 5)
    if suffix and len(word) - len(suffix) >= second and (suffix != "ion" or word[-4:-3] in ("s", "t")):
        word = word[: -len(suffix)]
    return _step_5(word, first, second).replace("Y", "y")


def _marked(word: str) -> str:
    """Write each y that is a consonant, at the beginning or after a vowel, as Y."""
    if "y" not in word:
        return word
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 begin: each after the first consonant that follows a vowel, R2 within R1."""
    first = next((len(prefix) for prefix in _PREFIXES if word.startswith(prefix)), 0) or _after_syllable(word, 0)
    return first, _after_syllable(word, first)


def _after_syllable(word: str, at: int) -> int:
    end = len(word)
    while at < end and word[at] not in _VOWELS:
        at += 1
    while at < end and word[at] in _VOWELS:
        at += 1
    return at + 1 if at < end else end


def _has_vowel(part: str) -> bool:
    return not _VOWELS.isdisjoint(part)


def _ends_short(word: str) -> bool:
    """Whether the last syllable is a short one."""
    if len(word) > 2 and word[-1] not in _LONG and word[-2] in _VOWELS and word[-3] not in _VOWELS:
        return True
    return word.endswith("past") or (len(word) == 2 and word[0] in _VOWELS and word[1] not in _VOWELS)


def _longest(word: str, suffixes: dict[str, str], most: int) -> str | None:
    """Return the longest of ``suffixes``, none longer than ``most``, that ``word`` ends with."""
    for length in range(min(most, len(word)), 1, -1):
        if word[-length:] in suffixes:
            return word[-length:]
    return None


def _step_1a(word: str) -> str:
    for suffix in ("'s'", "'s", "'"):
        if word.endswith(suffix):
            word = word[: -len(suffix)]
            break
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, first: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + "ee" if len(rest) >= first and rest not in ("succ", "proc", "exc") else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            break
    else:
        return word
    rest = word[: -len(suffix)]
    if suffix == "ing":
        if rest in _KEPT_WITH_ING:
            return word
        if len(rest) == 2 and rest[1] == "y" and rest[0] not in _VOWELS:
            return rest[0] + "ie"
    if not _has_vowel(rest):
        return word
    end = rest[-2:]
    if end in ("at", "bl", "iz"):
        return rest + "e"
    if end in _DOUBLES:
        return rest if len(rest) == 3 and rest[0] in "aeo" else rest[:-1]
    return rest + "e" if len(rest) == first and _ends_short(rest) else rest


def _step_2(word: str, first: int) -> str:
    suffix = _longest(word, _STEP_2, 7)
    if suffix is None or len(word) - len(suffix) < first:
        return word
    rest = word[: -len(suffix)]
    if (suffix == "li" and rest[-1:] not in _LI) or (suffix == "ogi" and rest[-1:] != "l"):
        return word
    return rest + _STEP_2[suffix]


def _step_3(word: str, first: int, second: int) -> str:
    suffix = _longest(word, _STEP_3, 7)
    if suffix is None or len(word) - len(suffix) < (second if suffix == "ative" else first):
        return word
    return word[: -len(suffix)] + _STEP_3[suffix]


def _step_5(word: str, first: int, second: int) -> str:
    rest = word[:-1]
    if word.endswith("e"):
        return rest if len(rest) >= second or (len(rest) >= first and not _ends_short(rest)) else word
    return rest if word.endswith("ll") and len(rest) >= second else word
