"""Clients in other languages than Python: the TypeScript package, and the examples on publishing in Go and Node.

They are built and run with what ``make test-clients`` installs, against the real service and a real broker.
"""
