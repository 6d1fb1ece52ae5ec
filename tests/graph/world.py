"""The pure fold over memories that exist only in their working sets, and what can be seen of them."""

from collections import defaultdict
from dataclasses import astuple, fields
from operator import attrgetter
from typing import Any, Final

from tests.graph.commands import MEMORY, Said
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.fold import Answer, Fold
from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.knowledge import Claim, Definition, Names
from yggdrasil_schemas.graph.perspectives import Regard, Role
from yggdrasil_schemas.graph.records import (
    Account,
    Act,
    Adjusted,
    Edge,
    EdgeKey,
    EdgeKind,
    Header,
    Node,
    NodeFlag,
    NodeKind,
    Parts,
    Recall,
    Relation,
    Ruling,
    Session,
    Status,
    node_number,
)
from yggdrasil_schemas.limits import LINES_MAX, NAMES_MAX, SLOT_MAX

Dump = dict[str, Any]

# Of numbers alone, so that there is nothing to copy: ``astuple`` copies all the same, for most of the time of a test.
NODE: Final = attrgetter(*(each.name for each in fields(Node)))
EDGE: Final = attrgetter(*(each.name for each in fields(Edge)))


class World:
    """Any number of memories in one partition, folded one record at a time."""

    def __init__(self, partitions: int = 1) -> None:
        self.graphs: dict[str, Graph] = {}
        self.fold = Fold(0, partitions, self)
        self.offset = 0

    def graph(self, memory: str) -> Graph:
        return self.graphs.setdefault(memory, Graph(Header(memory), NothingStored()))

    def say(self, said: Said, memory: str = MEMORY) -> Answer:
        return self.fold_record(said.record(self.offset, memory))

    def fold_record(self, record: LogRecord) -> Answer:
        answer = self.fold.apply(record)
        self.offset += 1
        return answer


def live_nodes(graph: Graph) -> dict[int, Node]:
    return {number: node for number, node in sorted(graph.changed_nodes.items()) if node is not None}


def live_edges(graph: Graph) -> dict[EdgeKey, Edge]:
    return {key: edge for key, edge in sorted(graph.changed_edges.items()) if edge is not None}


def live_features(graph: Graph) -> dict[str, int]:
    return {name: number for name, number in sorted(graph.changed_features.items()) if number is not None}


def live_sessions(graph: Graph) -> dict[str, Session]:
    return dict(sorted(graph.sessions.items()))


def live_recalls(graph: Graph) -> dict[int, Recall]:
    return dict(sorted(graph.recalls.items()))


def live_parts(graph: Graph) -> dict[int, Parts]:
    return dict(sorted(graph.new_parts.items()))


def live_vectors(graph: Graph) -> dict[int, dict[str, tuple[int, bytes]]]:
    found = {number: graph.vectors(number) for number in sorted(graph.changed_vectors)}
    return {number: vectors for number, vectors in found.items() if vectors}


def live_adjusted(graph: Graph) -> dict[int, Adjusted]:
    return {number: each for number, each in sorted(graph.changed_adjusted.items()) if each is not None}


def live_rulings(graph: Graph) -> dict[int, Ruling]:
    return {number: each for number, each in sorted(graph.changed_rulings.items()) if each is not None}


def live_slots(graph: Graph) -> dict[bytes, list[int]]:
    return {slot: list(held) for slot, held in sorted(graph.changed_slots.items()) if held}


def live_claims(graph: Graph) -> dict[int, Claim]:
    return {number: each for number, each in sorted(graph.changed_claims.items()) if each is not None}


def live_definitions(graph: Graph) -> dict[str, Definition]:
    return dict(sorted(graph.changed_definitions.items()))


def live_names(graph: Graph) -> dict[str, Names]:
    return {name: each for name, each in sorted(graph.changed_names.items()) if each is not None}


def live_accounts(graph: Graph) -> dict[int, Account]:
    return {seq: each for seq, each in sorted(graph.changed_accounts.items()) if each is not None}


def live_acts(graph: Graph) -> dict[int, Act]:
    return dict(sorted(graph.changed_acts.items()))


def live_roles(graph: Graph) -> dict[str, Role]:
    return dict(sorted(graph.roles.items()))


