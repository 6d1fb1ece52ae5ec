"""Thinking: whether what thinkers decide agrees with what is known to be true, and what a memory foretells.

A module for each benchmark; room for streams of which the truth is known, and for what else could decide.
"""
