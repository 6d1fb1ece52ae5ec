"""The query service: the port that whatever answers reads implements, and its routes over HTTP.

Room for a route that reads; one that appends belongs to the gateway. It knows the retrieval, which does not know it.
"""
