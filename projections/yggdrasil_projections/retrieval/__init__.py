"""What is read: memories as people and agents see them, the search for context, and the lineage of an action.

Nothing here changes a graph. A read that should reinforce memory is recorded as a command by whoever hosts it. Reads
use ranking, ranking uses the index, and texts, asks and records are below all of them.
"""
