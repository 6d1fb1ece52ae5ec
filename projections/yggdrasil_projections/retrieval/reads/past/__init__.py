"""Reads of more than one moment of a memory: what is otherwise at one than at another, and which answers are.

Room for another comparison of what a memory was.
"""
