"""The fold and the log in one process: how fast, and whether that lasts as a memory grows.

Room for whatever needs a directory and no broker: speed, growth, memory in use.
"""
