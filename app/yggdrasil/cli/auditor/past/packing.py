"""``yggdrasil past pack``, ``unpack`` and ``check``: a memory in one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ...exits import CommandLineError, ExitCode
from ...options import (
    DIR_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    Dir,
    Json,
    KafkaInstead,
    OnKafka,
    Topic,
    not_both,
    on_kafka,
    typed,
)
from ...screen import Screen, clean, counted
from ...stores import log_to_fill
from ..replaying import log_of, workplace

if TYPE_CHECKING:
    from yggdrasil_processors.past.archive import Archive, Header
    from yggdrasil_processors.past.unpacking import Checked, Compared

_SHOWN_MAX: Final = 20  # faults; --json has more

Packed = Annotated[Path, typer.Argument(metavar="FILE", help="The archive of a memory.")]
As = Annotated[
    str | None, typer.Option("--as", metavar="TENANT/AGENT", help="The memory's name there, if it is another.")
]


def pack(
    context: typer.Context,
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="Which memory, such as me/agent.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the archive; it must not exist.")],
    at: Annotated[
        int | None, typer.Option("--at", min=1, metavar="SEQ", help="Only as far as this seq; without it, all.")
    ] = None,
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Pack every command that MEMORY has accepted into FILE, with the digest that they give. The log is only read.

    The memory is folded alone, its records are written with their seqs, and FILE is read back and folded once more
    before it gets its name. What was refused is not in it, but for what the digest takes in of it, so no later release
    can take it after all. It may run beside a process that writes; what comes meanwhile is left out.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil past pack me/agent agent.archive
      # as it stood after its first command
      yggdrasil past pack me/agent first.archive --at 1
    """
    from yggdrasil_processors.past.packing import pack as packed

    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    screen = Screen(json)
    with log_of(there, directory) as log, workplace(None) as scratch, screen.progress("Packing", 0) as advance:
        try:
            archive = packed(log, memory, file, scratch, at, advance)
        except OSError as error:
            message = f"{clean(file)} cannot be written: {error.strerror}"
            raise CommandLineError(ExitCode.USAGE, "file", message) from error
        digest = archive.end().digest
    document = _place(there, directory) | _packed(archive) | {"digest": digest}
    screen.result(document, lambda: _show_packed(screen, archive, digest))


