"""``yggdrasil checkpoint``: take, list, verify and start from checkpoints by hand."""

from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..exits import CommandLineError, ExitCode
from ..options import (
    DIR_DEFAULT,
    TOPIC_DEFAULT,
    WORKER_DIR_DEFAULT,
    Development,
    Dir,
    Json,
    KafkaInstead,
    Topic,
    help_alone,
    named,
    partitions_of,
)
from ..screen import Screen, bars, clean, counted
from ..stores import PARTITION, described, log_of, restored, stores

if TYPE_CHECKING:
    from yggdrasil_projections.graph.checkpoint.taking import Checkpoint

_HELP: Final = """Take, list and verify checkpoints, and start from one.

A checkpoint is a partition's store as of one offset of the log, with the hash
of every file and the digest of every memory. Workers leave them by
themselves (--checkpoints); these commands are for doing it by hand.

\b
Examples:
  yggdrasil record "Deployed on a Friday" --feature deploy
  yggdrasil checkpoint take --to checkpoints
  yggdrasil checkpoint list checkpoints
  # a host that has lost its stores
  mv .yggdrasil/graph lost
  yggdrasil checkpoint restore --from checkpoints
"""

app = typer.Typer(help=_HELP, rich_markup_mode=None)
app.callback(invoke_without_command=True)(help_alone)

Partitions = Annotated[
    str | None, typer.Option("--partitions", metavar="0,3-5", help="Only these; without it, all that are there.")
]


@app.command("take", short_help="Take a checkpoint of every store in a directory.")
def take(
    to: Annotated[Path, typer.Option("--to", metavar="CHECKPOINTS", help="Where checkpoints are kept.")],
    directory: Dir = DIR_DEFAULT,
    partitions: Partitions = None,
    keep: Annotated[int, typer.Option("--keep", min=1, help="How many to keep of each partition.")] = 2,
    json: Json = False,
) -> None:
    """Take a checkpoint of every store in a directory that no other process uses.

    It stands as far as the store does; one beside a log of its own is first brought to the log's end. On the file
    system of the store it shares the tables, and takes hardly any room until the store has moved on.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil checkpoint take --to checkpoints
      yggdrasil checkpoint take --to checkpoints --partitions 0-3 --keep 1 --json
    """
    from yggdrasil_projections.graph.checkpoint import taking as checkpoint

    wanted = None if partitions is None else partitions_of(partitions)
    screen = Screen(json)
    taken: list[Checkpoint] = []
    with closing(stores(screen, directory, wanted)) as found:
        for store in found:
            with bars(screen) as progress:
                taken.append(checkpoint.take(store, to, keep, progress))
    empty = sorted(set(wanted or ()) - {one.manifest.pin.partition for one in taken})
    document = {"dir": str(directory), "to": str(to), "checkpoints": [described(one) for one in taken], "empty": empty}
    screen.result(document, lambda: _show_taken(screen, taken, empty))


@app.command("list", short_help="Show which checkpoints there are.")
def list_(
    root: Annotated[Path, typer.Argument(metavar="CHECKPOINTS", help="Where checkpoints are kept.")],
    json: Json = False,
) -> None:
    """Show which checkpoints there are, newest first, by what they say of themselves.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil checkpoint take --to checkpoints
      yggdrasil checkpoint list checkpoints --json
    """
    from yggdrasil_projections.graph.checkpoint.manifest import CheckpointError, read_manifest
    from yggdrasil_projections.graph.checkpoint.taking import Checkpoint, positions

    screen = Screen(json)
    _require_directory(root)
    found: list[dict[str, Any]] = []
    for directory in sorted(path for path in root.glob("*/*") if PARTITION.fullmatch(path.name)):
        for path in positions(directory):
            try:
                found.append(described(Checkpoint(path, read_manifest(path))))
            except CheckpointError as error:
                found.append({"path": str(path), "unfit": str(error)})
    screen.result({"checkpoints": found}, lambda: _show_list(screen, found))


@app.command("verify", short_help="Verify every file and every digest of one checkpoint.")
def verify(
    path: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="The directory of one checkpoint.")],
    json: Json = False,
) -> None:
    """Verify one checkpoint to the last file and digest, without a log. Nothing in it is changed.

    What is damaged is named, with exit code 1. Whether it fits a log is found out when it is restored.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil checkpoint take --to checkpoints
      # its directory is named by topic id, partition and offset
      yggdrasil checkpoint verify checkpoints/*/*/*
    """
    from yggdrasil_projections.graph.checkpoint import restore as checkpoint_restore
    from yggdrasil_projections.graph.checkpoint.manifest import NAME
    from yggdrasil_projections.graph.checkpoint.taking import Checkpoint

    screen = Screen(json)
    _require_directory(path)
    if any(any(path.glob(f"{between}*/{NAME}")) for between in ("", "*/", "*/*/")):
        message = f"{clean(path)} holds checkpoints: name one of them; `yggdrasil checkpoint list` shows them"
        raise CommandLineError(ExitCode.USAGE, "not_one_checkpoint", message)
    with bars(screen) as progress:
        document = described(Checkpoint(path, checkpoint_restore.verify(path, progress)))
    line = (
        f"Whole at offset {document['position']}: memories {len(document['memories']):,}, bytes {document['bytes']:,}"
    )
    screen.result(document, lambda: screen.tell(line))


