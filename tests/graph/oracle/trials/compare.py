"""Where a memory of the fold and one of the oracle differ, in words; whatever is not exact may differ by rounding."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from math import isclose
from typing import Any

from tests.graph.oracle import records
from tests.graph.oracle.memory import Memory, hashed
from tests.graph.oracle.records import EDGE_KINDS, numbers
from tests.graph.oracle.trials.known import claimed, known
from tests.graph.world import (
    live_adjusted,
    live_edges,
    live_features,
    live_nodes,
    live_regards,
    live_rulings,
    live_slots,
)
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import NOBODY, Edge, EdgeKey, EdgeKind, Node, NodeFlag, NodeKind, Status
from yggdrasil_schemas.ids import id_bytes

RELATIVE = 1e-9
ABSOLUTE = 1e-12


@dataclass(frozen=True)
class Difference:
    """One thing that differs: of which node (its number), edge (its key) or other part, and what was found."""

    place: int | EdgeKey | str
    field: str
    fold: Any
    oracle: Any

    @property
    def about(self) -> str:
        """What differs, without saying where."""
        if isinstance(self.place, str):
            return f"{self.field} of a {self.place.split()[0]}" if " " in self.place else f"{self.place}: {self.field}"
        return f"{self.field} of {'a node' if isinstance(self.place, int) else 'an edge'}"

    def __str__(self) -> str:
        return f"{self.place}: {self.field} is {self.fold} in the fold, {self.oracle} in the oracle"


def present(value: float, elapsed: int, half_life: float) -> float:
    """What is left of a stored value; not by the fold's own arithmetic."""
    return 0.0 if elapsed >= 2_000 * half_life else value * 2.0 ** -(elapsed / half_life)


def differences(graph: Graph, m: Memory) -> list[Difference]:
    """Everything in which they differ, what is there at all first."""
    found = [*_counters(graph, m), *_presence(graph, m)]
    if found:
        return found
    nodes, edges = live_nodes(graph), live_edges(graph)
    for node in m.nodes.values():
        found += _compared(
            node.number, _node(nodes[node.number], m.tick), _expected_node(node) | {"degree": m.degree(node)}
        )
        parts = graph.parts(node.number)
        fold_parts = {"parts": list(parts.carriers), "informed by": list(parts.informed)}
        informed = [recall.seq for recall in node.informed]
        found += _compared(
            node.number, fold_parts, {"parts": [each.number for each in node.parts], "informed by": informed}
        )
        attached = {model: seq for model, (seq, _) in graph.vectors(node.number).items()}
        found += _compared(
            node.number, {"vectors": attached}, {"vectors": {model: seq for model, (seq, _) in node.vectors.items()}}
        )
        found += _adjusted(graph, nodes[node.number], node)
        found += _regards(graph, nodes[node.number], node, m.tick)
        found += _ruling(graph, nodes[node.number], node)
        found += _compared(node.number, *claimed(graph, nodes[node.number], node))
    for key, edge in m.edges.items():
        found += _compared(numbers(key), _edge(edges[numbers(key)], m.tick), _expected_edge(edge))
    found += _compared("what is known", *known(graph, m))
    return [*found, *_used_up(graph, m), *_slots(graph, m), *_sessions(graph, m), *_recalls(graph, m)]


def excused(different: list[Difference], graph: Graph, m: Memory) -> bool:
    """Whether rounding can have brought about what differs after the last command.

    Either the same number of nodes (or edges) has gone, and those that differ had the same rank; or, for want of the
    edges that went, the ends of others of that rank were crowded; or all that differs is about nodes at a threshold;
    or such a node was decided upon otherwise, and the rest may follow from that.
    """
    missing = [each.place for each in different if each.field == "being there"]
    nodes = {place for place in missing if isinstance(place, int)}
    edges = {place for place in missing if isinstance(place, tuple)}
    if nodes and nodes <= m.ties and graph.header.nodes == len(m.nodes):
        return True
    if edges and not nodes and edges <= m.ties and graph.header.edges == len(m.edges):
        return True
    if edges & m.ties and not nodes and all(_crowding(key, m) for key in edges - m.ties):
        return True
    counts = ("nodes", "edges", "names")  # which follow from what is there
    about = [each for each in different if each.field not in counts]
    return all(_unsure(each, m.unsure) for each in about) or _decided_otherwise(graph, m)


