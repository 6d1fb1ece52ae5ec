"""Reflection: what the paths of many episodes say of the decisions on them, and of the memory's own habits.

Room for another rule about paths that ended well and badly. It reads what it remembers and nothing else; the thinker
knows the rules, the rules know the comparison, and that knows what is remembered.
"""
