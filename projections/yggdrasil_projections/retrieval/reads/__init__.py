"""The reads, by subject: each a function of a graph, and where it searches of an index, and the query that asks it.

Room for another question that a memory can be asked: its file has the answer, the query and the row, and the row goes
into ``table.READS``. A read may use ranking and another read, and changes nothing.
"""
