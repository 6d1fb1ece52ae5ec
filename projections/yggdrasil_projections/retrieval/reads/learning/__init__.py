"""Reads that search, and reads of what was learnt: context and cases, what a situation foretells, and habits.

Room for another question in words, or of what outcomes have taught. How candidates are ranked is in ``ranking``.
"""
