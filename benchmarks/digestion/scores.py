"""How claims are held against the facts that a transcript was written from."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .facts import Fact, Lesson
from .writing import Turn

SHARE: Final = 0.6
"""How much of the words of a value, and of what is claimed, the other must have."""
_WORD: Final = re.compile(r"[\w@.+-]*\w")
_IDLE: Final = frozenset(
    [
        "version",
        "the",
        "a",
        "an",
        "of",
        "for",
        "at",
        "on",
        "in",
        "to",
        "by",
        "old",
        "is",
        "per",
        "my",
        "our",
        "and",
        "thing",
        "s",
    ]
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim as it is held against facts: ``turns`` are those that it names as evidence."""

    sort: str
    subject: str
    predicate: str
    object: str
    turns: tuple[Turn, ...]


@dataclass(slots=True)
class Score:
    """Counts: of ``facts``, those ``found``; of ``claims``, those ``right``, and those that say a fact once more.

    ``merged`` are claims whose evidence tells of several facts. ``words`` were read.
    """

    facts: int = 0
    found: int = 0
    claims: int = 0
    right: int = 0
    again: int = 0
    merged: int = 0
    words: int = 0

    @property
    def precision(self) -> float:
        """The share of claims that say a fact."""
        return self.right / self.claims if self.claims else 0.0

    @property
    def recall(self) -> float:
        """The share of facts that a claim says."""
        return self.found / self.facts if self.facts else 0.0

    @property
    def dense(self) -> float:
        """Claims for 2,000 words."""
        return 2_000 * self.claims / self.words if self.words else 0.0


def scored(facts: Sequence[Fact | Lesson], claims: Sequence[Claimed], texts: Iterable[str]) -> Score:
    """Hold claims against the facts of the same transcript."""
    score = Score(facts=len(facts), claims=len(claims), words=sum(len(text.split()) for text in texts))
    said: Mapping[Fact | Lesson, list[Claimed]] = {fact: [one for one in claims if says(one, fact)] for fact in facts}
    score.found = sum(bool(each) for each in said.values())
    score.right = sum(any(one in each for each in said.values()) for one in claims)
    score.again = sum(len(each) - 1 for each in said.values() if each)
    score.merged = sum(len({fact for turn in one.turns for fact in turn.facts}) > 1 for one in claims)
    return score


def says(claim: Claimed, fact: Fact | Lesson) -> bool:
    """Return whether a claim says a fact: of the same subject, by a predicate that means it, a value of its words."""
    if isinstance(fact, Lesson):
        return claim.sort == "lesson" and claim.predicate == fact.sort and _share(fact.words, claim.object) >= SHARE
    if claim.sort != "fact" or claim.predicate not in fact.relation.predicates:
        return False
    named = words(claim.subject)
    if not named or not named <= words(fact.subject) or (len(named) == 1 < len(words(fact.subject)) and named & _SORTS):
        return False
    return _share(fact.value, claim.object) >= SHARE and _share(claim.object, fact.value) >= SHARE


_SORTS: Final = frozenset(["service", "cluster", "database", "queue", "server", "gateway", "worker", "cache", "api"])


def words(text: str) -> set[str]:
    """Return the words of a name or a value that tell it from others."""
    return {word for word in _WORD.findall(text.casefold()) if word not in _IDLE}


def _share(wanted: str, there: str) -> float:
    first, second = words(wanted), words(there)
    return len(first & second) / len(first) if first else 0.0
