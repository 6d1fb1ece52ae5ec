"""Worlds of places, drawn from a seed, and memories that are told of them."""

from collections.abc import Iterable, Sequence
from math import hypot
from random import Random
from typing import Any

from yggdrasil import Memory, Store
from yggdrasil_projections.retrieval.reads.places.distance import Spot

Cell = tuple[int, int]
REALM = "overworld"


def even(chance: Random, count: int, side: int) -> list[Cell]:
    """Cells that are spread evenly over a square, each once."""
    return list(dict.fromkeys((chance.randrange(side), chance.randrange(side)) for _ in range(count)))


def village(chance: Random, centre: Cell, members: int, reach: int) -> list[Cell]:
    """Cells that are spread evenly over a small square, each once."""
    found: dict[Cell, None] = {}
    while len(found) < members:
        found[centre[0] + chance.randint(-reach, reach), centre[1] + chance.randint(-reach, reach)] = None
    return list(found)


def centres(chance: Random, count: int, side: int, apart: int) -> list[Cell]:
    """Cells that are so far apart."""
    found: list[Cell] = []
    while len(found) < count:
        x, z = chance.randrange(side), chance.randrange(side)
        if all(hypot(x - other[0], z - other[1]) >= apart for other in found):
            found.append((x, z))
    return found


def spots(cells: Iterable[Cell], realm: str = REALM) -> list[Spot]:
    return [Spot(realm, x, 64, z) for x, z in cells]


def place(
    memory: Memory[Any],
    name: str,
    cell: Cell,
    kind: str | None = None,
    realm: str = REALM,
    session: str | None = None,
) -> None:
    """Tell where a place is, having dealt with it."""
    anchor = (realm, cell[0], 64, cell[1])
    memory.observe(name, place=name, place_type=kind, anchor=anchor, kind="build", session=session)


def settle(
    memory: Memory[Any], name: str, cells: Sequence[Cell], realm: str = REALM, session: str | None = None
) -> list[str]:
    """Tell of the places of a village, ``NAME 0`` and so on; return their names."""
    for number, cell in enumerate(cells):
        place(memory, f"{name} {number}", cell, "house", realm, session)
    return [f"place:{name} {number}" for number in range(len(cells))]


def think(store: Store) -> int:
    """Let the cartographer look at what is new; return how much it decided."""
    (run,) = store.think("cartographer", rest=True)
    assert run.stopped is None, run.stopped
    return run.decided


def villages(memory: Memory[Any], *, candidates: bool = False) -> dict[str, set[str]]:
    """The villages that stand, or wait too, each with its members."""
    found = memory.places(type="village", candidates=candidates).places
    return {
        each.name: {
            one.name
            for one in memory.neighbours_of(
                each.name, relation="part_of", direction="in", candidates=candidates, count=100
            ).neighbours
        }
        for each in found
    }
