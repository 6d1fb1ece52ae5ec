"""Technical parts without domain rules: the log port and its adapters, the RocksDB wrapper, metrics, settings.

A part here could serve another project unchanged. It may know how a command is written, never what it means.
"""
