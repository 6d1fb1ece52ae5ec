"""What is relevant, in order of priority, each with what it takes and what it is a claim from."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeKind, Status

from ...index.visible import Shown
from ...memories import content_of
from ...ranking.own.order import own_priorities
from ...ranking.priority import priorities
from ...ranking.rankers import Distinguishing, Fused, Recipe, Tiered, shown_chars
from ...ranking.relevance import Hit
from ...ranking.repeating import Repeated
from ...ranking.selection import Candidate, Limits, tokens_of
from ...records import fields_in
from ...text.tokenizers import TOKENIZERS
from ...text.unicode import denies
from ...text.wording import follows, wording
from .scored import scored

NOTHING_REPEATED: Final[Mapping[int, Repeated]] = MappingProxyType({})
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_STANDS: Final = (Status.ACTIVE, Status.PRIOR)


def limits_of(recipe: Recipe, count: int, tokens: int | None) -> Limits:
    """Return how much may be chosen, by the numbers of a ranker."""
    return Limits(count, tokens, recipe.alike, recipe.close, recipe.overhead)


def ranked(
    graph: Graph,
    index: Shown,
    recipe: Recipe,
    hits: Iterable[Hit],
    without: Sequence[int] = (),
    repeated: Mapping[int, Repeated] = NOTHING_REPEATED,
) -> list[Candidate]:
    """Return hits in order of priority, by the weights of a ranker, but for the nodes ``without``."""
    columns, hits = index.documents.columns, list(hits)
    rows = np.array([hit.row for hit in hits], np.int64)
    most = shown_chars(recipe)
    length = columns.chars[rows] if most is None else np.minimum(columns.chars[rows], most)
    numbers, chars = columns.number[rows].tolist(), length.tolist()
    nodes = [graph.expect(number) for number in numbers]
    if isinstance(recipe, Tiered) and recipe.own is not None:
        values = own_priorities(recipe.own, graph, nodes, hits)
    else:
        values = priorities(graph, nodes, [hit.relevance for hit in hits], recipe)
    if recipe.keywords and not (isinstance(recipe, Tiered) and recipe.own is not None):
        keyed, more = keyed_rows(index, recipe), recipe.keyed * recipe.under_scale
        values = [value + more * (row in keyed) for value, row in zip(values, rows.tolist(), strict=True)]
    # ``hybrid/1`` knew neither claims nor trust, and its recalls are proved as they were answered.
    claims = isinstance(recipe, Fused) and (recipe.once or not isinstance(recipe, Distinguishing))
    among: dict[int, int] = {}
    if claims:
        for row, number in zip(rows.tolist(), numbers, strict=True):
            among.update((each, number) for each in (repeated[row].numbers if row in repeated else (number,)))
    found = [
        Candidate(
            node.number,
            hit,
            value,
            tokens_of(length),
            (node.good > 0, node.bad > 0),
            _evidence(graph, node, among, recipe),
            node.trust if isinstance(recipe, Fused) else 0,
        )
        for node, hit, value, length in zip(nodes, hits, values, chars, strict=True)
        if node.number not in without
    ]
    order = sorted(found, key=lambda each: (-each.priority, each.number))
    scorer = recipe.scorer if isinstance(recipe, Tiered) else None
    return order if scorer is None else scored(graph, order, scorer, recipe.under)


def keyed_rows(index: Shown, recipe: Recipe) -> frozenset[int]:
    """Return the rows of the documents that have a keyword of the perspectives that are asked under."""
    tokenizer, postings = TOKENIZERS[recipe.tokenizer], index.postings
    terms = {term for word in recipe.keywords for term in tokenizer.terms(word)}
    known = sorted(postings.number[term] for term in terms if term in postings.number)
    return frozenset(postings.rows_of(known).tolist()) if known else frozenset()


def _evidence(graph: Graph, node: Node, among: Mapping[int, int], recipe: Recipe) -> frozenset[int]:
    """Return which nodes ``among`` those that were found, by what stands for each, a claim was made from; not what
    denies something: of that the words alone do not tell what it says. With ``once`` the claim must say all its words,
    in their order. None of a node that is no claim.
    """
    if node.kind != NodeKind.CLAIM:
        return frozenset()
    number = node.number
    links = graph.links(number)  # any order: it is a set again
    made_from = (source for source, kind, target in links if kind == _EVIDENCE and target == number)
    sources = {among[source] for source in made_from if source in among}
    said = {each: _text(graph, each) for each in sources}
    if not said:
        return frozenset()
    whole = wording(_text(graph, number)) if isinstance(recipe, Fused) and recipe.once else None
    return frozenset(
        each for each, text in said.items() if not denies(text) and (whole is None or follows(wording(text), whole))
    )


def _text(graph: Graph, number: int) -> str:
    content: dict[str, Any] = fields_in(content_of(graph, number)).get("content") or {}
    text: str | None = content.get("text")
    return text or ""


def what_stands_first(graph: Graph, chosen: list[Candidate]) -> list[Candidate]:
    """Return what was chosen, so that what stands is not behind what is contested in its favour, but just before it."""
    by_number = {each.number: each for each in chosen}
    found: dict[int, Candidate] = {}
    for each in chosen:
        node = graph.expect(each.number)
        stands = by_number.get(graph.ruling(node).instead) if node.status == Status.CONTESTED else None
        if stands is not None and graph.expect(stands.number).status in _STANDS:
            found.setdefault(stands.number, stands)
        found.setdefault(each.number, each)
    return list(found.values())
