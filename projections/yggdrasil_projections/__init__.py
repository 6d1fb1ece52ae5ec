"""What is folded and read: the graph with its laws and its store, the retrieval view, the query service.

A projection is a fold and a place to keep it. It reads the log and never appends to it, so it can always be thrown
away and built again from offset 0. Room for another projection beside the graph.
"""
