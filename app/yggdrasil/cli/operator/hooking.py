"""``yggdrasil hooks``: let coding agents remember."""

import os
import shlex
import shutil
import sys
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..options import Json, help_alone
from ..screen import Screen

if TYPE_CHECKING:
    from ...doors.hooks.installing import Changed

app = typer.Typer(
    help="""Let Claude Code and Codex remember what they do: hooks that recall, record and judge.

The hooks are added beside those that are there, in the settings of the user, or of one project. They keep silent when
no service answers within 300 ms; the service of their directory is started by the first session.

\b
Examples:
  yggdrasil hooks install --for claude --project .
  yggdrasil hooks show --for claude --project .
  yggdrasil hooks remove --for claude --project .
""",
    short_help="Let Claude Code and Codex remember what they do.",
)


class For(StrEnum):
    """The coding agents that there are hooks for."""

    CLAUDE = "claude"
    CODEX = "codex"


Whose = Annotated[For, typer.Option("--for", help="Which coding agent: claude or codex.")]
Project = Annotated[
    Path | None,
    typer.Option(
        "--project",
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="For this project alone; else for all of the user's.",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Where memories are kept, unless in YGGDRASIL_DIR or ~/.yggdrasil."),
]
Memory = Annotated[
    str | None,
    typer.Option("--memory", metavar="TENANT/AGENT", help="Whose memory it is, unless me/ and the project's name."),
]
_LISTENS_S: Final = 1.0
_SCRIPT: Final = Path(sys.executable).parent / "yggdrasil"


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    help_alone(context)


@app.command("install")
def install(
    whose: Whose = For.CLAUDE,
    project: Project = None,
    data: Data = None,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Add the hooks to the settings of a coding agent; those that are there stay. Giving it again changes nothing.

    \b
    Examples:
      yggdrasil hooks install --for claude --project .
      yggdrasil hooks install --for codex --project . --memory me/agent
    """
    from ...doors.hooks.installing import command
    from ...doors.hooks.installing import install as add

    program = str(_SCRIPT) if _SCRIPT.exists() else shutil.which("yggdrasil") or "yggdrasil"
    folder = str(data.expanduser().absolute()) if data else None
    _check(memory)
    line = command(sys.executable, program, folder, memory)
    done = add(whose.value, _file(whose, project), line)
    screen = Screen(json)
    screen.result({**_said(done), "command": line}, lambda: screen.tell(_told(done, line, whose)))


@app.command("remove")
def remove(whose: Whose = For.CLAUDE, project: Project = None, json: Json = False) -> None:
    """Take the hooks out of the settings; everything else in them stays, and so does what is remembered.

    \b
    Examples:
      yggdrasil hooks remove --for claude --project .
    """
    from ...doors.hooks.installing import remove as take_out

    done = take_out(_file(whose, project))
    screen = Screen(json)
    screen.result(_said(done), lambda: screen.tell(_told(done, "", whose)))


@app.command("show")
def show(
    whose: Whose = For.CLAUDE, project: Project = None, data: Data = None, memory: Memory = None, json: Json = False
) -> None:
    """Show which events call a hook, which memory they are for, and whether its service answers.

    It takes in what hooks have left behind. "waiting" is what the service has yet to be told, "lost" what it never
    will be; "unread" are events of any project that are kept as they came, and not redacted yet.

    \b
    Examples:
      yggdrasil hooks show --for claude --project .
    """
    from ...doors.hooks import installing
    from ...doors.hooks.outbox import lost_in, standing
    from ...doors.hooks.script import take_left
    from ...doors.hooks.service import Away, Deadline, Service
    from ...doors.hooks.settings import settings
    from ...doors.hooks.spool import kept as spool

    _check(memory)
    file = _file(whose, project)
    found = installing.installed(file)
    line = next(iter(found.values()), "")
    given = [*(["--data", str(data)] if data else []), *(["--memory", memory] if memory else [])]
    meant = settings([*shlex.split(line), *given], os.environ, str(project or Path.cwd()))
    shown: dict[str, Any] = {"file": str(file), "events": list(found), "plugin": str(installing.PLUGIN)}
    if meant is None:
        shown["off"] = "YGGDRASIL_HOOKS=off, or YGGDRASIL_MEMORY is no TENANT/AGENT"
    else:
        folders = spool.folders(os.environ, meant.data)
        for folder in folders:
            with suppress(OSError, Away):
                spool.take_in(folder, take_left)
        waiting, lost = standing(meant.state)
        listens = Service(meant, Deadline.within(_LISTENS_S)).listens()
        shown |= {"memory": meant.memory, "data": meant.data, "service": "listens" if listens else "away"}
        shown |= {"waiting": waiting, "lost": lost}
        shown |= {"unread": sum(map(spool.waiting, folders)), "unread and lost": sum(map(lost_in, folders))}
    screen = Screen(json)
    rows = [[name, str(value)] for name, value in {**shown, "events": ", ".join(found) or "none"}.items()]
    screen.result(shown, lambda: screen.table(["what", "is"], rows))


def _file(whose: For, project: Path | None) -> Path:
    from ...doors.hooks.installing import settings_file

    return settings_file(whose.value, project.absolute() if project else None, os.environ)


def _check(memory: str | None) -> None:
    if memory is not None:
        from yggdrasil_producers.draft import Drafter

        Drafter(memory, "hooks", "yggdrasil-hooks").check()


def _said(done: "Changed") -> dict[str, Any]:
    return {
        "file": str(done.file),
        "added": list(done.added),
        "replaced": list(done.replaced),
        "unchanged": list(done.unchanged),
        "removed": list(done.removed),
    }


def _told(done: "Changed", line: str, whose: For) -> str:
    parts = [
        f"{name}: {', '.join(events)}"
        for name, events in (
            ("added", done.added),
            ("put in the place of older ones", done.replaced),
            ("there already", done.unchanged),
            ("removed", done.removed),
        )
        if events
    ]
    told = [f"{done.file}", *(f"  {part}" for part in parts or ["nothing of ours is in it"])]
    told += [f"  each calls: {line}"] if line else []
    if line and whose is For.CODEX and (done.added or done.replaced):
        told.append("  Codex asks once whether they are trusted: see /hooks in it.")
    return "\n".join(told)
