"""The command line of an agent at work: ``yggdrasil session``, what is on desks, what was decided, and who knows what.

Room for one module per group of subcommands.
"""
