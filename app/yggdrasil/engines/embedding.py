"""Vectors for a memory: of what is said, of what is asked, and of what was said before there was an embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.graph.unsound import UnsoundRecordError
from yggdrasil_projections.retrieval.asks import QueryVector
from yggdrasil_projections.retrieval.errors import CommandRefusedError, UnknownMemoryError
from yggdrasil_projections.retrieval.memories import content_of, reference_of
from yggdrasil_projections.retrieval.records import fields_in
from yggdrasil_projections.retrieval.text.said import pieces_in, said_in
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.commands.vectors import Piece, Vector, narrowing
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.refusals import Refusal

from .engine import ReadingEngine
from .reading import Reading

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder

COVERED: Final = 0.9
"""From this share of a memory's texts on, a model answers for it in place of the one before."""
_BATCH: Final = 32  # texts in one call of the embedder
_BATCH_CHARS: Final = 16_384  # and so much of them: some seconds of work at most, which is what a stop may lose
_LOOK_AGAIN_S: Final = 10.0
_CHOSEN_MAX: Final = 10_000
_SEARCHED: Final = frozenset({"record_event", "log_outcome", "commit_episode", "form_concept", "assert_claim"})
_FORGOTTEN: Final = (Refusal.NODE_FORGOTTEN, Refusal.UNKNOWN_REFERENCE)


class Missing(NamedTuple):
    """A node whose text has no vector of a model, or a long one none of its pieces; ``number`` orders them."""

    number: int
    ref: str
    record: Mapping[str, Any]


class Coverage(NamedTuple):
    """How many of a memory's texts have a vector of a model, of how many that could be found."""

    covered: int
    texts: int

    @property
    def share(self) -> float:
        """The share, 1 when there is no text."""
        return self.covered / self.texts if self.texts else 1.0


