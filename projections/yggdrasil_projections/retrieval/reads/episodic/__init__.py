"""Reads of experience that is being, or has been, gathered: what is in mind, the episodes, and what comes after them.

Room for whatever else is asked of episodes. What ranks memories for a question stays with the other reads.
"""
