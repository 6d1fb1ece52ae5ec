"""Learned scorers: made worlds, real recalls with whole sets left out, reporters who lie, and the same on two forms.

What may come in: another world by a rule of its own, another set of recalls of which it is known what was needed.
"""
