"""The graph of record: a pure fold, the laws it applies, and the store that keeps its result with its position.

Upwards: what holds a graph while commands change it (``working_set``), the laws, the rules that are a version of them,
the fold, the store, checkpoints. Each knows those before it and none after, and no part knows how a graph is read.
"""
