"""Sessions: the chain of time through a memory, the short-term buffer, and the desk (000, sections 3 and 6; 004)."""

from hashlib import blake2b
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import RecordEvent
from yggdrasil_schemas.graph.predicates import LEASE, PROMISE
from yggdrasil_schemas.graph.records import NOBODY, PROTECTED, Edge, EdgeKind, Node, NodeFlag, Ruling, Session, Status
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import trust_of, who
from ..standing.ruling import authority, rule

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_OPENING: Final = int(NodeFlag.OPENING)
_PROTECTED: Final = int(PROTECTED)
_OUT_FROM: Final = Status.SUPERSEDED
_LASTING: Final = 2
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
    from one session to another. When too many sessions are open, those that were touched longest ago are closed; one
    that has ended goes first, and goes on if something is recorded in it.
    """
    policy = graph.header.policy
    previous = session.last
    earlier = graph.node(previous) if previous else _last_of_all(graph)
    if not previous:
        end_idle_sessions(graph)
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
    session.tick = graph.header.tick
    session.ended = False
    session.buffer.append(event.number)
    del session.buffer[: -policy.session_buffer_max]
    graph.changed_sessions[name] = session
    return previous


def may_bound(graph: Graph, command: RecordEvent) -> Refused | None:
    """Return why an event may not begin or end its session: that is for whoever began it, or is trusted as much.

    Where nobody has, it is for whoever is trusted as much as anybody who recorded something in it.
    """
    session = graph.sessions.get(command.session)
    if session is None:
        return None
    opener = graph.node(session.opened) if session.opened else None
    if trust_of(command) >= (session.trust if opener is None else opener.trust):
        return None
    maker = None if opener is None else graph.maker(opener.number)
    return None if maker is not None and who(maker) == who(command) else Refused(Refusal.NOT_TRUSTED)


def bound(graph: Graph, command: RecordEvent, session: Session, event: Node) -> None:
    """Let the last event of a session register it, or end it (004, session lifecycle)."""
    if command.body.boundary == "open":
        session.opened = event.number
    else:
        _end(graph, session, id_bytes(command.id), trust_of(command))


def end_idle_sessions(graph: Graph) -> None:
    """End each session that is registered, or has a desk, where nothing was said for ``session_idle_ticks``."""
    header = graph.header
    for name in sorted(graph.sessions):
        session = graph.sessions[name]
        if session.ended or not (session.opened or session.desk):
            continue
        if header.tick - session.tick > header.policy.session_idle_ticks:
            _end(graph, session, NOBODY, TRUST_MAX)
            graph.changed_sessions[name] = session


def put_on_desk(graph: Graph, name: str, number: int, by: bytes, trust: int) -> None:
    """Let a claim be on the desk of a session that is open; where it is full, something leaves it."""
    session = graph.sessions[name]
    session.desk.append(number)
    session.tick = graph.header.tick
    clear_desk(graph, session, graph.header.policy.session_desk_max, by, trust)
    graph.changed_sessions[name] = session


def clear_desk(graph: Graph, session: Session, kept: int, by: bytes, trust: int) -> None:
    """Let notes leave a desk until at most ``kept`` are on it.

    The least trusted goes first, so that nobody's note is crowded out from below; of equals what passes before what
    stays, what is held alone after the rest, and the older one. What passes is resolved, as far as ``trust`` may say
    so. A promise, and what is protected, stay: they stand until somebody settles them. ``by`` are the 16 bytes of the
    id of the command that ends it.
    """
    excess = len(session.desk) - kept
    if excess <= 0:
        return
    notes = [graph.expect(number) for number in session.desk]
    stays = [_stays(graph, node) for node in notes]
    ranked = sorted([(authority(graph, node), stays[at], at) for at, node in enumerate(notes)])
    for _, late, at in ranked[:excess]:
        node = notes[at]
        session.desk.remove(node.number)
        if late < _LASTING and node.status < _OUT_FROM and authority(graph, node) <= trust:
            rule(graph, node, Status.RESOLVED, Ruling(graph.ruling(node).slot, by))


def close_oldest_session(graph: Graph) -> None:
    """Close the session whose last event is oldest; its events stay in the graph, its buffer and desk are dropped.

    One that has ended goes first. If strangers have more than their share of the open ones, it is one of those in which
    nobody else recorded anything.
    """
    sessions, policy = graph.sessions, graph.header.policy
    foreign = [name for name, session in sessions.items() if not session.trust]  # any order: no ties
    theirs = len(foreign) > int(policy.foreign_share * policy.sessions_open_max)
    among = foreign if theirs else sessions
    oldest = min(among, key=lambda name: (not sessions[name].ended, sessions[name].touched, name))
    clear_desk(graph, sessions[oldest], 0, NOBODY, TRUST_MAX)
    del graph.sessions[oldest]
    graph.changed_sessions[oldest] = None


def _end(graph: Graph, session: Session, by: bytes, trust: int) -> None:
    session.opened, session.ended = 0, True
    clear_desk(graph, session, 0, by, trust)


def _stays(graph: Graph, node: Node) -> int:
    """Return how late a note leaves a desk: what passes first, then what is held alone, last what nothing settles."""
    claim = graph.claim(node)
    if node.flags & _PROTECTED or (claim is not None and claim.predicate == PROMISE):
        return _LASTING
    return int(claim is not None and claim.predicate == LEASE)


def _last_of_all(graph: Graph) -> Node | None:
    """Return the last event of the session that was touched last."""
    if not graph.sessions:
        return None
    latest = max(graph.sessions.values(), key=lambda session: session.touched)  # any order: no ties
    return graph.node(latest.last)
