"""Reads of places: what there is of a type, what is near, which path leads there, where a thing was last, who trades.

They answer from claims, through the links of the index, and name the claims by their ids.
"""
