"""The frame: reads for thinkers, keeps what they know, and makes what they decide take effect once.

Room for what all thinkers share (docs/thinkers.md); nothing here knows a particular one.
"""
