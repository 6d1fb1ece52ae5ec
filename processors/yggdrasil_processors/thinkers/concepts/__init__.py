"""The concept former: what is recorded together, again and again, and means something, becomes a concept.

``counting`` keeps how often features meet, ``communities`` finds which belong together, ``worth`` says what that means,
``former`` decides. Room for how concepts are found; what a concept does to a memory is a law (docs/laws.md).
"""

from .former import ConceptFormer

__all__ = ["ConceptFormer"]
