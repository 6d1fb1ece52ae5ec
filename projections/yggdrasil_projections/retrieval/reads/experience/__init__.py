"""Reads of what was experienced, and of one memory: what it is, what led to it, and what is around it.

Room for another read of events, or of one node by its reference. A read is a query, its answer and its row.
"""
