"""Rankers and thinkers that somebody else has made: real distributions in a folder, found by entry point."""
