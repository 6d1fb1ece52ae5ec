"""The reducer: a thinker that makes claims and lessons of what a session has said, when it has ended (issue 38).

Below is ``grammar``, which says what a sentence says; here is what a text is made of, what teaches, what a model may
add, and when a session has ended. Room for another reader of texts. It reads English, and what cannot be told from the
words alone is left to a person or a model.
"""

from .reducer import Reducer

__all__ = ["Reducer"]
