"""Who is to blame: one feature of a pool brings failure about; does the memory find it, and how soon?

Events draw 4 to 6 features of a pool (of a small one fewer: one at least is left out). With the cause among them the
event fails with probability 0.9, else with 0.1. Four forms: *told both*, where a failure is told as -3 and anything
else as +1; *failures only*, where success is never told; *companion*, as the first, with one feature that comes along
in 70 % of the cause's events and in 10 % of the others; *crowd*, as the first, with one feature that is in 90 % of all
events, and with one in every event that never comes again, as the names of files and tickets do.

The graph ranks by ``valence`` (the outcome that a feature predicts, lowest first), by the causal edge from the feature
to the kind of outcome, and by ``impact``, for contrast. Blind baselines see no outcome: *recency* (seen last),
*frequency* (seen most often), *similarity* (in events like the one that failed last, by Jaccard). The others see them
and count: *recency of failure*, *failures*, *cosine* (of the feature's events with the failed ones), and *failure
rate*, which forgets nothing and is the best that independent features allow.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

from ..figures import Place, place, settles
from ..life import InMemory, Life

FORMS: Final = ("told both", "failures only", "companion", "crowd")
BLIND: Final = ("recency", "frequency", "similarity")
COUNTING: Final = ("recency of failure", "failures", "cosine", "failure rate")
GRAPH: Final = ("valence", "causal edge", "impact")
BAD, GOOD = -3.0, 1.0


@dataclass(frozen=True, slots=True)
class World:
    """How a stream is made."""

    features: int
    form: str
    events: int = 200


@dataclass(slots=True)
class Found:
    """What one life has shown: places of the cause by ranking, outcome by outcome."""

    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))

    def last(self, ranking: str) -> Place:
        """Return the place after the last outcome."""
        return self.places[ranking][-1]

    def steady_after(self, ranking: str) -> int:
        """Return after how many outcomes the cause is first and stays so."""
        return settles([at.first == 1.0 for at in self.places[ranking]])


class _Counts:
    """What the baselines keep of the same stream."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}  # in how many events, by feature
        self._bad: dict[str, int] = {}
        self._at: dict[str, int] = {}
        self._bad_at: dict[str, int] = {}
        self._past: list[frozenset[str]] = []
        self._failed: frozenset[str] = frozenset()  # the event that failed last
        self._failures = 0

    def see(self, features: list[str], failed: bool) -> None:
        """Count one event."""
        self._past.append(frozenset(features))
        for name in features:
            self._seen[name] = self._seen.get(name, 0) + 1
            self._at[name] = len(self._past)
            if failed:
                self._bad[name] = self._bad.get(name, 0) + 1
                self._bad_at[name] = len(self._past)
        if failed:
            self._failed = self._past[-1]
            self._failures += 1

    def scores(self, pool: list[str]) -> dict[str, Mapping[str, float]]:
        """Return how each baseline scores each feature of ``pool``."""
        seen = {name: self._seen.get(name, 0) for name in pool}
        bad = {name: self._bad.get(name, 0) for name in pool}
        return {
            "recency": {name: self._at.get(name, 0) for name in pool},
            "frequency": seen,
            "similarity": self._similar(pool),
            "recency of failure": {name: self._bad_at.get(name, 0) for name in pool},
            "failures": bad,
            "cosine": {name: bad[name] / sqrt(max(1, seen[name] * self._failures)) for name in pool},
            "failure rate": {name: bad[name] / max(1, seen[name]) for name in pool},
        }

    def _similar(self, pool: list[str]) -> dict[str, float]:
        scores = dict.fromkeys(pool, 0.0)
        for event in self._past:
            jaccard = len(event & self._failed) / len(event | self._failed)
            for name in sorted(event):
                scores[name] += jaccard
        return scores


def live(seed: int, world: World, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life in ``world`` has shown."""
    life = Life(seed, InMemory(), policy)
    pool = [f"f{number}" for number in range(world.features)]
    cause, other = life.random.sample(pool, 2)
    draw = _drawing(life, world, pool, cause, other)
    candidates = list(pool)
    counts = _Counts()
    found = Found()
    for number in range(world.events):
        features = draw(number)
        candidates += [name for name in features if name not in candidates]
        failed = life.random.random() < (0.9 if cause in features else 0.1)
        counts.see(features, failed)
        event = life.event(features, f"task-{number // 10}")
        if failed:
            life.outcome(event, BAD, "failure")
        elif world.form != "failures only":
            life.outcome(event, GOOD, "success")
        for ranking, scores in {**counts.scores(candidates), **_of_graph(life, candidates)}.items():
            found.places[ranking].append(place(scores, cause))
    return found


def _drawing(life: Life, world: World, pool: list[str], cause: str, other: str) -> Callable[[int], list[str]]:
    """Return what draws the features of the event with a given number; ``other`` is the companion, or the crowd."""
    chance = life.random
    apart = [name for name in pool if name != other] if world.form in ("companion", "crowd") else pool
    most = min(6, len(apart) - 1)  # one at least is left out, or nothing could be told apart

    def draw(number: int) -> list[str]:
        features = chance.sample(apart, chance.randint(min(4, most), most))
        if world.form == "companion" and chance.random() < (0.7 if cause in features else 0.1):
            features.append(other)
        if world.form == "crowd":
            features += [other] if chance.random() < 0.9 else []
            features.append(f"once-{number}")
        chance.shuffle(features)
        return features

    return draw


def _of_graph(life: Life, pool: list[str]) -> dict[str, Mapping[str, float]]:
    nodes = {name: life.feature(name) for name in pool}
    return {
        "valence": {name: -node.valence if node else 0.0 for name, node in nodes.items()},
        "causal edge": {name: life.cause(name, "failure") for name in pool},
        "impact": {name: -node.impact if node else 0.0 for name, node in nodes.items()},
    }
