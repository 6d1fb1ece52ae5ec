"""Behaviour: what a memory learns, keeps and lets go, against baselines that see no outcome.

Room for a life in which the right answer is known beforehand, so that the laws can be scored.
"""
