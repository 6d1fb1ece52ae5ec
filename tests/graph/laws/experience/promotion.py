"""What becomes a concept, of noise and of what is planted in it.

``python -m tests.graph.laws.experience.promotion`` prints the table.
Each life is told to the fold under the default policy, one for each seed. Noise is events whose features and outcomes
are drawn at random; what is planted is a theme, features that recur together in a share of all events, or an omen, a
feature after which outcomes are bad more often than after others.
"""

import sys
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from tests.graph.commands import MEMORY, event, outcome
from tests.graph.world import World
from yggdrasil_schemas.graph.records import NodeFlag, NodeKind

SEEDS: Final = 20
EVENTS: Final = 1_200
THEME: Final = "theme:"
OMEN: Final = "omen"

Drawn = tuple[list[str], float]
"""An event's features, and how it turned out; 0 when nobody told."""
Life = Callable[[Random, int], Iterator[Drawn]]


def uniform(good: float | None = None, features: int = 40) -> Life:
    """Four of the features in each event; a third of the events turn out, well in a share ``good`` of them."""

    def life(rng: Random, count: int) -> Iterator[Drawn]:
        for _ in range(count):
            told = good is not None and rng.random() < 1 / 3
            value = (2.0 if rng.random() < (good or 0.0) else -2.0) if told else 0.0
            yield _some(rng, features, 4), value

    return life


def zipf(rng: Random, count: int) -> Iterator[Drawn]:
    """Three to four of two hundred features, each as much rarer as its place says."""
    weights = [1 / (place + 1) for place in range(200)]
    for _ in range(count):
        drawn = rng.choices(range(200), weights, k=4)
        yield [f"f{n}" for n in dict.fromkeys(drawn)], 0.0


def stretches(length: int, known: int, each: int) -> Life:
    """Sessions of ``length`` events that draw ``each`` of ``known`` features, and those of forty."""

    def life(rng: Random, count: int) -> Iterator[Drawn]:
        known_now: list[str] = []
        for number in range(count):
            if number % length == 0:
                known_now = _some(rng, 40, known)
            yield rng.sample(known_now, each), 0.0

    return life


def theme(size: int, share: float) -> Life:
    """Uniform noise; a share of the events has all of ``size`` features, and two others."""

    def life(rng: Random, count: int) -> Iterator[Drawn]:
        for _ in range(count):
            recurs = rng.random() < share
            yield [*(f"{THEME}{n}" for n in range(size)), *_some(rng, 40, 2)] if recurs else _some(rng, 40, 4), 0.0

    return life


def omen(good: float, bad_after: float) -> Life:
    """A feature in a tenth of the events, after which outcomes are bad so often; after the others, good so often."""

    def life(rng: Random, count: int) -> Iterator[Drawn]:
        for _ in range(count):
            seen = rng.random() < 0.1
            bad = bad_after if seen else 1 - good
            value = (-2.0 if rng.random() < bad else 2.0) if rng.random() < 0.5 else 0.0
            yield [*_some(rng, 40, 3), *([OMEN] if seen else [])], value

    return life


NOISE: Final[dict[str, Life]] = {
    "uniform: 4 of 40": uniform(),
    "uniform: 4 of 200": uniform(features=200),
    "uniform, a third turn out, 10 % well": uniform(0.1),
    "uniform, a third turn out, 50 % well": uniform(0.5),
    "uniform, a third turn out, 90 % well": uniform(0.9),
    "uniform, a third turn out, all well": uniform(1.0),
    "Zipf: 4 of 200": zipf,
    "sessions of 20 events, 3 of 8 of 40": stretches(20, 8, 3),
    "sessions of 20 events, 3 of 5 of 40": stretches(20, 5, 3),
    "sessions of 10 events, 2 of 4 of 40": stretches(10, 4, 2),
}
PLANTED: Final[dict[str, Life]] = {
    "theme of 3 in 5 % of the events": theme(3, 0.05),
    "theme of 3 in 10 %": theme(3, 0.1),
    "theme of 4 in 10 %": theme(4, 0.1),
    "theme of 5 in 30 %": theme(5, 0.3),
    "omen, 90 % bad where 10 % are": omen(0.9, 0.9),
    "omen, all bad where 10 % are": omen(0.9, 1.0),
    "omen, all bad where half are": omen(0.5, 1.0),
}


def concepts_of(life: Life, seed: int, events: int = EVENTS) -> tuple[list[str], int]:
    """Return the features that are conceptual when the life has been told, and how many features there are."""
    world = World(1)
    for number, (features, value) in enumerate(life(Random(seed), events)):
        world.say(event(f"e{number}", *features, session=f"s{number // 20}"))
        if value:
            world.say(outcome(f"o{number}", f"e{number}", value))
    graph = world.graph(MEMORY)
    found, count = [], 0
    for node in graph.changed_nodes.values():
        if node is not None and node.kind == NodeKind.FEATURE:
            count += 1
            if node.flags & NodeFlag.CONCEPTUAL:
                found.append(graph.feature_name(node.number))
    return sorted(found), count


def planted(name: str) -> bool:
    return name == OMEN or name.startswith(THEME)


def _some(rng: Random, of: int, count: int) -> list[str]:
    return [f"f{n}" for n in rng.sample(range(of), count)]


def main(seeds: int) -> None:
    _say("| life | noise promoted | planted promoted |\n|---|---:|---:|")
    for name, life in (NOISE | PLANTED).items():
        wrong = right = there = asked = 0
        for seed in range(seeds):
            found, count = concepts_of(life, seed)
            hits = sum(map(planted, found))
            sought = int(name.split()[2]) if name.startswith("theme") else int(name.startswith("omen"))
            wrong, right = wrong + len(found) - hits, right + hits
            there, asked = there + count - sought, asked + sought
        _say(f"| {name} | {wrong} of {there} | {f'{right} of {asked}' if asked else '-'} |")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SEEDS)
