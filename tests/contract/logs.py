"""Where the contract suite gets its logs: one class per adapter, and nothing about adapters in the tests."""

from pathlib import Path
from typing import Protocol
from uuid import uuid4

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import CommandLog, LogReader, LogRecord


class Logs(Protocol):
    """Makes logs of one kind, and cleans up after them."""

    def fresh(self, partitions: int) -> CommandLog:
        """Return a new, empty log."""
        ...

    def reopen(self, log: CommandLog) -> CommandLog:
        """Close ``log`` and return it opened anew."""
        ...

    def close(self) -> None:
        """Close every log that is still open."""
        ...


class LocalLogs:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}
        self._open: list[LocalLog] = []

    def fresh(self, partitions: int) -> LocalLog:
        return self._opened(self._folder / uuid4().hex, partitions)

    def reopen(self, log: CommandLog) -> LocalLog:
        log.close()
        return self._opened(self._paths[log.topic_id], log.partitions)

    def close(self) -> None:
        for log in self._open:
            log.close()

    def _opened(self, path: Path, partitions: int) -> LocalLog:
        log = LocalLog.create_or_open(path, partitions)
        self._paths[log.topic_id] = path
        self._open.append(log)
        return log


class KafkaLogs:
    """A topic of its own per log, on the session's broker."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._open: list[KafkaLog] = []

    def fresh(self, partitions: int) -> KafkaLog:
        return self._opened(fresh_topic(self._settings, partitions))

    def reopen(self, log: CommandLog) -> KafkaLog:
        assert isinstance(log, KafkaLog)
        log.close()
        return self._opened(log.topic.name)

    def close(self) -> None:
        for log in self._open:
            log.close()

    def _opened(self, topic: str) -> KafkaLog:
        log = KafkaLog(self._settings, topic, "development")
        self._open.append(log)
        return log


def fresh_topic(settings: KafkaSettings, partitions: int) -> str:
    """Create a commands topic that no other test knows, and return its name."""
    topic = f"test-{uuid4().hex}"
    create_topic(settings, topic, partitions, "development")
    return topic


def read_all(log: LogReader, partition: int, records_max: int = 100) -> list[LogRecord]:
    """Read a partition from its start to its end. Offsets may have gaps, and an answer may be short."""
    found: list[LogRecord] = []
    offset = log.start_offset(partition)
    while offset < log.end_offset(partition) and (records := log.read(partition, offset, records_max)):
        found += records
        offset = records[-1].offset + 1
    return found


def everything(log: LogReader) -> list[LogRecord]:
    """Read all partitions."""
    return [record for partition in range(log.partitions) for record in read_all(log, partition)]
