"""Rankers of somebody else's: what they are given of each candidate, and how their scores order these.

Room for more that a candidate tells. Lens, trust, tiers and budgets are no business of theirs.
"""
