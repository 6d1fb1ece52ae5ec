"""A question is read before it is asked: its clauses, times, quantity, order and negation, by lists and patterns.

What may come in: what is read of a question by its text and its moment alone. What a memory knows is for the ranking.
"""
