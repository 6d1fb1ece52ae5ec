"""How well it is found what an output used: answers by writers who know nothing of each other.

Worlds of facts, a module for each writer, and what is scored. Room for another writer, who is tried once before
anything is mended by what that shows.
"""
