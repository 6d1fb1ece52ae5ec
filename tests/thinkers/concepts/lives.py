"""Lives of 1,200 events in which nothing belongs together, however much it looks so, or something does."""

from collections.abc import Callable, Iterator
from random import Random

from tests.thinkers.told import event
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

EVENTS = 1_200


def drawn(rng: Random, count: int, of: int) -> list[str]:
    return [f"n{n}" for n in rng.sample(range(of), count)]


def uniform(count: int, of: int) -> Callable[[Random], Iterator[Happening]]:
    """So many features in each event, of so many."""

    def live(rng: Random) -> Iterator[Happening]:
        for n in range(1, EVENTS + 1):
            yield event(n, *drawn(rng, count, of))

    return live


def skewed(rng: Random) -> Iterator[Happening]:
    """A few features are in most events, and most in few."""
    for n in range(1, EVENTS + 1):
        names = [f"n{min(199, int(rng.paretovariate(0.8)))}" for _ in range(4)]
        yield event(n, *dict.fromkeys(names))


def bursts(length: int, count: int, among: int, sessions: bool) -> Callable[[Random], Iterator[Happening]]:
    """For so many events the same few of 40 features are all there is; each such burst is a session, or none is."""

    def live(rng: Random) -> Iterator[Happening]:
        few: list[str] = []
        for n in range(EVENTS):
            if n % length == 0:
                few = drawn(rng, among, 40)
            yield event(n + 1, *rng.sample(few, count), session=f"s{n // length}" if sessions else "default")

    return live


def themed(size: int, percent: int, themes: int = 1, spare: int = 0) -> Callable[[Random], Iterator[Happening]]:
    """Sessions of 20 events of noise, some of which have all features of a theme, or all but so many spare ones."""

    def live(rng: Random) -> Iterator[Happening]:
        for n in range(EVENTS):
            features = drawn(rng, 3, 40)
            theme = int(rng.random() * 100 // percent)
            if theme < themes:
                features = [f"t{theme}-{m}" for m in rng.sample(range(size + spare), size)] + features[:2]
            yield event(n + 1, *features, session=f"s{n // 20}")

    return live


NOISE: dict[str, Callable[[Random], Iterator[Happening]]] = {
    "uniform: 4 of 40": uniform(4, 40),
    "uniform: 4 of 200": uniform(4, 200),
    "uniform: 12 of 40": uniform(12, 40),
    "uniform: 3 of 2,000": uniform(3, 2_000),
    "skewed": skewed,
    "sessions of 10, 2 of 4 of 40": bursts(10, 2, 4, True),
    "sessions of 20, 3 of 5 of 40": bursts(20, 3, 5, True),
    "sessions of 20, 3 of 8 of 40": bursts(20, 3, 8, True),
    "sessions of 60, 3 of 5 of 40": bursts(60, 3, 5, True),
    "bursts of 20, 3 of 5 of 40": bursts(20, 3, 5, False),
    "bursts of 100, 3 of 5 of 40": bursts(100, 3, 5, False),
    "bursts of 6, 5 of 6 of 40": bursts(6, 5, 6, False),
}
PLANTED: dict[str, tuple[Callable[[Random], Iterator[Happening]], int]] = {
    "3 together in 2 %": (themed(3, 2), 1),
    "3 together in 5 %": (themed(3, 5), 1),
    "5 together in 30 %": (themed(5, 30), 1),
    "4 together in 60 %": (themed(4, 60), 1),
    "four themes, 3 of 4 in 10 % each": (themed(3, 10, themes=4, spare=1), 4),
    "eight themes, 4 of 6 in 5 % each": (themed(4, 5, themes=8, spare=2), 8),
}
