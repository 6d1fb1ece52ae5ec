"""Shapes of questions that people ask, made from templates: a day, small talk, two in one, all of something, a change.

What may come in: the templates of each writer, what makes cases of them, and what asks them of memories.
"""
