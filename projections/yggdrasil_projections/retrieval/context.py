"""The search for context, in two stages: what is relevant at all, then what comes first (003, section 3.4).

Stage 1 is lexical; a memory that shares no word with the query is no candidate, however strong it is. Stage 2 is a
linear sum in which similarity leads. When nothing is relevant, the answer is nothing.
"""

from typing import Final

from yggdrasil_schemas.graph import Node, NodeFlag, NodeKind, seq_of

from ..graph.laws.reference import accepted
from ..graph.laws.use import FORETELL_OUTCOMES
from ..graph.working_set import Graph
from .answers import Context, Found, Lineage, Place, Scores
from .asks import Ask
from .index import MemoryIndex
from .lexical import INDEX, TOKENIZER, Hit, LexicalIndex
from .memories import content_of, describe, judged_by, salience_now
from .records import fields_in

RANKER: Final = "linear/1"
CANDIDATES_MAX: Final = 200
# Similarity is at most 1, and all the rest together at most 0.6: strength decides between memories that are about
# equally relevant, it does not make an irrelevant one relevant (003, section 3.5).
_SALIENCE, _PERMANENCE, _IMPACT, _USAGE = 0.2, 0.2, 0.1, 0.1


def search_context(graph: Graph, index: MemoryIndex, ask: Ask, partition: int) -> Context:
    """Return the memories of ``graph`` that matter most to what is asked; what is archived is not among them."""
    scored: list[tuple[float, int, Scores]] = []
    for number, similarity in _similarities(graph, _hits(graph, index.lexical, ask.query)).items():
        node = graph.expect(number)
        salience = salience_now(graph, node)
        total = similarity + _SALIENCE * (salience / (salience + 1.0))
        total += _PERMANENCE * (node.permanence / (node.permanence + 1.0))
        worth = _worth(node)
        total += _IMPACT * (worth / (abs(worth) + 1.0))
        total += _USAGE * (node.usage / max(1, node.candidates)) if node.usage <= node.candidates else _USAGE
        scored.append((-total, number, Scores(similarity, 0.0, 0.0, similarity, total)))
    scored.sort(key=lambda entry: entry[:2])
    found = [_found(graph, number, scores, partition) for _, number, scores in scored[: ask.k]]
    return Context(ask.query, found, graph.header.seq, versions=VERSIONS)


def _found(graph: Graph, number: int, scores: Scores, partition: int) -> Found:
    memory = describe(graph, graph.expect(number))
    fields = fields_in(content_of(graph, number))
    identity = accepted(graph, memory.ref)
    place = Place(seq_of(number), partition, identity.offset if identity else 0)
    body = fields["body"]
    lineage = Lineage(
        fields["origin"], fields["source"], list(body.get("caused_by", ())), list(body.get("informed_by", ()))
    )
    return Found(memory, scores, place, lineage, -(-len(memory.text or "") // 4))


def _worth(node: Node) -> float:
    """Return what using a memory has been worth, negative if it misled; unless it has been used, how much it matters.

    A failure matters as much as a success. A feature's valence is about outcomes, not about the use of recalling it.
    """
    used = node.valence if node.kind not in FORETELL_OUTCOMES else 0.0
    return used or abs(node.impact)


def _hits(graph: Graph, index: LexicalIndex, query: str) -> list[Hit]:
    """Return what matches best, without what is gone or archived: it would take the places of what is not."""
    limit = CANDIDATES_MAX
    while True:
        hits = index.search(query, limit)
        if any(graph.node(number) is None for number, _ in hits):
            index.forget(graph)
            hits = index.search(query, limit)
        found = [hit for hit in hits if not graph.expect(hit.number).flags & NodeFlag.ARCHIVED]
        if len(found) >= CANDIDATES_MAX or len(hits) < limit:
            return found[:CANDIDATES_MAX]
        limit *= 4


def _similarities(graph: Graph, hits: list[Hit]) -> dict[int, float]:
    """Return the similarity, at most 1, of what the hits are about: an outcome stands for what was judged.

    Whoever asks about an outage wants to know what led to it, and an event or an episode shows its outcomes anyway.
    Only when that can no longer be found does the outcome stand for itself.
    """
    found: dict[int, float] = {}
    for number, score in hits:
        judged = _judged(graph, number)
        found.setdefault(judged.number if judged else number, score / hits[0].score)  # hits come best first
    return found


def _judged(graph: Graph, number: int) -> Node | None:
    """Return what the outcome ``number`` is about, if it is an outcome and that can still be found."""
    judged = judged_by(graph, number) if graph.expect(number).kind == NodeKind.OUTCOME else None
    return judged if judged is not None and not judged.flags & NodeFlag.ARCHIVED else None


VERSIONS: Final = {"ranker": RANKER, "tokenizer": TOKENIZER, "index": INDEX}
"""What answered, recorded with every recall so that the answer can be proved later."""
