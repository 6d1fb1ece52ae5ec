"""Thinkers at work: which there are, where they read and append, and the threads that run them.

Room for what wires thinkers to an engine; how each of them decides is in ``yggdrasil_processors.thinkers``.
"""
