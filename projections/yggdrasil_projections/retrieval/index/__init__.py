"""What is searched of a memory, at the position of its graph. It knows texts and the graph, and no ranking.

Room for whatever is looked up instead of scanned. All of it can be thrown away and made again from the graph.
"""
