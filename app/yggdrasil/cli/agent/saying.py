"""``yggdrasil say``: any command of the language by its name, with the fields of its body."""

from typing import Annotated, Any, cast, get_args

import typer

from yggdrasil_schemas.commands import Origin

from ..options import MEMORY_DEFAULT, Json, MemoryId, Session, assigned
from ..screen import Screen
from ..targets import HERE, Where


def say(
    kind: Annotated[
        str | None, typer.Argument(metavar="[COMMAND]", help="Its name; without it, all of them are listed.")
    ] = None,
    given: Annotated[
        list[str] | None, typer.Argument(metavar="[FIELD=VALUE]...", help="Fields of its body; several for a list.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="What it says in words; it is never read by a law.")
    ] = None,
    content: Annotated[
        str | None, typer.Option("--content", metavar="JSON", help="All of its content, an object, in place of --text.")
    ] = None,
    session: Session = None,
    origin: Annotated[
        str, typer.Option("--origin", help=f"Who says so: {', '.join(get_args(Origin))}; a service knows by the key.")
    ] = "user",
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Say anything that a memory can be told, and print the command's id.

    Many commands have a command of their own here that asks for them better; every one is here, under its name in the
    language. What is no text is given as JSON.

    \b
    Examples:
      yggdrasil say
      yggdrasil say record_event features=deploy features=friday --text "Deployed on a Friday"
      yggdrasil say set_policy 'changes={"nodes_max": 10000}' --origin operator
      yggdrasil say define predicate=diet cardinality=one
    """
    screen = Screen(json)
    fields = _fields()
    if kind is None:
        listed = {name: [*of] for name, of in fields.items()}
        screen.result(listed, lambda: screen.tell("\n".join(f"{name}({', '.join(of)})" for name, of in listed.items())))
        return
    if kind not in fields:
        raise typer.BadParameter(f"{kind[:40]!r} is none of {', '.join(fields)}", param_hint="'COMMAND'")
    said = _content(text, content)
    body = _body(kind, fields[kind], given or [])
    from ..opening import opened

    with opened(screen, place, memory, create=True, origin=cast(Origin, origin)) as it:
        command = it.say(kind, body, content=said, session=session)
    screen.result({"memory": it.id, "command": command}, lambda: screen.tell(command))


def _fields() -> dict[str, dict[str, Any]]:
    """Return what can be said: the types of the fields of each command's body."""
    from yggdrasil_schemas.commands import COMMANDS

    bodies = {name: cast(Any, model.model_fields["body"].annotation) for name, model in COMMANDS.items() if model.roles}
    return {name: {each: info.annotation for each, info in body.model_fields.items()} for name, body in bodies.items()}


def _content(text: str | None, content: str | None) -> dict[str, Any] | None:
    """Return what is said beside the body. Raises BadParameter."""
    if content is None:
        return None if text is None else {"text": text}
    try:
        found = _json(content)
    except ValueError:
        found = None
    if not isinstance(found, dict) or text is not None:
        told = "it takes the place of --text" if text is not None else f"{content[:40]!r} is no object in JSON"
        raise typer.BadParameter(told, param_hint="'--content'")
    return cast("dict[str, Any]", found)


def _body(kind: str, known: dict[str, Any], given: list[str]) -> dict[str, Any]:
    """Return the fields that were written. Raises BadParameter for one that the command does not have."""
    written = assigned(kind, given, known, "field")
    try:
        return {name: _value(known[name], values) for name, values in written.items()}
    except ValueError as error:
        raise typer.BadParameter(
            "a list is given in JSON, or as several FIELD=VALUE", param_hint=f"'{kind}'"
        ) from error


def _value(hint: Any, values: list[str]) -> Any:
    """Return a field as the language has it; what stands for nothing there is left as it is, and refused with it.

    Raises ValueError for a list that is begun as JSON and is none.
    """
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter[Any](hint).json_schema()
    of = [schema, *schema.get("anyOf", [])]
    if any(each.get("type") == "array" and each["items"].get("type") == "string" for each in of):
        return _json(values[0]) if len(values) == 1 and values[0].startswith("[") else values
    if len(values) > 1 or any(each.get("type") == "string" for each in of):
        return values[0] if len(values) == 1 else values
    try:
        return _json(values[0])
    except ValueError:
        return values[0]


def _json(value: str) -> Any:
    from pydantic_core import from_json

    return from_json(value)
