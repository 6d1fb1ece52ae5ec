"""Engines: what answers the facade, be it this process, a service, or a topic.

They implement ``engine``; the facade and the command line use them, and they know neither, nor each other. Room for
another engine; the contract that it has to keep is ``tests/contract``.
"""
