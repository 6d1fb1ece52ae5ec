"""Columns: the arrays that an index consists of, a row for each document. Room for another kind of column.

They are numpy and plain Python, and know no graph, no text and no index: a scan over them costs itself and no more.
"""
