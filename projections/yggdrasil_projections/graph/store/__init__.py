"""The store of the graph: one RocksDB for each partition, the projector that folds a log into it, and the state digest.

It knows the fold and the working set; neither knows the store.
"""
