"""Thinking: whether what thinkers decide agrees with what is known to be true, and what it is worth to who asks.

A module or a folder for each benchmark; room for streams of which the truth is known, and for what else could decide.
"""
