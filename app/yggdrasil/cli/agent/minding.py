"""``yggdrasil working-memory``: what is in mind, session by session."""

from typing import TYPE_CHECKING, Annotated

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId
from ..screen import Screen, clean, counted, moment, number
from ..targets import HERE, Where
from .episodes import COUNT_MAX
from .showing import title

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.episodic.working_memory import Intent, OpenSession, Threat, WorkingMemory
    from yggdrasil_projections.retrieval.reads.sessions.desk import DeskNote


def working_memory(
    session: Annotated[str | None, typer.Option("--session", metavar="NAME", help="Only this open session.")] = None,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, max=COUNT_MAX, help="How many events of each session at most.")
    ] = 20,
    ended: Annotated[
        bool, typer.Option("--ended", help="Also what sessions left open that have ended, while their place is free.")
    ] = False,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what is in mind: of each open session the last events, the goals, promises and threats that stand.

    It is what the short-term buffers hold before an episode takes it. A feature goal:NAME or task:NAME says a goal,
    promise:NAME a promise, threat:NAME a threat. It stands until an event has the feature done:NAME, or an outcome
    follows from the event that said it last. What has come to mean bad outcomes is among the threats.

    \b
    Examples:
      yggdrasil record "Bring the release out" --feature goal:release --session ops
      PROMISE=$(yggdrasil record "I will tell Ann" --feature promise:tell-ann --session ops)
      yggdrasil working-memory
      # it was kept: either of the two says so
      yggdrasil outcome $PROMISE 1 --text "She knows"
      yggdrasil record "It is out" --feature done:release --session ops
      yggdrasil working-memory --session ops --json
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.working_memory(session=session, count=count, ended=ended)
    screen.result(found, lambda: show_mind(screen, found))


def show_mind(screen: Screen, found: "WorkingMemory") -> None:
    """Print for people what is in mind, the session that was touched last first."""
    if not found.sessions:
        screen.tell(f"No such session is open; {found.open} are." if found.open else "No session is open.")
    for one in found.sessions:
        _show_session(screen, one)
    if len(found.sessions) < found.open and len(found.sessions) > 1:
        screen.tell(f"{found.open - len(found.sessions)} more sessions are open: --session shows one.", "dim")


def _show_session(screen: Screen, one: "OpenSession") -> None:
    screen.tell(f"session {clean(one.session, 110)}{', which has ended' if one.ended else ''}", "bold")
    read = "" if one.read == one.buffered else f", the latest {one.read} read"
    buffer = f"{one.buffered} of {one.buffer_max} events in its buffer{read}"
    screen.tell(f"  open since seq {one.since}, touched at seq {one.touched}, {buffer}", "dim")
    for name, intents in (("goal", one.goals), ("promise", one.promises)):
        for intent in intents:
            screen.tell(f"  {name}: {_intent(intent)}")
    for threat in one.threats:
        screen.tell(f"  threat: {_threat(threat)}", "red")
    for note in one.desk:
        screen.tell(f"  on the desk: {_note(note)}")
    for event in one.observations:
        screen.tell(f"    - {title(event)}")
    if one.episodes:
        texts = "; ".join(clean(each.text or each.ref, 60) for each in one.episodes[:3])
        more = f", and {len(one.episodes) - 3} before" if len(one.episodes) > 3 else ""
        screen.tell(f"  {counted(len(one.episodes), 'episode')}, the latest first: {texts}{more}")


def _intent(one: "Intent") -> str:
    return f"{clean(one.feature, 60)} (said {counted(one.times, 'time')}, last: {clean(one.text or '(no text)', 80)})"


def _note(one: "DeskNote") -> str:
    due = "" if one.due is None else ", overdue" if one.overdue else f", due {moment(one.due)}"
    due += ", stale: what it rests on has fallen" if one.stale else ""
    return f"{clean(one.predicate, 40)}: {clean(one.text or '(no text)', 80)} ({clean(one.said_by, 60)}{due})"


def _threat(one: "Threat") -> str:
    what = clean(one.feature or one.text or one.event, 60)
    if one.said:
        return f"{what} (said, last: {clean(one.text or '(no text)', 80)})"
    return f"{what} (foretells {one.valence:+.2f}, sure {number(one.sureness)}: {one.good} good, {one.bad} bad)"
