"""``yggdrasil mcp``: a memory for an assistant or an editor, over stdio."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from ....daemon.commands.streams import OutputError
from ...exits import CommandLineError, ExitCode
from ...options import DIR_DEFAULT, MEMORY_DEFAULT, AsAgent, Dir, MemoryId, typed
from ...targets import check_service

if TYPE_CHECKING:
    from yggdrasil.doors.mcp.server import Tools
    from yggdrasil.memory import Memory

_TOKENS: Final = 2_000  # answering.TOKENS and its bounds, without their import
_TOKENS_MIN: Final = 100
_TOKENS_MAX: Final = 10_000
_INSTALL: Final = "pip install 'yggdrasil-substrate[mcp]'"


def mcp(
    context: typer.Context,
    directory: Dir = DIR_DEFAULT,
    service: Annotated[
        str | None,
        typer.Option("--service", metavar="URL", help="Ask this service, with the key in YGGDRASIL_KEY, instead."),
    ] = None,
    memory: MemoryId = MEMORY_DEFAULT,
    as_agent: AsAgent = None,
    tools: Annotated[
        str, typer.Option("--tools", metavar="loop|graph|all", help="The loop, the official memory server's, or both.")
    ] = "loop",
    grant: Annotated[
        list[str] | None,
        typer.Option("--allow", "--grant", metavar="TOOL", help="A tool beside those: query_archive."),
    ] = None,
    budget: Annotated[
        int,
        typer.Option("--budget", min=_TOKENS_MIN, max=_TOKENS_MAX, metavar="N", help="Tokens that one answer takes."),
    ] = _TOKENS,
) -> None:
    """Be a memory for an assistant or an editor: a server of MCP on stdin and stdout, until that ends.

    A directory has one writer: a service in the background, which is started for the first of these servers and ends by
    itself, so that any number of programs share a directory. Another service is named by --service, or its address is
    given to the program: http://127.0.0.1:8787/mcp/TENANT/AGENT. See docs/doors/mcp.md for the settings of clients.

    \b
    Examples:
      claude mcp add memory -- yggdrasil mcp --dir ~/.yggdrasil --memory me/claude
      yggdrasil mcp --tools graph --memory me/notes
      yggdrasil mcp --memory acme/plant --as-agent buyer
      yggdrasil mcp --service http://127.0.0.1:8787 --memory me/agent --allow query_archive
    """
    if service is not None and typed(context, "directory"):
        message = "it and --dir exclude each other: the memory is either in a directory or behind a service"
        raise typer.BadParameter(message, context, param_hint="'--service'")
    if service is not None:
        check_service(context, service)
    wanted, archive = _tools_of(context, tools), _archive_of(context, grant or [])
    try:
        from yggdrasil.doors.mcp.stdio import serve_stdio
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        said = f"this takes the extra mcp, which is not installed: {_INSTALL}"
        raise CommandLineError(ExitCode.USAGE, "no_mcp", said) from error
    with ExitStack() as stack:
        opened = _opened(directory, service, memory)
        stack.callback(opened.close)
        given = opened if as_agent is None else opened.as_agent(as_agent)
        try:
            serve_stdio(given, wanted, archive=archive, tokens=budget)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputError(error.strerror) from error


def _tools_of(context: typer.Context, tools: str) -> "Tools":
    known: tuple[Literal["loop", "graph", "all"], ...] = ("loop", "graph", "all")
    if tools not in known:
        raise typer.BadParameter(f"{tools!r} is none of loop, graph and all", context, param_hint="'--tools'")
    return known[known.index(tools)]


def _archive_of(context: typer.Context, granted: list[str]) -> bool:
    unknown = next((each for each in granted if each != "query_archive"), None)
    if unknown is not None:
        raise typer.BadParameter(
            f"{unknown!r} is no tool that has to be allowed; query_archive is", context, param_hint="'--allow'"
        )
    return bool(granted)


def _opened(directory: Path, service: str | None, memory: str) -> "Memory":
    """Open the memory, which is made if need be, without a word on stdout: that is the client's.

    A directory is opened through the service that holds it, which is started if there is none: the next server that an
    editor starts finds it there. Where none can be started, the directory itself is opened, for this one alone.
    """
    from yggdrasil.daemon.starting import DaemonError
    from yggdrasil.memory import Memory

    if service is not None:
        return Memory.connect(service, memory=memory, role="agent")
    from ...opening import reachable

    reachable(directory)
    try:
        return Memory.open(directory, memory, role="agent", daemon=True)
    except DaemonError as error:
        typer.echo(f"{error}. This server holds the directory itself, so no other can use it", err=True)
        return Memory.open(directory, memory, role="agent")
