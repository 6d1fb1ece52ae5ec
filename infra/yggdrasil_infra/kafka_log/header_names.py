# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Read records of which a header's name is no UTF-8: brokers take them, and clients for Python stop at them for ever.

kafka-python 3.0.12 calls the whole batch corrupt, and aiokafka 0.14 raises what nobody expects: whoever may write to
the topic could stop all who read it, and the memory with them. No header decides what is folded, so the record is read
as it is, with a ``?`` for each byte of such a name; that is after the checksum of its batch was looked at.
"""

from struct import pack_into, unpack_from
from typing import Any, Final

from kafka.consumer.fetcher import Fetcher
from kafka.errors import CorruptRecordError
from kafka.record.util import calc_crc32c, decode_varint

# Where a batch has its length (after itself), format, checksum, what that covers, codec, number of records, and those.
_LENGTH, _FORMAT, _CHECKSUM, _COVERED, _CODEC, _COUNT, _RECORDS = 8, 16, 17, 21, 22, 57, 61
_FORMAT_2, _CODEC_MASK = 2, 0x07
_UNREADABLE: Final = b"?"


def readable_records(fetch_offset: int, tp: Any, records: Any, **its: Any) -> Any:
    """Return what kafka-python's fetcher makes of a fetched partition, to stand in the place of its own class."""
    return Fetcher.PartitionRecords(fetch_offset, tp, _Batches(records), **its)


class _Batches:
    """The batches of some records, of which each reads its headers as they are."""

    def __init__(self, records: Any) -> None:
        self._records = records

    def next_batch(self) -> Any:
        batch = self._records.next_batch()
        return batch if batch is None or batch.magic < _FORMAT_2 else _Batch(batch)


class _Batch:
    """A batch of kafka-python's that goes on behind a name that it cannot read, once that was overwritten."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._batch, name)

    def __iter__(self) -> "_Batch":
        iter(self._batch)  # which unpacks it
        return self

    def __next__(self) -> Any:
        try:
            return next(self._batch)
        except CorruptRecordError as error:
            if not isinstance(error.__context__, UnicodeDecodeError):
                raise
        rename(self._batch._buffer, self._batch._pos)  # it still stands before that record
        return next(self._batch)


def rename(buffer: bytearray, at: int) -> tuple[int, bool]:
    """Overwrite what is no UTF-8 in the names of the headers of the record ``at``; return its end, and whether any was.

    Raises IndexError and ValueError for what is no record.
    """
    length, begin = decode_varint(buffer, at)
    _, pos = decode_varint(buffer, begin + 1)  # behind the attributes, how much later it is than the first
    _, pos = decode_varint(buffer, pos)  # its place in the batch
    pos = _behind(buffer, _behind(buffer, pos))  # key and value
    count, pos = decode_varint(buffer, pos)
    renamed = False
    while count > 0:
        size, name = decode_varint(buffer, pos)
        pos = name + size
        if not name <= pos <= len(buffer):
            raise ValueError(f"a name of {size} bytes")
        try:
            buffer[name:pos].decode()
        except UnicodeDecodeError:
            buffer[name:pos] = _UNREADABLE * size
            renamed = True
        pos = _behind(buffer, pos)
        count -= 1
    return begin + length, renamed


def _behind(buffer: bytearray, at: int) -> int:
    """Return the position after bytes that begin with their number, which is -1 where there are none."""
    size, pos = decode_varint(buffer, at)
    end: int = pos + max(size, 0)
    return end


def readable(fetched: bytes) -> bytes:
    """Return batches as a broker sends them with the names of their headers overwritten where they are no UTF-8.

    For a client that cannot be taught (aiokafka's parser is compiled). A batch that is not as it was written stays as
    it is, for the client to find: its checksum is made anew only where it was right.
    """
    found: bytearray | None = None
    begin = 0
    while begin + _RECORDS <= len(fetched):
        (size,) = unpack_from(">i", fetched, begin + _LENGTH)
        end = begin + _LENGTH + 4 + size
        if size <= 0 or end > len(fetched):
            break  # the last one is often cut off
        if fetched[begin + _FORMAT] == _FORMAT_2 and not fetched[begin + _CODEC] & _CODEC_MASK:
            batch = bytearray(fetched[begin:end])
            if _renamed(batch):
                found = bytearray(fetched) if found is None else found
                found[begin:end] = batch
        begin = end
    return fetched if found is None else bytes(found)


def _renamed(batch: bytearray) -> bool:
    """Overwrite names in one batch, if its checksum is right, and say whether there were any."""
    covered = bytes(batch[_COVERED:])
    (checksum,) = unpack_from(">I", batch, _CHECKSUM)
    (left,) = unpack_from(">i", batch, _COUNT)
    at, renamed = _RECORDS, False
    try:
        for _ in range(left):
            at, one = rename(batch, at)
            renamed |= one
    except (IndexError, ValueError):
        return False
    if not renamed or calc_crc32c(covered) != checksum:
        return False
    pack_into(">I", batch, _CHECKSUM, calc_crc32c(bytes(batch[_COVERED:])))
    return True
