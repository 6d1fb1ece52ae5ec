"""Upkeep: what is done with an engine besides answering. Its figures, a watch over it, vectors for what has none.

It knows the engines; none of them knows it. Only the command line uses it.
"""
