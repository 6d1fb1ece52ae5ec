"""What was good turns bad: how soon does the memory follow?

Events have A or B, by lot, among two of six other features. For a while A turns out at +3 and B at -3, then the other
way round; one outcome in ten is the opposite of what it should be. A ranking is *right* when it puts the one first
that is good now.

Baselines that see outcomes: the *running mean* since the beginning, the *share of good* ones, and the *last outcome*.
Blind ones: *recency* and *frequency* of the feature, and its *similarity* to the others (mean Jaccard of their
events).
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..figures import settles
from ..life import InMemory, Life

GRAPH: Final = ("valence", "impact")
BLIND: Final = ("recency", "frequency", "similarity")
SEEING: Final = ("running mean", "share of good", "last outcome")
_SIZE: Final = 3.0
_NOISE: Final = 0.1
_OTHERS: Final = [f"c{number}" for number in range(6)]
_SUBJECTS: Final = ("A", "B")


@dataclass(slots=True)
class Found:
    """What one life has shown, outcome by outcome; ``turn`` is the first outcome after the reversal."""

    turn: int
    right: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def follows_after(self, ranking: str) -> int:
        """Return how many outcomes after the reversal the ranking is right and stays so."""
        return settles(self.right[ranking][self.turn :])

    def reliable(self, ranking: str) -> float:
        """Return the share of right rankings in the second half of each of the two times."""
        half = self.turn // 2
        late = self.right[ranking][half : self.turn] + self.right[ranking][self.turn + half :]
        return sum(late) / len(late)


class _Counts:
    """What the baselines keep of the same stream."""

    def __init__(self) -> None:
        self._events: list[frozenset[str]] = []
        self._told: dict[str, list[float]] = {name: [] for name in _SUBJECTS}

    def see(self, subject: str, features: list[str], value: float) -> None:
        """Count one event and its outcome."""
        self._events.append(frozenset(features))
        self._told[subject].append(value)

    def scores(self) -> dict[str, Mapping[str, float]]:
        """Return how each baseline scores A and B."""
        told = self._told
        return {
            "running mean": {name: sum(told[name]) / max(1, len(told[name])) for name in told},
            "share of good": {name: sum(v > 0 for v in told[name]) / max(1, len(told[name])) for name in told},
            "last outcome": {name: told[name][-1] if told[name] else 0.0 for name in told},
            "recency": {name: self._last(name) for name in told},
            "frequency": {name: float(len(told[name])) for name in told},
            "similarity": {name: self._similar(name) for name in told},
        }

    def _last(self, name: str) -> float:
        return max((float(at) for at, event in enumerate(self._events) if name in event), default=-1.0)

    def _similar(self, name: str) -> float:
        having = {at for at, event in enumerate(self._events) if name in event}
        total = 0.0
        for other in _OTHERS:
            with_other = {at for at, event in enumerate(self._events) if other in event}
            total += len(having & with_other) / max(1, len(having | with_other))
        return total


def live(seed: int, events: int, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life has shown that turns round after ``events`` events, and goes on for as many."""
    life = Life(seed, InMemory(), policy)
    counts = _Counts()
    found = Found(events)
    for number in range(2 * events):
        subject = life.random.choice(_SUBJECTS)
        features = [subject, *life.random.sample(_OTHERS, 2)]
        life.random.shuffle(features)
        good_now = _SUBJECTS[number >= events]
        sign = (1 if subject == good_now else -1) * (-1 if life.random.random() < _NOISE else 1)
        counts.see(subject, features, sign * _SIZE)
        life.outcome(life.event(features, f"task-{number // 10}"), sign * _SIZE, "good" if sign > 0 else "bad")
        scores = {**_of_graph(life), **counts.scores()}
        other = _SUBJECTS[number < events]
        for ranking, score in scores.items():
            found.right[ranking].append(score[good_now] > score[other])
        for name in _SUBJECTS:
            _note(found, life, name, scores["running mean"][name])
    return found


def _of_graph(life: Life) -> dict[str, Mapping[str, float]]:
    nodes = {name: life.feature(name) for name in _SUBJECTS}
    return {
        "valence": {name: node.valence if node else 0.0 for name, node in nodes.items()},
        "impact": {name: node.impact if node else 0.0 for name, node in nodes.items()},
    }


def _note(found: Found, life: Life, name: str, running: float) -> None:
    """Keep the values of a feature, for the curves."""
    node = life.feature(name)
    found.values[f"valence of {name}"].append(node.valence if node else 0.0)
    found.values[f"impact of {name}"].append(node.impact if node else 0.0)
    found.values[f"permanence of {name}"].append(node.permanence if node else 0.0)
    found.values[f"running mean of {name}"].append(running)