def _used_up(graph: Graph, m: Memory) -> list[Difference]:
    """Of which nodes it is kept what adjustments have used up, and how they are regarded: of none that is gone."""
    expected = {node.number for node in m.nodes.values() if node.spent is not None}
    found = _compared("adjustments", {"kept": set(live_adjusted(graph))}, {"kept": expected})
    regarded = {node.number for node in m.nodes.values() if node.regards}
    return [*found, *_compared("regards", {"kept": set(live_regards(graph))}, {"kept": regarded})]


def _adjusted(graph: Graph, node: Node, ours: records.Node) -> list[Difference]:
    kept, spent = graph.adjusted(node), ours.spent
    if kept is None or spent is None:
        return _compared(node.number, {"adjusted": kept is not None}, {"adjusted": spent is not None})
    fold = {"tick": kept.tick, "salience": kept.salience, "permanence": kept.permanence, "factor": kept.half_life}
    oracle = {
        "tick": spent.begun,
        "salience": spent.salience,
        "permanence": spent.permanence,
        "factor": spent.factor,
    }
    different = _compared(node.number, fold, oracle)
    return [Difference(each.place, f"adjusted {each.field}", each.fold, each.oracle) for each in different]


def _regards(graph: Graph, node: Node, ours: records.Node, tick: int) -> list[Difference]:
    fold = {each.key: each for each in graph.regards(node)}
    found = _compared(node.number, {"regards": list(fold)}, {"regards": sorted(ours.regards)})
    for key, expected in ours.regards.items() if not found else ():
        kept = fold[key]
        value = present(kept.value, tick - kept.tick, kept.half_life)
        said = {"regard": value, "its half-life": kept.half_life, "its uses": (kept.uses, kept.trust)}
        other = {"regard": expected.value, "its half-life": expected.half_life}
        found += _compared(node.number, said, other | {"its uses": (expected.uses, expected.trust)})
    return found


def _slots(graph: Graph, m: Memory) -> list[Difference]:
    """Of which nodes a ruling is kept, and what is in each slot; whatever reads of it is as it follows from rulings."""
    ruled = [node for node in m.nodes.values() if node.ruling is not None]
    slots = sorted({node.slot for node in ruled if node.slot})
    fold = {
        "rulings": set(live_rulings(graph)),
        "slots": live_slots(graph),
        "named": [graph.ruled(slot) for slot in slots],
    }
    held = {slot: [node.number for node in m.in_slot(slot)] for slot in slots}
    oracle = {
        "rulings": {node.number for node in ruled},
        "slots": {slot: numbers for slot, numbers in held.items() if numbers},
        "named": [sorted(node.number for node in ruled if node.slot == slot) for slot in slots],
    }
    return _compared("what stands", fold, oracle)


def _ruling(graph: Graph, node: Node, ours: records.Node) -> list[Difference]:
    kept, expected = graph.ruling(node), ours.ruling or records.Ruling(b"", "", 0, None)
    fold = {
        "slot": kept.slot,
        "by": kept.by,
        "its trust": kept.trust,
        "instead": kept.instead,
        "reason": kept.reason,
        "was": Status(kept.was).name.lower(),
        "self-approved": kept.self_approved,
    }
    oracle = {
        "slot": expected.slot,
        "by": id_bytes(expected.by) if expected.by else NOBODY,
        "its trust": expected.trust,
        "instead": expected.instead.number if expected.instead else 0,
        "reason": expected.reason,
        "was": ours.was if ours.out else "active",
        "self-approved": expected.self_approved,
    }
    different = _compared(node.number, fold, oracle)
    return [Difference(each.place, f"ruling's {each.field}", each.fold, each.oracle) for each in different]


def _crowding(key: EdgeKey, m: Memory) -> bool:
    """Whether an edge may go for its degree's sake where a tied one at the same node has stayed, or has gone."""
    ends = {end for tied in m.ties if isinstance(tied, tuple) for end in (tied[0], tied[2])}
    return key[1] != EdgeKind.TEMPORAL and not ends.isdisjoint((key[0], key[2]))