def unpack(
    context: typer.Context,
    file: Packed,
    name: As = None,
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Append what is packed in FILE to a log that does not have that memory, and compare it with FILE.

    FILE is read to its end, and folded, before anything is appended. The log is that of a directory, which is made if
    it is not there, or a topic. Nothing is overwritten. After an interruption give the same command again: it goes on.
    Exit code 6: the memory is not the one that was packed. Where that may be because the releases differ, it is said,
    and the exit code is 0.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil past pack me/agent agent.archive
      yggdrasil past unpack agent.archive --dir elsewhere
      yggdrasil past unpack agent.archive --as me/copy
      yggdrasil context "deployed" --memory me/copy --no-record
    """
    from yggdrasil_processors.past.unpacking import check_room
    from yggdrasil_processors.past.unpacking import unpack as unpacked

    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    screen = Screen(json)
    with workplace(None) as scratch:
        archive, checked = _checked(screen, file, scratch, name)
        with log_to_fill(there, directory) as log:
            if there is None:
                check_room(directory, archive.header)
            with screen.progress("Unpacking", 2 * archive.header.records) as advance:
                done = unpacked(archive, checked, log, scratch, name, advance)
    compared = done.compared
    document = _place(there, directory) | _packed(archive) | _found(checked) | _beside(compared)
    document |= {"there": done.there, "appended": done.appended}

    def show() -> None:
        place = str(there) if there else clean(directory)
        before = f", and {counted(done.there, 'record')} had been there" if done.there else ""
        screen.tell(f"{counted(done.appended, 'record')} appended to {place}{before}.")
        _show_found(screen, archive.header, checked)
        _show_compared(screen, archive.header, compared)

    _end(screen, document, show, checked, compared)


def check(
    context: typer.Context,
    file: Packed,
    name: As = None,
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Read FILE to its end, fold what is packed in it, and compare digests; nothing is written.

    With --dir or --kafka, compare it with the memory in that log as well, record by record: what is missing, altered,
    refused or out of its order there is named, and so is what stands there twice. So a topic that was mirrored to
    another cluster, or has another number of partitions, is verified. What has come after the last packed command is
    not looked at. Exit code 1: FILE is damaged; 6: something differs.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil past pack me/agent agent.archive
      yggdrasil past check agent.archive
      yggdrasil past check agent.archive --dir .yggdrasil
    """
    from yggdrasil_processors.past.unpacking import compare

    there = on_kafka(context, kafka, topic, development=development)
    not_both(context, there)
    screen = Screen(json)
    compared = None
    with workplace(None) as scratch:
        archive, checked = _checked(screen, file, scratch, name)
        if there or typed(context, "directory"):
            with log_of(there, directory) as log, screen.progress("Comparing", archive.header.records) as advance:
                compared = compare(archive, checked, log, scratch, name, advance)
    document = _packed(archive) | _found(checked)
    if compared:
        document = _place(there, directory) | document | _beside(compared)

    def show() -> None:
        _show_found(screen, archive.header, checked)
        if compared:
            _show_compared(screen, archive.header, compared)

    _end(screen, document, show, checked, compared)


def _checked(screen: Screen, file: Path, scratch: Path, name: str | None) -> "tuple[Archive, Checked]":
    """Open an archive, and check all of it. Raises CommandLineError when it cannot be read."""
    from yggdrasil_processors.past.archive import Archive
    from yggdrasil_processors.past.unpacking import check

    try:
        archive = Archive(file)
    except OSError as error:
        raise CommandLineError(ExitCode.USAGE, "file", f"{clean(file)} cannot be read: {error.strerror}") from error
    with screen.progress("Checking", archive.header.records) as advance:
        return archive, check(archive, scratch, name, advance)


def _place(there: OnKafka | None, directory: Path) -> dict[str, Any]:
    if there:
        return {"kafka": there.settings.bootstrap_servers, "topic": there.topic}
    return {"dir": str(directory)}


def _packed(archive: "Archive") -> dict[str, Any]:
    header = archive.header
    said = header.model_dump(exclude={"format", "version", "body"})
    return {"file": str(archive.path), "bytes": archive.path.stat().st_size} | said


def _found(checked: "Checked") -> dict[str, Any]:
    return {
        "digest": checked.end.digest,
        "digest_here": checked.stands.digest,
        "same_digest": checked.same,
        "why_not": [] if checked.same else checked.why,
    }


def _beside(compared: "Compared") -> dict[str, Any]:
    return {
        "as": compared.memory,
        "in_partition": compared.partition,
        "same": compared.same,
        "same_state": compared.same_state,
        "same_refused": compared.refused,
        "digest_there": compared.digest,
        "counts": dict(compared.counts) | ({"added": compared.added} if compared.added else {}),
        "faults": [fault._asdict() for fault in compared.faults],
        "doubled": compared.doubled,
        "unreadable": compared.unreadable,
    }


def _show_packed(screen: Screen, archive: "Archive", digest: str) -> None:
    header = archive.header
    size = archive.path.stat().st_size
    screen.tell(f"{clean(header.memory)}: {_counted(header)} in {clean(archive.path)}, {size:,} bytes.")
    screen.tell(f"Read back and folded again: digest {digest}.", "bold green")


def _counted(header: "Header") -> str:
    refused = f", and what its history says of {counted(header.refused, 'refused one')}" if header.refused else ""
    return f"{counted(header.records, 'accepted command')}{refused}"


def _show_found(screen: Screen, header: "Header", checked: "Checked") -> None:
    screen.tell(f"The archive is whole: {clean(header.memory)}, {_counted(header)}.")
    if checked.same:
        screen.tell(f"Equal: folded here, they give the digest that was packed, {checked.end.digest}.", "bold green")
        return
    screen.tell(
        f"DIFFERENT: every command is accepted, in its place, and they give the digest {checked.stands.digest}, where "
        f"{checked.end.digest} was packed.",
        "bold yellow" if checked.why else "bold red",
    )
    if checked.why:
        screen.tell(f"That may be because {clean(' and '.join(checked.why))}.")


def _show_compared(screen: Screen, header: "Header", compared: "Compared") -> None:
    if compared.faults:
        shown = compared.faults[:_SHOWN_MAX]
        rows = [(one.seq, one.id, one.what, "-" if one.offset is None else one.offset, one.detail) for one in shown]
        screen.table([">seq", "command", "what", ">offset", "detail"], rows)
    for what in ("missing", "altered", "swapped", "refused"):
        if count := compared.counts[what]:
            screen.tell(f"{counted(count, 'command')} {what}", "bold red")
    if compared.added:
        screen.tell(f"{counted(compared.added, 'command')} that the archive does not have", "bold red")
    for what, offsets in (("that stood there before", compared.doubled), ("that are no command", compared.unreadable)):
        if offsets:
            places = ", ".join(map(str, offsets[:_SHOWN_MAX]))
            screen.tell(f"Passed over, as every fold does: records {what}, at offset {places}")
    where = f"{clean(compared.memory)} in partition {compared.partition}"
    if not compared.same:
        screen.tell(f"DIFFERENT: {where} is not what was packed.", "bold red")
        return
    screen.tell(f"Equal: {where} has the same {counted(compared.records, 'record')} in their order.", "bold green")
    if not header.refused:
        return
    if compared.refused == "same":
        screen.tell("It has refused the same commands too.")
    else:
        screen.tell(
            f"Its digest is {compared.digest}: other refused commands are in its history than in that of "
            f"{clean(header.memory)}, and nothing else differs."
        )


def _end(screen: Screen, document: dict[str, Any], show: Any, checked: "Checked", compared: "Compared | None") -> None:
    """Print the result, and end with the exit code that goes with it."""
    different = (compared is not None and not compared.same) or not (checked.same or checked.why)
    if different:
        beside = compared is not None and not compared.same
        message = "the log does not hold what was packed" if beside else "the digest is not the one that was packed"
        document["error"] = {"code": "records_differ" if beside else "digests_differ", "message": message}
    screen.result(document, show)
    if different:
        raise typer.Exit(ExitCode.DIFFERENT)
