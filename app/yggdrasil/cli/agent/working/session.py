"""``yggdrasil session``: begin a piece of work, ask what is known for it, keep notes, and end it."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from yggdrasil_schemas.limits import VALUE_MAX

from ...options import MEMORY_DEFAULT, Json, MemoryId, given_in, help_alone, not_blank
from ...screen import Screen, clean
from ...targets import HERE, OfAgent, OfReader, Where
from .asking import sessions

if TYPE_CHECKING:
    from yggdrasil.sessions import Left

app = typer.Typer(
    help="An agent's piece of work: begin it, ask what is known for it, keep notes, and end it with what others need.",
    invoke_without_command=True,
    callback=help_alone,
)
Name = Annotated[str, typer.Argument(help="Its name, as `session begin` printed it.", callback=not_blank)]
Lessons = Annotated[list[str] | None, typer.Option("--lesson", help="What was learnt; give it again for more.")]
Warnings = Annotated[list[str] | None, typer.Option("--warning", help="What to look out for; or again.")]
Recoveries = Annotated[
    list[str] | None,
    typer.Option("--recovery", metavar="FAILURE=TEXT", help="What helped when something failed, such as tool=TEXT."),
]
Rules = Annotated[list[str] | None, typer.Option("--rule", help="What must hold, once a person approves; or again.")]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FILE|-", help="A reflection as a JSON object, with decisions, connections, ..."),
]


@app.command("begin", cls=OfAgent)
def begin(
    goal: Annotated[str, typer.Argument(help="What it is to achieve, in a sentence.", callback=not_blank)],
    task: Annotated[str | None, typer.Option("--task", help="The task: its notes are found under it.")] = None,
    workflow: Annotated[str | None, typer.Option("--workflow", help="The kind of work, which shares lessons.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", help="Who works.")] = None,
    touch: Annotated[
        list[str] | None, typer.Option("--touch", metavar="FEATURE", help="What it will touch, such as file:pay.py.")
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option("--hold", metavar="FEATURE", help="What it takes for itself, such as resource:staging."),
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Its name; made unless it is given.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Begin a session, and print its name.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --task T-12 --workflow release --touch service:checkout)
      yggdrasil session context $SESSION
      yggdrasil session note $SESSION progress=built
      yggdrasil session end $SESSION "Shipped" --lesson "Warm the cache before the switch" --outcome 4
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory, create=True) as it:
        begun = it.session(
            goal=goal, task=task, workflow=workflow, agent=agent, touches=touch or [], holds=hold or [], name=name
        )
        found = {"memory": it.id, "session": begun.name, "opened": begun.opened}
    screen.result(found, lambda: screen.tell(begun.name))


@app.command("context", cls=OfReader)
def context(
    name: Name,
    query: Annotated[str | None, typer.Argument(help="What it is about now, if not its goal.")] = None,
    tokens: Annotated[int, typer.Option("--tokens", min=1, max=100_000, help="How long it may be.")] = 800,
    show: Annotated[str, typer.Option("--show", help="How much of each: index, claims or full.")] = "claims",
    seen: Annotated[
        list[str] | None, typer.Option("--seen", metavar="REF", help="What you were shown: it stands back; or again.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what is known for a session: rules, warnings, lessons, precedents, its desk, and who else is at work on it.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --workflow release)
      yggdrasil session context $SESSION
      yggdrasil session context $SESSION "What do we know of the cache?" --show index
    """
    from yggdrasil_projections.retrieval.reads.sessions.context import AskSession

    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        ask = AskSession(name, query, tokens_max=tokens, show=cast(Any, show), seen=seen or ())  # which checks it
        found = it.ask(ask)
    screen.result(found, lambda: screen.tell(found.text()))


