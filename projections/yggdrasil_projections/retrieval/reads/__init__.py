"""The reads: each a function of a graph, and where it searches of an index, that gives an answer."""
