"""The features of an index by what they say, and its notes by what they are called: what a question may name."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nlargest, nsmallest
from itertools import groupby, islice
from typing import Final, NamedTuple

from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ..text.accents import unmarked
from ..text.said import value_of
from ..text.sounds import sound
from ..text.tokenizers import Tokenizer
from ..text.unicode import has_digit
from .vocabulary import FEATURE_TERM, NAME_TERM

_OF_A_WORD_MAX: Final = 128  # features that are looked at for one word of a question: some 0.1 ms
_STALE_MIN: Final = 64
_KINDS_OF_PATHS: Final = ("file", "dir")
_FOLDERS_MAX: Final = NAME_CHARS_MAX // 2  # of a path that can be a feature: a letter and a slash each
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_PATHS_MAX: Final = 8  # that end in one name: `__init__.py` tells none of them apart
_ACCENTED_BYTES: Final = 200  # of a word with accents by what it is without
SPELT_MIN: Final = 5  # letters of a word that may be misspelt
_SPELT_ALIKE: Final = 3  # its first ones, which are right
_SPELT_MAX: Final = 4_096  # words that are looked at for one: some milliseconds
_MISSPELT_MAX: Final = 1_024  # words of a question that may be misspelt for one of a name
_ACCENTED_MAX: Final = 32  # words that are told from one by accents alone; no language has so many
_CALLED_MAX: Final = 512  # words of names that are looked at for one: with as many words as may be a tenth of a second


class Accented:
    """Words that have accents, by what they are without: what whoever leaves an accent out, or adds one, may mean."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, None]] = {}
        self.count = 0

    def put(self, word: str, without: Iterable[str]) -> None:
        """Take in a word that is one of these without its accents."""
        for plain in without:
            alike = self._of.setdefault(plain, {})
            self.count += word not in alike
            alike[word] = None

    def of(self, without: Iterable[str]) -> list[str]:
        """Return the words that are one of these without their accents, in order, the first 32."""
        return sorted({word for plain in without for word in self._of.get(plain, ())})[:_ACCENTED_MAX]