@app.command("restore", short_help="Make missing stores from the newest checkpoints that fit.")
def restore(
    context: typer.Context,
    root: Annotated[Path, typer.Option("--from", metavar="CHECKPOINTS", help="Where checkpoints are kept.")],
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    partitions: Partitions = None,
    set_aside: Annotated[
        bool, typer.Option("--set-aside", help="Rename stores that are there, and restore in their place.")
    ] = False,
    json: Json = False,
) -> None:
    """Make the stores that are missing in a directory from the newest checkpoints that fit its log.

    Every file, every digest and the last record in the log are verified first; a checkpoint that fails is named, and
    the one before it is tried. The log is the directory's own, or with --kafka the topic that a worker folds here
    (then DIR is .yggdrasil-worker unless it is named, as for the worker).
    What no checkpoint is there for is rebuilt from the log by whoever opens it next.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil checkpoint take --to checkpoints
      yggdrasil checkpoint restore --from checkpoints --set-aside
    """
    wanted = None if partitions is None else partitions_of(partitions)
    if kafka is not None and not named(context, "directory"):
        directory = WORKER_DIR_DEFAULT
    screen = Screen(json)
    _require_directory(root)
    done: list[dict[str, Any]] = []
    with ExitStack() as stack:
        log = log_of(stack, directory, kafka, topic, development=development)
        if beyond := [partition for partition in wanted or () if partition >= log.partitions]:
            raise typer.BadParameter(f"the log has partitions 0 to {log.partitions - 1}, and not {beyond[0]}")
        for partition in range(log.partitions) if wanted is None else wanted:
            done.append(restored(screen, root, directory, log, partition, set_aside=set_aside))
        topic_id = log.topic_id
    failed = [one for one in done if one["unfit"] and one["checkpoint"] is None]
    document: dict[str, Any] = {"dir": str(directory), "topic_id": topic_id, "partitions": done}
    if failed:
        document["error"] = {"code": "checkpoint_unfit", "message": " ".join(failed[0]["unfit"])}
    elif not any(one["checkpoint"] or one["there"] for one in done):
        message = f"{clean(root)} holds no checkpoint of topic id {topic_id}; `yggdrasil checkpoint list` shows others"
        raise CommandLineError(ExitCode.NOT_FOUND, "no_checkpoint", message)
    screen.result(document, lambda: _show_restored(screen, done))
    if failed:
        raise typer.Exit(ExitCode.BROKEN)


def _require_directory(path: Path) -> None:
    if not path.is_dir():
        message = f"{clean(path)} is no directory; name the one that holds checkpoints"
        raise CommandLineError(ExitCode.NOT_FOUND, "no_checkpoints_here", message)


def _show_taken(screen: Screen, taken: "list[Checkpoint]", empty: list[int]) -> None:
    for partition in empty:
        screen.tell(f"partition {partition}: nothing has been folded here, so there is nothing to take")
    if not taken and not empty:
        screen.tell("Nothing has been folded here, so there is nothing to take.")
    for one in taken:
        screen.tell(f"partition {one.manifest.pin.partition}, offset {one.manifest.position}: {clean(one.path)}")


def _show_list(screen: Screen, found: list[dict[str, Any]]) -> None:
    for one in found:
        if "unfit" not in one:  # a line each and no table, which would cut the path that the other commands take
            screen.tell(
                f"{clean(one['path'])}: partition {one['partition']}, offset {one['position']:,}, "
                f"taken {_when(one['created_ms'])}, memories {len(one['memories']):,}, bytes {one['bytes']:,}"
            )
    for one in found:
        if "unfit" in one:
            screen.tell(f"UNFIT: {clean(one['unfit'])}", "bold red")
    if not found:
        screen.tell("There are none.")


def _show_restored(screen: Screen, done: list[dict[str, Any]]) -> None:
    without = 0
    for one in done:
        for reason in one["unfit"]:
            screen.tell(f"partition {one['partition']}: passed over: {clean(reason)}", "bold red")
        if one["checkpoint"]:
            what = f"stands at offset {one['checkpoint']['position']}, verified"
        elif one["there"]:
            what = "left as it is" + ("" if one["unfit"] else "; --set-aside restores in its place")
        elif one["unfit"]:
            what = "no checkpoint fits; it will be rebuilt from the log"
        else:
            without += 1
            continue
        screen.tell(f"partition {one['partition']}: {what}")
    if without:
        screen.tell(f"No checkpoint of {counted(without, 'partition')}: what they hold will be folded from the log.")


def _when(created_ms: int) -> str:
    return datetime.fromtimestamp(created_ms / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
