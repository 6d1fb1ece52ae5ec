"""``yggdrasil verify``: read everything in a directory, and say what is damaged and what to do about it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..exits import CommandLineError, ExitCode
from ..options import (
    DIR_DEFAULT,
    MEMORY_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    Json,
    KafkaInstead,
    MemoryId,
    Topic,
    on_kafka,
    typed,
)
from ..screen import Screen, clean, counted
from ..targets import Target, placed
from .against_log import verify_against_log, verify_at_service

if TYPE_CHECKING:
    from yggdrasil_processors.auditing.verifying import Verified

_KIB: Final = 1 << 10
_SHOWN_MAX: Final = 20  # commands of a memory that are named; --json has all

Directory = Annotated[
    Path, typer.Argument(envvar="YGGDRASIL_DIR", metavar="DIR", help="A memory's own, a worker's, or a service's.")
]


def verify(
    context: typer.Context,
    directory: Directory = DIR_DEFAULT,
    deep: Annotated[
        bool, typer.Option("--deep", help="Fold the log anew as well, and compare every digest; it takes as long.")
    ] = False,
    against_log: Annotated[
        bool,
        typer.Option(
            "--against-log", help="Compare every record of the stores with what the log gives, and name each."
        ),
    ] = False,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Read everything in DIR, and say what is damaged, where, and what to do. Nothing is changed.

    Every record of the log with its digest, every block of the stores with its checksum, and what must hold in every
    graph. It may run beside a process that uses DIR. Exit code 1: something is damaged; 6: nothing is, and a store is
    not what its log gives (--deep).

    With --against-log nothing is read but what is compared: the log is folded anew, up to where each store stands, and
    every record of every memory is compared. What differs is named with both values and the command that touched it
    last, and so is a record of the log that was altered, removed, doubled or swapped: exit code 6. It takes a little
    longer than folding the log. With --kafka the log is a topic, and DIR is that of a worker, which may be running.
    With --service the service compares one memory of its own, the --memory: for a key with the role audit and no lens.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil verify .yggdrasil
      yggdrasil verify .yggdrasil --deep --json
      yggdrasil verify .yggdrasil --against-log
    """
    screen = Screen(json)
    there = on_kafka(context, kafka, topic, development=development)
    place = placed(context, Target(directory))
    if place.service is None and typed(context, "memory"):
        raise typer.BadParameter("it goes with --service: in a directory all are compared", param_hint="'--memory'")
    if against_log:
        if deep:
            raise typer.BadParameter("it compares all that --deep does: give one of them", param_hint="'--against-log'")
        if place.service is not None:
            verify_at_service(screen, place, memory)
            return
        verify_against_log(screen, directory, there)
        return
    if place.service is not None:
        raise typer.BadParameter("it goes with --against-log", param_hint="'--service'")
    if there is not None:
        raise typer.BadParameter("it goes with --against-log", param_hint="'--kafka'")
    if not any((directory / part).is_dir() for part in ("log", "graph")):
        message = f"{clean(directory)} holds neither a log nor stores; name the directory of a memory or of a worker"
        raise CommandLineError(ExitCode.NOT_FOUND, "no_memory_here", message)
    found = _verified(screen, directory, deep=deep)
    screen.result(_document(directory, found), lambda: _show(screen, directory, found))
    if found.damaged:
        different = all(one.what in {"difference", "index"} for one in found.findings)
        raise typer.Exit(ExitCode.DIFFERENT if different else ExitCode.BROKEN)


def _verified(screen: Screen, directory: Path, *, deep: bool) -> "Verified":
    from yggdrasil_processors.auditing.verifying import verify as verified

    total = sum(file.stat().st_size for part in ("log", "graph") for file in (directory / part).rglob("*.sst"))
    with screen.progress("Reading (KiB)", total // _KIB) as advance:
        left = 0

        def progress(what: str, size: int) -> None:
            nonlocal left
            left += size
            advance(left // _KIB)
            left %= _KIB

        return verified(directory, progress, deep=deep)


def _document(directory: Path, found: "Verified") -> dict[str, Any]:
    document: dict[str, Any] = {
        "dir": str(directory),
        "sound": not found.damaged,
        "records": found.records,
        "stores": found.stores,
        "findings": [
            {
                "what": one.what,
                "place": one.place,
                "message": one.said,
                "lost": one.lost and {"partition": one.lost.partition, "first": one.lost.first, "last": one.lost.last},
            }
            for one in found.findings
        ],
        "lost_commands": found.lost_commands,
    }
    if found.damaged:
        document["error"] = {"code": "damaged", "message": _verdict(directory, found)}
    return document


def _show(screen: Screen, directory: Path, found: "Verified") -> None:
    for one in found.findings:
        screen.tell(f"{one.what.upper()}: {clean(one.said)}", "dim" if one.what == "index" else "red")
    for memory, ids in found.lost_commands.items():
        named = ", ".join(ids[:_SHOWN_MAX]) + (" ..." if len(ids) > _SHOWN_MAX else "")
        screen.tell(f"  lost of {clean(memory)}: {counted(len(ids), 'command')}: {named}")
    screen.tell(clean(_verdict(directory, found)), "bold red" if found.damaged else "bold green")


def _verdict(directory: Path, found: "Verified") -> str:
    read = f"{counted(found.records, 'record')} and {counted(len(found.stores), 'store')}"
    kinds = {one.what for one in found.findings}
    if not found.damaged:
        return f"Sound: {read} were read to the end."
    said = ["Damaged." if kinds - {"difference", "index"} else "Different."]
    if "log" in kinds:
        partly = all(one.lost is not None for one in found.findings if one.what == "log")
        kept = f"`yggdrasil backup {directory} BACKUP --accept-loss` keeps all but what is named here."
        left = f"`yggdrasil export {directory} FILE` writes the commands that its stores still hold."
        said.append(
            "The log is the memory: bring a backup back with `yggdrasil restore BACKUP NEW-DIR`. Without one, "
            f"{kept if partly else left}"
        )
    if kinds & {"store", "difference"}:
        first = "Mend the log first. " if "log" in kinds else ""
        said.append(
            f"{first}Stores are made from the log again: stop what uses {directory}, and run `yggdrasil rebuild "
            f"--accept --dir {directory}`, or start it once with --recover. What was damaged is set aside."
        )
    return " ".join(said)
