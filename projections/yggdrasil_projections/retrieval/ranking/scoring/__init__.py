"""Scoring: what is known of a memory as nine whole numbers, and the scorers that make one number of these.

A learned scorer is a decision in the log: another way to score gets another name, so that what was ranked by an older
one can still be proved. Room for another set of features, and for another scorer.
"""
