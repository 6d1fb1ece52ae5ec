"""Behaviour: what a memory learns, keeps and lets go, against baselines that see no outcome."""
