"""Ranking: what of an index is relevant to a question, and what comes first.

Room for another ranker, under a name and version of its own, so that what an old one answered can still be proved. No
arrow leads from here to the reads.
"""
