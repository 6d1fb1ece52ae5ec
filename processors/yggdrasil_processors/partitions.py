"""Partitions that are named by hand, and the number of them that the log was made with."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.pins import check_pin, read_pin
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import UnfitTopicError
from yggdrasil_infra.log import UnknownPartitionsError
from yggdrasil_schemas.topics import Profile


class Reading(Protocol):
    """A partition that is folded, or halted."""

    @property
    def position(self) -> int:
        """The offset of the next record to fold."""
        ...

    @property
    def halted(self) -> str | None:
        """Why it is not folded, if so."""
        ...


def open_log(kafka: KafkaSettings, topic: str, profile: Profile, directory: Path) -> KafkaLog:
    """Open the topic that the stores below ``directory`` are folded from. Raises TopicError and LogError.

    One that may lose records is refused to whoever begins with it; who has folded it before folds on, and the watch
    tells: what is folded is saved.
    """
    try:
        return KafkaLog(kafka, topic, profile)
    except UnfitTopicError:
        if not any((directory / "graph").glob("*/CURRENT")):
            raise
        return KafkaLog(kafka, topic, None)


def reached(those: Mapping[int, Reading], position: Callable[[int], int | None]) -> dict[int, int]:
    """Return the offset that each of ``those`` is read up to, but for the halted ones.

    Behind the last record there may be markers of transactions: the consumer's ``position`` has passed them.
    """
    return {at: max(one.position, position(at) or 0) for at, one in those.items() if one.halted is None}


def check_partitions(partitions: Sequence[int] | None, log: KafkaLog) -> None:
    """Raise UnknownPartitionsError when some of ``partitions`` are not there, and PartitionsAddedError when others are.

    The second is for a host whose directory is empty, too: no store would tell it. Raises LogError.
    """
    check_pin(log.topic, read_pin(log))
    if beyond := [one for one in partitions or () if not 0 <= one < log.partitions]:
        named = f"{min(beyond)}-{max(beyond)} do" if len(beyond) > 1 else f"{beyond[0]} does"
        raise UnknownPartitionsError(
            f"topic {log.topic.name} has partitions 0 to {log.partitions - 1}; {named} not exist (--partitions)"
        )
