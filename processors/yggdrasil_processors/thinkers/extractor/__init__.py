"""The extractor: a thinker that takes claims from what events say in plain sentences (issue 17).

One file for each question: which sentences are plain, what they are about, what they say. Room for another pattern,
with its traps in the tests; whatever cannot be told from the sentence alone is left to a person or a model.
"""

from .extractor import Extractor

__all__ = ["Extractor"]
