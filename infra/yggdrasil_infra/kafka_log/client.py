# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Open kafka-python's consumer as everybody here needs it, with what its version 3.0.12 gets wrong put right."""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

from kafka import KafkaConsumer

from ..log import LogDamagedError
from .connecting import connect
from .header_names import readable_records
from .settings import KafkaSettings, SettingsError

_Consumer: Any = KafkaConsumer
_REQUEST_MS: Final = 10_000  # a broker that hangs is given up after that; by then its partitions have other leaders


class PackedError(LogDamagedError):
    """A topic holds records that this process cannot unpack; as a topic must be, its brokers unpack what comes."""

    def __init__(self, topic: str, why: str) -> None:
        super().__init__(
            f"topic {topic} holds records that cannot be unpacked here ({why}). Set compression.type=uncompressed, as "
            "`yggdrasil topics --check` says, so that brokers unpack what comes from now on. For what is there install "
            "the library (python-snappy, lz4 or zstandard) beside every process of ours, and start them again"
        )


def reading_options(settings: KafkaSettings) -> dict[str, Any]:
    """Return the options of every consumer: committed records only, no group offsets, and no reset of a position."""
    return {
        **settings.options("yggdrasil-reader"),
        "group_id": None,
        "enable_auto_commit": False,
        "auto_offset_reset": "none",  # fail closed: a position outside the log is a fault, not a reason to start over
        "isolation_level": "read_committed",
        "check_crcs": True,
        "request_timeout_ms": _REQUEST_MS,
        "max_partition_fetch_bytes": 2 << 20,  # larger ones cost who reads partitions in turn more than they save
    }


def open_consumer(options: Mapping[str, Any]) -> Any:
    """Return a KafkaConsumer. Raises KafkaError, and leaves nothing behind then.

    kafka-python's own constructor leaves a thread and its sockets when no broker answers: a host that waits for
    brokers would run out of descriptors.
    """
    opened: list[Any] = []

    def client(**its: Any) -> Any:
        opened.append(connect(**its))
        return opened[-1]

    try:
        consumer = _Consumer(**{**options, "kafka_client": client})
        _let_polls_wait(consumer)
        consumer._fetcher.PartitionRecords = readable_records
    except BaseException:
        for each in opened:
            each.close()
        raise
    return consumer


def _let_polls_wait(consumer: Any) -> None:
    """Let a poll wait for records as long as it was told to, whatever becomes of the heartbeats.

    kafka-python ends a poll's wait when the next heartbeat is due, although its own thread sends that. While the broker
    that coordinates the group hangs, one heartbeat is under way until its request times out, and the next is overdue:
    no poll waits any more, and each of thousands in a second hangs two callbacks on the fetch that the broker does not
    answer. That took a core, and up to 740 MB in each hang.
    """
    coordinator = consumer._coordinator
    if not callable(getattr(coordinator, "time_to_next_poll", None)):
        raise SettingsError(
            "this release of kafka-python is not the one that this was made for, and would take a core while a broker "
            "hangs; install the one that constraints.txt names"
        )
    coordinator.time_to_next_poll = lambda: inf  # we commit by ourselves, so heartbeats were all it waited for
