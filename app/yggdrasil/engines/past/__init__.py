"""Memories as they stood: built of the log when somebody asks, kept for those who ask again, and read as any other.

Room for another place from which a past is begun.
"""
