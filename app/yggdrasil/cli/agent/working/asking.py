"""``yggdrasil desk``, ``decisions``, ``knows``, ``recoveries``, ``session list``: who does what, and what helped."""

from typing import TYPE_CHECKING, Annotated

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId, not_blank
from ...screen import Screen, clean, counted, moment, number
from ...targets import HERE, Where
from ..filtering import moment_of

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.reads.sessions.decided import DecisionSeen

Task = Annotated[str | None, typer.Option("--task", help="Only of this task.")]
Agent = Annotated[str | None, typer.Option("--agent", help="Only of this agent.")]
Workflow = Annotated[str | None, typer.Option("--workflow", help="Only of this kind of work.")]
Count = Annotated[int, typer.Option("-n", "--count", min=1, max=200, help="How many at most.")]


def sessions(
    task: Task = None,
    agent: Agent = None,
    workflow: Workflow = None,
    touch: Annotated[
        list[str] | None, typer.Option("--touch", metavar="FEATURE", help="Only what touches one of these.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show who works on what: the sessions that are open, the last touched first.

    \b
    Examples:
      yggdrasil session begin "Ship 2.1" --agent planner --touch service:checkout
      yggdrasil session list --touch service:checkout
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.sessions(task=task, agent=agent, workflow=workflow, touches=touch or ())

    def tell() -> None:
        for one in found.sessions:
            named = ", ".join(each for each in (one.agent, one.workflow, one.task) if each)
            screen.tell(f"{clean(one.session, 60)}  {clean(named, 80)}  {clean(one.goal or '(no goal told)', 80)}")
            if one.touches:
                screen.tell(f"  touches {clean(', '.join(one.touches), 110)}", "dim")
        if not found.sessions:
            screen.tell("No session is open." if not found.open else f"No such session is open; {found.open} are.")

    screen.result(found, tell)


def desk(
    task: Task = None,
    session: Annotated[str | None, typer.Option("--session", metavar="NAME", help="Only of this session.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what is noted on desks: goals, the intent, threats, promises by when they are due, and the rest.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --task T-12)
      yggdrasil session note $SESSION progress=built
      yggdrasil desk --task T-12
      yggdrasil desk --session $SESSION --json
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.desk(task=task, session=session)

    def tell() -> None:
        for one in found.notes:
            due = "" if one.due is None else f", {'overdue since' if one.overdue else 'due'} {moment(one.due)}"
            said = "yes" if one.value is True else "no" if one.value is False else one.value or "(sealed)"
            about = f"{clean(one.subject, 40)} {clean(one.predicate, 40)}"
            screen.tell(f"{about}: {clean(said, 80)} ({clean(one.said_by, 60)}{due})")
            screen.tell(f"  {one.ref}", "dim")
        if not found.notes:
            screen.tell("Nothing is noted there.")

    screen.result(found, tell)


def decisions(
    task: Task = None,
    agent: Agent = None,
    workflow: Workflow = None,
    about: Annotated[str | None, typer.Option("--about", metavar="FEATURE", help="Only with this feature.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="Only what an outcome of this kind followed.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="Made then or later.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="TIME", help="Made then or earlier.")] = None,
    count: Count = 20,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what was decided, why, instead of what, and what came of it; the latest first.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --task T-12)
      yggdrasil session decide $SESSION "Blue-green" --why "no downtime"
      yggdrasil decisions --task T-12
      yggdrasil decisions --since 2026-01-01 --json
    """
    from ...opening import opened

    screen = Screen(json)
    times = {"since": moment_of("--since", since), "until": moment_of("--until", until)}
    with opened(screen, place, memory) as it:
        found = it.decisions(task=task, agent=agent, workflow=workflow, about=about, kind=kind, count=count, **times)

    def tell() -> None:
        for one in found.decisions:
            _show(screen, one)
        if not found.decisions:
            screen.tell("Nothing of that kind was decided.")

    screen.result(found, tell)


def knows(
    about: Annotated[str, typer.Argument(help="A thing or a feature, such as service:checkout.", callback=not_blank)],
    count: Count = 20,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show who knows of something: who has said most of it, and how what they said turned out.

    \b
    Examples:
      yggdrasil record "The checkout needs a warm cache" --feature service:checkout
      yggdrasil knows service:checkout
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.sayers(about, count=count)

    def tell() -> None:
        for one in found.sayers:
            origin = "" if one.origin is None else f" ({one.origin})"
            said = f"{one.said} said, {one.good} good, {one.bad} bad, last {moment(one.at)}"
            screen.tell(f"{clean(one.name, 60)}{origin}: {said}")
        if not found.sayers:
            screen.tell("Nobody has said anything of it.")

    screen.result(found, tell)


def recoveries(
    kind: Annotated[str, typer.Argument(help="The kind of failure, such as tool or loop.", callback=not_blank)],
    about: Annotated[
        str | None, typer.Option("--about", metavar="FEATURE", help="Only what is about this too.")
    ] = None,
    count: Count = 20,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what helped when something failed in this way, what worked best first.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1")
      yggdrasil session end $SESSION --recovery "tool=Install the wheel"
      yggdrasil recoveries tool
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.recoveries(kind, about=about, count=count)

    def tell() -> None:
        for one in found.recoveries:
            used = f"worth {number(one.worth)}, used {counted(one.used, 'time')}"
            screen.tell(f"{clean(one.memory.text or '(no text)', 100)} ({clean(one.memory.said_by, 60)}; {used})")
            screen.tell(f"  {one.memory.ref}", "dim")
        if not found.recoveries:
            screen.tell("Nothing is known that helps.")

    screen.result(found, tell)


def _show(screen: Screen, one: "DecisionSeen") -> None:
    screen.tell(f"{moment(one.at)}  {clean(one.what or '(no text)', 100)} ({clean(one.said_by, 60)})")
    if one.why:
        screen.tell(f"  why: {clean(one.why, 110)}")
    if one.alternatives:
        screen.tell(f"  instead of: {clean('; '.join(one.alternatives), 110)}")
    for outcome in one.outcomes:
        screen.tell(f"  {outcome.value:+g} {clean(outcome.kind, 40)}: {clean(outcome.text or '', 80)}")
    screen.tell(f"  {one.ref}", "dim")
