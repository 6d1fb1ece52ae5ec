"""Places: a world that an agent walks through, seeing little of it at a time, and what its memory then knows of it.

Room for worlds with places; those in which claims contradict each other are in ``ledger``.
"""
