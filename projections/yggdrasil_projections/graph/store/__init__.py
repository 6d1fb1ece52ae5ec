"""The store of the graph: one RocksDB for each partition, the projector that folds a log into it, and the state digest.

It knows the fold and the working set; neither knows the store. Whatever has a place in a row or a byte of it is here.
"""
