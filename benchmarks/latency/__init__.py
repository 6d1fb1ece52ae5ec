"""How long an answer takes, in one process and over HTTP, while somebody writes.

Room for whatever somebody waits for while others write.
"""
