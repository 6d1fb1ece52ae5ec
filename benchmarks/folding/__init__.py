"""The fold and the log in one process: how fast, and whether that lasts as a memory grows."""
