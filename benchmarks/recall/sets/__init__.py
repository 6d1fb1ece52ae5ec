"""Sets of data that nobody here wrote, whose questions have their evidence turn by turn.

What may come in: how a set is read, what asks its questions, and the plain searches beside that.
"""
