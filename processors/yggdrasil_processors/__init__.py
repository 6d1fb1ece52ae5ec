"""What runs and thinks: the graph worker and the thinkers, each a consumer of the log.

A processor decides outside the fold and appends its decision as a command, which is how even a changing heuristic
leaves a log that replays to the same memory.
"""
