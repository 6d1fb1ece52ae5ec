"""What appends to the log: drafts, the gateway, importers.

A producer turns something that happened into a command and hands it to the log port. It never reads a projection: what
a memory looks like must not decide what is written down about the world. Room for another source of commands.
"""
