"""What a session is given of each memory, and how these hang together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind

from ...answers import Found, Scores
from ...memories import MemoryObject, reference_of
from ...ranking.selection import Candidate, tokens_of
from ...text.sentences import claim_said
from ..experience.related import by_trust, why_related
from ..learning.excerpts import in_part
from ..learning.shown import found_at, scores_of
from .decided import DecisionSeen, decision_seen
from .gathering import Gathered
from .given import INDEX_CHARS, Link, Remembered, Show

_ALWAYS: Final = Scores(0.0, 0.0, 0.0, 0.0, 0.0)
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_EVIDENCE_MAX: Final = 8
_LINKS_MAX: Final = 16
_CLASSES: Final = ("lesson", "rule")
# Of which end one says "since", and of which "therefore".
_FORWARDS: Final = (int(EdgeKind.LEADS_TO), int(EdgeKind.SUPPORTS))
_BACKWARDS: Final = (int(EdgeKind.DEPENDS_ON), int(EdgeKind.APPLIES_TO))


class Showing:
    """Shows what bears on one session, as much of each memory as was asked for."""

    def __init__(self, graph: Graph, near: Gathered, show: Show, partition: int) -> None:
        self._graph = graph
        self._near = near
        self._show = show
        self._partition = partition
        self._part: Callable[[Found], Found] = lambda found: found
        if near.ask is not None and near.searched is not None:
            self._part = in_part(graph, near.shown, near.ask, near.recipe, near.searched)

    def ref(self, each: Candidate) -> str:
        """Return the reference of a candidate."""
        return reference_of(self._graph, each.number)

    def principle(self, number: int) -> Remembered:
        """Return what holds whatever is asked."""
        found = found_at(self._graph, number, _ALWAYS, self._partition)
        return self._of(found, number, ())

    def memory(self, each: Candidate) -> Remembered:
        """Return what was found, with what it was found by."""
        found = self._part(found_at(self._graph, each.number, scores_of(each), self._partition))
        numbers = self._near.shown.documents.columns.number
        return self._of(found, each.number, [reference_of(self._graph, int(numbers[row])) for row in each.hit.via])

    def decision(self, each: Candidate, record: dict[str, Any]) -> DecisionSeen:
        """Return a decision, in an index without its reasons."""
        seen = decision_seen(self._graph, self._graph.expect(each.number), record)
        return seen if self._show != "index" else replace(seen, what=_begins(seen.what), why=None, alternatives=[])

    def _of(self, found: Found, number: int, via: Sequence[str]) -> Remembered:
        memory, scores, full = found.memory, found.scores, self._show == "full"
        whole = memory.text if found.excerpt is not None else _sentence(memory)
        text = _begins(whole) if self._show == "index" else whole
        return Remembered(
            memory.ref,
            _kind(memory),
            text,
            None if memory.claim is None else memory.claim.subject,
            memory.said_by,
            memory.trust,
            memory.status,
            memory.at,
            scores.relevance,
            scores.priority,
            tokens_of(len(text or "")),
            list(via),
            memory.outcomes if full else [],
            memory.rationale if full else None,
            self._evidence(number) if full else [],
            text != whole or found.excerpt is not None,
        )

    def _evidence(self, number: int) -> list[str]:
        keys = self._graph.links(number)  # any order: sorted below
        sources = sorted(source for source, kind, target in keys if kind == _EVIDENCE and target == number)
        return [reference_of(self._graph, source) for source in sources[:_EVIDENCE_MAX]]


def links_among(graph: Graph, numbers: Sequence[int], features: Iterable[str]) -> list[Link]:
    """Return how some nodes have to do with each other, and with some features, at most 16.

    What the most trusted said comes first, then the latest.
    """
    named = (graph.feature(name) for name in features)
    among = {*numbers, *(number for number in named if number is not None)}
    keys = {
        key
        for number in numbers
        for key in graph.links(number)
        if key[1] in (*_FORWARDS, *_BACKWARDS) and key[0] in among and key[2] in among
    }
    return [_link(graph, key) for key in by_trust(graph, keys)[:_LINKS_MAX]]


def _link(graph: Graph, key: EdgeKey) -> Link:
    source, target = reference_of(graph, key[0]), reference_of(graph, key[2])
    since, therefore = (source, target) if key[1] in _FORWARDS else (target, source)
    why = why_related(graph, key)
    return Link(source, EdgeKind(key[1]).name.lower(), target, since, therefore, why.seq, why.reason)


def _kind(memory: MemoryObject) -> str:
    if memory.claim is not None:
        return memory.claim.predicate if memory.claim.sort in _CLASSES else memory.kind
    return memory.note or memory.kind


def _sentence(memory: MemoryObject) -> str | None:
    """Return what a memory says: of a lesson or a rule its text alone, as its kind and what it is about are told."""
    claim = memory.claim
    if claim is not None and claim.sort in _CLASSES and claim.object_kind == "text" and isinstance(claim.object, str):
        return claim.object
    return claim_said(memory.text, claim)


def _begins(text: str | None) -> str | None:
    """Return how a text begins, on one line."""
    line = None if text is None else " ".join(text.split())
    return line if line is None or len(line) <= INDEX_CHARS else f"{line[: INDEX_CHARS - 1]}…"
