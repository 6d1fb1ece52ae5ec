"""A warehouse: racks in long rows, aisles between them, and stock that moves.

The third generator. Another hand wrote it, before it had read the two in ``world``, and shares only the type of a
world with them: long narrow aisles where ``fields`` is open and ``halls`` has rooms, bins that are seen from one side
alone, and stock that does not stay. Each day three bins out of ten swap what they hold with another. Fire doors in the
cross aisles close for good; both ends of all aisles stay open. At night carts run in some aisles, and only the ends of
the aisles are lit.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

from .world import Cell, Grid, Thing, Trader

_STOCK: Final = ("bolt", "hinge", "lamp", "glue", "tyre", "tin", "felt", "cable")
_RACK, _AISLE, _END = 2, 2, 3  # cells: how deep a rack is, how wide an aisle is, and how wide both ends of them are
_MOVED: Final = 0.3
_CLOSES_FROM, _CLOSES_TO = 300, 4_000


@dataclass(slots=True)
class Warehouse(Grid):
    """A world whose bins change what they hold from day to day."""

    def drift(self, day: int) -> None:
        """Let rates drift, and stock move from bin to bin."""
        Grid.drift(self, day)
        chance = Random(f"stock {self.seed} {day}")
        bins = [thing for thing in self.things if thing.holds is not None]
        for one in bins:
            if chance.random() < _MOVED:
                other = chance.choice(bins)
                one.holds, other.holds = other.holds, one.holds


def warehouse(seed: int, size: int = 64) -> Grid:
    """Return a warehouse of ``size`` x ``size`` cells, the same for the same ``seed``."""
    chance = Random(f"warehouse {seed}")
    racks = list(range(_AISLE, size - _AISLE - _RACK, _RACK + _AISLE))
    cross = sorted(chance.sample(range(_END + 4, size - _END - 4), max(1, size // 14)))
    walls = {(x + deep, y) for x in racks for deep in range(_RACK) for y in range(_END, size - _END) if y not in cross}
    grid = Warehouse("warehouse", size, size, walls, [], [], set(), set(), {}, seed)
    niches = _bins(grid, chance, racks)
    _doors(grid, chance, racks, cross)
    _ends(grid, chance, niches)
    return grid


def _bins(grid: Grid, chance: Random, racks: list[int]) -> set[Cell]:
    """Cut niches into the racks, each open to one aisle, and put a bin into each; return their cells."""
    cells = set[Cell]()
    for row, x in enumerate(racks):
        faces = [(x, x - 1), (x + _RACK - 1, x + _RACK)]
        for number, y in enumerate(range(_END + 1, grid.height - _END - 1)):
            face, aisle = chance.choice(faces)
            shut = {(face, y + 1), (face, y - 1)} <= grid.walls
            if (face, y) in grid.walls and (aisle, y) not in grid.walls and shut and chance.random() < 0.09:
                grid.walls.discard((face, y))
                cells.add((face, y))
                grid.things.append(Thing(f"bin {row} {number}", "chest", (face, y), chance.choice(_STOCK)))
    return cells


def _doors(grid: Grid, chance: Random, racks: list[int], cross: list[int]) -> None:
    """Close some doors on some day, and let carts run through some aisles at night."""
    for y in cross:
        for x in racks:
            if chance.random() < 0.2:
                grid.gates[x, y] = chance.randrange(_CLOSES_FROM, _CLOSES_TO)
    for x in racks:
        if chance.random() < 0.25:
            grid.hazards |= {(x - 1, y) for y in range(_END, grid.height - _END) if chance.random() < 0.3}
    ends = [*range(_END), *range(grid.height - _END, grid.height)]
    grid.lit |= {(x, y) for x in range(grid.width) for y in ends}


def _ends(grid: Grid, chance: Random, niches: set[Cell]) -> None:
    """Put docks, tables and cots at the ends, pallets into the aisles, and clerks who trade at both."""
    free = sorted(
        {(x, y) for x in range(grid.width) for y in range(grid.height)} - grid.walls - niches - grid.gates.keys()
    )
    chance.shuffle(free)
    ends = [cell for cell in free if not _END <= cell[1] < grid.height - _END]
    aisles = [cell for cell in free if _END <= cell[1] < grid.height - _END]
    many = max(2, grid.width // 12)
    for kind, name in (("portal", "dock"), ("workstation", "table"), ("bed", "cot")):
        grid.things += [Thing(f"{name} {number}", kind, ends.pop()) for number in range(many)]
    grid.things += [Thing(f"pallet {number}", "ore", aisles.pop(), chance.choice(_STOCK)) for number in range(2 * many)]
    for number in range(2 * many):
        cell = (ends if number % 2 else aisles).pop()
        gives, takes = chance.sample(_STOCK, 2)
        grid.traders.append(Trader(f"clerk {number}", cell, gives, takes, chance.randrange(1, 6)))
