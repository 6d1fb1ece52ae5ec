"""``python -m tests.thinkers.cartographer.measured``: which share of villages is found, and what is taken for one.

A village is found where a cluster and it have more than half of all their places in common. All places are known.
"""

import sys
from collections.abc import Callable, Iterator
from random import Random

from benchmarks.places.world import made
from tests.thinkers.cartographer.worlds import Cell, centres, even, spots, village
from yggdrasil_processors.thinkers.cartographer.density import clusters

World = tuple[list[Cell], list[set[Cell]]]
"""The cells of all places, and those of each true village."""
WORLDS = 200


def _even(chance: Random) -> World:
    return even(chance, 100, 5_000), []


def _road(chance: Random) -> World:
    return [(chance.randrange(100_000), chance.randrange(500)) for _ in range(100)], []


def _villages(members: int, between: int) -> Callable[[Random], World]:
    def drawn(chance: Random) -> World:
        told = [village(chance, middle, members, 10) for middle in centres(chance, 10, 1_000, 120)]
        return [*(each for one in told for each in one), *even(chance, between, 1_000)], [set(one) for one in told]

    return drawn


def _grid(kind: str) -> Callable[[Random], World]:
    def drawn(chance: Random) -> World:
        things = made(kind, chance.randrange(10**9)).things
        own: dict[str, set[Cell]] = {}
        for each in things:
            number, dash, _ = each.name.rpartition(" ")[2].partition("-")
            if dash:
                own.setdefault(number, set()).add(each.cell)
        return [each.cell for each in things], list(own.values())

    return drawn


WORLDS_OF: dict[str, Callable[[Random], World]] = {
    "a hundred places, spread evenly": _even,
    "a hundred along a road": _road,
    "ten villages of 4, and 50 places between": _villages(4, 50),
    "ten villages of 6, and 50 places between": _villages(6, 50),
    "ten villages of 10, and 50 places between": _villages(10, 50),
    "ten villages of 10, and 200 places between": _villages(10, 200),
    "fields": _grid("fields"),
    "halls": _grid("halls"),
}


def measured(name: str, worlds: int = WORLDS) -> tuple[float, float]:
    """Return the share of true villages that are found, and how many others a world has on the mean."""
    found = true = others = 0
    for cells, wanted in _drawn(name, worlds):
        told = [{cells[each] for each in one} for one in clusters(spots(cells))]
        met = [any(2 * len(one & each) > len(one | each) for one in told) for each in wanted]
        true, found = true + len(wanted), found + sum(met)
        others += sum(all(2 * len(one & each) <= len(one | each) for each in wanted) for one in told)
    return (found / true if true else 0.0), others / worlds


def _drawn(name: str, worlds: int) -> Iterator[World]:
    for seed in range(worlds):
        cells, wanted = WORLDS_OF[name](Random(f"{name} {seed}"))
        yield list(dict.fromkeys(cells)), wanted


if __name__ == "__main__":
    for each in WORLDS_OF:
        share, wrong = measured(each)
        sys.stdout.write(f"{each:45} found {share:4.0%}, others a world {wrong:.3f}\n")
