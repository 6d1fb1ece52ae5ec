"""Ranking: what of an index is relevant to a question, and what comes first. No arrow leads from here to the reads."""
