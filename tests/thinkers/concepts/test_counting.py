"""What counts, and what is forgotten: stretches of four events, in which what begins counts once."""

from collections.abc import Iterator
from random import Random

import orjson
import pytest

from tests.thinkers.told import concept, decided, episode, event, outcome
from yggdrasil_processors.thinkers.concepts import ConceptFormer
from yggdrasil_processors.thinkers.concepts.communities import communities, links, ratio
from yggdrasil_processors.thinkers.concepts.counting import (
    FEATURES_MAX,
    HALVED_EVERY,
    OPEN_MAX,
    PAIRED_MAX,
    PAIRS_MAX,
    Count,
    Counts,
    take,
)
from yggdrasil_processors.thinkers.concepts.state import Remembered
from yggdrasil_projections.retrieval.reads.experience.happened import Happening


def told(*stretches: str) -> Counts:
    """Stretches of one session; the words are events, and each letter of a word is a feature."""
    counts, at = Counts(), 0
    for stretch in stretches:
        for word in stretch.split():
            at += 1
            take(counts, "s", list(word), at)
    return counts


def times(counts: Counts, name: str) -> float:
    """Of a feature, or of a pair."""
    numbers = sorted(counts.numbers[letter] for letter in name)
    count = counts.features[str(numbers[0])] if len(name) == 1 else counts.pairs.get(f"{numbers[0]},{numbers[1]}")
    return count.times if count else 0.0


def test_a_stretch_counts_when_it_has_four_events_and_what_is_in_it_counts_once() -> None:
    assert told("ab ab ab").stretches == 0
    counts = told("ab ab ac x")
    assert (counts.stretches, times(counts, "a"), times(counts, "b"), times(counts, "c")) == (1, 1, 1, 1)
    assert (times(counts, "ab"), times(counts, "ac"), times(counts, "bc")) == (1, 1, 0)


def test_what_goes_on_does_not_begin() -> None:
    counts = told("ab x x x", "ab x x x", "y y y y", "ab y y y")
    assert (counts.stretches, times(counts, "a"), times(counts, "ab"), times(counts, "x")) == (4, 2, 2, 1)
    counts = told("a x x x", "ab x x x")
    assert (times(counts, "a"), times(counts, "b"), times(counts, "ab")) == (1, 1, 0)


def test_sessions_have_stretches_of_their_own_and_the_one_touched_longest_ago_ends_first() -> None:
    counts = Counts()
    for number in range(OPEN_MAX):
        take(counts, f"s{number}", ["a"], number + 1)
    assert counts.stretches == 0
    take(counts, "s0", ["b"], 100)
    take(counts, "one more", ["a"], 101)
    assert counts.stretches == 1 and "s1" not in counts.growing and "s0" in counts.growing


def test_only_the_first_features_of_an_event_count() -> None:
    counts = Counts()
    for at in range(4):
        take(counts, "s", [f"f{n}" for n in range(PAIRED_MAX + 1)], at)
    assert len(counts.features) == PAIRED_MAX
    assert len(counts.pairs) == PAIRED_MAX * (PAIRED_MAX - 1) // 2


def test_what_is_old_counts_half_and_then_nothing() -> None:
    counts = Counts()
    for n in range(HALVED_EVERY):
        take(counts, f"s{n}", ["a", "b"] if n < 2 else ["c", "d"] if n < 3 else [f"x{n % 7}"], n)
    for at in range(HALVED_EVERY, HALVED_EVERY + OPEN_MAX):
        take(counts, f"s{at}", ["z"], at)
    assert counts.stretches == HALVED_EVERY / 2
    assert (times(counts, "a"), times(counts, "ab")) == (1.0, 1.0)
    assert "c" not in counts.numbers and "d" not in counts.numbers
    assert len(counts.pairs) == 1


def test_the_rarest_are_forgotten_and_of_equals_the_oldest() -> None:
    counts = told("ab x x x", "c x x x", "ab x x x")
    for n in range(FEATURES_MAX - 3):
        take(counts, "s", [f"new{n}"], 100 + n)
    assert len(counts.features) <= FEATURES_MAX
    assert {"a", "b"} <= counts.numbers.keys() and "x" not in counts.numbers
    assert "new1" not in counts.numbers and f"new{FEATURES_MAX - 4}" in counts.numbers
    assert times(counts, "ab") == 2


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ((4, 4, 4, 16), 17.9947),  # 2 (4 ln 4 + 12 ln 4/3)
        ((8, 8, 8, 16), 22.1807),  # 2 * 16 ln 2
        ((4, 8, 8, 16), 0.0),  # as chance would have it
        ((3, 8, 8, 16), 0.0),  # less
    ],
)
def test_the_ratio_is_zero_by_chance_and_grows_with_what_is_beyond_it(
    cells: tuple[float, float, float, float], expected: float
) -> None:
    assert ratio(*cells) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("together", "stretches", "linked"),
    [(4.0, 32.0, True), (3.5, 1e6, False), (4.0, 19.0, False), (4.0, 20.0, True)],
)
def test_a_link_takes_four_meetings_and_a_ratio_of_twenty(together: float, stretches: float, linked: bool) -> None:
    """With 19 stretches the ratio is 19.5, with 20 it is 20.02."""
    counts = Counts(stretches=stretches, features={"1": Count(together), "2": Count(together)})
    counts.pairs = {"1,2": Count(together)}
    assert bool(links(counts)) == linked


def clique(*members: int) -> dict[int, dict[int, int]]:
    return {one: {other: 1_000 for other in members if other != one} for one in members}


def test_communities_hold_together_and_have_three_features_at_least() -> None:
    assert communities({}) == communities(clique(1, 2)) == []
    assert communities(clique(1, 2, 3) | clique(4, 5, 6, 7)) == [[4, 5, 6, 7], [1, 2, 3]]
    assert communities({1: {2: 9}, 2: {1: 9, 3: 9}, 3: {2: 9}}) == [[2, 1, 3]], "two pairs of three are linked"
    star = {0: dict.fromkeys(range(1, 9), 9)} | {n: {0: 9} for n in range(1, 9)}
    (core,) = communities(star)
    assert len(core) == 4, "three pairs of six are linked, and with one more it would be four of ten"
    assert len(communities(clique(*range(40)))[0]) == 12


def test_a_hostile_writer_finds_bounds() -> None:
    """Everything as long, as new and as much as can be; its state as JSON stays below 3 MiB."""
    rng, state = Random("hostile"), Remembered()
    former = ConceptFormer()

    def history() -> Iterator[Happening]:
        for n in range(600):
            new = [f"{n}-{m}".ljust(128, "\U0001f600") for m in range(4)]
            old = [f"{rng.randrange(700)}".ljust(128, "\U0001f600") for _ in range(28)]
            yield event(n, *old, *new, session=f"{n % 40}".ljust(128, "s"))
            yield outcome(n, f"e{n}", -1.0)
            if n % 10 == 0:
                yield episode(n, *(f"e{m}".ljust(64) for m in range(64)))
                yield concept(n, *(f"feature:{m}".ljust(136, "\U0001f600") for m in range(32)), thinker=None)

    decided(former, history(), state=state)
    assert len(state.counts.features) <= FEATURES_MAX
    assert len(state.counts.pairs) <= PAIRS_MAX
    assert len(orjson.dumps(state)) < 3 << 20
