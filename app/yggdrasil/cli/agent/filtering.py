"""The options by which a question is put to a part of a memory, and the filter that they make."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from yggdrasil_schemas.limits import TRUST_MAX

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.asks import Where

_MANY: Final = "Again for more; one of them is enough."

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
    typer.Option("--of-kind", metavar="KIND", help=f"Only an event, outcome, episode, concept or claim. {_MANY}"),
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

OfStatus = Annotated[
    list[str] | None,
    typer.Option(
        "--of-status",
        metavar="STATUS",
        help="Only what is active, prior (established), contested, a candidate, quarantined, superseded, rejected or "
        f"resolved. {_MANY}",
    ),
]
TrustMin = Annotated[
    int | None,
    typer.Option(
        "--trust-min",
        min=0,
        max=TRUST_MAX,
        help="Only of who is trusted so far: 1 an agent, 2 a user, 3 a tool, 4 an operator.",
    ),
]
History = Annotated[
    bool, typer.Option("--history", help="What was superseded, withdrawn or resolved as well, each marked as such.")
]
OfNote = Annotated[
    list[str] | None,
    typer.Option("--note", metavar="KIND", help=f"Only notes of this kind, such as decision or open_question. {_MANY}"),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="Of claims those that held then, and not those that hold now."),
]


def where_of(
    with_all: list[str] | None,
    with_any: list[str] | None,
    in_session: list[str] | None,
    of_kind: list[str] | None,
    since: str | None,
    until: str | None,
    from_source: list[str] | None,
    from_origin: list[str] | None,
    of_status: list[str] | None,
    trust_min: int | None,
    history: bool,
    note: list[str] | None,
    at: str | None,
) -> "Where | None":
    """Return the filter of the options that were typed; None without any.

    Raises BadParameter for what cannot be meant.
    """
    from yggdrasil_projections.retrieval.asks import Where
    from yggdrasil_projections.retrieval.errors import InvalidAskError

    typed: dict[str, Any] = {
        "features_all": with_all,
        "features_any": with_any,
        "sessions": in_session,
        "kinds": of_kind,
        "since": since,
        "until": until,
        "sources": from_source,
        "origins": from_origin,
        "statuses": of_status,
        "trust_min": trust_min,
        "history": history or None,
        "notes": note,
        "valid_at": at,
    }
    given = {name: value for name, value in typed.items() if value not in (None, [])}
    try:
        return Where(**given) if given else None
    except InvalidAskError as error:
        raise typer.BadParameter(str(error)) from error


def moment_of(option: str, typed: str | None) -> int | None:
    """Return a point in time that was typed, in Unix ms: of a date its beginning. Raises BadParameter."""
    from yggdrasil_projections.retrieval.asks import Where
    from yggdrasil_projections.retrieval.errors import InvalidAskError

    try:
        return Where(valid_at=typed).valid_at
    except InvalidAskError as error:
        raise typer.BadParameter(str(error).removeprefix("valid_at: "), param_hint=f"'{option}'") from error
