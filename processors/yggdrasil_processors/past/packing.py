"""Pack one memory of a log into an archive, and read that back before it gets its name."""

from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Final

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.private import make_directory, open_private
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.graph.rules import Versions
from yggdrasil_projections.graph.store.digest import ENCODING
from yggdrasil_projections.graph.store.store import Pin
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.problems import ExitCode, local

from .alone import Alone, Stands, is_system, records_of
from .archive import FORMAT, FORMAT_VERSION, VERSIONS_MAX, Archive, ArchiveError, Header, Packed, Writer, write_archive
from .archive import Alone as AloneSaid

RELEASE: Final = metadata.version("yggdrasil-substrate")
Progress = Callable[[int], object]
"""Called with a number of records."""


class NothingToPackError(ArchiveError):
    """The log holds no accepted command of that memory, or not as many as were asked for."""

    kind = local("nothing_to_pack", ExitCode.NOT_FOUND)


class _Packing:
    """One memory on its way into the second member of an archive."""

    def __init__(self, folded: Alone, writer: Writer, at: int | None) -> None:
        self.read = 0
        self.versions: list[tuple[int, Versions]] = []
        self._folded = folded
        self._writer = writer
        self._at = at

    def take(self, records: Iterable[LogRecord], progress: Progress) -> None:
        """Fold ``records`` and write what becomes of them, up to the seq that was asked for."""
        for record in records:
            before = self._folded.versions
            answer = self._folded.apply(record)
            self.read = record.offset + 1
            progress(1)
            if is_system(record) or answer.duplicate:
                continue
            if answer.refused is not None:
                link = self._folded.refused_link(record, answer)
                if link is not None:
                    self._writer.refusal(link)
                continue
            self._hold(answer.seq, before)
            self._writer.record(answer.seq, record.offset, record.timestamp_ms, record.value or b"")
            if answer.seq == self._at:
                return

    def _hold(self, seq: int, versions: Versions) -> None:
        if self.versions and self.versions[-1][1] == versions:
            return
        if len(self.versions) == VERSIONS_MAX:
            raise ArchiveError(f"the versions changed more than {VERSIONS_MAX} times in the life of this memory")
        self.versions.append((seq, versions))


def pack(
    log: LogReader, memory: str, path: Path, scratch: Path, at: int | None = None, progress: Progress = lambda _: None
) -> Archive:
    """Pack ``memory`` into the archive ``path``, as it stands now or stood at the seq ``at``; stores go to ``scratch``.

    1. Its records are folded alone, and what becomes of each is written into ``scratch``. 2. The accepted ones are read
    back and folded once more, alone: their state has to be the same. 3. Header and commands are put together, synced,
    and get their name. Raises NothingToPackError, ArchiveError when ``path`` exists or the log lacks its beginning,
    LogError, UnknownVersionError and OSError; then nothing is at ``path``.
    """
    if path.exists():
        raise ArchiveError(f"{path} exists already: name another file, and nothing of the old one is touched")
    if not path.parent.is_dir():
        raise ArchiveError(f"{path.parent} is no directory, so {path.name} cannot be written there")
    partition = partition_for(memory.encode(), log.partitions)
    if start := log.start_offset(partition):
        raise ArchiveError(
            f"partition {partition}, in which {memory} is, begins at offset {start}: records were deleted, and without "
            "them no memory can be folded. Restore them."
        )
    pin = Pin(log.topic_id, log.partitions, partition)
    make_directory(scratch)
    body = scratch / "body"
    try:
        with open_private(body) as file, Alone(scratch / "packed", pin, memory) as folded:
            packing = _Packing(folded, writer := Writer(file), at)
            packing.take(records_of(log, memory), progress)  # 1
            if not folded.seq or folded.seq < (at or 1):
                raise NothingToPackError(_nothing(memory, folded.seq, at))
            stood = folded.stands()
            written = writer.end(stood.history, stood.digest)
        header = Header(
            format=FORMAT,
            version=FORMAT_VERSION,
            memory=memory,
            topic_id=log.topic_id,
            partition=partition,
            partitions=log.partitions,
            offsets=(0, packing.read),
            versions=[(seq, held.schema, held.rules) for seq, held in packing.versions],
            digest_encoding=ENCODING,
            release=RELEASE,
            records=writer.records,
            refused=writer.refused,
            state=stood.state,
            alone=AloneSaid(history=stood.history.hex(), digest=stood.digest),
            body=written,
        )
        alone = _alone(Archive(body, header), scratch / "read back", progress)  # 2
        if alone.state != stood.state:
            raise ArchiveError(f"{memory} does not stand on its accepted commands alone; please report this as a bug")
        header = header.model_copy(update={"alone": AloneSaid(history=alone.history.hex(), digest=alone.digest)})
        write_archive(path, header, body)  # 3
    finally:
        body.unlink(missing_ok=True)
    return Archive(path)


def _nothing(memory: str, seq: int, at: int | None) -> str:
    if not seq:
        return f"this log holds no accepted command of {memory}; check its name, and which log it is in"
    return f"{memory} stands at seq {seq}, and {at} has not happened yet"


def _alone(archive: Archive, path: Path, progress: Progress) -> Stands:
    """Fold what is packed, without what was refused."""
    with again(archive.header, path) as folded:
        for entry in archive.packed():
            take(archive.header, folded, entry)
            progress(1)
        return folded.stands()


def again(header: Header, path: Path) -> Alone:
    """Return the fold of a memory that is packed, as of its beginning, with stores at ``path``."""
    return Alone(path, Pin(header.topic_id, header.partitions, header.partition), header.memory)


def take(header: Header, folded: Alone, entry: Packed) -> Answer:
    """Fold an accepted command as it stood in its log, under the versions that held there."""
    for seq, versions in header.held:
        if seq == entry.seq and versions != folded.versions:
            folded.hold(versions)
    key = header.memory.encode()
    return folded.apply(LogRecord(header.partition, entry.offset, key, entry.value, entry.timestamp_ms))
