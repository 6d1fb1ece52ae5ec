"""The laws of motion: one small module per command, each a plain function of a graph and a command.

A law first decides, reading only: it returns a ``Refused`` and has changed nothing. Otherwise it applies its effect
and returns None. It reads ``command.body`` and never ``command.content``, no clock, no randomness, no order but that
of keys and of the command's own lists. Room for more laws: each is listed in ``rules``, and knows the working set and
no store.
"""