def live_regards(graph: Graph) -> dict[int, tuple[Regard, ...]]:
    return {number: each for number, each in sorted(graph.changed_regards.items()) if each}


def live_relations(graph: Graph) -> dict[EdgeKey, Relation]:
    return {key: each for key, each in sorted(graph.changed_relations.items()) if each is not None}


def state(graph: Graph) -> Dump:
    """Everything that a refused command may not change, as plain values that do not change later."""
    header = graph.header
    counters = (header.seq, header.tick, header.nodes, header.edges, header.attested_seq, header.episode)
    thinkers = dict(sorted(header.windows.items())), dict(sorted(header.cursors.items()))
    return {
        "header": (
            *counters,
            header.predicates,
            header.aliases,
            header.slept,
            header.looked,
            header.heeded,
            list(header.principles),
            *thinkers,
            header.policy,
        ),
        "nodes": {number: NODE(node) for number, node in live_nodes(graph).items()},
        "edges": {key: EDGE(edge) for key, edge in live_edges(graph).items()},
        "features": live_features(graph),
        "contents": dict(sorted(graph.new_contents.items())),
        "parts": live_parts(graph),
        "vectors": live_vectors(graph),
        "adjusted": live_adjusted(graph),
        "roles": live_roles(graph),
        "regards": live_regards(graph),
        "rulings": live_rulings(graph),
        "slots": live_slots(graph),
        "claims": live_claims(graph),
        "definitions": live_definitions(graph),
        "names": live_names(graph),
        "relations": live_relations(graph),
        "taints": dict(sorted(graph.taints.items())),
        "accounts": live_accounts(graph),
        "acts": live_acts(graph),
        "scorers": graph.scorers,
        "snapshots": graph.snapshots,
        "sessions": {name: astuple(session) for name, session in live_sessions(graph).items()},
        "recalls": {seq: astuple(entry) for seq, entry in live_recalls(graph).items()},
        "heirs": dict(sorted(graph.changed_heirs.items())),
        "links": {number: sorted(graph.links(number)) for number in live_nodes(graph)},
        "crowded": sorted(graph.crowded),
    }


def answers(graph: Graph) -> Dump:
    """What the memory knows of the commands that it has answered."""
    return {"history": graph.header.history, "identities": dict(sorted(graph.new_identities.items()))}


def inconsistencies(graph: Graph) -> list[str]:
    """What contradicts itself in a memory that lives in its working set alone; empty when all is well."""
    nodes, edges, features = live_nodes(graph), live_edges(graph), live_features(graph)
    degrees = dict.fromkeys(nodes, 0)
    real = defaultdict[int, set[EdgeKey]](set)
    found = []
    for key in edges:
        for end in (key[0], key[2]):
            real[end].add(key)
            if end not in nodes:
                found.append(f"edge {key} hangs in the air")
            else:
                degrees[end] += 1
    found += [f"node {n}: degree {nodes[n].degree}, not {degrees[n]}" for n in nodes if nodes[n].degree != degrees[n]]
    for number in nodes:
        if graph.links(number) != real[number]:
            found.append(f"node {number}: its links are not its edges")
    if (graph.header.nodes, graph.header.edges) != (len(nodes), len(edges)):
        found.append(f"header counts {graph.header.nodes}, {graph.header.edges}; real {len(nodes)}, {len(edges)}")
    named = {number: name for name, number in features.items()}
    kinds = {number for number, node in nodes.items() if node.kind == 3}
    if set(named) != kinds or any(graph.feature_name(number) != name for number, name in named.items()):
        found.append("features and their names do not match")
    found += [f"node {number} has no content" for number in nodes if graph.content(number) is None]
    found += [f"{number} is gone, and its parts are not" for number in live_parts(graph) if number not in nodes]
    vectored = {number for number, node in nodes.items() if node.flags & NodeFlag.VECTORED}
    if vectored != set(live_vectors(graph)):
        found.append(f"vectors of {set(live_vectors(graph))}, and flags at {vectored}")
    if any(len(vectors) > 2 for vectors in live_vectors(graph).values()):
        found.append("a node has more than two vectors")
    adjusted = {number for number, node in nodes.items() if node.flags & NodeFlag.ADJUSTED}
    if adjusted != set(live_adjusted(graph)):
        found.append(f"adjustments of {set(live_adjusted(graph))}, and flags at {adjusted}")
    found += _unruly(graph, nodes)
    found += _unknown(graph, nodes, edges)
    if not graph.header.windows.keys() <= graph.header.cursors.keys():
        found.append(f"decisions of {set(graph.header.windows)}, and cursors of {set(graph.header.cursors)}")
    principles = graph.header.principles
    flagged = {number for number, node in nodes.items() if node.flags & NodeFlag.PRINCIPLE}
    if len(set(principles)) < len(principles) or set(principles) != flagged:
        found.append(f"principles {principles}, and flags at {flagged}")
    found += [f"principle {number} is not pinned" for number in flagged if not nodes[number].flags & NodeFlag.PINNED]
    buffered = [number for session in graph.sessions.values() for number in session.buffer]
    found += [f"buffered event {number} is gone" for number in buffered if number not in nodes]
    return found


