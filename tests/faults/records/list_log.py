"""A log in a list that, like Kafka's, has gaps in its offsets and may hold records without a key or a value."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from yggdrasil_infra.log import LogRecord, OffsetOutOfRangeError


class ListLog:
    """One partition's records, in order; the other partitions are empty."""

    topic_id = "list"

    def __init__(self, partitions: int, records: Iterable[LogRecord]) -> None:
        self.partitions = partitions
        self._records = list(records)
        self._offsets = [record.offset for record in self._records]

    def start_offset(self, partition: int) -> int:
        return 0

    def end_offset(self, partition: int) -> int:
        return self._offsets[-1] + 1 if self._offsets and partition == self._records[0].partition else 0

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        if not 0 <= offset <= self.end_offset(partition):
            raise OffsetOutOfRangeError(f"offset {offset}")
        first = bisect_left(self._offsets, offset)
        return self._records[first : first + records_max] if self.end_offset(partition) else []

    def close(self) -> None:
        """Nothing to release."""
