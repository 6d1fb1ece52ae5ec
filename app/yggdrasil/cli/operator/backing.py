"""``yggdrasil backup`` and ``yggdrasil restore``: a copy of a directory's log, and a directory made of it again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..exits import CommandLineError, ExitCode
from ..options import Json
from ..screen import Screen, bars, clean, counted

if TYPE_CHECKING:
    from yggdrasil_infra.local_log.backup_manifest import Manifest

_KEYS: Final = "keys.json"


def backup(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a memory; it may be in use.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="A new directory, or that of an earlier backup.")],
    keys: Annotated[
        Path | None, typer.Option("--keys", metavar="FILE", help="The service's key file, to be kept with it.")
    ] = None,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Of a damaged log, back up everything that can still be read.")
    ] = False,
    json: Json = False,
) -> None:
    """Copy the log of DIR to TARGET while it is in use, and verify the copy. Stores are made from the log again.

    What is backed up is what was acknowledged when this began. Into the directory of an earlier backup of the same log
    only what has come since is copied, and all of it is verified. Nothing there is ever overwritten.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil backup .yggdrasil backups
      yggdrasil restore backups restored
      yggdrasil context "deployed" --dir restored
    """
    from yggdrasil.settings import FILE
    from yggdrasil_infra.local_log.backup import back_up

    from ..opening import require

    screen = Screen(json)
    require(directory)
    files = {FILE: directory / FILE} if (directory / FILE).is_file() else {}
    if keys is not None:
        if not keys.is_file():
            raise CommandLineError(ExitCode.NOT_FOUND, "no_keys", f"{clean(keys)} is no file; --keys takes a key file")
        files[_KEYS] = keys
    with bars(screen) as progress:
        made = back_up(directory / "log", target, files, _running(progress), accept_loss=accept_loss)
    said = f"Backed up and verified: {_told(made)}, in {clean(target)}."
    screen.result(_document(target, directory, made), lambda: _show(screen, made, said))


def restore(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The directory of a backup.")],
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The new directory to make of it.")],
    json: Json = False,
) -> None:
    """Verify the backup in TARGET, and make DIR of it: its log, with the same records at the same places.

    DIR must be new or empty. Whoever opens it first folds the log; to see that it is sound, run `yggdrasil verify`.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil backup .yggdrasil backups
      yggdrasil restore backups restored
      yggdrasil verify restored
    """
    from yggdrasil_infra.local_log.backup import restore as restored

    screen = Screen(json)
    with bars(screen) as progress:
        made = restored(target, directory, _running(progress))
    said = f"Restored: {_told(made)}, in {clean(directory)}. The first to open it folds the log."
    screen.result(_document(target, directory, made), lambda: _show(screen, made, said))


def _running(progress: Any) -> Any:
    """Return what counts the bytes of each kind of work for a bar without an end that is known."""
    done: dict[str, int] = {}

    def advance(what: str, size: int) -> None:
        done[what] = done.get(what, 0) + size
        progress(f"{what} (bytes)", done[what], done[what])

    return advance


def _document(target: Path, directory: Path, made: "Manifest") -> dict[str, Any]:
    return {
        "target": str(target),
        "dir": str(directory),
        "topic_id": made.topic_id,
        "records": made.records,
        "bytes": made.size,
        "created_ms": made.created_ms,
        "files": sorted(made.files),
        "lost": [{"partition": at, "first": first, "last": last} for at, first, last in made.lost],
    }


def _told(made: "Manifest") -> str:
    files = f" and {', '.join(sorted(made.files))}" if made.files else ""
    return f"{counted(made.records, 'record')} in {counted(made.partitions, 'partition')}{files}"


def _show(screen: Screen, made: "Manifest", said: str) -> None:
    for partition, first, last in made.lost:
        screen.tell(f"LOST: partition {partition}, offsets {first} to {last}", "red")
    screen.tell(said, "bold red" if made.lost else "bold green")
