"""What words and features count as in one index: looked up once, since most documents have those of others."""

from typing import Final

from ..text.said import value_of
from ..text.tokenizers import Tokenizer
from .columns.postings import Postings

FEATURE_TERM: Final = "\x1f"
"""What a feature as such begins with in the lexicon; no word does."""
NAME_TERM: Final = "\x1e"
"""What a name of a note as such begins with in the lexicon; no word does."""
AS_SUCH: Final = (FEATURE_TERM, NAME_TERM)
"""What terms begin with that are no words."""
SAYS_NOTHING: Final = -1
_WORDS_MAX: Final = 50_000  # some 5 MB; people use fewer
_FEATURES_MAX: Final = 10_000


class Words(dict[str, int]):
    """The number of the term that each word counts as, ``SAYS_NOTHING`` for one that says nothing; bounded."""

    def __init__(self, postings: Postings, tokenizer: Tokenizer) -> None:
        super().__init__()
        self._postings = postings
        self._counted_as = tokenizer.counted_as

    def __missing__(self, word: str) -> int:
        if len(self) >= _WORDS_MAX:
            self.clear()
        said = self._counted_as(word)
        number = self[word] = self._postings.term(said) if said else SAYS_NOTHING
        return number


class Features(dict[str, tuple[list[int], int]]):
    """The terms of what each feature says, and the one of the feature as such; bounded."""

    def __init__(self, postings: Postings, tokenizer: Tokenizer, words: Words) -> None:
        super().__init__()
        self._postings = postings
        self._split = tokenizer.split
        self._words = words

    def __missing__(self, name: str) -> tuple[list[int], int]:
        if len(self) >= _FEATURES_MAX:
            self.clear()
        words = self._words
        said = [number for word in self._split(value_of(name)) if (number := words[word]) >= 0]
        found = self[name] = said, self._postings.term(FEATURE_TERM + name)
        return found


class Vocabulary:
    """The words and the features of one index."""

    def __init__(self, postings: Postings, tokenizer: Tokenizer) -> None:
        self.words = Words(postings, tokenizer)
        self.features = Features(postings, tokenizer, self.words)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return 140 * len(self.words) + 350 * len(self.features)
