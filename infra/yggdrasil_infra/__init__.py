"""Technical parts without domain rules: the log port and its adapters, the RocksDB wrapper, HTTP, embedders, signals.

A part here could serve another project unchanged: it may know how a command is written, never what it means. It
imports the schemas only. Room for another adapter of a port, and for another port.
"""
