"""The options by which a question is put to a part of a memory, and the filter that they make."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.asks import Where

_MANY = "Again for more; one of them is enough."

WithAll = Annotated[
    list[str] | None,
    typer.Option(
        "--with-all",
        metavar="FEATURE",
        help="Only what has this feature, as it was recorded, or an outcome of it (outcome:outage). Again for more, of "
        "which it must have each.",
    ),
]
WithAny = Annotated[
    list[str] | None, typer.Option("--with-any", metavar="FEATURE", help=f"Only what has this feature. {_MANY}")
]
InSession = Annotated[
    list[str] | None, typer.Option("--in-session", metavar="NAME", help=f"Only what is of this session. {_MANY}")
]
OfKind = Annotated[
    list[str] | None,
    typer.Option("--of-kind", metavar="KIND", help=f"Only an event, outcome, episode or concept. {_MANY}"),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="TIME", help="Only what happened then or later: 2026-01-31, 2026-01-31T12:00Z, or Unix ms."
    ),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Only what happened then or earlier; all of a day belongs to it."),
]
FromSource = Annotated[
    list[str] | None, typer.Option("--from-source", metavar="NAME", help=f"Only what this source said. {_MANY}")
]
FromOrigin = Annotated[
    list[str] | None,
    typer.Option(
        "--from-origin",
        metavar="ORIGIN",
        help=f"Only what an agent, user, tool, import, thinker or operator said. {_MANY}",
    ),
]


def where_of(**typed: Any) -> "Where | None":
    """Return the filter of the options that were typed, by the names that ``Where`` has for them; None without any.

    Raises BadParameter for what cannot be meant.
    """
    from yggdrasil_projections.retrieval.asks import InvalidAskError, Where

    given = {name: value for name, value in typed.items() if value}
    try:
        return Where(**given) if given else None
    except InvalidAskError as error:
        raise typer.BadParameter(str(error)) from error
