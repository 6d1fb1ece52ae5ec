"""A year of work: a life of 60,000 events through the public facade, with facts, causes and themes planted in it.

``python -m benchmarks.behaviour.year`` lives it, with any release of Yggdrasil that can be imported: nothing here uses
more than ``Memory`` and the command line. So two releases are compared by running it with each.
"""
