"""Thinkers: the frame that runs them, and each by itself."""
