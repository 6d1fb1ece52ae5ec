"""What runs and thinks: the graph worker, the query host, auditing; each reads the log and folds it.

Room for thinkers: a processor decides outside the fold and appends its decision as a command, which is how even a
changing heuristic leaves a log that replays to the same memory. It may import projections and infra, no producer.
"""
