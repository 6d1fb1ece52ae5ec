"""What the log says of itself: its first records name the topic, and how many partitions it was made with.

A memory's partition follows from the count, and Kafka lets a count grow. Stores know the count that they were folded
with; the log has to know it too, or an empty directory would be folded as if the count had always been the present one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import time_ns
from typing import Final

from yggdrasil_schemas.codec import Decoded, decode, encode
from yggdrasil_schemas.commands import EnableVersion, system_memory
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.problems import AWAY, ExitCode

from ..log import CommandLog, LogReader
from .topics import Topic, TopicError

_FIRST_VERSION: Final = 1  # holds in every log from its beginning, so that to enable it changes nothing


class PartitionsAddedError(TopicError):
    """The topic has another number of partitions than its log was made with."""

    kind = replace(AWAY, exit=ExitCode.DIFFERENT, code="partitions_added")


@dataclass(frozen=True, slots=True)
class LogPin:
    """What a log begins with: the partitions that it was made with, and the id of the topic that it was made in."""

    partitions: int
    topic_id: str


def read_pin(log: LogReader, partition: int = 0) -> LogPin | None:
    """Return what the log of ``partition`` begins with, None when that is no pin or is gone. Raises LogError."""
    if log.start_offset(partition) > 0:
        return None
    for record in log.read(partition, 0, 1):
        decoded = decode(record.value)
        if isinstance(decoded, Decoded) and isinstance(decoded.command, EnableVersion):
            body = decoded.command.body
            if body.partitions is not None and body.partition == partition:
                return LogPin(body.partitions, body.topic_id or "")
    return None


def write_pins(log: CommandLog) -> int:
    """Let the log of every partition that is still empty begin with its pin, if partition 0 does or can.

    Return how many were written. A log that holds records and no pin stays without: what its count was when they were
    written nobody knows. Interrupted, it goes on when it is called again. Raises LogError.
    """
    empty = [partition for partition in range(log.partitions) if not log.end_offset(partition)]
    first = read_pin(log)
    if (0 not in empty and first is None) or (first is not None and first.partitions != log.partitions):
        return 0
    pin = first or LogPin(log.partitions, log.topic_id)
    for partition in empty:
        key, value = record_of(partition, pin)
        log.append_to(partition, key, value)
    return len(empty)


def record_of(partition: int, pin: LogPin) -> tuple[bytes, bytes]:
    """Return key and value of the record that says ``pin`` in ``partition``."""
    said = (str(partition), str(pin.partitions), pin.topic_id)
    memory = system_memory(partition)
    body = {
        "partition": partition,
        "schema_version": _FIRST_VERSION,
        "rules_version": _FIRST_VERSION,
        "partitions": pin.partitions,
        "topic_id": pin.topic_id,
    }
    fields = {
        "version": _FIRST_VERSION,
        "id": derived_id("log_pin", *said),
        "type": "enable_version",
        "memory": memory,
        "at": time_ns() // 1_000_000,
        "source": "topics",
        "process": "operator",
        "origin": "operator",
        "body": body,
    }
    return memory.encode(), encode(fields)


def check_pin(topic: Topic, pin: LogPin | None) -> None:
    """Raise PartitionsAddedError, with a remedy that loses nothing, when the log was made with another count."""
    if pin is not None and pin.partitions != topic.partitions:
        made = f"the log of topic {topic.name} was made with {_partitions(pin.partitions)}, and the topic has"
        where = "most memories would be looked for where they are not"
        if topic.partitions < pin.partitions:  # Kafka takes none away: whoever made this copy made it with fewer
            raise PartitionsAddedError(
                f"{made} {topic.partitions}: it is a copy with fewer, and {where}. Copy it with as many as the log was "
                f"made with, each into the partition of the same number"
            )
        raise PartitionsAddedError(
            f"{made} {topic.partitions} now: partitions were added, and {where}. {remedy(topic.name, topic.partitions)}"
        )


def unpinned(log: LogReader) -> str | None:
    """Return that records may be missing where logs begin, or None: each begins with its pin. Raises LogError.

    A topic that was made without pins reads alike, and so does a mirror that began late: nothing else would tell.
    """
    missing = [partition for partition in range(log.partitions) if read_pin(log, partition) is None]
    if not missing:
        return None
    which = "no partition" if len(missing) == log.partitions else f"not partition {missing[0]}"
    return (
        f"{which} begins with the record that `yggdrasil topics` puts first. A topic that was made without has lost "
        "nothing by that. Of a mirror that began late, what was said before is missing"
    )


def _partitions(count: int) -> str:
    return f"{count} partition{'' if count == 1 else 's'}"


def check_starts(topic: Topic, starts: Sequence[int]) -> None:
    """Raise TopicError when a partition of ``topic`` no longer begins at offset 0, as ``starts`` says."""
    moved = {partition: start for partition, start in enumerate(starts) if start}
    if moved:
        named = ", ".join(f"partition {partition} begins at offset {start}" for partition, start in moved.items())
        raise TopicError(
            f"topic {topic.name} has lost records at its beginning: {named}. Stop what deletes them (retention, "
            "kafka-delete-records.sh), and delete no directory of a worker and no checkpoint: they hold what was "
            "folded of these records, and the log no longer does. Then restore the topic from a copy, if there is one."
        )


def remedy(topic: str, partitions: int) -> str:
    """Return what to do about a topic that has another count than it had, in words that lose nothing."""
    return (
        "Nothing is lost: leave every directory where it is, stop whoever appends, and copy the records to a topic of "
        f"that many partitions with `yggdrasil topics copy {topic} NEW --partitions {partitions}`. Then start workers "
        "on the new topic (--topic), with directories of their own"
    )
