"""The records of a memory graph, and the form in which they are stored.

Room for another kind of record. Nothing here knows a command: what changes a record is a law.
"""
