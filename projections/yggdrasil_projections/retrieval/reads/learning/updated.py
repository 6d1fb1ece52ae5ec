"""What is new before what it updates, among plain notes: where the text says so, or where a figure alone differs.

Of two notes that say much the same the later one is taken for an update if it says that something has changed ("now",
"no longer", "moved"), or if all that differs is a figure. Both stay: it is put right before the one that it updates. It
has to say all of the question that the other says, and to be about as relevant, or it may be of something else. And it
has to be of the same source, or of one that is trusted more: nobody else's word changes what somebody said.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NodeKind, Status

from ...index.visible import Shown
from ...index.vocabulary import AS_SUCH
from ...memories import content_of
from ...ranking.question import Question
from ...ranking.selection import Candidate
from ...records import fields_in
from ...text.updates import apart_from_numbers, updates

_LOOKED_AT: Final = 20
_COMMON_MIN: Final = 2  # words that say what both are about
_COMMON_SHARE: Final = 0.4  # of the words of the shorter one
_SAME_SHARE: Final = 0.75  # ... where a figure alone says that one is an update
_AS_RELEVANT: Final = 0.6  # as what it updates, at least
_WORDS_MAX: Final = 40  # of a note; in a longer text whatever has changed may be beside what was asked
_ASKING_SHARE: Final = 0.1  # of what is said; where more asks, it is a conversation
_EVENT: Final = int(NodeKind.EVENT)


class _Note(NamedTuple):
    """A note: when it was said, and its place in the history; who said it, and how far that one is trusted; its figures
    and other words, and those of the question; and whether it says that something has changed.
    """

    at: int
    number: int
    speaker: int
    trust: int
    relevance: float
    figures: frozenset[str]
    words: frozenset[str]
    asked: frozenset[int]
    changes: bool


def latest_first(graph: Graph, shown: Shown, question: Question, chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return what was chosen for a question, with each update right before the first of those that it updates.

    In a conversation the order is left: there much is "now", and says nothing of what was said before.
    """
    standing = shown.standing
    if np.count_nonzero(standing.asks[standing.counted]) > _ASKING_SHARE * standing.documents:
        return list(chosen)
    notes = [_note(graph, shown, question, each) for each in chosen[:_LOOKED_AT]]
    found = list(chosen)
    for at in range(1, len(notes)):
        new = notes[at]
        if new is None:
            continue
        before = next((old for old, each in enumerate(notes[:at]) if each is not None and _updates(new, each)), None)
        if before is not None:
            found.insert(before, found.pop(at))
            notes.insert(before, notes.pop(at))
    return found


def _note(graph: Graph, shown: Shown, question: Question, each: Candidate) -> _Note | None:
    columns, row = shown.documents.columns, each.hit.row
    if columns.kind[row] != _EVENT or columns.status[row] not in (Status.ACTIVE, Status.PRIOR):
        return None
    terms, times = shown.postings.terms_of(row)
    lexicon = shown.postings.lexicon
    said = [lexicon[number] for number in terms[times[:, 0] > 0].tolist()]
    if len(said) > _WORDS_MAX:
        return None
    figures, words = apart_from_numbers([word for word in said if not word.startswith(AS_SUCH)])
    content = fields_in(content_of(graph, each.number)).get("content") or {}
    text: str = content.get("text") or ""
    return _Note(
        int(columns.at[row]),
        each.number,
        int(columns.speaker[row]),
        int(columns.trust[row]),
        each.hit.relevance,
        figures,
        words,
        frozenset(term.number for term in question.terms).intersection(terms.tolist()),
        updates(text),
    )


def _updates(new: _Note, old: _Note) -> bool:
    if new.number < old.number or new.at < old.at:
        return False
    if new.trust < old.trust or (new.trust == old.trust and new.speaker != old.speaker):
        return False
    if not old.asked <= new.asked or new.relevance < _AS_RELEVANT * old.relevance:
        return False
    common, shorter = len(new.words & old.words), min(len(new.words), len(old.words))
    if new.figures != old.figures and new.figures and old.figures and common >= _SAME_SHARE * max(1, shorter):
        return common > 0
    return new.changes and common >= _COMMON_MIN and common >= _COMMON_SHARE * shorter
