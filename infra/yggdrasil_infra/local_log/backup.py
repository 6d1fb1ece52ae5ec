"""Back up a local log beside whoever writes to it, and make a log of a backup again.

A backup is a directory: ``segments/`` with the records of each partition in order, every file with its hash in
``manifest.json``, whose last member is a hash over the others. A log only grows, so the next backup into the same
directory adds what has come since; nothing that is there is written again.
"""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import Final

from yggdrasil_schemas.errors import YggdrasilError

from ..clock import now_ms
from ..log import LogRecord
from ..paths import whole
from ..private import make_directory, open_private
from ..rocks.scrubbing import small_budget
from .backup_manifest import (
    MANIFEST,
    SEGMENTS,
    BackupDamagedError,
    BackupError,
    Filed,
    Manifest,
    Segment,
    read_manifest,
    write_manifest,
)
from .files import RECORDS, counter, create, open_records, sync_directories
from .log import LocalLog
from .losses import Lost, readable
from .record import Acknowledged, frame, place

_HEAD: Final = Struct(">QQII")  # offset, timestamp in ms, bytes of key and value
_PIECE_BYTES: Final = 1 << 20
_BATCH_BYTES: Final = 4 << 20
_PARTIAL: Final = ".partial"

Progress = Callable[[str, int], object]
"""Called with what is being done and the bytes of each piece."""


def back_up(
    path: Path, target: Path, files: Mapping[str, Path], progress: Progress, *, accept_loss: bool = False
) -> Manifest:
    """Add to ``target`` what the log at ``path`` holds beyond it, and ``files`` by their names; verify all of it.

    1. Open the log as it is now; who writes goes on. 2. Copy what is not in ``target`` yet, segment by segment.
    3. Write the manifest anew, under another name first. 4. Read everything back, and compare.

    A record that cannot be read stops it with BackupDamagedError unless ``accept_loss``: then the backup is of
    everything else, says what it lacks, and is never added to. Raises BackupError for a directory that holds something
    else, LogError and OSError.
    """
    path, target = whole(path), whole(target)
    before = _before(target)
    with closing(LocalLog.open_read_only(path, small_budget())) as log:
        if before is not None:
            _check_same(target, before, log)
        make_directory(target / SEGMENTS)
        segments, lost = list(before.segments if before else ()), list[tuple[int, int, int]]()
        for partition in range(log.partitions):
            begin = max((one.end for one in segments if one.partition == partition), default=0)
            if begin < log.end_offset(partition):
                segments.append(_copied(log, partition, begin, target, lost, accept_loss, progress))
        kept = dict(before.files) if before else {}
        kept |= {name: _file(whole(source), target / name) for name, source in files.items()}
        manifest = Manifest(now_ms(), log.topic_id, log.partitions, tuple(segments), kept, tuple(lost))
    write_manifest(target, manifest)
    verify_backup(target, progress)
    return manifest


def verify_backup(target: Path, progress: Progress) -> Manifest:
    """Read a backup to its end. Raises BackupDamagedError, which names the file that is not what was written."""
    target = whole(target)
    manifest = read_manifest(target)
    for segment in manifest.segments:
        _verify(target / SEGMENTS / segment.name, segment.filed, progress)
    for name, filed in manifest.files.items():
        _verify(target / name, filed, progress)
    return manifest


def restore(target: Path, path: Path, progress: Progress) -> Manifest:
    """Verify the backup ``target`` and make the directory ``path`` of it: a log, and the files that went with it.

    The log is built beside ``path`` and renamed at its end. It has the offsets and the topic id that it had; one that
    has lost records is another log, with an id of its own, and what came later moves up. Raises BackupError when
    ``path`` is there and not empty, BackupDamagedError, LogError and OSError.
    """
    target, path = whole(target), whole(path)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise BackupError(f"{path} is not empty; name a new directory, and nothing of the old one is touched")
    manifest = verify_backup(target, progress)
    made = path.with_name(f"{path.name}.restoring")
    shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
    make_directory(made)
    _write_log(made / "log", target, manifest, progress)
    for name in manifest.files:
        _file(target / name, made / name)
    made.replace(path)
    sync_directories(path)
    return manifest


def _before(target: Path) -> Manifest | None:
    if not target.exists() or not any(target.iterdir()):
        return None
    if not (target / MANIFEST).exists() and {each.name for each in target.iterdir()} != {SEGMENTS}:
        raise BackupError(f"{target} holds something that is no backup; name another directory")
    if not (target / MANIFEST).exists():  # the first backup did not come to its end
        return None
    manifest = read_manifest(target)
    if manifest.lost:
        raise BackupError(f"{target} is a backup that lacks records, and is not added to; name another directory")
    return manifest


