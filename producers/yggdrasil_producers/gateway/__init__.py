"""The gateway: commands in over HTTP, stamped with who said them, from those who may say them.

Room for a route that appends; one that reads belongs to the query service.
"""
