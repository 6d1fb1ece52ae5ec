"""``yggdrasil episodes``: what a memory experienced, stretch by stretch, and what usually comes next."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId, not_blank, typed
from ..screen import Screen, clean, counted, moment, number
from ..targets import HERE, OfAgent, OfAgents, OfReader, Where
from .showing import show_outcomes, title

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.memories import MemoryObject
    from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode, Step
    from yggdrasil_projections.retrieval.reads.episodic.what_next import Ended, WhatNext

COUNT_MAX: Final = 200
_SIMILAR_MAX: Final = 50  # as what_next has it, without its import
_SIMILAR: Final = 10
_TEXT_CHARS_MAX: Final = 110
_CELL_CHARS_MAX: Final = 50
_HELP: Final = """List the episodes of a memory, the latest first; read one, and ask what usually comes next.

An episode binds events that belong together into one experience: a task, a talk, a day of releases. Thinkers commit
them (`yggdrasil think`), or you do (`episodes commit`). It is found by a question like an event, can be judged by its
id, and goes on changing: outcomes of its events come late, and it fades or lasts.

\b
Examples:
  EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday --session ops)
  EPISODE=$(yggdrasil episodes commit $EVENT --text "The deploy of Friday")
  yggdrasil episodes
  yggdrasil episodes --session ops --json
  yggdrasil episodes show $EPISODE
  yggdrasil episodes next "Should we deploy on Friday?"
