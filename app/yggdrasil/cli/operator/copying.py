"""``yggdrasil topics copy``: the supported way to more partitions."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..exits import CommandLineError, ExitCode
from ..options import Development, Json, Kafka, kafka_of, not_blank
from ..screen import Screen, clean, counted

if TYPE_CHECKING:
    from yggdrasil_infra.kafka_log.log import KafkaLog
    from yggdrasil_infra.kafka_log.settings import KafkaSettings
    from yggdrasil_processors.auditing.copying import Copied
    from yggdrasil_schemas.topics import Profile


def copy(
    old: Annotated[str, typer.Argument(metavar="OLD", callback=not_blank, help="The topic to copy; it stays.")],
    new: Annotated[str, typer.Argument(metavar="NEW", callback=not_blank, help="The topic to make.")],
    kafka: Kafka,
    partitions: Annotated[int, typer.Option("--partitions", min=1, help="Of the new topic; fixed for ever.")],
    was: Annotated[
        int | None,
        typer.Option("--was", min=1, metavar="N", help="How many OLD was made with, if its log does not say so."),
    ] = None,
    development: Development = False,
    json: Json = False,
) -> None:
    """Copy all records of a topic into a new one with another number of partitions, and compare every memory.

    Records of a memory keep their order. Both topics are folded, below TMPDIR, and every memory must have the same
    digest in both. Stop whoever appends before, and let them append to NEW afterwards; workers of NEW need directories
    of their own. OLD and the directories of its workers stay as they are: keep them until NEW has been seen to serve.

    \b
    Examples:
      yggdrasil topics --kafka 127.0.0.1:19092 --development
      yggdrasil topics copy yggdrasil.commands wide.commands --partitions 32 --kafka 127.0.0.1:19092 --development
    """
    from yggdrasil_infra.kafka_log.log import KafkaLog
    from yggdrasil_infra.kafka_log.pins import write_pins
    from yggdrasil_processors.auditing.copying import copy as copy_log

    screen = Screen(json)
    settings, profile = kafka_of(kafka, development=development)
    with KafkaLog(settings, old, profile) as source:
        count = _made_with(source, was)
        with (
            _made(settings, new, partitions, profile) as target,
            tempfile.TemporaryDirectory(prefix="yggdrasil-copy-") as scratch,
        ):
            write_pins(target)
            total = 3 * sum(source.end_offset(partition) for partition in range(source.partitions))
            with screen.progress("Copying", total) as advance:
                copied = copy_log(source, count, target, Path(scratch), advance)
    document = {"kafka": settings.bootstrap_servers, "old": old, "was": count, "new": new, "partitions": partitions}
    screen.result(document | asdict(copied), lambda: _show(screen, document, copied))


def _made_with(source: "KafkaLog", was: int | None) -> int:
    """Return how many partitions the log was made with. Raises CommandLineError."""
    from yggdrasil_infra.kafka_log.pins import read_pin

    pin = read_pin(source)
    if pin is None and was is None:
        message = (
            f"the log of {source.topic.name} does not say how many partitions it was made with, and it has "
            f"{source.partitions} now: say it with --was, which is {source.partitions} unless some were added"
        )
        raise CommandLineError(ExitCode.USAGE, "count_unknown", message)
    if pin is not None and was not in {None, pin.partitions}:
        message = f"the log of {source.topic.name} says that it was made with {pin.partitions} partitions, not {was}"
        raise CommandLineError(ExitCode.USAGE, "another_count", message)
    count = was if pin is None else pin.partitions
    if count is None or count > source.partitions:
        message = f"{source.topic.name} has {counted(source.partitions, 'partition')}, and never had more (--was)"
        raise CommandLineError(ExitCode.USAGE, "another_count", message)
    return count


def _made(settings: "KafkaSettings", name: str, partitions: int, profile: "Profile") -> "KafkaLog":
    """Make the topic ``name``, with the one of its refusals, and open it. Raises CommandLineError if it holds records.

    One that an earlier attempt has made, and left empty, will do.
    """
    from yggdrasil_infra.kafka_log.log import KafkaLog
    from yggdrasil_infra.kafka_log.topics import create_topic
    from yggdrasil_schemas.topics import refused_topic

    create_topic(settings, name, partitions, profile)
    create_topic(settings, refused_topic(name), partitions, profile)
    log = KafkaLog(settings, name, profile)
    try:
        if log.partitions != partitions or any(log.end_offset(each) for each in range(log.partitions)):
            message = (
                f"topic {name} is there already, with {counted(log.partitions, 'partition')}, and not empty or not as "
                "asked for: name another one. If it is what an interrupted copy has left, delete it first"
            )
            raise CommandLineError(ExitCode.USAGE, "topic_exists", message)
    except BaseException:
        log.close()
        raise
    return log


def _show(screen: Screen, document: dict[str, Any], copied: "Copied") -> None:
    screen.table(["memory", "digest, in both"], sorted(copied.digests.items()))
    place = f"{clean(document['new'])} with {counted(document['partitions'], 'partition')}"
    screen.tell(f"{counted(copied.records, 'record')} copied to {place}: every memory is the same there.", "bold green")
    if copied.late:
        screen.tell(
            f"{counted(copied.late, 'record')} had come after partitions were added; they stand behind the others, and "
            "workers fold them for the first time."
        )
    if copied.left_out:
        screen.tell(
            f"{counted(copied.left_out, 'record')} left out: without a value, too large, or in a partition where no "
            "client with murmur2 puts them. Every fold has refused them."
        )
    screen.tell(
        f"Let producers append to {clean(document['new'])}, and start workers on it (--topic) with directories of "
        f"their own. Keep {clean(document['old'])} and the directories of its workers until you have seen that."
    )
