"""RocksDB as this system uses it. ``database`` is where to begin; the rest is how that is done.

It knows bytes, and neither a log nor a graph. Room for what holds for any database of ours.
"""
