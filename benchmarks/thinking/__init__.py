"""Thinking: what comes of episodes, concepts, reflection and sleep, and of what a memory foretells, on real histories.

A module for each benchmark, beside baselines that are told the same stream; the histories are in ``streams``.
"""
