"""Reads for whoever runs a memory: its counts, and its digest.

Room for another figure of a memory as a whole.
"""
