"""The local log: the log port on one RocksDB, for one machine and one writing process."""