def _check_same(target: Path, before: Manifest, log: LocalLog) -> None:
    """Raise BackupError unless the backup holds a beginning of ``log``: its last records are there, too."""
    if (before.topic_id, before.partitions) != (log.topic_id, log.partitions):
        raise BackupError(f"{target} is a backup of another log; name another directory")
    for partition in range(log.partitions):
        segments = [one for one in before.segments if one.partition == partition]
        if not segments:
            continue
        end = segments[-1].end
        last = list(deque(_records(target / SEGMENTS / segments[-1].name, partition), maxlen=1))
        if log.end_offset(partition) < end or list(log.read(partition, end - 1, 1)) != last:
            raise BackupError(
                f"{target} holds other records of partition {partition} than the log does; name another directory, and "
                "keep this one"
            )


def _copied(
    log: LocalLog,
    partition: int,
    begin: int,
    target: Path,
    lost: list[tuple[int, int, int]],
    accept_loss: bool,
    progress: Progress,
) -> Segment:
    """Write what ``partition`` holds from ``begin`` on as a segment."""
    name = f"{partition:04d}-{begin:020d}.records"
    partial = target / SEGMENTS / f"{name}{_PARTIAL}"
    digest, size, count = blake2b(digest_size=32), 0, 0
    with open_private(partial) as file:
        for record in readable(log, partition, begin):
            if isinstance(record, Lost):
                if not accept_loss:
                    raise BackupDamagedError(f"{record} --accept-loss backs up everything else.")
                lost.append((record.partition, record.first, record.last))
                continue
            key, value = record.key or b"", record.value or b""
            piece = _HEAD.pack(record.offset, record.timestamp_ms, len(key), len(value)) + key + value
            file.write(piece)
            digest.update(piece)
            size, count = size + len(piece), count + 1
            progress("Copying", len(piece))
        file.flush()
        os.fsync(file.fileno())
    partial.replace(target / SEGMENTS / name)
    return Segment(name, partition, begin, log.end_offset(partition), count, Filed(size, digest.hexdigest()))


def _file(source: Path, target: Path) -> Filed:
    """Copy a small file, under another name first; return its size and hash."""
    data = source.read_bytes()
    partial = target.with_name(f"{target.name}{_PARTIAL}")
    with open_private(partial) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(target)
    return Filed(len(data), blake2b(data, digest_size=32).hexdigest())


def _verify(path: Path, filed: Filed, progress: Progress) -> None:
    digest, size = blake2b(digest_size=32), 0
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                digest.update(piece)
                size += len(piece)
                progress("Verifying", len(piece))
    except OSError as error:
        raise BackupDamagedError(f"{path} cannot be read: {error.strerror}. Take another backup.") from error
    if Filed(size, digest.hexdigest()) != filed:
        raise BackupDamagedError(f"{path} is not the file that was written. Take another backup.")


def _records(path: Path, partition: int) -> Iterator[LogRecord]:
    with path.open("rb") as file:
        while head := file.read(_HEAD.size):
            offset, timestamp_ms, key_size, value_size = _HEAD.unpack(head)
            yield LogRecord(partition, offset, file.read(key_size), file.read(value_size), timestamp_ms)


def _write_log(path: Path, target: Path, manifest: Manifest, progress: Progress) -> None:
    """Make the log at ``path`` of all segments, and count what it holds as acknowledged."""
    make_directory(path)
    with closing(open_records(path, small_budget())) as rocks:
        create(rocks, manifest.partitions, 0, None if manifest.lost else manifest.topic_id)
        total = 0
        for partition in range(manifest.partitions):
            batch, size, offset = rocks.batch(), 0, 0
            for segment in _of(manifest.segments, partition):
                for record in _records(target / SEGMENTS / segment.name, partition):
                    where = place(partition, offset)
                    stored = frame(where, record.timestamp_ms, record.key or b"", record.value or b"")
                    batch.put(RECORDS, where, stored)
                    offset, size = offset + 1, size + len(stored)
                    if size >= _BATCH_BYTES:
                        rocks.write(batch)
                        progress("Restoring", size)
                        batch, size = rocks.batch(), 0
            rocks.write(batch)
            progress("Restoring", size)
            total += offset
        rocks.flush()
    with closing(Acknowledged(counter(path))) as acknowledged:
        acknowledged.advance(total, sync=True)
    with closing(LocalLog.create_or_open(path, budget=small_budget())) as log:  # which verifies that it is whole
        for partition in range(log.partitions):
            for one in readable(log, partition):
                if isinstance(one, Lost):
                    raise YggdrasilError(f"what was restored cannot be read back: {one}")


def _of(segments: Sequence[Segment], partition: int) -> list[Segment]:
    return sorted((one for one in segments if one.partition == partition), key=lambda one: one.begin)
