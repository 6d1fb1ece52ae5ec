"""Decisions of thinkers take effect once, whoever delivers them how often (design, section 7)."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import RetireThinker
from yggdrasil_schemas.commands.decisions import Decision, Thinker
from yggdrasil_schemas.graph.records import Window
from yggdrasil_schemas.limits import THINKERS_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import refuse_unless_operator


def refuse(graph: Graph, decision: Decision) -> Refused | None:
    """Return why a decision comes too late or too early, if so; every other check comes first."""
    thinker = decision.thinker
    if thinker is None:
        return None
    header = graph.header
    stored = header.cursors.get(thinker.name)
    window = header.windows.get(thinker.name)
    if thinker.cursor_from != (stored or 0):
        return Refused(Refusal.CURSOR_STALE, _awaited(window))
    if window is not None:
        if thinker.cursor_to != window.cursor_to or thinker.parts != window.parts:
            return Refused(Refusal.CURSOR_STALE, _awaited(window))
        return Refused(Refusal.PART_STALE) if window.taken >> thinker.part & 1 else None
    if not thinker.cursor_from < thinker.cursor_to <= header.seq:
        return Refused(Refusal.CURSOR_AHEAD)
    if stored is None and len(header.cursors) >= THINKERS_MAX:
        return Refused(Refusal.THINKERS_FULL)
    return None


def advance(graph: Graph, decision: Decision) -> None:
    """Note how far the thinker has decided, once all parts of its decision are in; only for an accepted decision."""
    thinker = decision.thinker
    if thinker is None:
        return
    header = graph.header
    taken = _taken(header.windows.get(thinker.name), thinker)
    if taken == (1 << thinker.parts) - 1:
        header.cursors[thinker.name] = thinker.cursor_to
        header.windows.pop(thinker.name, None)
    else:
        header.cursors.setdefault(thinker.name, 0)  # it takes its place among the thinkers with the first part
        header.windows[thinker.name] = Window(thinker.cursor_to, thinker.parts, taken)


def retire_thinker(graph: Graph, command: RetireThinker, _seq: int, _record: bytes) -> Refused | None:
    """Forget a thinker's cursor, and the decision of which parts are missing: what they decided stays."""
    forbidden = refuse_unless_operator(command)
    if forbidden is not None:
        return forbidden
    name = command.body.name
    header = graph.header
    if name not in header.cursors:
        return Refused(Refusal.UNKNOWN_THINKER)
    del header.cursors[name]
    header.windows.pop(name, None)
    return None


def _taken(window: Window | None, thinker: Thinker) -> int:
    return (0 if window is None else window.taken) | 1 << thinker.part


def _awaited(window: Window | None) -> str:
    """Return which parts of an open window are missing, in words; nothing where none is open."""
    if window is None:
        return ""
    missing = [str(part) for part in range(window.parts) if not window.taken >> part & 1]
    word = "part" if len(missing) == 1 else "parts"
    return f"of the decision up to {window.cursor_to} {word} {', '.join(missing)} of {window.parts} still to come"
