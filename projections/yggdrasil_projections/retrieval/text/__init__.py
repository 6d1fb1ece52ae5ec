"""Texts: what a record says, its words, and their stems.

Plain functions that know no index. Room for another language.
"""
