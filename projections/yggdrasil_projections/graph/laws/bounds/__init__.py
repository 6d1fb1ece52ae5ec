"""The law of bounds: what is forgotten, so that a memory stays finite (000, section 4, pruning mechanics).

``enforcement`` says when; ``rank`` what goes first; ``nodes`` and ``edges`` what may go at all, and remove it;
``joining`` and ``heirs`` what is left in its place. A further bound is a file here, and a line in ``enforcement``.
"""
