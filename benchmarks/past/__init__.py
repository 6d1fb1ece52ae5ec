"""What it takes to look at the past of a memory.

Room for what it takes to compare two moments, or to try another history.
"""
