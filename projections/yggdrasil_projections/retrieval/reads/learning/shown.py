"""What is found, as an answer shows it: with its scores, its place in the log and where it comes from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import seq_of
from yggdrasil_schemas.ids import id_bytes

from ...answers import Found, Lineage, Place, Scores
from ...index.visible import Shown
from ...index.vocabulary import NAME_TERM
from ...memories import MemoryObject, content_of, made_by
from ...ranking.fusion import Fusion
from ...ranking.relevance import Relevance, via
from ...ranking.selection import Candidate, tokens_of
from ...records import fields_in
from ...text.said import called_in


def found_in(graph: Graph, index: Shown, each: Candidate, searched: Relevance, partition: int) -> Found:
    """Return a candidate as an answer shows it."""
    record = fields_in(content_of(graph, each.number))
    memory = made_by(graph, graph.expect(each.number), record)
    named = [name for name in memory.features if name in searched.named]
    named += [name for name in called_in(record.get("content") or {}) if NAME_TERM + name in searched.named]
    passed = _refs(graph, index, via(index.standing, each.hit, searched))
    place = _place(graph, each.number, memory, partition)
    found = _found(memory, record, scores_of(each, named), place, passed)
    repeated = searched.repeated.get(each.hit.row) if isinstance(searched, Fusion) else None
    return found if repeated is None else replace(found, repeats=repeated.others, since=repeated.since)


def scores_of(each: Candidate, named: Sequence[str] = ()) -> Scores:
    """Return why a candidate is one, and why it stands there; ``named`` of it is what the question names."""
    hit = each.hit
    return Scores(hit.lexical, hit.vector, hit.spread, hit.relevance, each.priority, list(named))


def found_at(graph: Graph, number: int, scores: Scores, partition: int) -> Found:
    """Return a live node as an answer shows it."""
    record = fields_in(content_of(graph, number))
    memory = made_by(graph, graph.expect(number), record)
    return _found(memory, record, scores, _place(graph, number, memory, partition))


def _place(graph: Graph, number: int, memory: MemoryObject, partition: int) -> Place:
    identity = graph.identity(id_bytes(memory.ref))
    return Place(seq_of(number), partition, identity.offset if identity else 0)


def _found(
    memory: MemoryObject, record: dict[str, Any], scores: Scores, place: Place, via: Sequence[str] = ()
) -> Found:
    body: dict[str, list[str]] = record["body"]
    causes, recalls = list(body.get("caused_by", ())), list(body.get("informed_by", ()))
    lineage = Lineage(record["origin"], record["source"], causes, recalls, list(via))
    return Found(memory, scores, place, lineage, tokens_of(len(memory.text or "")))


def _refs(graph: Graph, index: Shown, rows: Sequence[int]) -> list[str]:
    numbers = index.documents.columns.number
    return [fields_in(content_of(graph, int(numbers[row])))["id"] for row in rows]
