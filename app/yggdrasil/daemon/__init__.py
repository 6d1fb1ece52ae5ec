"""The daemon: one process that holds a directory, so that any number of others can use it.

What finds the service of a directory is here, and what starts one. Only the facade and the command line come in; here
only engines and what is technical are known. The service itself is in ``serving``.
"""
