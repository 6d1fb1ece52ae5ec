"""The law of events: something happened, and it joins the graph."""

from itertools import combinations
from operator import attrgetter
from typing import Final

from yggdrasil_schemas.commands import RecordEvent
from yggdrasil_schemas.graph import Edge, EdgeKind, Node, NodeKind, Session, node_number
from yggdrasil_schemas.refusals import Refused

from ..working_set import Graph
from .feature import occurs
from .reference import recall_seq

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_number = attrgetter("number")


def record_event(graph: Graph, command: RecordEvent, seq: int, record: bytes) -> Refused | None:
    """Fold a new experience into the structure (000, section 4, event integration; section 7, record_event).

    The tick advances by one. A node begins with ``salience_initial + novelty``; a temporal edge joins it to the last
    event of its session; its features are upserted and linked; the first ``features_paired_max`` of them are
    associated pair by pair; and the events that last held its features, at most ``competitors_max``, lose
    ``competitor_loss`` of their salience.
    """
    body = command.body
    for recall in body.informed_by:
        found = recall_seq(graph, recall)
        if isinstance(found, Refused):
            return found
    header = graph.header
    policy = header.policy
    header.tick += 1
    number = node_number(seq)
    event = Node(number, NodeKind.EVENT, header.tick, policy.salience_initial, policy.node_half_life_ticks)
    graph.add_node(event, record)

    features, rivals, newness = _upsert_features(graph, number, body.features, seq)
    # An event without features resembles nothing that is known: it is wholly new, as every event is in 000.
    novelty = newness / len(features) if features else 1.0
    event.salience = min(policy.salience_initial + policy.novelty_max * novelty, policy.salience_max)
    for feature in features:
        graph.link(event, _CONTAINS, feature, Edge(header.tick, 1.0, policy.edge_half_life_ticks))
    _associate(graph, features[: policy.features_paired_max])
    previous = _continue_session(graph, command.session, event, seq)
    _weaken(graph, [rival for rival in rivals if rival != previous])
    return None


def _upsert_features(graph: Graph, event: int, names: list[str], seq: int) -> tuple[list[Node], list[int], float]:
    """Return the features, the events that last held them, and the sum of their newness.

    A feature's newness is 1 / (1 + its earlier occurrences), so a feature never seen counts 1.
    """
    features: list[Node] = []
    rivals: list[int] = []
    newness = 0.0
    for name in names:
        feature = occurs(graph, name, node_number(seq, len(features) + 1))
        newness += 1.0 / feature.usage
        if feature.latest and feature.latest not in rivals:
            rivals.append(feature.latest)
        feature.latest = event
        features.append(feature)
    return features, rivals, newness


def _associate(graph: Graph, features: list[Node]) -> None:
    """Strengthen the edge between every two features that occur together (000, section 3, associative edges)."""
    policy = graph.header.policy
    tick = graph.header.tick
    for first, second in combinations(sorted(features, key=_number), 2):
        edge = graph.settled_edge((first.number, _ASSOCIATIVE, second.number))
        if edge is None:
            new = Edge(tick, policy.association_weight, policy.edge_half_life_ticks, usage=1)
            graph.link(first, _ASSOCIATIVE, second, new)
        else:
            edge.weight = min(edge.weight + policy.association_weight, policy.weight_max)
            edge.usage += 1


def _continue_session(graph: Graph, name: str, event: Node, seq: int) -> int:
    """Put the event at the end of its session's chain and buffer; return the event before it, or 0.

    When the session is new and too many are open, the one whose last command is oldest is closed.
    """
    policy = graph.header.policy
    sessions = graph.sessions
    session = sessions.get(name)
    if session is None:
        while len(sessions) >= policy.sessions_open_max:
            close_oldest_session(graph)
        session = sessions[name] = Session()
    previous = session.last
    earlier = graph.node(previous) if previous else None
    if earlier is not None:
        graph.link(earlier, _TEMPORAL, event, Edge(graph.header.tick, 1.0, policy.edge_half_life_ticks))
    session.last = event.number
    session.touched = seq
    session.buffer.append(event.number)
    del session.buffer[: -policy.session_buffer_max]
    graph.changed_sessions[name] = session
    return previous


def close_oldest_session(graph: Graph) -> None:
    """Close the session whose last command is oldest; its events stay in the graph, its buffer is dropped."""
    oldest = min(graph.sessions, key=lambda name: (graph.sessions[name].touched, name))
    del graph.sessions[oldest]
    graph.changed_sessions[oldest] = None


def _weaken(graph: Graph, rivals: list[int]) -> None:
    """Let related but unused memories lose a little, so that relevance moves on (000, section 4)."""
    policy = graph.header.policy
    for number in rivals[: policy.competitors_max]:
        rival = graph.settled(number)
        if rival is not None:
            rival.salience *= 1.0 - policy.competitor_loss
