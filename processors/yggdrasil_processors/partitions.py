"""Partitions that are named by hand, and the number of them that the log was made with."""

from collections.abc import Sequence

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.pins import check_pin, read_pin
from yggdrasil_infra.log import UnknownPartitionsError


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
