"""``yggdrasil export``: the commands that stores still hold, for a new log when theirs is gone."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from ..exits import CommandLineError, ExitCode
from ..options import Json
from ..screen import Screen, clean, counted
from ..stores import stores

if TYPE_CHECKING:
    from yggdrasil_processors.auditing.exporting import Exported
    from yggdrasil_projections.graph.store.store import GraphStore


def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a worker, a host or a memory.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write JSON lines; it must not exist.")],
    json: Json = False,
) -> None:
    """Write the commands that the stores in a directory still hold, one line of JSON each, and say what is missing.

    For when a topic was deleted, or a log is damaged, and the stores are all that is left: `yggdrasil import commands`
    puts them into a new log. Events, outcomes, episodes, concepts and claims that were not forgotten come back as they
    were recorded, with the vectors and the relations that they were given later: with the same embedder nothing is
    embedded anew. What was recalled, used, judged, named, defined, pinned or set, who else said the same, and what the
    memory had learnt of it, does not: the log alone had that. So what is in quarantine or was rejected is left out, or
    it would stand again. Nothing in the directory is changed.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil export .yggdrasil memories.jsonl
    """
    from yggdrasil_infra.log import LogDamagedError

    screen = Screen(json)
    try:
        out = file.open("xb")
    except OSError as error:
        raise CommandLineError(ExitCode.USAGE, "file", f"{clean(file)} cannot be written: {error.strerror}") from error
    try:
        with out:
            try:
                found, memories, lines = _written(out, stores(screen, directory, None))
            except LogDamagedError:
                screen.tell("The log is damaged: the stores are read as they stand.", "bold yellow")
                out.seek(0)
                out.truncate()
                found, memories, lines = _written(out, _as_they_stand(directory))
    except BaseException:
        file.unlink()
        raise
    document = {
        "dir": str(directory),
        "file": str(file),
        "memories": memories,
        "commands": lines,
        "missing": found.missing,
        "references_left_out": found.references,
        "withheld": found.withheld,
    }
    screen.result(document, lambda: _show(screen, document, found))


def _written(out: BinaryIO, stores: "Generator[GraphStore]") -> "tuple[Exported, int, int]":
    """Write what ``stores`` hold; return what was found, in how many memories, and how many lines it is."""
    from yggdrasil_processors.auditing.exporting import Exported, commands

    found, memories, lines = Exported(), 0, 0
    with closing(stores) as opened:
        for store in opened:
            for memory in store.memories():
                memories += 1
                for line in commands(store, memory, found):
                    out.write(line + b"\n")
                    lines += 1
    return found, memories, lines


def _as_they_stand(directory: Path) -> "Generator[GraphStore]":
    """Yield the stores beside a log that cannot be read, opened for reading alone."""
    from yggdrasil_processors.auditing.beside import store_beside
    from yggdrasil_processors.auditing.rebuilding import partitions_in

    for partition in partitions_in(directory):
        with store_beside(directory / "graph" / f"{partition:04d}") as store:
            yield store


def _show(screen: Screen, document: dict[str, Any], found: "Exported") -> None:
    rows = [(kind, found.exported[kind], found.accepted[kind]) for kind in sorted(found.accepted)]
    screen.table(["command", ">exported", ">accepted once"], rows)
    screen.tell(
        f"{counted(document['commands'], 'command')} in {clean(document['file'])}; `yggdrasil import commands` puts "
        "them into a log."
    )
    if found.missing:
        screen.tell("What is missing was folded into the memories and is in no store as a command.", "bold yellow")
    if found.withheld:
        screen.tell(f"Without {counted(found.withheld, 'command')} whose memory is in quarantine, or was rejected.")
    if found.references:
        screen.tell(f"Without {counted(found.references, 'reference')} to what is missing too, such as recalls.")