class Things:
    """The things of a memory that have several names: whoever says one of them means what the others name, too."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[tuple[str, int], ...]] = {}  # all names of a thing, with the trust of what joins them
        self._values: dict[str, set[str]] = {}  # names by the longest of their words
        self._accented = Accented()

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return 500 * len(self._of) + _ACCENTED_BYTES * self._accented.count

    def put(self, name: str, names: tuple[tuple[str, int], ...], tokenizer: Tokenizer) -> None:
        """Take in all names of the thing that ``name`` is one of; it alone where it has no other any more.

        Each comes with how far whoever joined it to ``name`` is trusted.
        """
        words = tokenizer.words(value_of(name))
        if not words:
            return
        alike = self._values.setdefault(max(words, key=len), set())
        if len(names) > 1:
            self._of[name] = names
            alike.add(name)
            for word in words:
                _put_accented(self._accented, word)
        else:
            self._of.pop(name, None)
            alike.discard(name)

    def otherwise(self, said: Iterable[str]) -> dict[str, str]:
        """Return words of names that an accent alone tells from one of ``said``, with that."""
        return _otherwise(self._accented, said) if self._of else {}

    def named_by(self, said: Sequence[str], tokenizer: Tokenizer, trust: int = 0) -> dict[str, list[str]]:
        """Return the values of names all of whose words are among ``said``, with all names of these things, sorted.

        With ``trust`` those that nobody who is trusted less has joined.
        """
        found: dict[str, set[str]] = {}
        if not self._of:
            return {}
        present = frozenset(said)
        for name in {name for word in present for name in self._values.get(word, ())}:  # any order: sorted below
            words = tokenizer.words(value_of(name))
            if _said(words, present, said, tokenizer):
                names = (each for each, link in self._of[name] if link >= trust)
                found.setdefault(" ".join(words), set()).update(names)
        return {value: sorted(found[value]) for value in sorted(found)}


class Names:
    """The values of all features ``kind:value`` in a lexicon; ``speaker:Ann Lee`` is named by "ann" and "lee" together.

    And the names and aliases of notes, each by all of its words too. A feature without a kind is a word like any other,
    and names nothing.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._looked_at = 0
        self._features: dict[str, list[int]] = {}  # the terms of each value, in lower case
        self._values: dict[str, list[str]] = {}  # by the longest of their words, of which few values have the same
        self._spelt: dict[str, list[str]] = {}  # words by their first letters
        self._called: dict[str, dict[str, None]] = {}  # words of names of notes by their first letters
        self._sounds = 0
        self._sounding: dict[str, dict[str, None]] = {}  # words of names by how they sound
        self._accented = Accented()  # what words count as
        self._accented_names = Accented()  # words of names
        self.things = Things()

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        accented = self._accented.count + self._accented_names.count
        return 500 * len(self._features) + 200 * self._sounds + 20 * self._looked_at + _ACCENTED_BYTES * accented

    def catch_up(self, lexicon: list[str]) -> None:
        """Look at the terms that have been added."""
        for number in range(self._looked_at, len(lexicon)):
            term = lexicon[number]
            if term.startswith(NAME_TERM):
                for word in self._name(term.removeprefix(NAME_TERM), number):
                    if _may_be_misspelt(word):
                        self._called.setdefault(word[:_SPELT_ALIKE], {})[word] = None
            elif term.startswith(FEATURE_TERM):
                if ":" in term:
                    self._name(value_of(term), number)
            else:
                if len(term) >= SPELT_MIN:
                    self._spelt.setdefault(term[:_SPELT_ALIKE], []).append(term)
                if not term.isascii() and unmarked(term) != term:
                    self._accented.put(term, self._tokenizer.unaccented(term))
        self._looked_at = len(lexicon)

    def _name(self, name: str, number: int) -> list[str]:
        """Let a term be named by all words of ``name``, and return these."""
        said = self._tokenizer.words(name)
        if said:
            value = " ".join(said)
            if value not in self._features:
                self._values.setdefault(max(said, key=len), []).append(value)
            self._features.setdefault(value, []).append(number)
            for word in said:
                _put_accented(self._accented_names, word)
                if heard := sound(word):
                    self._sounds += word not in self._sounding.setdefault(heard, {})
                    self._sounding[heard][word] = None
        return said

    def named_by(self, said: Sequence[str]) -> dict[str, list[int]]:
        """Return the values all of whose words are among ``said``, in order, with the terms that have them."""
        present = frozenset(said)
        likely = [value for word in present for value in self._values.get(word, ())]
        found = [value for value in likely if _said(value.split(), present, said, self._tokenizer)]
        return {value: self._features[value] for value in sorted(found)}

    def meant_by(self, said: Iterable[str]) -> list[str]:
        """Return the words of names of notes that are one edit away from one of ``said`` and begin with the same three
        letters, in order: what is called so is named by a word that is misspelt for its own. None where very many
        words of names begin like that.
        """
        if not self._called:  # as in most memories
            return []
        found: set[str] = set()
        for word in islice(filter(_may_be_misspelt, dict.fromkeys(said)), _MISSPELT_MAX):
            likely = self._called.get(word[:_SPELT_ALIKE], {})
            if len(likely) <= _CALLED_MAX:
                found.update(other for other in likely if one_edit_away(word, other))
        return sorted(found)

    def sounding_like(self, word: str) -> list[str]:
        """Return the words of names that sound as a word does and are spelt otherwise, in order, gone ones too."""
        return sorted(other for other in self._sounding.get(sound(word), ()) if other != word)

    def accented(self, word: str) -> list[str]:
        """Return the terms of words that an accent alone tells from ``word``, that without any first."""
        without = self._tokenizer.unaccented(word)
        return list(dict.fromkeys((*without[:1], *self._accented.of(without))))

    def otherwise(self, said: Iterable[str]) -> dict[str, str]:
        """Return words of names that an accent alone tells from one of ``said``, with that."""
        return _otherwise(self._accented_names, said)

    def spelt_like(self, word: str) -> list[str]:
        """Return the terms of words one edit away from ``word`` that begin with the same three letters, in order.

        None for a short one, since too many are near it, none for one with digits, which is spelt as it is meant, and
        none where very many words begin like that.
        """
        word, most = self._tokenizer.spelt(word), self._tokenizer.letters_max
        likely = self._spelt.get(word[:_SPELT_ALIKE], ()) if _may_be_misspelt(word) else ()
        return sorted(other for other in likely if _alike(word, other, most)) if len(likely) <= _SPELT_MAX else []


