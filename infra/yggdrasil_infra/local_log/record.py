"""How a record of the local log lies on disk, and the count by which a log knows that it is whole."""

import fcntl
import os
import struct
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ..forking import in_child
from ..log import LogDamagedError, LogInUseError, LogRecord
from ..private import FILE_MODE

PLACE: Final = struct.Struct(">HQ")  # partition, offset: big-endian, so that the order of keys is that of offsets
_HEAD: Final = struct.Struct(">QI")  # timestamp in ms, length of the key; the value is the rest
_DIGEST_BYTES: Final = 16
_COUNT_BYTES: Final = 8


def place(partition: int, offset: int) -> bytes:
    """Return the database key of a record."""
    return PLACE.pack(partition, offset)


def prefix(partition: int) -> bytes:
    """Return what the database keys of all records of ``partition`` begin with."""
    return partition.to_bytes(2, "big")


def frame(where: bytes, timestamp_ms: int, key: bytes, value: bytes) -> bytes:
    """Return the stored bytes: a digest over the place and all that follows, timestamp, key length, key, value.

    The place is part of the digest, so that a sound record in another record's place is noticed as well.
    """
    body = b"".join((_HEAD.pack(timestamp_ms, len(key)), key, value))
    return _digest(where + body, _DIGEST_BYTES) + body


def unframe(where: bytes, stored: bytes) -> LogRecord:
    """Return the record at ``where``. Raises LogDamagedError, naming partition and offset."""
    partition, offset = PLACE.unpack(where)
    body = stored[_DIGEST_BYTES:]
    if len(body) < _HEAD.size or stored[:_DIGEST_BYTES] != _digest(where + body, _DIGEST_BYTES):
        raise LogDamagedError(
            f"partition {partition}, offset {offset}: the record is not the one that was acknowledged. "
            "Restore the log from a copy."
        )
    timestamp_ms, key_length = _HEAD.unpack_from(body)
    key_end = _HEAD.size + key_length
    return LogRecord(partition, offset, body[_HEAD.size : key_end], body[key_end:], timestamp_ms)


def one_writer(path: Path) -> str:
    """Return what a second writer of the log at ``path`` is told."""
    return (
        f"The log {path} already has its one writer. Stop that process, or append through it; to read beside it, open "
        "the log read-only."
    )


class Acknowledged:
    """A small file that holds how many records have been acknowledged, at the least.

    RocksDB cannot tell a WAL that a crash cut short from one that lost its acknowledged tail (or the whole file, or
    a length byte in its last block): it opens with fewer records and says nothing. This count tells them apart. It is
    written after the synced write and is not synced itself: it outlives the process, may lag behind after a power
    cut, and is never ahead.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file, and hold it until it is closed: only the one writer does this.

        Raises LogInUseError when another one holds it.
        """
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        in_child(self, Acknowledged.close)  # a lock is held until the last process that has the file open lets go
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise LogInUseError(one_writer(path.parent), str(path.parent.parent)) from error

    def advance(self, count: int, *, sync: bool = False) -> None:
        """Say that ``count`` records are durable; ``sync`` makes the saying durable too."""
        os.pwrite(self._file, self._encode(count), 0)  # 16 bytes in one sector: replaced whole or not at all
        if sync:
            os.fsync(self._file)

    def close(self) -> None:
        """Close the file. Closing twice is allowed."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @classmethod
    def count(cls, path: Path) -> int:
        """Return the count in the file at ``path``; 0 when it is missing, or empty since a crash at its creation.

        Raises LogDamagedError when it does not hold what was written.
        """
        try:
            stored = path.read_bytes()
        except FileNotFoundError:
            return 0
        count = int.from_bytes(stored[:_COUNT_BYTES], "big")
        if stored and stored != cls._encode(count):
            raise LogDamagedError(
                f"{path} is damaged, so it cannot be told whether the log is whole. "
                "Restore the log from a copy, or delete this file to accept the log as it is."
            )
        return count

    @staticmethod
    def _encode(count: int) -> bytes:
        stored = count.to_bytes(_COUNT_BYTES, "big")
        return stored + _digest(stored, _COUNT_BYTES)


def _digest(data: bytes, size: int) -> bytes:
    return blake2b(data, digest_size=size).digest()
