"""Sessions: the chain of time through a memory, and the short-term buffer (000, sections 3 and 6)."""

from hashlib import blake2b
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Edge, EdgeKind, Node, NodeFlag, Session

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_OPENING: Final = int(NodeFlag.OPENING)
MARKS: Final = 64
"""How many bits a node has for the sessions and concepts that it meets."""


def session_of(graph: Graph, name: str) -> Session:
    """Return the open session ``name``, or a new one, which ``continue_session`` opens."""
    session = graph.sessions.get(name)
    if session is None:
        session = Session(mark=1 << (blake2b(name.encode(), digest_size=1).digest()[0] & MARKS - 1))
    return session


def continue_session(graph: Graph, name: str, session: Session, event: Node, seq: int) -> int:
    """Put the event at the end of its session's chain and buffer; return the event before it in the session, or 0.

    The first event of a session follows the last event of the session that was touched last, over an edge that leads
    from one session to another. When too many sessions are open, those that were touched longest ago are closed.
    """
    policy = graph.header.policy
    previous = session.last
    earlier = graph.node(previous) if previous else _last_of_all(graph)
    if not previous:
        while len(graph.sessions) >= policy.sessions_open_max:
            close_oldest_session(graph)
        graph.sessions[name] = session
        if earlier is not None:
            event.flags |= _OPENING
    if earlier is not None:
        graph.link(earlier, _TEMPORAL, event, Edge(graph.header.tick, 1.0, policy.edge_half_life_ticks))
    session.trust = max(session.trust, event.trust)
    session.last = event.number
    session.touched = seq
    session.buffer.append(event.number)
    del session.buffer[: -policy.session_buffer_max]
    graph.changed_sessions[name] = session
    return previous


def close_oldest_session(graph: Graph) -> None:
    """Close the session whose last event is oldest; its events stay in the graph, its buffer is dropped.

    If strangers have more than their share of the open ones, it is one of those in which nobody else recorded anything.
    """
    sessions, policy = graph.sessions, graph.header.policy
    foreign = [name for name, session in sessions.items() if not session.trust]  # any order: no ties
    theirs = len(foreign) > int(policy.foreign_share * policy.sessions_open_max)
    oldest = min(foreign if theirs else sessions, key=lambda name: (sessions[name].touched, name))
    del graph.sessions[oldest]
    graph.changed_sessions[oldest] = None


def _last_of_all(graph: Graph) -> Node | None:
    """Return the last event of the session that was touched last."""
    if not graph.sessions:
        return None
    latest = max(graph.sessions.values(), key=lambda session: session.touched)  # any order: no ties
    return graph.node(latest.last)