def _put_accented(accented: Accented, word: str) -> None:
    if not word.isascii() and (plain := unmarked(word)) != word:
        accented.put(word, (plain,))


def _otherwise(accented: Accented, said: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in islice(dict.fromkeys(said), _MISSPELT_MAX):
        plain = unmarked(word)
        found |= {other: word for other in (plain, *accented.of((plain,))) if other != word}
    return found


def _may_be_misspelt(word: str) -> bool:
    """Return whether a word may be: too many are near a short one, and one with digits is spelt as it is meant."""
    return len(word) >= SPELT_MIN and not has_digit(word)


def _said(name: Sequence[str], present: frozenset[str], said: Sequence[str], tokenizer: Tokenizer) -> bool:
    """Return whether all words of a name are ``present``, and the pairs of a run in this order in ``said``."""
    if not present.issuperset(name):
        return False
    runs = (f" {' '.join(pairs)} " for pair, pairs in groupby(name, tokenizer.pair) if pair)
    return all(run in f" {' '.join(said)} " for run in runs)


def _alike(word: str, term: str, most: int | None) -> bool:
    """Return whether a word may be misspelt for what counts as ``term``, of whose words ``most`` letters are known."""
    cut = most is not None and len(term) == most
    return one_edit_before(word, term) if cut else one_edit_away(word, term)


def one_edit_before(word: str, beginning: str) -> bool:
    """Return whether one edit makes of a word one that begins like that.

    One that gives no more than the last of these letters does not count: whatever word has the others would do.
    """
    size = len(beginning)
    at = next((place for place, (one, other) in enumerate(zip(word, beginning, strict=False)) if one != other), size)
    if at == size:
        return False
    rest = beginning[at + 1 :]
    more, swapped = word[at + 1 : size + 1] == beginning[at:], word[at : at + 2] == beginning[at : at + 2][::-1]
    other, less = word[at + 1 : size] == rest, word[at : size - 1] == rest
    return more or (bool(rest) and (other or less or (swapped and word[at + 2 : size] == beginning[at + 2 :])))


def one_edit_away(one: str, other: str) -> bool:
    """Return whether one letter more, less or other, or two that have changed places, make one out of the other."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or short == long:
        return False
    at = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return swapped or short[at + 1 :] == long[at + 1 :]


class FeatureNames:
    """All features that live in a memory, by the words that they say, each by its stem or else as it is.

    A feature without a kind is among them, and so is one whose events are all forgotten: what it taught is not. Unlike
    ``Names`` they are no part of the ranking.
    """

    def __init__(self, tokenizer: Tokenizer, numbers: Mapping[str, int] | None = None) -> None:
        """Begin with the features in ``numbers``, which gives each the number of its node."""
        self.tokenizer = tokenizer
        self.numbers: dict[str, int] = dict(numbers or {})
        self._unread: list[str] = list(self.numbers)
        self._of_word: dict[str, list[str]] = {}  # by the longest of their words, without accents; stale ones stay
        self._paths: dict[tuple[str, ...], dict[str, None]] = {}  # by the words of their last name; likewise
        self._ending: dict[str, dict[tuple[str, ...], None]] = {}  # these words, by the first of them
        self._stale = 0

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return 300 * len(self.numbers)

    def put(self, name: str, number: int) -> None:
        """Take in a feature; its words are read when somebody asks."""
        if self.numbers.get(name) != number:
            self._unread.append(name)
            self.numbers[name] = number

    def committed(self, changed: Mapping[str, int | None]) -> None:
        """Take notice of features that are new, and of those that are gone."""
        for name, number in changed.items():
            if number is not None:
                self.put(name, number)
            elif self.numbers.pop(name, None) is not None:
                self._stale += 1

    def keep(self, live: Iterable[int]) -> None:
        """Let go of all features but those whose node is in ``live``."""
        alive = frozenset(live)
        gone = [name for name, number in self.numbers.items() if number not in alive]
        self.committed(dict.fromkeys(gone))

    def named_by(self, said: Iterable[str]) -> list[str]:
        """Return the features all of whose words are among ``said``; those with most words first, then by name.

        Of more than 128 that share their longest word only the youngest are looked at. One that accents alone tell from
        what is said is named where none is that has these.
        """
        self._read()
        said = list(said)
        forms_said, plain_said = list(map(self._form, said)), list(map(self._plain, said))
        present, plainly = frozenset(forms_said), frozenset(plain_said)
        found: dict[str, int] = {}
        otherwise: dict[str, tuple[str, ...]] = {}
        exactly: set[tuple[str, ...]] = set()
        for word in plainly:
            names = [name for name in self._of_word.get(word, ()) if name in self.numbers]
            if len(names) > _OF_A_WORD_MAX:
                names = nlargest(_OF_A_WORD_MAX, dict.fromkeys(names), key=self.numbers.__getitem__)
            for name in names:
                forms = self._forms(name)
                plain = tuple(map(self._plain, self._words(name)))
                if _said(forms, present, forms_said, self.tokenizer):
                    found[name] = len(forms)
                    exactly.add(plain)
                elif _said(plain, plainly, plain_said, self.tokenizer):
                    otherwise[name] = plain
        found |= {name: len(plain) for name, plain in otherwise.items() if plain not in exactly}
        return sorted(found, key=lambda name: (-found[name], name))

    def ending_in(self, said: Iterable[str], trust_of: Callable[[str], int]) -> list[str]:
        """Return the paths of which all words of the last name are among ``said``, in a row; by name.

        ``file:src/app/pay.py`` ends in ``pay.py``, and not in ``pays.py``. A name in which more than 8 paths end names
        those alone that are trusted more than the rest, by ``trust_of`` each, and none where these are more than 8. Of
        more than 128 the oldest are looked at, which no younger ones push away.
        """
        self._read()
        forms = [unmarked(word) for word in said]
        found: list[str] = []
        for last in {last for word in set(forms) for last in self._ending.get(word, ())}:
            if _in_a_row(last, forms):
                names = [name for name in self._paths.get(last, ()) if name in self.numbers]
                found += _told_apart(nsmallest(_OF_A_WORD_MAX, names, key=self.numbers.__getitem__), trust_of)
        return sorted(found)

    def at_path(self, given: str, trust_of: Callable[[str], int]) -> list[str]:
        """Return the paths that one which is no feature as it is spelt may mean, with or without its kind; by name.

        ``./src/pay.py`` and ``/srv/shop/src/pay.py`` are ``file:src/pay.py``: the longest end that is known, of
        two names at least unless it begins at the root of a disk; with shorter ones up to one that is trusted most, so
        that nobody hides a file by a longer path who is trusted less. Else those are meant that end in it, as
        ``file:src/pay.py`` ends in ``pay.py``, as few as ``ending_in`` returns; a name without a folder means both, so
        that nobody hides a file by another of its name. What looks like no path means none.
        """
        path = Path.of(given)
        if path is None:
            return []
        self._read()
        *folders, last = path.names
        shortest = 1 if path.absolute or not folders else 2
        longest = min(len(path.names), _FOLDERS_MAX)
        ends = ("/".join(path.names[-size:]) for size in range(longest, shortest - 1, -1))
        spelt = ([name for kind in path.kinds if (name := f"{kind}:{end}") in self.numbers] for end in ends)
        found = _as_trusted([each for each in spelt if each], trust_of)
        if path.absolute or (found and folders):
            return found
        under, alike = f"/{'/'.join(path.names)}", self._paths.get(self._last(last), ())
        names = [name for name in alike if name in self.numbers and _is_under(name, path.kinds, under)]
        names = nsmallest(_OF_A_WORD_MAX, names, key=self.numbers.__getitem__)
        return sorted({*found, *_told_apart(names, trust_of)})

    def _read(self) -> None:
        """Read the words of what was put in."""
        if self._stale > max(_STALE_MIN, len(self.numbers)):
            self._unread, self._of_word, self._stale = list(self.numbers), {}, 0
            self._ending, self._paths = {}, {}
        for name in self._unread:
            plain = list(map(self._plain, self._words(name)))
            if plain and name in self.numbers:
                self._of_word.setdefault(max(plain, key=len), []).append(name)
                self._read_last(name)
        self._unread.clear()

    def _read_last(self, name: str) -> None:
        """Read the last name of a path."""
        _, slash, last = name.rpartition("/")
        words = self._last(last) if slash else ()
        if words:
            self._paths.setdefault(words, {})[name] = None
            self._ending.setdefault(words[0], {})[words] = None

    def _last(self, last: str) -> tuple[str, ...]:
        """Return the words of a last name."""
        return tuple(map(unmarked, self.tokenizer.words(last)))

    def _forms(self, name: str) -> list[str]:
        return list(map(self._form, self._words(name)))

    def _words(self, name: str) -> list[str]:
        return self.tokenizer.words(value_of(name))

    def _plain(self, word: str) -> str:
        return self._form(unmarked(word))

    def _form(self, word: str) -> str:
        return self.tokenizer.spelt(word) or word


class Path(NamedTuple):
    """A path as somebody gives it: the kinds of feature that it may be, its names, and whether it begins at a root."""

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    absolute: bool

    def is_spelt(self, given: str) -> bool:
        """Whether it is given as a feature is spelt: with its kind, and as seen from the repository's root."""
        return given == f"{self.kinds[0]}:{'/'.join(self.names)}"

    @classmethod
    def of(cls, given: str) -> "Path | None":
        """Read what may be one; None for what has neither a kind of path nor a slash or a dot in it."""
        kind, colon, value = given.partition(":")
        if not colon or _DRIVE.match(given):
            kind, value = "", given
        if kind not in {"", *_KINDS_OF_PATHS} or not (kind or any(sign in value for sign in "/\\.")):
            return None
        slashed = value.replace("\\", "/")
        names: list[str] = []
        for name in slashed.split("/"):
            if name == "..":
                names[-1:] = []
            elif name not in {"", "."}:
                names.append(name)
        absolute = slashed.startswith(("/", "~/")) or _DRIVE.match(slashed) is not None
        return cls((kind,) if kind else _KINDS_OF_PATHS, tuple(names), absolute) if names else None


def _as_trusted(ends: list[list[str]], trust_of: Callable[[str], int]) -> list[str]:
    """Return the names of the first end, and of those after it up to one that is trusted as much as any."""
    if len(ends) < 2:
        return [name for end in ends for name in end]
    trusts = [max(map(trust_of, end)) for end in ends]
    return [name for end in ends[: trusts.index(max(trusts)) + 1] for name in end]


def _is_under(name: str, kinds: Sequence[str], end: str) -> bool:
    return name.endswith(end) and name.partition(":")[0] in kinds


def _told_apart(names: list[str], trust_of: Callable[[str], int]) -> list[str]:
    """Return those paths that are few enough to be meant by one name: all, or those that are trusted most."""
    if len(names) <= _PATHS_MAX:
        return names
    trusted = {name: trust_of(name) for name in names}
    for least in sorted(set(trusted.values())):
        if len(above := [name for name in names if trusted[name] > least]) <= _PATHS_MAX:
            return above
    return []


def _in_a_row(words: tuple[str, ...], said: Sequence[str]) -> bool:
    """Whether words stand in ``said`` one after the other."""
    return any(tuple(said[place : place + len(words)]) == words for place in range(len(said)))
