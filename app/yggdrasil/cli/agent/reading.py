"""``yggdrasil read``: any read of the table by its name, with its parameters, as JSON."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from ..options import MEMORY_DEFAULT, Json, MemoryId, assigned
from ..screen import Screen
from ..targets import HERE, Where

_FLAGS: Final = {"true": True, "false": False}  # which a value of a claim may be; a text of these letters is none
_NOT_HERE: Final = ("self", "after", "vector")


def read(
    name: Annotated[
        str | None, typer.Argument(help="The name of the read; without it, all of them are listed.")
    ] = None,
    given: Annotated[
        list[str] | None, typer.Argument(metavar="[PARAMETER=VALUE]...", help="Its parameters; several for a list.")
    ] = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    trust_min: Annotated[
        int, typer.Option(help="Nothing is there that is trusted less: 1 an agent, 2 a user, 3 a tool, 4 an operator.")
    ] = 0,
    json: Json = False,
) -> None:
    """Ask a memory anything that it can be asked, and print the answer as JSON.

    Many reads have a command of their own that shows them better; every one of them is here, under the name that it has
    in Python. What a filter or another structure takes is given as JSON.

    \b
    Examples:
      yggdrasil read
      yggdrasil read history key=ana/diet
      yggdrasil read timeline session=ops count=2
      yggdrasil read what_next features=deploy features=friday
      yggdrasil read timeline 'where={"kinds": ["episode"]}'
      yggdrasil read drift --trust-min 2
    """
    methods = _methods()
    screen = Screen(json)
    if name is None:
        listed = {each: [*_parameters(method)] for each, method in methods.items()}
        screen.result(listed, lambda: screen.tell("\n".join(_line(each, method) for each, method in methods.items())))
        return
    if name not in methods:
        raise typer.BadParameter(f"{name[:40]!r} is none of {', '.join(methods)}", param_hint="'NAME'")
    arguments = _arguments(name, methods[name], given or [])
    from ..opening import opened

    with opened(screen, place, memory) as it:
        seen = it.seen(trust_min=trust_min)
        try:
            found = methods[name](seen, **arguments)
        except TypeError as error:
            if not str(error).startswith(f"{name}() "):
                raise  # of ours
            raise typer.BadParameter(str(error).partition("() ")[2], param_hint=f"'{name}'") from error
    screen.result(found, lambda: screen.tell(_written(found)))


def _methods() -> dict[str, Callable[..., Any]]:
    """Return what can be asked, by its name in Python."""
    from yggdrasil_projections.retrieval.table import READS

    from ...memory import Memory

    return {each.called: getattr(Memory, each.called) for each in READS}


def _parameters(method: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of the parameters that can be written here, by name."""
    hints = get_type_hints(method, localns={"Vector": Any})  # which is imported for type checkers alone
    return {each: hints[each] for each in inspect.signature(method).parameters if each not in _NOT_HERE}


def _arguments(name: str, method: Callable[..., Any], given: list[str]) -> dict[str, Any]:
    """Return what was written, as Python has it. Raises BadParameter."""
    known = _parameters(method)
    written = assigned(name, given, known, "parameter")
    return {parameter: _value(parameter, known[parameter], values) for parameter, values in written.items()}


def _value(parameter: str, hint: Any, values: list[str]) -> Any:
    """Return a value of a parameter's type. Raises BadParameter."""
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import from_json

    from yggdrasil_projections.retrieval.asks import Where as Filter

    hint_is = inspect.formatannotation(hint)
    try:
        if "Where" in hint_is:
            return Filter(**from_json(values[-1]))
        if "Sequence" in hint_is or "Iterable" in hint_is:
            return values
        if len(values) > 1:
            raise ValueError(parameter)
        if bool in get_args(hint) and values[0] in _FLAGS:
            return _FLAGS[values[0]]
        return TypeAdapter(hint).validate_python(values[0])
    except (ValidationError, TypeError, ValueError) as error:
        told = "it takes one value" if len(values) > 1 else f"{values[-1][:40]!r} is no value of it"
        told += ", which is true or false" if hint is bool or bool in get_args(hint) else ""
        raise typer.BadParameter(told, param_hint=f"'{parameter}'") from error


def _line(name: str, method: Callable[..., Any]) -> str:
    summary = (inspect.getdoc(method) or "").split("\n", maxsplit=1)[0]
    return f"{name}({', '.join(_parameters(method))})\n    {summary}"


def _written(found: object) -> str:
    import orjson

    return orjson.dumps(found, option=orjson.OPT_INDENT_2).decode()
