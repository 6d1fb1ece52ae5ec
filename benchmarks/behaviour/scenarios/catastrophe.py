"""What stays: a memory of 500 nodes meets 10,000 trivial events, three catastrophes, and outcomes of all sizes.

One trivial event in ten has a small outcome, of at most 1; after one in ten a recall returns three of the last fifty.
The catastrophes (-10, each with a feature of its own that never comes again) lie early: after 1, 10 and 50 % of the
stream. Failures and successes of the sizes 1, 3, 5 and 9 lie in three stretches of the stream, as many of each. What
is still there at the end, and is it found?

Baselines keep 500 events each, which is more than the memory does, whose 500 nodes are features and outcomes as well:
*recency*, *frequency* and *similarity* (``keepers``).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Final

from yggdrasil_projections.graph.arithmetic import decayed_array
from yggdrasil_schemas.graph.records import NodeKind

from ..keepers import CAPACITY, Frequency, Keeper, Recency, Similarity
from ..life import Life, Said, Stored

BLIND: Final = ("recency", "frequency", "similarity")
SIZES: Final = (1.0, 3.0, 5.0, 9.0)
DEPTHS: Final = (1, 10, 50)  # percent of the stream before each catastrophe
STRETCHES: Final = ("early", "middle", "late")
# The caps that go with 500 nodes: open sessions for the buffers, five edges for each node.
CAPS: Final = {"nodes_max": CAPACITY, "edges_max": 5 * CAPACITY, "sessions_open_max": 5}
_POOL: Final = 60
_EACH: Final = 3  # planted outcomes of each size and sign in each stretch
_RECENT: Final = 50
_STEP: Final = 100  # events between two readings of salience


@dataclass(frozen=True, slots=True)
class Planted:
    """An event with an outcome of ``value``; ``stretch`` says where, or after how much a catastrophe comes."""

    value: float
    stretch: str
    catastrophe: bool = False


@dataclass(slots=True)
class Found:
    """What one life has shown: whether each keeper has what was planted, and how a catastrophe stands at the end."""

    kept: dict[str, dict[Planted, list[bool]]] = field(default_factory=dict[str, dict[Planted, list[bool]]])
    rank: dict[str, float] = field(default_factory=dict[str, float])  # by salience among the events that are left
    found: dict[str, bool] = field(default_factory=dict[str, bool])  # first among five that a search returns
    curves: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    events_left: int = 0
    fresh: int = 0  # of these, how many of the last 500

    def survives(self, keeper: str, depth: int) -> float:
        """Return 1 when a keeper still has the catastrophe after ``depth`` percent of the stream, else 0."""
        return float(self.kept[keeper][Planted(-10.0, f"{depth} %", catastrophe=True)][0])

    def share(self, keeper: str, value: float, stretch: str | None = None) -> float:
        """Return the share of what was planted with ``value`` that a keeper still has."""
        kept = [
            fine
            for planted, each in self.kept[keeper].items()
            for fine in each
            if planted.value == value and not planted.catastrophe and stretch in (None, planted.stretch)
        ]
        return sum(kept) / len(kept)


def live(seed: int, events: int, path: Path, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life of ``events`` events with a store at ``path`` has shown."""
    with Stored(path) as host:
        life = Life(seed, host, {**CAPS, **(policy or {})})
        stream = _Stream(life, events)
        for number in range(events):
            stream.event(number)
            if number % _STEP == 0:
                stream.read()
        return stream.found_by(host)


