"""How every RocksDB of this system is set up."""

from typing import Final

from rocksdict import BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, Options, WriteBufferManager

_LOG_BUFFER_BYTES: Final = 8 << 20  # a log only appends, so its memtable may be larger
# Keys of a graph come in no order: in a memtable that the processor's cache holds, a put takes half as long as in one
# of 8 MB, and a command of a full memory a seventh less.
_GRAPH_BUFFER_BYTES: Final = 2 << 20
_ARENA_BLOCK_BYTES: Final = 64 << 10
_BLOOM_BITS: Final = 10  # one false positive in a hundred, RocksDB's own advice


def options_for(cache: Cache, buffers: WriteBufferManager, *, sync: bool, read_only: bool) -> Options:
    """Return the options of one database and all its families; ``sync`` and ``read_only`` are those of ``Rocks``."""
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    options.set_paranoid_checks(True)
    options.set_write_buffer_size(_LOG_BUFFER_BYTES if sync else _GRAPH_BUFFER_BYTES)
    # A block counts against the shared buffers as a whole. RocksDB's own size (1 MB here) would fill them with the
    # mostly empty blocks of thirteen families in a few partitions, and then every write would flush.
    options.set_arena_block_size(_ARENA_BLOCK_BYTES)
    options.set_write_buffer_manager(buffers)
    # All families move to tables at once, so that only one WAL holds what they lack. When it is lost, all of them are
    # back at one earlier moment; otherwise each would be at its own.
    options.set_atomic_flush(True)
    options.set_compression_type(DBCompressionType.lz4())
    # 10,000 small memories live in few databases; a bound keeps the table cache small. A reader opens all files at
    # once (-1), since the writer beside it deletes those that it has merged, and an open file outlives its name.
    options.set_max_open_files(-1 if read_only else 256)
    # RocksDB would start fifteen threads for each family, to open a few files: that was a third of what opening a store
    # costs, and half of it for a reader.
    options.set_max_file_opening_threads(1)
    # 5 files of 1 MB: RocksDB's own log of events is for a developer and must not grow without end.
    options.set_keep_log_file_num(5)
    options.set_max_log_file_size(1 << 20)
    if sync:
        options.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())
    table = BlockBasedOptions()
    table.set_block_cache(cache)
    table.set_bloom_filter(_BLOOM_BITS, False)
    table.set_cache_index_and_filter_blocks(True)
    options.set_block_based_table_factory(table)
    return options
