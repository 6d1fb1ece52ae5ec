"""Checkpoints: directories from which another host can start, once every byte and digest of them is verified."""
