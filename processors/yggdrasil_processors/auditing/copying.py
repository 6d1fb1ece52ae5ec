"""Copy a log into one with another number of partitions, and prove that its memories are the same there.

Records of one memory keep their order; those of different memories need none. What is verified is verified by folding
both logs from their beginning: every memory has to have the same digest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_infra.log import ENTRY_BYTES_MAX, CommandLog, LogReader, LogRecord
from yggdrasil_projections.graph.rules import FIRST
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import SYSTEM_TENANT, EnableVersion
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.problems import ExitCode, local

from .replay import Progress, replay

_READ_MAX: Final = 500
_SYSTEM: Final = f"{SYSTEM_TENANT}/".encode()


class CopyError(YggdrasilError):
    """The log was not copied, or its copy is not the same; the message says what to do. The original is as it was."""

    kind = local("not_copied", ExitCode.BROKEN)


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds: the digest of every memory, and records by how they came there.

    ``records`` were folded in the original too, and were compared. ``late`` were appended after partitions had been
    added, and no worker has folded them yet. ``left_out`` stand where no count puts their key, or no log of ours would
    take them: every fold refuses them, and in the copy they would not be refused, or not be there.
    """

    digests: dict[str, str]
    records: int
    late: int
    left_out: int


class _AsItWas:
    """A log as it was before partitions were added: ``was`` of them."""

    def __init__(self, log: LogReader, was: int) -> None:
        self._log = log
        self.topic_id = log.topic_id
        self.partitions = was

    def start_offset(self, partition: int) -> int:
        return self._log.start_offset(partition)

    def end_offset(self, partition: int) -> int:
        return self._log.end_offset(partition)

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        return self._log.read(partition, offset, records_max)

    def close(self) -> None:
        """Do nothing: the log belongs to whoever opened it."""


class _Copying:
    """One copy under way: from ``old``, as it was with ``was`` partitions, into ``new``."""

    def __init__(self, old: LogReader, was: int, new: CommandLog, progress: Progress) -> None:
        self._old = old
        self._was = was
        self._new = new
        self._progress = progress
        self._ends = [old.end_offset(partition) for partition in range(old.partitions)]
        self.left_out = 0

    def check_whole(self) -> None:
        """Raise CopyError when the original begins after its beginning."""
        for partition in range(self._old.partitions):
            if start := self._old.start_offset(partition):
                raise CopyError(
                    f"partition {partition} of the original begins at offset {start}: records were deleted, and a copy "
                    "would make the loss final. Nothing was copied; keep the stores, which hold what was folded."
                )

    def check_still(self) -> None:
        """Raise CopyError when something was appended meanwhile."""
        for partition, end in enumerate(self._ends):
            if (now := self._old.end_offset(partition)) != end:
                raise CopyError(
                    f"partition {partition} of the original went on from offset {end} to {now} while it was copied. "
                    "Stop whoever appends, delete the copy, and copy again; the original is as it was."
                )

    def settled(self) -> int:
        """Copy every record that stands where the old count puts its key; return how many."""
        return self._append(self._where(range(self._was), self._was))

    def late(self) -> int:
        """Copy every record that stands where only the present count puts its key; return how many."""
        if self._old.partitions == self._was:
            return 0
        return self._append(self._where(range(self._old.partitions), self._old.partitions, but_for=self._was))

    def _append(self, records: Iterator[tuple[bytes, bytes, int]]) -> int:
        return len(self._new.append_dated(records))

    def _where(self, partitions: range, count: int, but_for: int | None = None) -> Iterator[tuple[bytes, bytes, int]]:
        last = but_for is not None or self._old.partitions == self._was  # the pass that knows what is left out
        for partition in partitions:
            for record in self._records(partition):
                key = record.key or b""
                if key.startswith(_SYSTEM):
                    _check_version(record)
                    continue
                stood = but_for is not None and partition < but_for and partition_for(key, but_for) == partition
                unfit = record.value is None or len(key) + len(record.value) > ENTRY_BYTES_MAX
                if unfit or stood:
                    self.left_out += unfit and last
                    continue
                if partition_for(key, count) == partition:
                    yield key, record.value or b"", record.timestamp_ms
                else:
                    self.left_out += last

    def _records(self, partition: int) -> Iterator[LogRecord]:
        offset = 0
        while offset < self._ends[partition]:
            records = self._old.read(partition, offset, _READ_MAX)
            if not records:
                return
            for record in records:
                if record.offset < self._ends[partition]:
                    yield record
            self._progress(len(records))
            offset = records[-1].offset + 1


def copy(old: LogReader, was: int, new: CommandLog, scratch: Path, progress: Progress = lambda _: None) -> Copied:
    """Copy all records of ``old`` into ``new``, which holds none but its pins, and compare every memory's digest.

    1. The records that stand where the ``was`` partitions put their keys, in order.
    2. Both logs are folded below ``scratch``, the old one as it was; every memory has to have the same digest.
    3. Those that came after partitions had been added, in order, behind what their memories had.
    4. Nobody may have appended meanwhile.

    ``progress`` counts records as they are read or folded. Raises CopyError, and LogError.
    """
    copying = _Copying(old, was, new, progress)
    copying.check_whole()
    records = copying.settled()  # 1
    before = _digests(_AsItWas(old, was), was, scratch / "old", progress)  # 2
    after = _digests(new, new.partitions, scratch / "new", progress)
    if differ := sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)):
        raise CopyError(
            f"{len(differ)} of {len(before)} memories are not the same in the copy, {differ[0]} among them. Do not use "
            f"the copy, and delete it; the original is as it was. Was it made with {was} partitions (--was)?"
        )
    late = copying.late()  # 3
    copying.check_still()  # 4
    return Copied(after, records, late, copying.left_out)


def _digests(log: LogReader, partitions: int, path: Path, progress: Progress) -> dict[str, str]:
    found: dict[str, str] = {}
    for partition in range(partitions):
        found |= replay(log, path / f"{partition:04d}", partition, progress).digests
    return found


def _check_version(record: LogRecord) -> None:
    """Raise CopyError for a version that holds from one record on: in the copy there is no such place."""
    decoded = decode(record.value)
    if isinstance(decoded, Decoded) and isinstance(decoded.command, EnableVersion):
        body = decoded.command.body
        if (body.schema_version, body.rules_version) > FIRST:
            raise CopyError(
                f"partition {record.partition}, offset {record.offset}: this log enables schema version "
                f"{body.schema_version} with rules version {body.rules_version} from there on, and a log that changes "
                "its version cannot be copied into other partitions by this release. Nothing is lost; delete the copy."
            )