class Embedding:
    """The embedder of a memory, and the one that it takes the place of, while both are there. For any thread.

    What is said gets a vector of ``current`` alone. What is asked gets one of ``current`` as soon as 90 % of the
    memory's texts have one, and of ``former`` until then. Without ``former`` it is always ``current``: texts that have
    no vector of it are found by their words and their neighbours.
    """

    def __init__(self, current: Embedder, former: Embedder | None = None, *, owned: bool = False) -> None:
        """Use both; ``current`` is closed with this if it is ``owned``."""
        self.current = current
        self.former = former
        self._owned = owned
        self._choosing = Lock()
        self._chosen: dict[str, tuple[float, Embedder]] = {}  # until when, and which

    def of_records(self, records: Sequence[Mapping[str, Any]]) -> list[Vector | None]:
        """Return the vectors of what records say, made in one call; None where one says nothing in clear.

        Those of long texts have their pieces. Raises EmbeddingError.
        """
        return _vectors(self.current, records)

    def completed(self, draft: Draft) -> Draft:
        """Return ``draft`` with a vector of what it says, if it says something in clear and has none.

        Raises EmbeddingError.
        """
        return self.all_completed([draft])[0]

    def all_completed(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Return drafts as ``completed`` does; one call of the embedder makes all vectors. Raises EmbeddingError.

        One whose record has no room for a vector stays without: it could not be recorded with one.
        """
        records = [fields_in(draft.value) for draft in drafts]
        wanting = [place for place, fields in enumerate(records) if _wants_vector(fields)]
        vectors = self.of_records([records[place] for place in wanting])
        completed = list(drafts)
        for place, vector in zip(wanting, vectors, strict=True):
            if vector is not None:
                completed[place] = _having(drafts[place], records[place], vector.as_sent())
        return completed

    def close(self) -> None:
        """Close the embedder if it is owned. Closing twice is allowed."""
        if self._owned:
            self.current.close()

    def of_query(self, engine: ReadingEngine, memory: str, query: str) -> QueryVector | None:
        """Return the vector of a question to ``memory``; None for an empty one. Raises EmbeddingError."""
        if not query.strip():
            return None
        vector = self._for(engine, memory).embed_query(query)
        return QueryVector(vector.model, vector.values)

    def _for(self, engine: ReadingEngine, memory: str) -> Embedder:
        if self.former is None or not isinstance(engine, Reading):
            return self.current
        with self._choosing:
            until, chosen = self._chosen.get(memory, (0.0, self.current))
        if monotonic() < until:
            return chosen
        chosen = self.current if coverage(engine, memory, self.current).share >= COVERED else self.former
        with self._choosing:
            if len(self._chosen) >= _CHOSEN_MAX:
                self._chosen.clear()
            self._chosen[memory] = monotonic() + _LOOK_AGAIN_S, chosen
        return chosen


def as_recorded(draft: Draft, record: bytes) -> Draft:
    """Return ``draft``, sent again, with the vector that its ``record`` has; as it is when that has none.

    A model makes slightly other numbers on another processor, and with another vector it would be another command.
    """
    fields = fields_in(draft.value)
    content: Mapping[str, Any] = fields_in(record).get("content") or {}
    vector = content.get("vector")
    return _having(draft, fields, vector) if vector and _wants_vector(fields) and said_in(fields) else draft


def _having(draft: Draft, fields: dict[str, Any], vector: Any) -> Draft:
    """Return ``draft`` with a vector, without its pieces if there is no room for these, or as it is."""
    for each in narrowing(vector):
        fields["content"]["vector"] = each
        with suppress(InvalidCommandError):
            return replace(draft, value=encode(fields))
    return draft


def _vectors(embedder: Embedder, records: Sequence[Mapping[str, Any]]) -> list[Vector | None]:
    """Return the vectors of what records say with those of their pieces, made in one call. Raises EmbeddingError."""
    texts: list[str] = []
    said: list[tuple[bool, list[tuple[int, int, str]]]] = []
    for fields in records:
        text = said_in(fields)
        parts = pieces_in(fields) if text is not None else []
        said.append((text is not None, parts))
        texts += [*([] if text is None else [text]), *(part for _, _, part in parts)]
    made = iter(embedder.embed_documents(texts) if texts else [])
    return [_whole(made, parts) if says else None for says, parts in said]


def _whole(made: Iterator[Vector], parts: Sequence[tuple[int, int, str]]) -> Vector:
    """Return the next vector that was ``made``, with those of its pieces, which come after it."""
    vector = next(made)
    pieces = [Piece(begin=begin, end=end, data=next(made).data) for begin, end, _ in parts]
    return vector.model_copy(update={"pieces": pieces}) if pieces else vector


def _wants_vector(fields: Mapping[str, Any]) -> bool:
    return fields["type"] in _SEARCHED and "vector" not in (fields.get("content") or {})


def coverage(engine: Reading, memory: str, embedder: Embedder) -> Coverage:
    """Return how many of the texts of ``memory`` have a vector of ``embedder``. An unknown memory has no text."""
    with engine.asking(memory) as (graph, _):
        if graph is None:
            return Coverage(0, 0)
        index = engine.view.index(graph)
        rows = index.texts()
        return Coverage(int(np.count_nonzero(index.covered(rows, embedder.model, embedder.dimension))), len(rows))


def reembed(
    engine: Reading, memory: str, embedder: Embedder, progress: Callable[[int, int], object] | None = None
) -> int:
    """Give every text of ``memory`` that has no vector of ``embedder`` one, and return how many that were.

    Each batch is appended before the next is embedded, as ``attach_vector`` commands in the operator's name; stopped
    at any moment, the next call goes on where this one ended. The ids are derived from what they say, so two calls at
    once do the work twice and take effect once. ``progress`` is told how many texts are covered, and how many there
    are. Raises UnknownMemoryError, EmbeddingError, LogError, and CommandRefusedError when a vector is not taken.
    """
    attached = 0
    for count in attaching(engine, memory, embedder):
        attached += count
        if progress:
            progress(*coverage(engine, memory, embedder))
    return attached


def attaching(engine: Reading, memory: str, embedder: Embedder) -> Iterator[int]:
    """Do what ``reembed`` does, and yield after each batch how many texts of it were given a vector.

    It goes through the memory once, as that stands by then: whoever stops in between goes on from there. Raises as
    ``reembed`` does.
    """
    drafter = Drafter(memory, "embedder", "yggdrasil-embed", "operator")
    for batch in _batches(engine, memory, embedder):
        vectors = _vectors(embedder, [missing.record for missing in batch])
        made = ((missing.ref, vector) for missing, vector in zip(batch, vectors, strict=True) if vector is not None)
        drafts = [_attach(drafter, ref, vector) for ref, vector in made]
        attached = 0
        for _, answer in engine.submit_many(drafts):
            if answer.refused is None:
                attached += 1
            elif answer.refused.reason not in _FORGOTTEN:  # it may be forgotten while its vector is made
                raise CommandRefusedError(answer.refused)
        yield attached


def _attach(drafter: Drafter, ref: str, vector: Vector) -> Draft:
    pieces = (each.data for each in vector.pieces)
    stamp = Stamp(drafter.derived_id("attach_vector", drafter.memory, ref, vector.model, vector.data, *pieces))
    return drafter.attach_vector(ref, vector, stamp=stamp)


def _batches(engine: Reading, memory: str, embedder: Embedder) -> Iterator[list[Missing]]:
    """Yield the texts that have no vector, oldest first; the fold and the view move on between two batches."""
    number = 0
    while batch := _missing(engine, memory, embedder, number):
        yield batch
        number = batch[-1].number + 1


def _missing(engine: Reading, memory: str, embedder: Embedder, number: int) -> list[Missing]:
    """Return the next texts without a vector, from ``number`` on. Raises UnknownMemoryError."""
    with engine.asking(memory) as (graph, _):
        if graph is None:
            raise UnknownMemoryError(memory, engine.where)
        index = engine.view.index(graph)
        rows = index.texts()
        rows = rows[index.documents.columns.number[rows] >= number]
        found: list[Missing] = []
        chars = 0
        for row in rows[~index.covered(rows, embedder.model, embedder.dimension)].tolist():
            each = int(index.documents.columns.number[row])
            try:
                record = fields_in(content_of(graph, each))
            except UnsoundRecordError:  # whoever reads it tells of it
                continue
            if said_in(record) is not None:
                found.append(Missing(each, reference_of(graph, each), record))
                chars += int(index.documents.columns.chars[row])
            if len(found) == _BATCH or chars >= _BATCH_CHARS:
                break
        return found
