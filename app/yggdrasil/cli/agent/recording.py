"""``yggdrasil record`` and ``yggdrasil outcome``: what happened, and how it turned out."""

from typing import Annotated, Any, cast, get_args

import typer

from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.limits import VALUE_MAX

from ..options import MEMORY_DEFAULT, EmbedderSetting, Json, MemoryId, Session, given_in, not_blank
from ..screen import Screen, clean
from ..targets import HERE, Where

NoteName = Annotated[str | None, typer.Option("--name", help="A short title, by which it is found too.")]
Alias = Annotated[list[str] | None, typer.Option("--alias", help="Another name; give it again for more, at most 16.")]
Rationale = Annotated[
    str | None, typer.Option("--rationale", help="Why it is so: kept, shown and explained, and never searched.")
]

NoteOption = Annotated[
    str | None,
    typer.Option("--note", metavar="KIND", help=f"What sort of note it is: {', '.join(get_args(NoteKind))}."),
]


def record(
    text: Annotated[str, typer.Argument(help="What happened.", callback=not_blank)],
    feature: Annotated[
        list[str] | None, typer.Option("--feature", "-f", help="A part of it; give it again for more, at most 32.")
    ] = None,
    payload: Annotated[
        str | None, typer.Option("--payload", metavar="JSON|@FILE|-", help="More of it, as a JSON object.")
    ] = None,
    informed_by: Annotated[
        list[str] | None, typer.Option("--informed-by", metavar="RECALL", help="A recall that led to it.")
    ] = None,
    caused_by: Annotated[
        list[str] | None, typer.Option("--caused-by", metavar="EVENT", help="An earlier event that brought it about.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--key", help="What this is the latest word on, such as ana/diet; what had the key gives way."),
    ] = None,
    name: NoteName = None,
    alias: Alias = None,
    rationale: Rationale = None,
    note: NoteOption = None,
    session: Session = None,
    embedder: EmbedderSetting = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Record that something happened, and print the event's id.

    Features are what an event is made of: what occurs together is associated, what is new counts more. The id comes
    once the event is durable and folded.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      # with more than a sentence can say, and in a session of its own
      yggdrasil record "Rotated the keys" -f security --payload '{"keys": 3}' --session maintenance
      echo '{"build": 512}' | yggdrasil record "Build finished" -f build --payload -
      # the latest word on something takes the place of the one before
      yggdrasil record "Ana eats everything" --key ana/diet
      yggdrasil record "Ana is a vegan now" --key ana/diet
      # a note that is found by its names too, and says why it is so
      yggdrasil record "Parcels go out by rail" --name "Rail only" --alias "parcel rule" --rationale "Planes are dear"
      # say what led to an action: explain will show it
      RECALL=$(yggdrasil context "When do we deploy?" --json | grep -o '"recall_id": "[^"]*' | cut -d '"' -f 4)
      yggdrasil record "Deployed on a Monday instead" -f deploy --informed-by $RECALL
      ALARM=$(yggdrasil record "The disk is full" -f disk --session alarms)
      yggdrasil record "Deleted old logs" -f disk -f logs --caused-by $ALARM
    """
    from ..opening import opened

    screen = Screen(json)
    said = None if payload is None else _payload(payload)
    with opened(screen, place, memory, create=True, embedder=embedder) as it:
        event = it.record_event(
            text,
            features=feature or [],
            payload=said,
            session=session,
            informed_by=informed_by or [],
            caused_by=caused_by or [],
            key=key,
            name=name,
            aliases=alias or [],
            rationale=rationale,
            note=cast(NoteKind | None, note),  # the language refuses others
        )
    screen.result({"memory": it.id, "event": event}, lambda: screen.tell(event))


def outcome(
    event: Annotated[str, typer.Argument(help="Its full id, as `record` printed it.")],
    value: Annotated[float, typer.Argument(min=-VALUE_MAX, max=VALUE_MAX, help="How well it turned out.")],
    kind: Annotated[str, typer.Option("--kind", help="What sort of outcome; the first of a kind counts more.")] = (
        "outcome"
    ),
    text: Annotated[str | None, typer.Option("--text", help="What came of it.")] = None,
    catastrophic: Annotated[
        bool, typer.Option("--catastrophic", help="Never to be forgotten, unless lifted; with a value below 0.")
    ] = False,
    origin: Annotated[
        str,
        typer.Option("--origin", help="Who has seen it: user, tool or operator; agent or import, none is for ever."),
    ] = "user",
    step: Annotated[
        list[str] | None,
        typer.Option("--step", metavar="EVENT", help="What led to it, the latest first; without it, its session."),
    ] = None,
    session: Session = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say how an event turned out, and print the outcome's id. Negative values are written as they are: -3.

    Good outcomes strengthen the event and its features; bad ones do so five times as lastingly, and slow the fading
    of everything around it. What led to it takes a share: the events before it in its session, or each --step. An
    episode can be judged like an event. A catastrophe takes somebody who has seen it: not an agent's own claim.

    \b
    Examples:
      CAUSE=$(yggdrasil record "Skipped the tests" --feature tests --session release)
      EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday)
      yggdrasil outcome $EVENT -3 --kind outage --text "The site was down for an hour"
      yggdrasil outcome $EVENT 0.5 --kind review --text "We learned how to roll back"
      # it was not what happened just before that led to it, but something earlier
      yggdrasil outcome $EVENT -2 --kind bug --step $CAUSE
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory, embedder=None) as it:
        found = it.log_outcome(
            event,
            value,
            kind=kind,
            catastrophic=catastrophic,
            trajectory=step or [],
            origin=cast(Origin, origin),  # the language refuses others
            text=text,
            session=session,
        )
    screen.result({"memory": it.id, "event": event, "outcome": found}, lambda: screen.tell(found))


def _payload(argument: str) -> dict[str, Any]:
    """Read a JSON object from the argument itself, from ``@file``, or from stdin. Raises BadParameter."""
    import orjson

    named = clean(argument[1:]) if argument.startswith("@") else "what stands on stdin" if argument == "-" else "it"
    try:
        elsewhere = argument == "-" or argument.startswith("@")
        found = orjson.loads(
            given_in(None if argument == "-" else argument[1:], "--payload") if elsewhere else argument
        )
    except OSError as error:
        raise typer.BadParameter(f"--payload: {clean(error)}") from error
    except orjson.JSONDecodeError as error:
        raise typer.BadParameter(f"--payload: {named} is not JSON: {clean(error)}") from error
    if not isinstance(found, dict):
        raise typer.BadParameter(f"--payload: {named} must be a JSON object, such as '{{\"build\": 512}}'")
    return cast(dict[str, Any], found)
