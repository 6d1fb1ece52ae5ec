"""The local log: the log port on one RocksDB, for one machine and one writing process.

It keeps records and knows nothing of what is in them. The rest of the house asks the port, ``log``.
"""