def _unruly(graph: Graph, nodes: dict[int, Node]) -> list[str]:
    """What contradicts itself among statuses, rulings, and what is kept of the slots."""
    rulings, slots = live_rulings(graph), live_slots(graph)
    found = []
    ruled = {number for number, node in nodes.items() if node.flags & NodeFlag.RULED}
    if ruled != set(rulings):
        found.append(f"rulings of {set(rulings)}, and flags at {ruled}")
    given = {n for n, node in nodes.items() if node.status not in (Status.ACTIVE, Status.CANDIDATE)}  # from outside
    found += [f"node {n} has a status and no ruling" for n in sorted(given - ruled)]
    expected = defaultdict[bytes, list[int]](list)
    for number in sorted(ruled & set(rulings)):
        if rulings[number].slot and nodes[number].status < Status.SUPERSEDED:
            expected[rulings[number].slot].append(number)
    rejected = {n for n, node in nodes.items() if node.kind == NodeKind.CLAIM and node.status == Status.REJECTED}
    remembered = {slot: [number for number in numbers if number in rejected] for slot, numbers in slots.items()}
    held = {slot: [number for number in numbers if number not in rejected] for slot, numbers in slots.items()}
    if {slot: numbers for slot, numbers in held.items() if numbers} != expected:
        found.append(f"slots {slots}, and by rulings {dict(expected)}")
    for slot, numbers in remembered.items():
        if len(numbers) > SLOT_MAX or any(rulings[number].slot != slot for number in numbers):
            found.append(f"slot {slot.hex()} remembers {numbers}")
    return found


def _unknown(graph: Graph, nodes: dict[int, Node], edges: dict[EdgeKey, Edge]) -> list[str]:
    """What contradicts itself among claims, names, definitions and relations."""
    claims, names, found = live_claims(graph), live_names(graph), list[str]()
    if {number for number, node in nodes.items() if node.kind == NodeKind.CLAIM} != set(claims):
        found.append(f"claims of {set(claims)}, and others are nodes")
    for number, each in claims.items():
        if not 1 <= len(each.lines) <= LINES_MAX or len({line.who for line in each.lines}) < len(each.lines):
            found.append(f"claim {number} has the lines {each.lines}")
        if not each.begins < each.ends:
            found.append(f"claim {number} ends before it begins")
        if not graph.ruling(nodes[number]).slot:
            found.append(f"claim {number} has no slot")
    known = {each.canonical: each for each in names.values()}.values()
    told = {name: each for each in known for name in (each.canonical, *[alias for alias, _ in each.aliases])}
    if told != names or any(not each.aliases or len(each.aliases) >= NAMES_MAX for each in known):
        found.append(f"names {names} do not agree with each other")
    counted = (len(live_definitions(graph)), sum(len(each.aliases) for each in known))
    if (graph.header.predicates, graph.header.aliases) != counted:
        found.append(f"header counts {graph.header.predicates}, {graph.header.aliases}; real {counted}")
    if set(live_relations(graph)) != {key for key in edges if key[1] >= EdgeKind.SUPPORTS}:
        found.append("relations and their edges do not match")
    return found


def event_number(graph: Graph, command: bytes) -> int:
    """The number of the node that an accepted command made."""
    identity = graph.identity(command)
    assert identity is not None
    assert identity.result == 0
    return node_number(identity.seq)
