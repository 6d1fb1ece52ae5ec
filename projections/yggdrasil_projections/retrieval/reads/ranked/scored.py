"""What a learned scorer changes of an order, and the nine numbers that a memory is described by (003, section 3.5)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from yggdrasil_projections.graph.working_set import Graph

from ...found import Found
from ...ranking.rankers import Recipe, Tiered
from ...ranking.scoring.features import features_of
from ...ranking.scoring.scorers import Features, Network
from ...ranking.selection import Candidate

_LESS: Final = 2.0**-40  # by so much at least a priority is below the one before it, so that no number decides


def scored(graph: Graph, order: Sequence[Candidate], scorer: Network, under: Sequence[bytes] = ()) -> list[Candidate]:
    """Return candidates in the order of a scorer: of each tier of trust by itself, in the places that it had; ``under``
    are the perspectives that are asked under.

    So what is trusted less takes no place of what is trusted more. Whatever stands at a place has its priority.
    """
    logits: list[int] = scorer.logits(features_among(graph, order, under)).tolist()
    best = sorted(range(len(order)), key=lambda at: (-logits[at], order[at].number))
    of_tier: dict[int, list[int]] = {}
    for at in best[::-1]:
        of_tier.setdefault(order[at].trust, []).append(at)
    found: list[Candidate] = []
    for each in order:
        priority = min(each.priority, found[-1].priority - _LESS) if found else each.priority
        found.append(order[of_tier[each.trust].pop()]._replace(priority=priority))
    return found


def described(graph: Graph, chosen: Sequence[Candidate], found: list[Found], recipe: Recipe) -> list[Found]:
    """Return what was ``found``, of the candidates ``chosen``, each with its nine features.

    They are there for whoever asks why, and for whoever learns from what was used: where a scorer ranks, or the policy
    ``recall_features`` lets recalls keep them.
    """
    scorer = recipe.scorer if isinstance(recipe, Tiered) else None
    if not found or (scorer is None and not graph.header.policy.recall_features):
        return found
    rows: list[list[int]] = features_among(graph, chosen, recipe.under).tolist()
    return [replace(entry, scores=replace(entry.scores, features=row)) for entry, row in zip(found, rows, strict=True)]


def features_among(graph: Graph, candidates: Sequence[Candidate], under: Sequence[bytes]) -> Features:
    """Return the nine features of each candidate under perspectives: one for what orders, chooses and is recorded."""
    nodes = [graph.expect(each.number) for each in candidates]
    relevance, named = [each.hit.relevance for each in candidates], [each.hit.named for each in candidates]
    return features_of(graph, nodes, relevance, named, under)
