"""What is new before what it updates, among plain notes: where the text says so, or where a figure alone differs.

Of two notes that say much the same the later one is taken for an update if it says that something has changed ("now",
"no longer", "moved"), or if all that differs is a figure. Both stay: it is put right before the one that it updates. It
has to have each name and figure of the question that the other has (the rarest word, of a question without any), and to
be about as relevant, or it may be of something else. And it has to be of the same source, or of one that is trusted
more: nobody else's word changes what one said.
"""

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind, Status

from ...index.visible import Shown
from ...index.vocabulary import AS_SUCH
from ...memories import content_of
from ...ranking.question import Question
from ...ranking.relevance import Hit
from ...ranking.selection import Candidate
from ...records import fields_in
from ...text.unicode import has_digit
from ...text.updates import apart_from_numbers, updates

_WORD: Final = re.compile(r"[^\W_]+")
_CHARS_MAX: Final = 1_000
_LOOKED_AT: Final = 20
_SAME_SHARE: Final = 0.75  # of the words of the shorter one, where a figure alone says that one is an update
_AS_RELEVANT: Final = 0.45  # as what it updates, at least
_FEW: Final = 3  # memories in an answer
_MUCH: Final = 2  # words in common, and half of those of the shorter one
_MUCH_AS_RELEVANT: Final = 0.8
_WORDS_MAX: Final = 40  # of a note; in a longer text whatever has changed may be beside what was asked
_ASKING_SHARE: Final = 0.1  # of what is said; where more asks, it is a conversation
_EVENT: Final = int(NodeKind.EVENT)


class _Note(NamedTuple):
    """A note: when it was said, by whom, and how far that one is trusted; its figures and other words; the terms of the
    question that it has, the rarest first; and whether it says that something has changed.
    """

    at: int
    number: int
    speaker: int
    trust: int
    relevance: float
    figures: frozenset[str]
    words: frozenset[str]
    asked: tuple[int, ...]
    changes: bool


class Updates:
    """What updates what, of the notes that are found for one question."""

    def __init__(self, graph: Graph, shown: Shown, text: str, question: Question) -> None:
        self._graph = graph
        self._shown = shown
        self._terms = [term.number for term in question.terms]
        self._named = _named(shown, text)
        standing = shown.standing
        asking = np.count_nonzero(standing.asks[standing.counted])
        # In a conversation the order is left: there much is "now", and says nothing of what was said before.
        self._off = bool(asking > _ASKING_SHARE * standing.documents)

    def first(self, chosen: Sequence[Candidate], *, closely: bool) -> list[Candidate]:
        """Return what was chosen, with each update right before the first of those that it updates.

        In a short answer to what was asked ``closely`` all is about the same. In any other they have to say much alike.
        """
        much = not closely or len(chosen) > _FEW
        found = list(chosen)
        notes = [] if self._off else [self._note(each.hit) for each in chosen[:_LOOKED_AT]]
        for at in range(1, len(notes)):
            before = next((old for old in range(at) if self._updates(notes[at], notes[old], much=much)), None)
            if before is not None:
                found.insert(before, found.pop(at))
                notes.insert(before, notes.pop(at))
        return found

    def beside(self, near: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
        """Return what is near enough, and where that is one alone, which would mislead, what updates it of ``hits``."""
        if self._off or len(near) != 1:
            return list(near)
        kept = {hit.row for hit in near}
        old = self._note(near[0])
        others = [hit for hit in hits[:_LOOKED_AT] if hit.row not in kept] if old is not None else []
        return [*near, *(hit for hit in others if self._updates(self._note(hit), old))]

    def _note(self, hit: Hit) -> _Note | None:
        columns, row = self._shown.documents.columns, hit.row
        if columns.kind[row] != _EVENT or columns.status[row] not in (Status.ACTIVE, Status.PRIOR):
            return None
        terms, times = self._shown.postings.terms_of(row)
        lexicon = self._shown.postings.lexicon
        numbers: list[int] = terms[times[:, 0] > 0].tolist()
        said = [word for each in numbers if not (word := lexicon[each]).startswith(AS_SUCH)]
        if len(said) > _WORDS_MAX:
            return None
        figures, words = apart_from_numbers(said)
        number, having = int(columns.number[row]), set(terms.tolist())
        content: dict[str, Any] = fields_in(content_of(self._graph, number)).get("content") or {}
        text: str = content.get("text") or ""
        asked = tuple(term for term in self._terms if term in having)
        trust, speaker = int(columns.trust[row]), int(columns.speaker[row])
        return _Note(int(columns.at[row]), number, speaker, trust, hit.relevance, figures, words, asked, updates(text))

    def _updates(self, new: _Note | None, old: _Note | None, *, much: bool = False) -> bool:
        if new is None or old is None or new.number < old.number or new.at < old.at:
            return False
        if new.trust < old.trust or (new.trust == old.trust and new.speaker != old.speaker):
            return False
        meant = [number for number in old.asked if number in self._named] or old.asked[:1]
        if not meant or not set(meant) <= set(new.asked) or new.relevance < _AS_RELEVANT * old.relevance:
            return False
        common, shorter = len(new.words & old.words), min(len(new.words), len(old.words))
        if new.figures != old.figures and new.figures and old.figures and common >= _SAME_SHARE * max(1, shorter):
            return common > 0 and set(old.asked) <= set(new.asked)
        if much and (common < _MUCH or 2 * common < shorter or new.relevance < _MUCH_AS_RELEVANT * old.relevance):
            return False
        return new.changes and common > 0


def _named(shown: Shown, text: str) -> frozenset[int]:
    """Return the terms of the words of a question that are written as names are, or have figures."""
    tokenizer, known = shown.tokenizer, shown.postings.number
    words = [match[0] for match in _WORD.finditer(text[:_CHARS_MAX])]
    meant = (word for at, word in enumerate(words) if has_digit(word) or (at and word[0].isupper()))
    numbers = (known.get(tokenizer.counted_as(each)) for word in meant for each in tokenizer.split(word))
    return frozenset(number for number in numbers if number is not None)