def _unsure(different: Difference, unsure: set[int]) -> bool:
    place = different.place
    if isinstance(place, str):  # of a session
        return different.field == "buffer" and set(different.fold) ^ set(different.oracle) <= unsure
    return not unsure.isdisjoint((place[0], place[2]) if isinstance(place, tuple) else (place,))


def _decided_otherwise(graph: Graph, m: Memory) -> bool:
    nodes, ours = live_nodes(graph), {node.number: node for node in m.nodes.values()}
    for place in m.unsure:
        if (place in nodes) != (place in ours):
            return True
        if place in ours and _flags(nodes[place]) != ours[place].flags:
            return True
    return False


def _flags(node: Node) -> frozenset[str]:
    return _named(int(node.flags))


@cache
def _named(flags: int) -> frozenset[str]:
    return frozenset(flag.name.lower() for flag in NodeFlag if flag.name and flags & flag)


def _compared(place: int | EdgeKey | str, fold: dict[str, Any], oracle: dict[str, Any]) -> list[Difference]:
    return [
        Difference(place, name, fold[name], oracle[name]) for name in oracle if not _alike(fold[name], oracle[name])
    ]


def _alike(one: Any, other: Any) -> bool:
    if isinstance(other, Decimal):
        return isclose(one, float(other), rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(one == other)


def _counters(graph: Graph, m: Memory) -> list[Difference]:
    header = graph.header
    fold = {
        "seq": header.seq,
        "tick": header.tick,
        "nodes": header.nodes,
        "edges": header.edges,
        "attested": header.attested_seq,
        "cursors": header.cursors,
        "open": {name: (to, parts, taken) for name, (to, parts, taken) in header.windows.items()},
        "principles": header.principles,
        "episode": header.episode,
        "good": header.good,
        "bad": header.bad,
        "heeded": header.heeded,
        "policy": header.policy,
        "scorers": {seq: (each.adopted, each.trust, each.samples) for seq, each in graph.scorers.items()},
        "snapshots": graph.snapshots,
    }
    oracle = {
        "seq": m.seq,
        "tick": m.tick,
        "nodes": len(m.nodes),
        "edges": len(m.edges),
        "attested": m.attested,
        "cursors": m.cursors,
        "open": {name: (to, parts, sum(1 << part for part in taken)) for name, (to, parts, taken) in m.open.items()},
        "principles": [node.number for node in m.principles],
        "episode": m.episode.number if m.episode else 0,
        "good": m.outcomes["good"],
        "bad": m.outcomes["bad"],
        "heeded": m.heeded,
        "policy": m.policy,
        "scorers": {each.seq: (each.adopted, each.trust, each.samples) for each in m.scorers.values()},
        "snapshots": m.snapshots,
    }
    return _compared("header", fold, oracle)


def _presence(graph: Graph, m: Memory) -> Iterable[Difference]:
    """Nodes and edges that only one of them holds, and features under another number."""
    nodes = live_nodes(graph)
    ours = {node.number for node in m.nodes.values()}
    for number in nodes.keys() ^ ours:
        yield Difference(number, "being there", number in nodes, number in ours)
    edges, keys = live_edges(graph), set(map(numbers, m.edges))
    for key in edges.keys() ^ keys:
        yield Difference(key, "being there", key in edges, key in keys)
    features = {"feature:" + name: number for name, number in live_features(graph).items()}
    expected = {node.name: node.number for node in m.nodes.values() if node.kind == "feature"}
    if features != expected:
        yield Difference("features", "names", features, expected)


def _node(node: Node, tick: int) -> dict[str, Any]:
    return {
        "kind": NodeKind(node.kind).name.lower(),
        "salience": present(node.salience, tick - node.tick, node.half_life),
        "half-life": node.half_life,
        "stability": node.stability,
        "permanence": node.permanence,
        "impact": node.impact,
        "valence": node.valence,
        "usage": node.usage,
        "candidates": node.candidates,
        "recalled tick": node.recalled_tick,
        "used": (node.used_tick, node.served),
        "mentions": node.mentions,
        "heeded": (node.heeded, node.witnessed),
        "good and bad": (node.good, node.bad),
        "level": node.level,
        "pin": node.pin_permanence,
        "status": Status(node.status).name.lower(),
        "trust": node.trust,
        "flags": _flags(node),
        "degree": node.degree,
        "kinds": node.kinds,
        "marks": node.marks,
        "latest": node.latest,
        "concept": node.concept,
        "follower": node.follower,
    }


def _expected_node(node: records.Node) -> dict[str, Any]:
    return {
        "kind": node.kind,
        "salience": node.salience,
        "half-life": node.half_life,
        "stability": node.stability,
        "permanence": node.permanence,
        "impact": node.impact,
        "valence": node.valence,
        "usage": node.usage,
        "candidates": node.candidates,
        "recalled tick": node.recalled_at,
        "used": (node.used_at, node.served),
        "mentions": node.mentions,
        "heeded": (node.heeded, node.witnessed),
        "good and bad": (node.good, node.bad),
        "level": node.level,
        "pin": node.pinned_at,
        "status": node.status,
        "trust": node.trust,
        "flags": node.flags,
        "kinds": sum(2 << EDGE_KINDS.index(kind) for kind in node.kinds),
        "marks": sum(1 << mark for mark in node.marks),
        "latest": node.latest.number if node.latest else 0,
        "concept": node.concept.number if node.concept else 0,
        "follower": node.follower.number if node.follower else 0,
    }


def _edge(edge: Edge, tick: int) -> dict[str, Any]:
    return {
        "weight": present(edge.weight, tick - edge.tick, edge.half_life),
        "half-life": edge.half_life,
        "permanence": edge.permanence,
        "usage": edge.usage,
        "made": edge.made,
        "trust": edge.trust,
    }


def _expected_edge(edge: records.Edge) -> dict[str, Any]:
    return {
        "weight": edge.weight,
        "half-life": edge.half_life,
        "permanence": edge.permanence,
        "usage": edge.usage,
        "made": edge.made,
        "trust": edge.trust,
    }


def _sessions(graph: Graph, m: Memory) -> list[Difference]:
    found = _compared("sessions", {"open": set(graph.sessions)}, {"open": set(m.sessions)})
    taints = {hashed(place): taint for place, taint in m.taints.items()}
    found += _compared("taints", {"kept": graph.taints}, {"kept": taints})
    for name, session in m.sessions.items() if not found else ():
        other = graph.sessions[name]
        fold = {"buffer": other.buffer, "touched": other.touched, "heard": other.tick, "ended": other.ended}
        oracle: dict[str, Any] = {"buffer": [event.number for event in session.buffer], "touched": session.touched}
        fold |= {"opened": other.opened, "desk": other.desk}
        oracle |= {"heard": session.heard, "ended": session.ended, "desk": [node.number for node in session.desk]}
        oracle |= {"opened": session.opened.number if session.opened else 0}
        for part in ("last", "leading", "episode"):
            node: records.Node | None = getattr(session, part)
            if node is None or node.live:  # how the fold remembers what is gone is its own affair
                fold[part], oracle[part] = getattr(other, part), node.number if node else 0
        found += _compared(f"session {name}", fold, oracle)
    return found


def _recalls(graph: Graph, m: Memory) -> list[Difference]:
    kept = {recall.seq: recall for recall in m.recalls.values()}
    found = _compared("recalls", {"kept": list(graph.recalls)}, {"kept": list(kept)})
    for seq, recall in kept.items() if not found else ():
        other = graph.recalls[seq]
        returned = [(entry.number, entry.used) for entry in other.returned]
        expected = [(node.number, node in recall.used) for node, _, _ in recall.returned]
        asked = (other.who, other.trust, other.least)
        fold = {"as of": other.as_of, "reported": other.reported, "asked": asked, "returned": returned}
        fold |= {"under": list(other.perspectives)}
        asked = (recall.who, recall.trust, recall.least)
        oracle = {"as of": recall.as_of, "reported": recall.reported, "asked": asked, "returned": expected}
        oracle |= {"under": recall.under}
        found += _compared(f"recall {seq}", fold, oracle)
        for entry, (node, salience, permanence) in zip(other.returned, recall.returned, strict=False):
            then = {"salience then": entry.salience, "permanence then": entry.permanence}
            found += _compared(node.number, then, {"salience then": salience, "permanence then": permanence})
    return found
