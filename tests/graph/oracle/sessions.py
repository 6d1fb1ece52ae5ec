"""How sessions begin and end, and what is on their desks, as the page has it."""

from math import floor
from typing import Any

from tests.graph.oracle.knowing.standing import become
from tests.graph.oracle.memory import Memory, voice
from tests.graph.oracle.records import Name, Node, Ruling, Session
from yggdrasil_schemas.refusals import Refusal

DESK_MAX = 32


def unbound(m: Memory, body: dict[str, Any], name: str) -> Refusal | None:
    """Whether somebody may not say that a session begins or ends."""
    session = m.sessions.get(name)
    if "boundary" not in body or session is None:
        return None
    opener = session.opened
    if opener is None:
        return Refusal.NOT_TRUSTED if m.stamped < session.trust else None
    if m.stamped >= opener.trust or voice(opener.source, opener.process) == m.voice:
        return None
    return Refusal.NOT_TRUSTED


def bound(m: Memory, name: Name, body: dict[str, Any], session: Session, event: Node) -> None:
    """A session begins, or ends, with an event."""
    if body.get("boundary") == "open":
        session.opened = event
        m.happened.append("a session begun")
    elif body.get("boundary") == "close":
        m.happened.append("a session ended" if session.opened else "ended without a beginning")
        end(m, session, name, m.stamped)


def end(m: Memory, session: Session, by: Name, trust: int) -> None:
    """It is registered no longer, and its desk is cleared."""
    session.opened, session.ended = None, True
    clear(m, session, 0, by, trust)


def end_idle(m: Memory) -> None:
    """Sessions of which nothing was heard for long end by themselves."""
    for name in sorted(m.sessions):
        session = m.sessions[name]
        idle = m.tick - session.heard > m.p.session_idle_ticks
        if idle and not session.ended and (session.opened is not None or session.desk):
            m.happened.append("ended by age")
            end(m, session, "", 4)


def clear(m: Memory, session: Session, kept: int, by: Name, trust: int) -> None:
    """Notes leave a desk until few enough are left: the least trusted, then what passes, then the oldest."""

    def lasts(node: Node) -> bool:
        return node.protected or (node.claim is not None and node.claim.predicate == "promise")

    def held(node: Node) -> bool:
        return node.claim is not None and node.claim.predicate == "held_by"

    while len(session.desk) > kept:
        going = min(session.desk, key=lambda node: (node.authority, lasts(node), held(node), session.desk.index(node)))
        session.desk.remove(going)
        if lasts(going):
            m.happened.append("outlives its session")
        elif going.authority > trust:
            m.happened.append("settled by nobody from below")
        elif going.status in ("superseded", "rejected", "resolved"):
            m.happened.append("settled before")
        else:
            m.happened.append("settled for want of room" if kept else "settled with its session")
            become(m, going, "resolved", Ruling(going.slot, by, 0, None))


def make_room(m: Memory) -> None:
    """Too many sessions close, those that have ended first, and the one that was touched longest ago.

    The one that is just opened is none of them. Too long buffers lose their beginning.
    """
    while len(m.sessions) > m.p.sessions_open_max:
        others = {name: session for name, session in m.sessions.items() if session.touched <= m.seq}
        foreign = [name for name, session in others.items() if session.trust == 0]
        theirs = len(foreign) > floor(m.p.foreign_share * m.p.sessions_open_max)
        if theirs:
            m.happened.append("a stranger's session first")
        going = min(foreign if theirs else others, key=lambda name: (not others[name].ended, others[name].touched))
        if others[going].ended:
            m.happened.append("an ended one first")
        clear(m, others[going], 0, "", 4)
        del m.sessions[going]
        m.happened.append("closed")
    for session in m.sessions.values():
        while len(session.buffer) > m.policy.session_buffer_max:
            del session.buffer[0]


def hold(m: Memory, name: Name, body: dict[str, Any], session_name: str, node: Node) -> None:
    """What a registered session has for itself alone is on its desk."""
    session = m.sessions.get(session_name)
    if body["predicate"] != "held_by" or session is None or session.opened is None:
        return
    m.happened.append("held by a session")
    session.desk.append(node)
    session.heard = m.tick
    clear(m, session, room_on_desk(m), name, node.trust)


def room_on_desk(m: Memory) -> int:
    """How many notes one desk has: all of them together are a tenth of the nodes at most."""
    return int(min(DESK_MAX, m.p.nodes_max // (10 * m.p.sessions_open_max)))
