"""Is a store whole? RocksDB may lose the end of its MANIFEST, to one flipped byte in a length, and says nothing.

It then opens tables as they were and adds what the WAL brings: some families, or some batches, are missing, and folding
on from there would give a wrong graph. So every family carries the position of the last commit, and every record's hash
the ordinal number of the record.
"""

from typing import Final

from yggdrasil_infra.rocks.batch import Batch
from yggdrasil_infra.rocks.database import Rocks, StorageDamagedError
from yggdrasil_infra.rocks.errors import OF_STORE
from yggdrasil_schemas.graph.codec import NUMBER

from .chain import HASH_BYTES
from .families import ALL, RECORD_HASHES

AFTER_MARK: Final = bytes(5)
"""Where to begin when scanning a whole family."""
_MARK: Final = bytes(4)  # no memory has the number 0, and this sorts before any offset and any memory's name
_PAGE: Final = 10_000  # hashes that are looked at in one go; a WAL may hold a million
_WAL_BYTES_PER_RECORD: Final = 52  # of a record's hash alone: two tags, two lengths, key, hash, ordinal


def put_marks(batch: Batch, position: int) -> None:
    """Add to ``batch`` that every family stands at ``position``."""
    mark = NUMBER.pack(position)
    for family in ALL:
        batch.put(family, _MARK, mark)


def check_marks(db: Rocks, *families: str, position: int) -> None:
    """Raise StorageDamagedError unless these families stand at ``position``."""
    expected = NUMBER.pack(position) if position else None
    parted = [family for family in families if db.get(family, _MARK) != expected]
    if parted:
        raise _damaged(db, f"{', '.join(parted)} do not stand at offset {position} as the rest does")


def check_whole(db: Rocks, position: int, last_offset: int, folded: int, recovered_bytes: int) -> None:
    """Raise StorageDamagedError unless all families stand at ``position``, with no record missing before the WAL's.

    Tables and WAL join somewhere among the last records, as many as ``recovered_bytes`` of WAL can hold. They are
    counted and not reckoned from their offsets, since a log may have any number of offsets without a record: what a
    producer took back, and the markers of transactions.
    """
    check_marks(db, *ALL, position=position)
    if not position:
        return
    before, ordinal = NUMBER.pack(last_offset + 1), folded
    oldest = max(folded - recovered_bytes // _WAL_BYTES_PER_RECORD - 1, 0)  # one more: the last that a table holds
    while ordinal > oldest:
        page = db.scan_back(RECORD_HASHES, min(ordinal - oldest, _PAGE), before)
        found = [int.from_bytes(data[HASH_BYTES:], "big") for _, data in page]
        if not found or found != list(range(ordinal, ordinal - len(found), -1)):
            raise _damaged(db, f"records are missing before offset {position}")
        before, ordinal = page[-1][0], ordinal - len(found)


def _damaged(db: Rocks, what: str) -> StorageDamagedError:
    return StorageDamagedError(f"{db.path}: {what}. {OF_STORE}")