"""

app = typer.Typer(cls=OfAgents, help=_HELP, rich_markup_mode=None)

InSession = Annotated[
    str | None, typer.Option("--session", metavar="NAME", help="Only what this session took part in.")
]


@app.callback(invoke_without_command=True)
def episodes(
    context: typer.Context,
    session: InSession = None,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=COUNT_MAX, help="How many at most.")] = 20,
    before: Annotated[
        int | None, typer.Option("--before", min=0, metavar="SEQ", help="Go on: only what was made before this seq.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """List episodes, unless a command is given."""
    from ..opening import opened

    if context.invoked_subcommand is not None:
        for name, option in (("session", "--session"), ("count", "--count"), ("before", "--before"), ("json", "--json"),
                             ("place", "--dir"), ("service", "--service"), ("memory", "--memory")):  # fmt: skip
            if typed(context, name):
                message = f"give it behind the command: episodes {context.invoked_subcommand} {option} ..."
                raise typer.BadParameter(message, context, param_hint=f"'{option}'")
        return
    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.episodes(session=session, before=before, count=count)
        none_at_all = session is None and not found.episodes and found.before is None
        untouched = none_at_all and not it.stats().thinkers
    if json:
        screen.result(found, lambda: None)
        return
    if not found.episodes and found.before is None:
        screen.tell("No episodes" + (f" of session {clean(session)}" if session else "") + ".")
        if untouched:
            screen.tell(
                "No thinker has decided anything here: `yggdrasil think` lets them. They commit an episode once what "
                "was recorded is enough for one."
            )
    for one in found.episodes:
        show_episode(screen, one)
    if found.before is not None:
        screen.tell(f"There are earlier ones: --before {found.before}", "dim")


@app.command("show", cls=OfReader, short_help="Read one: its events, why it was made, how it turned out.")
def show(
    episode: Annotated[
        str, typer.Argument(help="Its full id, as `episodes` or `context` printed it.", callback=not_blank)
    ],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Read one episode: its events, why it was made, how it turned out, and what came before and after it.

    Its outcomes are its own and those of its events, also those that came after it was made.

    \b
    Examples:
      EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --session ops)
      EPISODE=$(yggdrasil episodes commit $EVENT --text "The deploy of Friday")
      yggdrasil outcome $EVENT -3 --kind outage --text "The site was down for an hour"
      yggdrasil episodes show $EPISODE
      yggdrasil episodes show $EPISODE --json
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.episode(episode)
        events = [] if json else [it.describe(ref).memory for ref in found.memory.members]
    screen.result(found, lambda: _show_whole(screen, found, events))


@app.command("next", cls=OfReader, short_help="Ask what usually comes next, how likely, and how it ended.")
def following(
    text: Annotated[str, typer.Argument(help="The situation in words; the features that they name count.")] = "",
    feature: Annotated[
        list[str] | None, typer.Option("--feature", "-f", help="A feature of it; give it again for more, at most 32.")
    ] = None,
    episode: Annotated[
        str | None, typer.Option("--episode", metavar="ID", help="Instead: what comes next on episodes like this one.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="NAME", help="Instead: on what goes on in this open session.")
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=1, max=_SIMILAR_MAX, help="How many similar episodes count at most.")
    ] = _SIMILAR,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Ask what usually comes next: episodes like this situation, what followed on them, and how that ended.

    A situation is given in words or by its features. Without any, it is what goes on in the session that was touched
    last: what is in its short-term buffer, or else its last episode. Each share is of the similar episodes on which
    something has followed, counted by how similar they are; the latest 2,000 are compared. It is no recall.

    \b
    Examples:
      FIRST=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday --session ops)
      DEPLOY=$(yggdrasil episodes commit $FIRST --text "The deploy of Friday")
      SECOND=$(yggdrasil record "Rolled it back" --feature rollback --session ops)
      ROLLBACK=$(yggdrasil episodes commit $SECOND --text "Rolled back")
      yggdrasil outcome $ROLLBACK -3 --kind outage
      yggdrasil episodes next "Should we deploy on Friday?"
      yggdrasil episodes next --feature deploy -k 5 --json
      yggdrasil episodes next --episode $DEPLOY
      yggdrasil episodes next --session ops
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.what_next(text, features=feature or [], episode=episode, session=session, count=k)
    screen.result(found, lambda: show_next(screen, found))


@app.command("commit", cls=OfAgent, short_help="Make an episode of events that belong together, by hand.")
def commit(
    events: Annotated[list[str], typer.Argument(help="The full ids of 1 to 64 events, as `record` printed them.")],
    text: Annotated[str | None, typer.Option("--text", help="What it was about, in a sentence.")] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="NAME", help="Whose it is; unless given, whoever had the events.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Make an episode of events that belong together, and print its id. They leave the buffers of their sessions.

    \b
    Examples:
      FIRST=$(yggdrasil record "The disk is full" --feature disk --session ops)
      SECOND=$(yggdrasil record "Deleted old logs" --feature disk --session ops)
      yggdrasil episodes commit $FIRST $SECOND --text "A full disk, mended"
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory, embedder=None) as it:
        made = it.commit_episode(events, text=text, session=session)
    screen.result({"memory": it.id, "episode": made}, lambda: screen.tell(made))


def show_episode(screen: Screen, one: "Episode") -> None:
    """Print an episode for people: what it says, when and where it was, why it was made, and how it turned out."""
    it = one.memory
    screen.tell(clean(it.text or "(no text)", _TEXT_CHARS_MAX), "bold")
    when = moment(one.first_at)
    when += f" to {moment(one.last_at)}" if one.last_at != one.first_at else ""
    place = ", ".join(clean(session, 60) for session in one.sessions)
    told = [when, f"session{'s' if len(one.sessions) > 1 else ''} {place}" if place else "", f"seq {one.seq}"]
    screen.tell(f"  {clean(it.ref)}  {', '.join(filter(None, told))}", "dim")
    if one.trigger or one.why or one.thinker:
        by = f" ({clean(one.thinker, 60)})" if one.thinker else ""
        said = ": ".join(clean(each, 200) for each in (one.trigger, one.why) if each) or "not said"
        screen.tell(f"  why it was made{by}: {said}")
    left = "" if len(it.members) == one.events else f" of which {len(it.members)} are left"
    strength = f"salience {number(it.salience)}, permanence {number(it.permanence)}, impact {number(it.impact)}"
    marks = "".join(f", {name}" for name, given in (("protected", it.protected), ("archived", it.archived)) if given)
    by = f" of origin {', '.join(map(clean, one.origins))}" if one.origins else ""
    screen.tell(f"  {counted(one.events, 'event')}{by}{left}, {strength}{marks}")
    show_outcomes(screen, it.outcomes, "  ", it.ref)


def _show_whole(screen: Screen, one: "Episode", events: "list[MemoryObject]") -> None:
    show_episode(screen, one)
    if one.memory.features:
        screen.tell(f"  what its events have in common: {clean(', '.join(one.memory.features), 200)}")
    if events:
        screen.tell("  What it binds, oldest first:")
    for event in events:
        screen.tell(f"    - {title(event)}")
    for heading, steps in (("before", one.before), ("after", one.after)):
        for each in steps:
            screen.tell(f"  {heading} it: {_step(each)}  {clean(each.ref)}")


def show_next(screen: Screen, found: "WhatNext") -> None:
    """Print for people what usually comes next, and of how many that is said."""
    by = f", compared by {clean(', '.join(found.features), 200)}" if found.features else ""
    among = f"among {counted(found.looked_at, 'episode')}{by}"
    if not found.similar:
        screen.tell(f"None is similar {among}.")
        return
    similar = "1 similar one" if len(found.similar) == 1 else f"{len(found.similar)} similar ones"
    screen.tell(f"{similar} {among}; on {found.followed} of them something has followed.")
    if found.next:
        screen.tell("What usually comes next:")
        screen.table(
            ["feature", ">share", ">times", ">usual", ">ended at", ">good", ">bad"],
            [
                (
                    clean(one.feature, _CELL_CHARS_MAX),
                    f"{one.share:.0%}",
                    f"{one.times} of {found.followed}",
                    f"{one.usual:.0%}",
                    _value(one.ended),
                    one.ended.good,
                    one.ended.bad,
                )
                for one in found.next
            ],
        )
        ended = f"{_value(found.ended)} on the mean" if found.ended.value is not None else "nobody has said yet"
        screen.tell(f"How what followed ended: {ended} ({found.ended.good} good, {found.ended.bad} bad outcomes).")
    screen.tell("The similar ones:")
    screen.table(
        [">alike", "episode", "in common", "then came", ">ended at"],
        [
            (
                number(one.likeness),
                _step(one.episode),
                clean(", ".join(one.in_common) or "words", _CELL_CHARS_MAX),
                _step(one.next) if one.next else "-",
                _value(one.next_ended),
            )
            for one in found.similar
        ],
    )


def _step(step: "Step") -> str:
    return clean(step.text or f"(no text, seq {step.seq})", _CELL_CHARS_MAX)


def _value(ended: "Ended") -> str:
    return "-" if ended.value is None else f"{ended.value:+.3g}"
