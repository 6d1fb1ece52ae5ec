"""Checkpoints: directories from which another host can start, once every byte and digest of them is verified.

It knows the store, and the store does not know it. Room for other places to keep one.
"""
