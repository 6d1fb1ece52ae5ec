"""The reads: each a function of a graph, and where it searches of an index, that gives an answer.

Room for another question that a memory can be asked. A read may use ranking and another read, and changes nothing.
"""
