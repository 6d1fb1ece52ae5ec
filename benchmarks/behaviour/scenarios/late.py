"""Late outcomes: what happened is told 0, 5, 30 or 100 events after it; does the blame still find the guilty?

A busy world. The cause is in 60 % of all events and makes them fail with probability 0.9; others fail with 0.1. An
innocent companion comes along in 70 % of the cause's events and in 10 % of the others, *work* is in 90 % of all, and
each event has one or two of 40 other features, some of them often. So the cause, its companion, work and a few more
soon have more edges than a node may keep. Every event is judged: -3 for a failure, +1 for anything else.

An outcome *lands* when each feature of its event counts it as a lesson.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from ..figures import place
from ..life import InMemory, Life, Said

DELAYS: Final = (0, 5, 30, 100)
CAUSE: Final = "cause"
COMPANION: Final = "companion"
CROWD: Final = "work"
BAD, GOOD = -3.0, 1.0
_OTHERS: Final = [f"f{number}" for number in range(40)]
_WEIGHTS: Final = list(accumulate(1 / (rank + 1) for rank in range(len(_OTHERS))))


class Happened(NamedTuple):
    """An event whose outcome is still to be told."""

    said: Said
    features: list[str]
    failed: bool


@dataclass(slots=True)
class Found:
    """What one life has shown. ``landed`` and ``learned`` have an entry for each outcome: did all, did the cause.

    ``first`` is the chance that the cause is first when features are ranked by valence, lowest first.
    """

    landed: list[bool] = field(default_factory=list[bool])
    learned: list[bool] = field(default_factory=list[bool])  # of events with the cause
    first: float = 0.0
    valence: dict[str, float] = field(default_factory=dict[str, float])


def live(seed: int, delay: int, events: int, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life of ``events`` events has shown, in which outcomes come ``delay`` events late."""
    life = Life(seed, InMemory(), policy)
    found = Found()
    due: dict[int, list[Happened]] = defaultdict(list)
    for number in range(events + delay):
        features = _drawn(life)
        failed = life.random.random() < (0.9 if CAUSE in features else 0.1)
        said = life.event(features, f"task-{number // 20}")
        if number < events:
            due[number + delay].append(Happened(said, features, failed))
        for it in due.pop(number, []):
            _tell(life, it, found)
    names = [CAUSE, COMPANION, CROWD, *_OTHERS]
    found.valence = {name: node.valence for name in names if (node := life.feature(name))}
    found.first = place({name: -valence for name, valence in found.valence.items()}, CAUSE).first
    return found


def _drawn(life: Life) -> list[str]:
    chance = life.random
    features = list(dict.fromkeys(chance.choices(_OTHERS, cum_weights=_WEIGHTS, k=2)))
    guilty = chance.random() < 0.6
    if guilty:
        features.append(CAUSE)
    if chance.random() < (0.7 if guilty else 0.1):
        features.append(COMPANION)
    if chance.random() < 0.9:
        features.append(CROWD)
    chance.shuffle(features)
    return features


def _tell(life: Life, it: Happened, found: Found) -> None:
    """Tell an outcome, and note which features of its event have learned from it."""
    before = _lessons(life, it.features)
    life.outcome(it.said, BAD if it.failed else GOOD, "failure" if it.failed else "success")
    after = _lessons(life, it.features)
    learned = [now > then for now, then in zip(after, before, strict=True)]
    found.landed.append(all(learned))
    if CAUSE in it.features:
        found.learned.append(learned[it.features.index(CAUSE)])


def _lessons(life: Life, features: Sequence[str]) -> list[int]:
    """Return how many outcomes each feature has had a part in."""
    nodes = [life.feature(name) for name in features]
    return [node.good + node.bad if node else -1 for node in nodes]