class _Stream:
    """The stream, its memory, and the baselines beside it."""

    def __init__(self, life: Life, events: int) -> None:
        self._life = life
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(_POOL)))
        self._plan = _planned(life, events)
        self._told: dict[int, tuple[Said, Planted]] = {}
        self._rare: list[str] = []
        features = _POOL + sum(planted.catastrophe for planted in self._plan.values())
        self._keepers: dict[str, Keeper] = {
            "recency": Recency(),
            "frequency": Frequency(),
            "similarity": Similarity(features),
        }
        self._events = events
        self._first_fresh = 0
        self._recent: list[tuple[int, Said]] = []
        self._found = Found()

    def event(self, number: int) -> None:
        """Tell one event, and its outcome if it has one."""
        chance = self._life.random
        planted = self._plan.get(number)
        features: dict[int, None] = {}
        while len(features) < (3 if planted and planted.catastrophe else 4):
            features[chance.choices(range(_POOL), cum_weights=self._weights)[0]] = None
        names = [f"f{feature}" for feature in features]
        if planted and planted.catastrophe:
            features[_POOL + len(self._rare)] = None
            self._rare.append(_rare(planted))
            names.append(self._rare[-1])
        said = self._life.event(names, f"task-{number // 20 % 5}", f"step {number}")
        if number == self._events - CAPACITY:
            self._first_fresh = said.number
        for keeper in self._keepers.values():
            keeper.tell(number, list(features))
        value = planted.value if planted else 0.0
        if planted:
            self._told[number] = (said, planted)
        elif chance.random() < 0.1:
            value = chance.choice((-1.0, -0.5, 0.5, 1.0))
        if value:
            self._outcome(number, said, value, planted is not None and planted.catastrophe)
        self._recent.append((number, said))
        del self._recent[:-_RECENT]
        if chance.random() < 0.1:
            returned = chance.sample(self._recent, min(3, len(self._recent)))
            self._life.recall([entry.id for _, entry in returned])
            for keeper in self._keepers.values():
                for seen, _ in returned:
                    keeper.touch(seen)

    def _outcome(self, number: int, said: Said, value: float, catastrophe: bool) -> None:
        self._life.outcome(said, value, "failure" if value < 0 else "success", catastrophic=catastrophe)
        for keeper in self._keepers.values():
            keeper.touch(number)

    def read(self) -> None:
        """Note the salience of each catastrophe so far, and of the event in the middle, for the curves."""
        salience = sorted(_saliences(self._life).values())
        self._found.curves["median"].append(salience[len(salience) // 2])
        for said, planted in self._told.values():
            if planted.catastrophe:
                self._found.curves[planted.stretch].append(self._life.salience(said.number))

    def found_by(self, host: Stored) -> Found:
        """Return what is left at the end."""
        found = self._found
        saliences = _saliences(self._life)
        found.events_left = len(saliences)
        found.fresh = sum(number >= self._first_fresh for number in saliences)
        for name, keeper in self._keepers.items():
            kept = keeper.kept()
            found.kept[name] = _by_plan((planted, number in kept) for number, (_, planted) in self._told.items())
        alive = ((planted, self._life.node(said.number) is not None) for said, planted in self._told.values())
        found.kept["graph"] = _by_plan(alive)
        for said, planted in self._told.values():
            if planted.catastrophe:
                mine = saliences.get(said.number, 0.0)
                found.rank[planted.stretch] = 1.0 + sum(other > mine for other in saliences.values())
                found.found[planted.stretch] = host.search(_rare(planted), 5)[:1] == [said.id]
        return found


def _rare(planted: Planted) -> str:
    """Return the name of a catastrophe's own feature."""
    return f"rare{planted.stretch.split()[0]}"


def _by_plan(pairs: Iterable[tuple[Planted, bool]]) -> dict[Planted, list[bool]]:
    found: dict[Planted, list[bool]] = defaultdict(list)
    for planted, kept in pairs:
        found[planted].append(kept)
    return dict(found)


def _planned(life: Life, events: int) -> dict[int, Planted]:
    """Return what lies where: the catastrophes at 1, 10 and 50 % of the stream, the others in three stretches of it."""
    plan = {events * percent // 100: Planted(-10.0, f"{percent} %", catastrophe=True) for percent in DEPTHS}
    stretches = zip(STRETCHES, ((0.01, 0.11), (0.45, 0.55), (0.85, 0.95)), strict=True)
    for stretch, (first, last) in stretches:
        free = [number for number in range(int(first * events), int(last * events)) if number not in plan]
        wanted = [sign * size for size in SIZES for sign in (-1, 1) for _ in range(_EACH)]
        chosen = life.random.sample(free, len(wanted))
        plan |= {number: Planted(value, stretch) for number, value in zip(chosen, wanted, strict=True)}
    return plan


def _saliences(life: Life) -> dict[int, float]:
    """Return the present salience of all events by number."""
    graph = life.host.graph()
    table = graph.node_table()
    rows = table.rows[table.rows["kind"] == NodeKind.EVENT]
    numbers = table.keys[table.rows["kind"] == NodeKind.EVENT].astype("uint64")
    elapsed = graph.header.tick - rows["tick"].astype("float64")
    now = decayed_array(rows["salience"].astype("float64"), elapsed, rows["half_life"].astype("float64"))
    return dict(zip(numbers.tolist(), now.tolist(), strict=True))
