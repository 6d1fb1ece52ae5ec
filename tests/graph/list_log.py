"""A log in a list: real in all that a projector asks of one, and easy to damage."""

from collections.abc import Iterable, Sequence

from yggdrasil_infra.log import LogRecord, OffsetOutOfRangeError


class ListLog:
    """One partition, whose records may begin at any offset."""

    def __init__(
        self, records: Iterable[LogRecord] = (), topic_id: str = "topic-1", partitions: int = 1, start: int = 0
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.start = start
        self.records: list[LogRecord] = []
        self.extend(records)

    def extend(self, records: Iterable[LogRecord]) -> None:
        for record in records:
            self.records.append(record._replace(offset=self.start + len(self.records)))

    def start_offset(self, partition: int) -> int:
        assert partition == 0
        return self.start

    def end_offset(self, partition: int) -> int:
        assert partition == 0
        return self.start + len(self.records)

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        if not self.start_offset(partition) <= offset <= self.end_offset(partition):
            raise OffsetOutOfRangeError(f"{offset} is not in [{self.start}, {self.end_offset(partition)}]")
        return self.records[offset - self.start : offset - self.start + records_max]

    def close(self) -> None:
        """Nothing to release."""
