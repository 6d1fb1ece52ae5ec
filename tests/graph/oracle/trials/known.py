"""Where fold and oracle differ in what is known: claims, predicates, names of things and relations."""

from math import inf
from typing import Any

from tests.graph.oracle import records
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.records import numbers
from tests.graph.world import live_claims, live_definitions, live_names, live_relations, live_roles
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO
from yggdrasil_schemas.graph.records import Node

SORTS = ("", "fact", "lesson", "rule", "desk")


def claimed(graph: Graph, node: Node, ours: records.Node) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a node claims in the fold, and in the oracle."""
    claim, expected = graph.claim(node), ours.claim
    if claim is None or expected is None:
        return {"claim": claim is not None}, {"claim": expected is not None}
    fold = {
        "sort": SORTS[claim.sort],
        "predicate": claim.predicate,
        "value": claim.value,
        "begins": _moment(claim.begins),
        "ends": _moment(claim.ends),
        "closed": _moment(claim.closed),
        "confirmed": claim.confirmed,
        "before": claim.before,
        "named": claim.named,
        "seen": (claim.seen, claim.sighted),
        "lines": [(*line[:4], _moment(line.begins), line.seq) for line in claim.lines],
    }
    oracle = {
        "sort": expected.sort,
        "predicate": expected.predicate,
        "value": expected.value,
        "begins": expected.begins,
        "ends": expected.ends,
        "closed": expected.closed,
        "confirmed": expected.confirmed,
        "before": expected.before.number if expected.before else 0,
        "named": expected.named,
        "seen": (expected.seen, expected.sighted),
        "lines": [(line.who, line.root, line.trust, line.weight, line.begins, line.seq) for line in expected.lines],
    }
    return fold, oracle


def _moment(moment: int) -> float:
    return {OPEN_FROM: -inf, OPEN_TO: inf}.get(moment, moment)


def known(graph: Graph, m: Memory) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the memory knows beside its nodes, in the fold and in the oracle."""
    fold = {
        "claims": set(live_claims(graph)),
        "predicates": live_definitions(graph),
        "names": {
            name: (each.canonical, dict(each.aliases), list(each.said)) for name, each in live_names(graph).items()
        },
        "relations": live_relations(graph),
        "roles": {name: list(map(tuple, each.perspectives)) for name, each in live_roles(graph).items()},
        "counts": (graph.header.predicates, graph.header.aliases),
    }
    things = {id(each): each for each in m.things.values()}.values()
    oracle = {
        "claims": {node.number for node in m.nodes.values() if node.claim is not None},
        "predicates": m.predicates,
        "names": {
            name: (each.canonical, each.aliases, [(one, *said) for one in sorted(each.said) for said in each.said[one]])
            for name, each in m.things.items()
        },
        "roles": {name: [(each.key, each.name, each.keywords) for each in m.roles[name]] for name in sorted(m.roles)},
        "relations": {numbers(key): (tuple(said),) for key, said in m.relations.items()},
        "counts": (len(m.predicates), sum(len(each.aliases) for each in things)),
    }
    return fold, oracle
