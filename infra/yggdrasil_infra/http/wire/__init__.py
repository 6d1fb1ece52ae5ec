"""Connections: how they are taken, parsed, answered and let go, and what any of them may cost.

What may come in: whatever a client without a key makes the process do.
"""
