"""The order that a ranker of somebody else's gives, as far as trust leaves it to that."""

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np

from yggdrasil_infra.plugins import PluginError, loaded
from yggdrasil_projections.graph.arithmetic import decayed_array
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, NodeKind, seq_of

from ...errors import RankerFailedError
from ..priority import worth
from ..relevance import Hit
from .ranker import GROUP, ONE, CandidateFeatures, OwnRanker

_TIE: Final = 2.0**-20  # for each tier of trust: less than a score has steps
_SAID_MAX: Final = 200


def own_ranker(name: str) -> OwnRanker:
    """Return the ranker of somebody else's of that name and version, which is imported now. Raises PluginError."""
    found: Any = loaded(GROUP, name)
    said = getattr(found, "name", None)
    if said != name or not callable(getattr(found, "scores", None)):
        says = f"it calls itself {str(said)[:_SAID_MAX]!r}" if said != name else "it has no method `scores`"
        raise PluginError(f"what is installed as {name} is no such ranker: {says}; docs/retrieval.md says what one is")
    return cast("OwnRanker", found)


def own_priorities(own: OwnRanker, graph: Graph, nodes: Sequence[Node], hits: Sequence[Hit]) -> list[float]:
    """Return what orders memories by the scores of ``own``, as shares of 4,096.

    Nothing stands before what is trusted more and no less relevant: that gains as much as the best of what it would
    stand behind. Raises RankerFailedError, which names it, for a ranker that fails.
    """
    if not nodes:
        return []
    scores = _scores(own, candidates_of(graph, nodes, hits))
    found = [score / ONE + _TIE * node.trust for score, node in zip(scores, nodes, strict=True)]
    by_trust = sorted(range(len(nodes)), key=lambda at: nodes[at].trust)
    for at in by_trust:  # what is trusted less has its own by then
        least = [other for other in by_trust if nodes[other].trust < nodes[at].trust]
        below = (found[other] for other in least if hits[other].relevance <= hits[at].relevance)
        found[at] = max(found[at], max(below, default=0.0) + _TIE)
    return found


def candidates_of(graph: Graph, nodes: Sequence[Node], hits: Sequence[Hit]) -> list[CandidateFeatures]:
    """Return what a ranker is told of each: elementwise, so that a memory is told of alike in any company."""
    header = graph.header
    elapsed = np.array([header.tick - node.tick for node in nodes], np.float64)
    half_lives = np.full(len(nodes), header.policy.permanence_half_life_ticks, np.float64)
    kept = np.array([(node.salience, node.half_life, node.permanence, node.pin_permanence) for node in nodes])
    salience = decayed_array(kept[:, 0], elapsed, kept[:, 1]).tolist()
    permanence = np.maximum(decayed_array(kept[:, 2], elapsed, half_lives), kept[:, 3]).tolist()
    return [
        CandidateFeatures(
            _share(hit.relevance),
            _share(hit.lexical),
            _share(hit.vector),
            _share(hit.spread),
            _share(strong / (strong + 1.0)),
            _share(lasting / (lasting + 1.0)),
            _share(0.5 + 0.5 * (worth(node) / (abs(worth(node)) + 1.0))),
            node.trust,
            NodeKind(node.kind).name.lower(),
            header.seq - seq_of(node.number),
            node.usage,
            node.candidates,
            node.good,
            node.bad,
        )
        for node, hit, strong, lasting in zip(nodes, hits, salience, permanence, strict=True)
    ]


def _share(value: float) -> int:
    return min(ONE, max(0, int(value * ONE)))


def _scores(own: OwnRanker, candidates: list[CandidateFeatures]) -> list[int]:
    try:
        given: list[object] = list(own.scores(tuple(candidates)))
    except Exception as error:  # whatever somebody else's code raises
        raise RankerFailedError(own.name, f"it raised {type(error).__name__}: {error}"[:_SAID_MAX]) from error
    if len(given) != len(candidates):
        raise RankerFailedError(own.name, f"of {len(candidates)} candidates it scored {len(given)}")
    for each in given:
        if type(each) is not int or not 0 <= each <= ONE:
            said = f"{str(each)[:40]} of {type(each).__name__}"
            raise RankerFailedError(own.name, f"a score is a whole number from 0 to {ONE:,}, and not {said}")
    return cast("list[int]", given)
