"""What a ranker of somebody else's is: a versioned name, and scores for candidates (001, section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

GROUP: Final = "yggdrasil.rankers"
"""The group of entry points that rankers are installed under."""
ONE: Final = 4_096
"""What stands for 1, of scores and of shares."""


@dataclass(frozen=True, slots=True)
class CandidateFeatures:
    """What is told of a candidate: whole numbers, and nothing that it says.

    ``relevance`` is what stage one says of it; ``lexical`` how much of the question its words cover, ``vector`` how
    near it is by meaning, ``spread`` how much of what was found has led to it. ``strength`` and ``permanence`` are s /
    (s + 1) of salience and permanence as they stand, ``impact`` what using it has been worth: 2,048 for nothing, less
    if it misled. All of these lie in 0..4,096. ``trust`` is 0 to 4; ``kind`` "event", "outcome", "episode", "concept"
    or "claim"; ``age`` how many commands the memory has taken since; ``usage`` of so many ``candidates`` it was used;
    ``good`` and ``bad`` count its outcomes.
    """

    relevance: int
    lexical: int
    vector: int
    spread: int
    strength: int
    permanence: int
    impact: int
    trust: int
    kind: str
    age: int
    usage: int
    candidates: int
    good: int
    bad: int


class OwnRanker(Protocol):
    """Orders what is relevant, in place of our weights.

    ``name`` is NAME/VERSION with a hyphen in NAME, such as ``acme-fresh/1``: what may score otherwise has another
    version, or no answer can be proved.
    """

    name: str

    def scores(self, candidates: Sequence[CandidateFeatures], /) -> Sequence[int]:
        """Return a score for each candidate, in their order: a whole number from 0 to 4,096.

        It depends on what is told of that candidate alone: they come in groups, of one answer too.
        """
        ...
