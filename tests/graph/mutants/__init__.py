"""Deliberate errors in the laws, one at a time, which the tests of the laws must catch."""
