"""What is shown of a long text: the sentences that answer the question, with their surroundings, in order.

Which these are is told by the question's words, by how near its vector is to those of the text's pieces, and by where a
sentence stands: beside another that is shown, beside one with words of the question, or first. The weights were chosen
on conversations, notes and pages that were joined to long texts, and on an assistant's turns (docs/recall.md).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Final

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import node_number

from ...answers import Found
from ...asks import Ask
from ...found import Excerpt
from ...index.columns.dots import dot
from ...index.reading import vectors_of
from ...index.visible import Shown
from ...memories import content_of
from ...ranking.fusion import Fusion
from ...ranking.question import Question
from ...ranking.rankers import Recipe, shown_chars
from ...ranking.relevance import Relevance
from ...ranking.selection import tokens_of
from ...text.passages import LONG_CHARS, Span, gathered, joined, sentences

SHOWN: Final = "passages/1"
"""How much of a long text is shown, recorded with a recall: its tokens count; recalls from before had it whole."""
_SENTENCE_CHARS: Final = 200
_SENTENCES_MAX: Final = 256  # of more, several are taken as one
_SHOWN_MAX: Final = 16
_MEETING_MAX: Final = 4  # pieces that one sentence stands in
_LOOKED_AT_CHARS: Final = 1 << 18  # of all texts of an answer: a quarter of a second
_LEAST_CHARS: Final = 4_096  # of each text at least
_GAP: Final = " … "
_ANEW: Final = 1.0  # for the share of the question's weight that no sentence before it has
_AGAIN: Final = 0.3
_MEANING: Final = 0.5
_NEXT_TO: Final = 0.3  # for what a neighbour has of the question
_TOGETHER: Final = 0.15  # for standing beside what is shown
_FIRST: Final = 0.3  # a text begins with what it is about


@dataclass
class Excerpts:
    """Shows long texts in part, for one question. It looks at so much text as is ``left``, or at its beginning."""

    graph: Graph
    shown: Shown
    ask: Ask
    question: Question
    left: int = _LOOKED_AT_CHARS

    def of(self, found: Found) -> Found:
        """Return what was found with what is shown of its text, as it is where that is short."""
        text, number = found.memory.text, node_number(found.place.seq)
        if text is None or len(text) <= LONG_CHARS:
            return found
        looked_at = min(len(text), max(self.left, _LEAST_CHARS))
        self.left -= looked_at
        spans = self._spans(text[:looked_at], number) or [(0, LONG_CHARS)]
        said = shown_of(text, spans)
        memory = replace(found.memory, text=said)
        return replace(found, memory=memory, tokens=tokens_of(len(said)), excerpt=Excerpt(len(text), tuple(spans)))

    def _spans(self, text: str, number: int) -> list[Span]:
        parts = sentences(text, _SENTENCE_CHARS)
        if len(parts) > _SENTENCES_MAX:
            parts = gathered(parts, _SENTENCE_CHARS)
        words = [self._words(text[begin:end]) for begin, end in parts]
        near = self._near(parts, number)
        has = [self._share(each) for each in words]
        around = [max(has[at - 1 : at] + has[at + 1 : at + 2], default=0.0) for at in range(len(parts))]
        alone = [
            _AGAIN * own + _MEANING * close + _NEXT_TO * beside + (0.0 if at else _FIRST)
            for at, (own, close, beside) in enumerate(zip(has, near, around, strict=True))
        ]
        return joined(text, [parts[at] for at in self._chosen(parts, words, alone)])

    def _chosen(self, parts: Sequence[Span], words: Sequence[frozenset[int]], alone: Sequence[float]) -> list[int]:
        """Return the places of what is shown, in order: one after the other what then says most, while one fits."""
        chosen: set[int] = set()
        said: set[int] = set()
        left = LONG_CHARS - len(_GAP)
        fitting = list(range(len(parts)))
        while len(chosen) < _SHOWN_MAX and (
            fitting := [at for at in fitting if at not in chosen and _room(parts[at]) <= left]
        ):
            gained = [
                alone[at]
                + _ANEW * self._share(words[at] - said)
                + (_TOGETHER if at - 1 in chosen or at + 1 in chosen else 0.0)
                for at in fitting
            ]
            best = fitting[int(np.argmax(gained))]  # of equals the first
            chosen.add(best)
            said |= words[best]
            left -= _room(parts[best])
        return sorted(chosen)

    @cached_property
    def _weights(self) -> Mapping[int, float]:
        return {term.number: term.weight for term in self.question.terms}

    def _share(self, words: Iterable[int]) -> float:
        """Return the share of the question's weight that some of its words have."""
        return sum(self._weights[word] for word in sorted(words)) / max(self.question.weight, 1e-9)

    def _words(self, said: str) -> frozenset[int]:
        tokenizer, known = self.shown.tokenizer, self.shown.postings.number
        numbers = (known.get(tokenizer.counted_as(word)) for word in tokenizer.split(said))
        return frozenset(number for number in numbers if number is not None and number in self._weights)

    def _near(self, parts: Sequence[Span], number: int) -> list[float]:
        """Return how near the question is to the piece that each sentence stands in: 1 for the nearest of the text's,
        0 for one that is as far as the farthest, or the whole.
        """
        least, pieces = self._pieces(number)
        most = max(pieces.values(), default=least)
        if most <= least:
            return [0.0] * len(parts)
        order = sorted(pieces.items())
        found: list[float] = []
        begin = 0
        for part in parts:  # both are in order: what ends before this one begins meets none after it either
            while begin < len(order) and order[begin][0][1] <= part[0]:
                begin += 1
            near = [close for (first, _), close in order[begin : begin + _MEETING_MAX] if first < part[1]]
            found.append(max(((close - least) / (most - least) for close in near), default=0.0))
        return found

    def _pieces(self, number: int) -> tuple[float, dict[Span, float]]:
        """Return the least of the cosines of a node and its pieces with the question, and those by where they stand."""
        asked = self.ask.vector
        for each in vectors_of(self.graph, number, content_of(self.graph, number)):
            if asked is not None and each.model == asked.model and len(each.values) == len(asked.data):
                found = {(piece.begin, piece.end): _cosine(asked.data, piece.values) for piece in each.pieces}
                return min([_cosine(asked.data, each.values), *found.values()]), found
        return 0.0, {}


def in_part(graph: Graph, shown: Shown, ask: Ask, recipe: Recipe, searched: Relevance) -> Callable[[Found], Found]:
    """Return what shows what was found: long texts in part, where that is asked."""
    if not isinstance(searched, Fusion) or shown_chars(recipe) is None:
        return lambda found: found
    return Excerpts(graph, shown, ask, searched.earned.question).of


def shown_of(text: str, spans: Sequence[Span]) -> str:
    """Return parts of a text as one, with an ellipsis for whatever is left out."""
    said = _GAP.join(text[begin:end] for begin, end in spans)
    before = _GAP.lstrip() if spans and text[: spans[0][0]].strip() else ""
    behind = _GAP.rstrip() if spans and text[spans[-1][1] :].strip() else ""
    return f"{before}{said}{behind}"


def _cosine(one: bytes, other: bytes) -> float:
    """Return the cosine of two vectors; one of zeros is like nothing."""
    first, second = np.frombuffer(one, np.int8), np.frombuffer(other, np.int8)
    return dot(first, second) / sqrt(max(1, dot(first, first) * dot(second, second)))


def _room(part: Span) -> int:
    return part[1] - part[0] + len(_GAP)
