"""The reducer: a thinker that makes claims and lessons of what a session has said, when it has ended (issue 38).

One file for each question: where sentences begin and end, what is doubted, what stands before a verb, which verbs there
are, what stands behind them, what teaches. The table of verbs has room for more; whatever cannot be told from the words
alone is left to a person or a model. It reads English; what is said in another language says nothing to it.
"""

from .reducer import Reducer

__all__ = ["Reducer"]
