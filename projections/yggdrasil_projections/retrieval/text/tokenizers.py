"""The tokenizers by name: how a text is split, which words say nothing, and what the others are counted as.

The name is recorded with every answer; whoever changes anything that a tokenizer does gives it another one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from . import english, unicode


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """What turns texts into the terms of an index, and questions into those that are looked for.

    ``words`` gives the words of a text as names are compared, in order; ``split`` those of which ``counted_as`` gives
    what they count as, empty for one that says nothing, and ``pair`` tells whether one is a pair of characters that was
    cut out of a run without spaces, and may be no word. ``spelt`` is a word as it is compared with others that are
    spelt like it, of which an index knows no more than the first ``letters_max`` letters if that is given.
    ``unaccented`` gives what a word may count as where accents are left out; nothing where they are not looked at.
    """

    name: str
    words: Callable[[str], list[str]]
    split: Callable[[str], list[str]]
    counted_as: Callable[[str], str]
    pair: Callable[[str], bool]
    spelt: Callable[[str], str]
    letters_max: int | None = None
    unaccented: Callable[[str], tuple[str, ...]] = lambda _: ()

    def terms(self, text: str) -> list[str]:
        """Return what the words of a text count as, in order, without those that say nothing."""
        return list(filter(None, map(self.counted_as, self.split(text))))


_ENGLISH: Final = Tokenizer(
    english.NAME, english.words, english.split, english.counted_as, lambda _: False, english.counted_as
)
_UNICODE: Final = Tokenizer(
    unicode.NAME,
    unicode.words,
    unicode.split,
    unicode.counted_as,
    unicode.pair,
    unicode.spelt,
    unicode.LETTERS_MAX,
    unicode.unaccented,
)
TOKENIZERS: Final[Mapping[str, Tokenizer]] = {each.name: each for each in (_ENGLISH, _UNICODE)}
"""All tokenizers that an answer may have been given with."""
TOKENIZER: Final = _UNICODE
"""What an index is made with unless another is asked for."""
