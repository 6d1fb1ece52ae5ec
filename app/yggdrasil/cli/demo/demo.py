"""``yggdrasil demo``: a git history becomes a memory that answers, explains itself and replays to the same digest."""

import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ..options import MEMORY_DEFAULT, Json
from ..screen import Screen, clean

COMMITS_MAX_DEFAULT: Final = 5_000  # a few seconds' work, so that a long history is seen within a minute


def demo(
    repo: Annotated[Path, typer.Option("--repo", help="A git repository, or a folder inside one.")] = Path("."),
    commits_max: Annotated[
        int, typer.Option("--commits-max", min=1, help="At most so many commits, the newest.")
    ] = COMMITS_MAX_DEFAULT,
    directory: Annotated[
        Path | None, typer.Option("--dir", metavar="DIR", help="Build the memory here and keep it.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the temporary directory and say where it is.")] = False,
    json: Json = False,
) -> None:
    """Watch a git history become a memory: import, ask, act, explain, and replay to the same digest.

    Everything is done in a temporary directory, which is removed at the end unless it is to be kept.

    \b
    Examples:
      yggdrasil demo
      yggdrasil demo --repo . --dir demo-memory
      # what was kept is a memory like any other
      yggdrasil context "what was mended lately?" --dir demo-memory
      yggdrasil stats --dir demo-memory
    """
    from yggdrasil_producers.draft import Drafter
    from yggdrasil_producers.importers import import_git

    from ..exits import CommandLineError, ExitCode
    from .steps import Demo

    screen = Screen(json)
    begun = time.monotonic()
    drafter = Drafter(MEMORY_DEFAULT, "cli", "yggdrasil-demo", "import")
    source = import_git(repo, drafter, commits_max=commits_max)
    if not source.total:
        raise CommandLineError(
            ExitCode.USAGE, "cannot_import", f"{clean(repo)} has no commits yet; name another repository with --repo"
        )
    with _workplace(directory, keep) as (path, kept):
        report = Demo(screen, path).run(repo, source, import_git(repo, drafter).total)
        report["seconds"] = round(time.monotonic() - begun, 3)
        report["dir"] = str(path) if kept else None
        screen.result(report, lambda: _farewell(screen, path if kept else None, repo, report))
        same = report["replay"]["same"]
    if not same:
        raise typer.Exit(ExitCode.DIFFERENT)


@contextmanager
def _workplace(directory: Path | None, keep: bool) -> Generator[tuple[Path, bool], None, None]:
    from ..opening import usable

    if directory is not None:
        usable(directory)
        yield directory, True
    elif keep:
        yield Path(tempfile.mkdtemp(prefix="yggdrasil-demo-")), True
    else:
        with tempfile.TemporaryDirectory(prefix="yggdrasil-demo-") as made:
            yield Path(made), False


def _farewell(screen: Screen, path: Path | None, repo: Path, report: dict[str, Any]) -> None:
    """Say what to try next: three commands that work as they stand."""
    where = shlex.quote(clean(path or "demo-memory"))
    name = _program()
    screen.tell()
    screen.tell(f"That was everything, in {report['seconds']:.1f} s. What to try next:", "bold")
    if path is None:
        screen.tell(f"  {name} demo --repo {shlex.quote(clean(repo))} --dir {where}   # the same, and keep the memory")
        screen.tell(f'  {name} context "what was mended, and why?" --dir {where}')
        screen.tell(f'  {name} record "Tried the demo" --feature demo     # a memory of your own, in ./.yggdrasil')
    else:
        screen.tell(f'  {name} context "what was mended, and why?" --dir {where}')
        screen.tell(f"  {name} explain {report['action']} --dir {where}")
        screen.tell(f"  {name} stats --dir {where}")


def _program() -> str:
    """Return what to type for this program: its name, or how it was called when a shell would not find the name."""
    called = sys.argv[0]
    if shutil.which("yggdrasil") or Path(called).name != "yggdrasil":
        return "yggdrasil"
    return shlex.quote(clean(called))
