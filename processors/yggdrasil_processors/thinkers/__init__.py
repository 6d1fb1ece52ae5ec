"""What thinks: programs that read what a memory has taken, and append what they decide (docs/thinkers.md).

Each thinker is a pure function with a small state of its own, in a file or folder of its name; ``frame/`` runs it, in
any process or, as ``faust_worker``, on Kafka. Room for what decides outside the fold: nothing here changes a graph, and
nothing here is replayed.
"""
