"""``yggdrasil rebuild``: build stores and indexes anew from the log, compare, and let them take their places."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..exits import CommandLineError, ExitCode
from ..options import DIR_DEFAULT, TOPIC_DEFAULT, Development, Dir, Json, KafkaInstead, Topic, partitions_of
from ..screen import Screen, clean, counted
from ..stores import log_of

if TYPE_CHECKING:
    from yggdrasil_processors.auditing.rebuilding import Rebuild, Rebuilt


def rebuild(
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    partitions: Annotated[
        str | None, typer.Option("--partitions", metavar="0,3-5", help="Only these; without it, all that are there.")
    ] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take the new stores even if they differ from the old ones.")
    ] = False,
    json: Json = False,
) -> None:
    """Build stores and indexes anew from the log, beside those in use, compare them, and let them take their places.

    Nothing else may use the directory meanwhile, and it needs room for both. Every memory's digest is compared where
    the old store stands, and every record with what was folded; when one differs the old stores remain, and the exit
    code is 6. A crash at any moment leaves either the old or the new; the next start tidies up. With --kafka the
    directory is that of a worker or of a query host, and the log is the topic.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil rebuild
      yggdrasil rebuild --partitions 0-1 --json
    """
    from yggdrasil_processors.auditing.rebuilding import partitions_in
    from yggdrasil_processors.auditing.rebuilding import rebuild as rebuilt

    screen = Screen(json)
    with ExitStack() as stack:
        log = log_of(stack, directory, kafka, topic, development=development)
        there = partitions_in(directory) or (list(range(log.partitions)) if kafka is None else [])
        wanted = there if partitions is None else [one for one in partitions_of(partitions) if one in there]
        if not wanted:
            message = f"{clean(directory)} holds none of these stores; --dir names another directory"
            raise CommandLineError(ExitCode.NOT_FOUND, "no_stores_here", message)
        total = 2 * sum(log.end_offset(partition) for partition in wanted)
        with screen.progress("Rebuilding", total) as advance:
            found = rebuilt(log, directory, wanted, advance, accept=accept)
    document = _document(directory, found)
    screen.result(document, lambda: _show(screen, found))
    if not found.swapped:
        raise typer.Exit(ExitCode.DIFFERENT)


def _document(directory: Path, found: "Rebuild") -> dict[str, Any]:
    document: dict[str, Any] = {
        "dir": str(directory),
        "same": found.same,
        "swapped": found.swapped,
        "set_aside": [str(path) for path in found.aside],
        "partitions": [
            {
                "partition": one.audit.partition,
                "records": one.audit.records,
                "compared": len(one.audit.compared),
                "not_compared": one.not_compared,
                "indexes": one.indexes,
                "different": _differences(one),
            }
            for one in found.partitions
        ],
    }
    if not found.swapped:
        document["error"] = {"code": "digests_differ", "message": _verdict(found)}
    return document


def _differences(one: "Rebuilt") -> list[str]:
    altered = [str(one.audit.altered)] if one.audit.altered else []
    return altered + [entry.memory for entry in one.audit.compared if not entry.same]


def _show(screen: Screen, found: "Rebuild") -> None:
    screen.table(
        [">partition", ">records", ">memories", ">indexes", "compared with the old store"],
        [
            (
                one.audit.partition,
                one.audit.records,
                len(one.audit.digests),
                len(one.indexes),
                one.not_compared or ("equal" if one.audit.same else f"DIFFERENT: {', '.join(_differences(one))}"),
            )
            for one in found.partitions
        ],
    )
    for path in found.aside:
        screen.tell(f"What was damaged is kept as {clean(path)}, until you delete it.")
    screen.tell(clean(_verdict(found)), "bold green" if found.same else "bold red")


def _verdict(found: "Rebuild") -> str:
    stores = counted(len(found.partitions), "store")
    if found.same:
        return f"Rebuilt: {stores} from the log alone, and the new have taken the places of the old."
    if found.swapped:
        return f"Rebuilt: {stores}, which differ from the old and have taken their places, as --accept says."
    return (
        "The new stores differ from the old ones, which remain in use. `yggdrasil replay` names the first record that "
        "was altered; --accept takes the new ones all the same."
    )
