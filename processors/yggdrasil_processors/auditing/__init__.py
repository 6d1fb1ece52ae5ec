"""Replay the log and compare with what stands; prove an answer; build anew. Nothing here writes to the log."""
