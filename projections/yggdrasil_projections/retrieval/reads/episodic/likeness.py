"""How alike a situation and episodes are: by the features that they have in common, and by the words of their texts.

What few of the episodes have says more than what many have. All sums are in the order of numbers that never change, so
the same memory gives the same likeness, bit for bit.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.working_set import Graph

from ...index.columns.documents import NOBODY
from ...index.visible import Shown
from ...index.weights import weight_of

TEXT_SHARE: Final = 0.5
"""How far a likeness of the texts alone goes: words are shared by chance, features were given on purpose."""


class Situation(NamedTuple):
    """What episodes are compared with: the numbers of its features, and its words as an index counts them."""

    features: list[int]
    terms: list[str]


class Likeness:
    """The likeness of one situation to some episodes, each in [0, 1].

    The features of an episode are its parts, what most of its events have. Two sets are as alike as the cosine of their
    weights says (inverse document frequency, counted over these episodes); what the texts have in common adds up to a
    half of what features leave open.
    """

    def __init__(self, graph: Graph, shown: Shown, numbers: Sequence[int], situation: Situation) -> None:
        """Compare with the episodes ``numbers``."""
        self._having: Counter[int] = Counter()
        self._parts: dict[int, tuple[int, ...]] = {}
        self._count = len(numbers)
        self._weights: dict[int, float] = {}  # by how many have it; few numbers occur, and a logarithm takes long
        for number in numbers:
            parts = self._parts[number] = tuple(dict.fromkeys(graph.parts(number).carriers))
            self._having.update(parts)
        features = self._of_features(list(dict.fromkeys(situation.features)))
        texts = self._of_texts(shown, list(dict.fromkeys(situation.terms)))
        self.alike: dict[int, float] = {
            number: 1.0 - (1.0 - by_features) * (1.0 - TEXT_SHARE * by_text)
            for number, by_features, by_text in zip(numbers, features, texts, strict=True)
        }

    def parts(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the features, and of the concepts, that an episode is made of."""
        return self._parts[number]

    def weight(self, part: int) -> float:
        """Return how much a feature says."""
        return self._weighing(self._having[part])

    def _weighing(self, having: int) -> float:
        weight = self._weights.get(having)
        if weight is None:
            weight = self._weights[having] = weight_of(self._count, having)
        return weight

    def usual(self, part: int) -> float:
        """Return the share of the episodes that have a feature."""
        return self._having[part] / self._count

    def _of_features(self, features: list[int]) -> list[float]:
        present = frozenset(features)
        size = self._size(features)
        found: list[float] = []
        for parts in self._parts.values():
            common = 0.0
            for part in parts:
                if part in present:
                    common += self.weight(part) * self.weight(part)
            found.append(common / (size * self._size(parts)) if common else 0.0)
        return found

    def _size(self, parts: Iterable[int]) -> float:
        total = 0.0
        for part in parts:
            total += self.weight(part) * self.weight(part)
        return sqrt(total)

    def _of_texts(self, shown: Shown, terms: list[str]) -> list[float]:
        rows = shown.documents.rows(np.array(list(self._parts), np.int64))
        places = np.flatnonzero(rows != NOBODY)
        found = np.zeros(self._count)
        if not terms or not len(places):
            return found.tolist()
        said = shown.postings.forward(rows[places])
        own = said.times[:, 0] > 0  # of the text itself
        of = np.repeat(np.arange(len(places)), said.lengths)[own]
        known = said.terms[own]
        having = np.bincount(known, minlength=len(shown.postings.lexicon))
        occurring, places_of = np.unique(having, return_inverse=True)
        weights = np.array([self._weighing(int(count)) for count in occurring])[places_of]
        squares = weights * weights
        asked = np.zeros(len(squares), np.bool_)
        size = 0.0
        for term in terms:
            number = shown.postings.number.get(term)
            size += float(squares[number]) if number is not None else self._weighing(0) * self._weighing(0)
            if number is not None:
                asked[number] = True
        sizes = np.bincount(of, squares[known], minlength=len(places))  # one after another, in the order of terms
        common = np.bincount(of, np.where(asked[known], squares[known], 0.0), minlength=len(places))
        found[places] = common / np.sqrt(np.maximum(size * sizes, 1e-12))
        alike: list[float] = np.clip(found, 0.0, 1.0).tolist()
        return alike
