"""Is a store whole? RocksDB may lose the end of its MANIFEST, to one flipped byte in a length, and says nothing.

It then opens tables as they were and adds what the WAL brings: some families, or some batches, are missing, and folding
on from there would give a wrong graph. So every family carries the position of the last commit, and every record's hash
the ordinal number of the record.
"""

from itertools import pairwise
from typing import Final

from yggdrasil_infra.rocks import Batch, Rocks, StorageDamagedError
from yggdrasil_schemas.graph_codec import NUMBER

from .families import ALL, RECORD_HASHES

HASH_BYTES: Final = 32
AFTER_MARK: Final = bytes(5)
"""Where to begin when scanning a whole family."""
_MARK: Final = bytes(4)  # no memory has the number 0, and this sorts before any offset and any memory's name
_WAL_BYTES_PER_RECORD: Final = 52  # of a record's hash alone: two tags, two lengths, key, hash, ordinal


def put_marks(batch: Batch, position: int) -> None:
    """Add to ``batch`` that every family stands at ``position``."""
    mark = NUMBER.pack(position)
    for family in ALL:
        batch.put(family, _MARK, mark)


def check_whole(db: Rocks, position: int, last_offset: int, folded: int, recovered_bytes: int) -> None:
    """Raise StorageDamagedError unless all families stand at ``position``, with no record missing before the WAL's.

    Tables and WAL join somewhere among the last records, as many as ``recovered_bytes`` of WAL can hold; twice as many
    offsets, since a log may have a marker of a transaction behind every record.
    """
    expected = NUMBER.pack(position) if position else None
    parted = [family for family in ALL if db.get(family, _MARK) != expected]
    if parted:
        raise _damaged(db, f"{', '.join(parted)} do not stand at offset {position} as the rest does")
    if not position:
        return
    recovered_max = recovered_bytes // _WAL_BYTES_PER_RECORD
    first = max(0, last_offset - 2 * (recovered_max + 1))
    ordinals = [data[HASH_BYTES:] for _, data in db.scan(RECORD_HASHES, b"", NUMBER.pack(first))]
    numbers = [int.from_bytes(ordinal, "big") for ordinal in ordinals]
    joined = len(numbers) > min(recovered_max, folded - 1) and numbers[-1] == folded
    if not joined or any(after != before + 1 for before, after in pairwise(numbers)):
        raise _damaged(db, f"records are missing before offset {position}")


def _damaged(db: Rocks, what: str) -> StorageDamagedError:
    return StorageDamagedError(f"{db.path}: {what}. Move this directory away; it is rebuilt from the log.")
