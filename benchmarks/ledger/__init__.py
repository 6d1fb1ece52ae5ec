"""A world of facts that change, told by sources that are late and wrong: what a memory makes of it, and others make.

What may come in: the world, ways to keep what is told of it, and how far these are from the truth.
"""
