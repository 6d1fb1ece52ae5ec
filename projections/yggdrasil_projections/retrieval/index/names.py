"""The features of an index by what they say, to find those that a question names."""

from ..text.said import value_of
from ..text.words import words
from .vocabulary import FEATURE_TERM


class Names:
    """The values of all features ``kind:value`` in a lexicon; ``speaker:Ann Lee`` is named by "ann" and "lee" together.

    A feature without a kind is a word like any other, and names nothing.
    """

    def __init__(self) -> None:
        self._looked_at = 0
        self._features: dict[str, list[int]] = {}  # of each value, in lower case
        self._values: dict[str, list[str]] = {}  # by the longest of their words, of which few values have the same

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return 500 * len(self._features)

    def catch_up(self, lexicon: list[str]) -> None:
        """Look at the terms that have been added."""
        for number in range(self._looked_at, len(lexicon)):
            term = lexicon[number]
            if term.startswith(FEATURE_TERM) and ":" in term:
                said = words(value_of(term))
                if not said:
                    continue
                value = " ".join(said)
                if value not in self._features:
                    self._values.setdefault(max(said, key=len), []).append(value)
                self._features.setdefault(value, []).append(number)
        self._looked_at = len(lexicon)

    def named_by(self, said: list[str]) -> dict[str, list[int]]:
        """Return the values all of whose words are among ``said``, in order, with the features that have them."""
        present = frozenset(said)
        found = [value for word in present for value in self._values.get(word, ()) if present.issuperset(value.split())]
        return {value: self._features[value] for value in sorted(found)}