@app.command("note", cls=OfAgent)
def note(
    name: Name,
    notes: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD=TEXT]...", help="Each in place of what the word said.")
    ] = None,
    promise: Annotated[str | None, typer.Option("--promise", help="Something you promise: it outlives it.")] = None,
    due: Annotated[str | None, typer.Option("--due", metavar="TIME", help="Until when it is promised.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Put notes on the desk of a session, and print their ids. Of goal, subgoal and threat there may be several.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --task T-12)
      yggdrasil session note $SESSION progress=built "goal=No downtime"
      yggdrasil session note $SESSION --promise "Tell Ana" --due 2030-12-01
      yggdrasil desk --task T-12
    """
    from ...opening import opened

    screen = Screen(json)
    said = _notes(notes or [])
    if not said and promise is None:
        raise typer.BadParameter("there is nothing to note: give WORD=TEXT, or --promise")
    if due is not None and promise is None:
        raise typer.BadParameter("--due goes with --promise")
    with opened(screen, place, memory) as it:
        session = it.resume(name)
        refs = session.note(**said) if said else []
        refs += [session.promise(promise, due=due)] if promise is not None else []
    screen.result({"session": name, "notes": refs}, lambda: screen.tell("\n".join(refs)))


@app.command("decide", cls=OfAgent)
def decide(
    name: Name,
    what: Annotated[str, typer.Argument(help="What was decided.", callback=not_blank)],
    why: Annotated[str | None, typer.Option("--why", help="Why.")] = None,
    alternative: Annotated[list[str] | None, typer.Option("--alternative", help="What else; or again.")] = None,
    about: Annotated[list[str] | None, typer.Option("--about", metavar="FEATURE", help="What it is about.")] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Record what was decided, why, and what else was thought of; print the id.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --task T-12)
      yggdrasil session decide $SESSION "Blue-green" --why "no downtime" --alternative "in place"
      yggdrasil decisions --task T-12
    """
    from ...opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.resume(name).decide(what, why, alternatives=alternative or [], about=about or [])
    screen.result({"session": name, "decision": found}, lambda: screen.tell(found))


@app.command("reflect", cls=OfAgent)
def reflect(
    name: Name,
    lesson: Lessons = None,
    warning: Warnings = None,
    recovery: Recoveries = None,
    rule: Rules = None,
    file: From = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say in the middle of the work what was learnt so far, before it is forgotten; said again, it is kept once.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --workflow release)
      yggdrasil session reflect $SESSION --lesson "Warm the cache before the switch"
    """
    from ...opening import opened

    screen = Screen(json)
    said = _reflection(file, lesson, warning, recovery, rule)
    with opened(screen, place, memory) as it:
        left = it.resume(name).reflect(**said)
    _left(screen, name, left)


# An outcome such as -3 would otherwise be taken for an option.
@app.command("end", cls=OfAgent, context_settings={"ignore_unknown_options": True})
def end(
    name: Name,
    summary: Annotated[str | None, typer.Argument(help="What was done, in a few sentences.")] = None,
    outcome: Annotated[
        float | None, typer.Option("--outcome", min=-VALUE_MAX, max=VALUE_MAX, help="How it went, -10 to 10.")
    ] = None,
    lesson: Lessons = None,
    warning: Warnings = None,
    recovery: Recoveries = None,
    rule: Rules = None,
    file: From = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """End a session with what it leaves for others. To give the same command again is safe.

    \b
    Examples:
      SESSION=$(yggdrasil session begin "Ship 2.1" --workflow release)
      yggdrasil session end $SESSION "Shipped" --outcome 4 --lesson "Warm the cache" --recovery "tool=Install the wheel"
      NEXT=$(yggdrasil session begin "Ship 2.2" --workflow release)
      echo '{"decisions": [{"what": "Blue-green", "why": "no downtime"}]}' | yggdrasil session end $NEXT --from -
    """
    from ...opening import opened

    screen = Screen(json)
    said = _reflection(file, lesson, warning, recovery, rule)
    said |= {name: value for name, value in (("summary", summary), ("outcome", outcome)) if value is not None}
    with opened(screen, place, memory) as it:
        left = it.resume(name).end(**said)
    _left(screen, name, left)


app.command("list", cls=OfReader)(sessions)


def _left(screen: Screen, name: str, left: "Left") -> None:
    said = [{"part": part, "id": command_id} for part, command_id in left.said]
    refused = [{"part": part, "id": command_id, "reason": str(why)} for part, command_id, why in left.refused]

    def tell() -> None:
        for each in said:
            screen.tell(f"{each['part']}  {each['id']}")
        for each in refused:
            screen.warn(f"{each['part']}: {each['reason']}")

    screen.result({"session": name, "said": said, "refused": refused}, tell)


def _notes(given: list[str]) -> dict[str, str]:
    said: dict[str, str] = {}
    for each in given:
        word, sign, text = each.partition("=")
        if not sign or not word.strip() or not text.strip():
            raise typer.BadParameter(f"a note is WORD=TEXT, such as progress=built; {each[:40]!r} is none")
        said[word] = text
    return said


def _reflection(
    file: str | None,
    lessons: list[str] | None,
    warnings: list[str] | None,
    recoveries: list[str] | None,
    rules: list[str] | None,
) -> dict[str, Any]:
    said: dict[str, Any] = {} if file is None else _read(file)
    helped = [dict(zip(("failure", "text"), each.split("=", 1), strict=False)) for each in recoveries or ()]
    for name, given in (("lessons", lessons), ("warnings", warnings), ("recoveries", helped), ("rules", rules)):
        if given:
            said[name] = [*said.get(name, ()), *given]
    return said


def _read(file: str) -> dict[str, Any]:
    """Read a JSON object from a file or from stdin. Raises BadParameter."""
    import orjson

    known = ("summary", "decisions", "lessons", "warnings", "recoveries", "rules", "connections", "outcome")
    try:
        found: Any = orjson.loads(given_in(None if file == "-" else file, "--from"))
    except OSError as error:
        raise typer.BadParameter(f"--from: {clean(error)}") from error
    except orjson.JSONDecodeError as error:
        named = "what stands on stdin" if file == "-" else clean(file)
        raise typer.BadParameter(f"--from: {named} is not JSON: {clean(error)}") from error
    if not isinstance(found, dict):
        raise typer.BadParameter('--from takes a JSON object, such as \'{"lessons": ["..."]}\'')
    said = cast(dict[str, Any], found)
    if unknown := sorted(said.keys() - set(known)):
        raise typer.BadParameter(f"--from has {', '.join(known)}, and not {unknown[0][:40]!r}")
    return said
