"""Sleep after every task: how fast strength fades, what is put away and comes back, and what a usual life keeps.

What sleeps do to a memory that lives on is measured here; what a sleep costs is in ``folding.growth``.
"""
