"""What is around some documents: over few, over all, and taken literally, the same to the last bit."""

from random import Random

import numpy as np
import pytest

from yggdrasil_projections.retrieval.index import neighbours
from yggdrasil_projections.retrieval.index.neighbours import REACH, Around, Line
from yggdrasil_projections.retrieval.ranking.rankers import RANKERS

DECAY = (0.9, 0.7, 0.5, 0.3)
FEW, MANY = 1, 10**6


class Documents:
    """Some in sessions of which each knows the order, some in none, and some that are not counted."""

    def __init__(self, rng: Random) -> None:
        self.count = rng.choice((1, 2, 12, 300))
        sessions = rng.choice((1, 4, 150))
        of = [rng.choice((None, "none", *range(sessions))) for _ in range(self.count)]
        self.counted = [row for row in range(self.count) if of[row] is not None]
        self.sessions = [[row for row in self.counted if of[row] == number] for number in range(sessions)]
        events = [row for session in self.sessions for row in session]
        follows = [place > 0 for session in self.sessions for place in range(len(session))][1:]
        counted = np.zeros(self.count, np.bool_)
        counted[self.counted] = True
        self.line = Line(counted, np.array(events, np.int64), np.array(follows, np.bool_))

    def away(self, row: int) -> dict[int, int]:
        """Return the neighbours of a row, and how far they are."""
        found: dict[int, int] = {}
        for session in self.sessions:
            if row in session:
                at = session.index(row)
                found = {other: abs(place - at) for place, other in enumerate(session) if abs(place - at) <= REACH}
        return {other: far for other, far in found.items() if far}


def of_rows(line: Line, around: Around) -> list[float]:
    values = line.zeros()
    values[around.places] = around.near
    assert line.length == len(values)
    return [float(value) for value in values[line.place]]


@pytest.mark.parametrize("seed", range(40))
def test_over_few_and_over_all_the_same_is_around(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(f"neighbours{seed}")
    given = Documents(rng)
    asked = sorted(rng.sample(given.counted, rng.randrange(len(given.counted) + 1)))
    near = [0.0] * given.count
    for row in asked:
        for other, far in given.away(row).items():
            near[other] = max(near[other], DECAY[far - 1])
    for row in asked:
        near[row] = 1.0
    scratch = given.line.zeros()
    for share in (FEW, MANY):
        monkeypatch.setattr(neighbours, "_DENSE_SHARE", share)
        assert of_rows(given.line, given.line.around(np.array(asked, np.int64), DECAY, scratch)) == near
        assert not scratch.any()


@pytest.mark.parametrize("seed", range(40))
def test_the_greatest_of_the_neighbours_is_found(seed: int) -> None:
    rng = Random(f"nearest{seed}")
    given = Documents(rng)
    values = [rng.uniform(-3.0, 3.0) for _ in range(given.count)]
    rows = sorted(rng.sample(given.counted, rng.randrange(len(given.counted) + 1)))
    expected = [max([0.0, *(DECAY[far - 1] * values[other] for other, far in given.away(row).items())]) for row in rows]
    assert given.line.nearest(np.array(values), DECAY, np.array(rows, np.int64)).tolist() == expected


def test_no_ranker_looks_farther_than_sessions_are_apart() -> None:
    assert {len(recipe.decay) for recipe in RANKERS.values()} == {REACH}
