"""The options that several commands share."""

from pathlib import Path
from typing import Annotated, Final

import typer

DIR_DEFAULT: Final = Path(".yggdrasil")
MEMORY_DEFAULT: Final = "me/agent"


def help_alone(context: typer.Context) -> None:
    """Print the help when no command is given."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def not_blank(text: str) -> str:
    """Return ``text``; raise BadParameter when it is empty, as an unset variable of the shell is."""
    if not text.strip():
        raise typer.BadParameter("it is empty")
    return text


Dir = Annotated[
    Path, typer.Option("--dir", envvar="YGGDRASIL_DIR", metavar="DIR", help="Where the log and its memories are kept.")
]
MemoryId = Annotated[
    str, typer.Option("--memory", envvar="YGGDRASIL_MEMORY", metavar="TENANT/AGENT", help="Whose memory it is.")
]
Session = Annotated[
    str | None, typer.Option("--session", metavar="NAME", help="The conversation or task it is part of.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]
