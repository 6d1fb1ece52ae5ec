"""Worlds of cells: what stands where, what can be seen from a cell, what a step takes, and how that changes with time.

Two generators. ``fields`` is open land with rocks and water, with villages and what lies between them. ``halls`` is
rooms and corridors, as in a warehouse: walls hide what the next room has. Weights were chosen on ``fields`` alone.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

GENERATORS: Final = ("fields", "halls")
SIGHT: Final = 6
"""So many cells away something can be seen, where no wall is between."""
DAY_TICKS: Final = 600
_NIGHT_FROM: Final = 400
_ITEMS: Final = ("stick", "iron", "wool", "emerald", "bread", "coal", "salt", "rope")
_TYPES: Final = ("bed", "chest", "workstation", "ore", "portal")
_LANES: Final = ("north", "south", "east", "west")

Cell = tuple[int, int]


@dataclass(slots=True)
class Thing:
    """What stands on a cell: its name, what it is, and of a chest or an ore what it holds."""

    name: str
    type: str
    cell: Cell
    holds: str | None = None


@dataclass(slots=True)
class Trader:
    """Somebody who stands on a cell, and gives one thing for so many of another; the rate drifts from day to day."""

    name: str
    cell: Cell
    gives: str
    takes: str
    rate: int


@dataclass(slots=True)
class Grid:
    """A world: its walls, its things, its traders, its hazards, and the gates that close for good on some day."""

    kind: str
    width: int
    height: int
    walls: set[Cell]
    things: list[Thing]
    traders: list[Trader]
    hazards: set[Cell]
    lit: set[Cell]
    gates: dict[Cell, int] = field(default_factory=dict[Cell, int])
    seed: int = 0

    def passable(self, cell: Cell, tick: int) -> bool:
        """Whether one can stand on a cell then."""
        x, y = cell
        if not (0 <= x < self.width and 0 <= y < self.height) or cell in self.walls:
            return False
        return cell not in self.gates or tick < self.gates[cell]

    def around(self, cell: Cell, tick: int) -> Iterator[Cell]:
        """Yield the cells next to one that can be stood on."""
        x, y = cell
        for each in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if self.passable(each, tick):
                yield each

    def sees(self, start: Cell, end: Cell) -> bool:
        """Whether ``end`` is in sight: near enough, and no wall on the line between (Bresenham, 1965)."""
        (x, y), (to_x, to_y) = start, end
        if (to_x - x) ** 2 + (to_y - y) ** 2 > SIGHT * SIGHT:
            return False
        dx, dy = abs(to_x - x), abs(to_y - y)
        step_x, step_y, error = (1 if to_x > x else -1), (1 if to_y > y else -1), dx - dy
        while (x, y) != end:
            if (x, y) != start and (x, y) in self.walls:
                return False
            twice = 2 * error
            if twice > -dy:
                error, x = error - dy, x + step_x
            if twice < dx:
                error, y = error + dx, y + step_y
        return True

    def way(self, start: Cell, end: Cell, tick: int, known: set[Cell] | None = None) -> list[Cell] | None:
        """Return a shortest way over cells (all, or those that are ``known``), without its first; None for no way."""
        before: dict[Cell, Cell] = {start: start}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            if here == end:
                found = [here]
                while before[found[-1]] != start and found[-1] != start:
                    found.append(before[found[-1]])
                return [] if found == [start] else found[::-1]
            for each in self.around(here, tick):
                if each not in before and (known is None or each in known):
                    before[each] = here
                    queue.append(each)
        return None

    def distances(self, start: Cell, tick: int) -> dict[Cell, int]:
        """Return how many steps it is to each cell that can be reached: what a perfect map knows."""
        found, queue = {start: 0}, [(0, start)]
        while queue:
            steps, here = heappop(queue)
            if steps > found[here]:
                continue
            for each in self.around(here, tick):
                if steps + 1 < found.get(each, 1 << 30):
                    found[each] = steps + 1
                    heappush(queue, (steps + 1, each))
        return found

    def is_night(self, tick: int) -> bool:
        """Whether it is night: what is not lit is dark, and hazards are awake."""
        return tick % DAY_TICKS >= _NIGHT_FROM

    def drift(self, day: int) -> None:
        """Let the rates of traders be those of a day."""
        chance = Random(f"drift {self.seed} {day}")
        for trader in self.traders:
            trader.rate = max(1, trader.rate + chance.choice((-1, 0, 0, 1)))


def made(kind: str, seed: int, size: int = 64) -> Grid:
    """Make a world of ``size`` times ``size`` cells."""
    chance = Random(f"{kind} {seed}")
    walls = _rocks(chance, size) if kind == "fields" else _rooms(chance, size)
    grid = Grid(kind, size, size, walls, [], [], set(), set(), seed=seed)
    free = _largest(grid)
    if kind == "fields":
        _villages(grid, chance, free)
    else:
        _stores(grid, chance, free)
    taken = {each.cell for each in grid.things} | {each.cell for each in grid.traders}
    rest = sorted(free - taken)
    grid.hazards = set(chance.sample(rest, min(len(rest), size // 2)))
    narrow = [cell for cell in rest if len(list(grid.around(cell, 0))) == 2]
    grid.gates = {cell: DAY_TICKS * chance.randint(2, 4) for cell in chance.sample(narrow, min(len(narrow), size // 8))}
    return grid


def read(path: Path) -> Grid:
    """Read a world from a file: what ``written`` makes of one."""
    said: dict[str, Any] = orjson.loads(path.read_bytes())
    cells = {name: {(x, y) for x, y in said.get(name, [])} for name in ("walls", "hazards", "lit")}
    things = [Thing(each["name"], each["type"], (each["x"], each["y"]), each.get("holds")) for each in said["things"]]
    traders = [
        Trader(each["name"], (each["x"], each["y"]), each["gives"], each["takes"], each.get("rate", 1))
        for each in said["traders"]
    ]
    gates = {(x, y): tick for x, y, tick in said.get("gates", [])}
    return Grid(
        "file", said["width"], said["height"], cells["walls"], things, traders, cells["hazards"], cells["lit"], gates
    )


def _rocks(chance: Random, size: int) -> set[Cell]:
    walls: set[Cell] = set()
    for _ in range(size * size // 160):
        x, y, long = chance.randrange(size), chance.randrange(size), chance.randint(2, 9)
        dx, dy = chance.choice(((1, 0), (0, 1), (1, 1)))
        walls |= {(x + at * dx, y + at * dy) for at in range(long)}
    return walls


def _rooms(chance: Random, size: int) -> set[Cell]:
    step = 9
    walls = {(x, y) for x in range(size) for y in range(size) if x % step == 0 or y % step == 0}
    for left in range(0, size, step):
        for top in range(0, size, step):
            for lane in _LANES:
                if chance.random() < 0.62:
                    at = chance.randint(2, step - 2)
                    walls.discard((left + at, top) if lane in ("north", "south") else (left, top + at))
    return walls | {(0, at) for at in range(size)} | {(at, 0) for at in range(size)}


def _largest(grid: Grid) -> set[Cell]:
    """Return the cells of the largest part of a world in which all is reached from everywhere."""
    left = {(x, y) for x in range(grid.width) for y in range(grid.height) if (x, y) not in grid.walls}
    best: set[Cell] = set()
    while left:
        part = set(grid.distances(min(left), 0))
        left -= part
        best = max(best, part, key=len)
    return best


def _villages(grid: Grid, chance: Random, free: set[Cell]) -> None:
    centres = chance.sample(sorted(free), 6)
    for number, centre in enumerate(centres):
        near = sorted(free & {(centre[0] + dx, centre[1] + dy) for dx in range(-5, 6) for dy in range(-5, 6)})
        chance.shuffle(near)
        for at, kind in enumerate(("bed", "bed", "workstation", "chest")):
            if near:
                _put(grid, f"{kind} {number}-{at}", kind, near.pop(), chance)
        if near:
            _trade(grid, f"trader {number}", near.pop(), chance)
        grid.lit |= set(near)
    _scatter(grid, chance, free, grid.width // 3)


def _stores(grid: Grid, chance: Random, free: set[Cell]) -> None:
    _scatter(grid, chance, free, grid.width // 2)
    taken = {each.cell for each in grid.things}
    for number, cell in enumerate(chance.sample(sorted(free - taken), 8)):
        _trade(grid, f"clerk {number}", cell, chance)
    grid.lit |= {cell for cell in free if (cell[0] // 9 + cell[1] // 9) % 2}


def _scatter(grid: Grid, chance: Random, free: set[Cell], count: int) -> None:
    taken = {each.cell for each in grid.things} | {each.cell for each in grid.traders}
    for number, cell in enumerate(chance.sample(sorted(free - taken), count)):
        kind = chance.choice(_TYPES)
        _put(grid, f"{kind} {number}", kind, cell, chance)


def _put(grid: Grid, name: str, kind: str, cell: Cell, chance: Random) -> None:
    grid.things.append(Thing(name, kind, cell, chance.choice(_ITEMS) if kind in ("chest", "ore") else None))


def _trade(grid: Grid, name: str, cell: Cell, chance: Random) -> None:
    gives, takes = chance.sample(_ITEMS, 2)
    grid.traders.append(Trader(name, cell, gives, takes, chance.randint(1, 4)))
