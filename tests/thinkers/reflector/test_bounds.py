"""What reflection is held to: chance by the book, nothing found in noise, and a state that stays small."""

import random
from dataclasses import asdict
from itertools import combinations

import orjson
import pytest

from tests.thinkers.reflector.histories import History, observed
from yggdrasil_processors.thinkers.frame.kept import STATE_BYTES_MAX
from yggdrasil_processors.thinkers.reflector.chance import fisher, wilson
from yggdrasil_processors.thinkers.reflector.comparing import LEVEL
from yggdrasil_processors.thinkers.reflector.reflector import Reflector
from yggdrasil_processors.thinkers.reflector.remembered import (
    FINDINGS_MAX,
    MEMBERS_MAX,
    PATHS_MAX,
    STEPS_MAX,
    Reflections,
    take_in,
)
from yggdrasil_schemas.limits import DECISION_PARTS_MAX, EPISODE_EVENTS_MAX, FEATURE_CHARS_MAX

SEEDS = 40


@pytest.mark.parametrize(("with_it", "of_with", "without", "of_without"), [(3, 4, 1, 4), (5, 5, 0, 3), (0, 3, 2, 4)])
def test_fisher_is_the_share_of_all_ways_to_deal_the_hits(
    with_it: int, of_with: int, without: int, of_without: int
) -> None:
    dealt = list(combinations(range(of_with + of_without), with_it + without))
    at_least = sum(sum(place < of_with for place in places) >= with_it for places in dealt)
    assert fisher(with_it, of_with, without, of_without) == pytest.approx(at_least / len(dealt))


def test_wilson_s_interval() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(8, 10)  # worked out by hand
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert wilson(10, 10).high == 1.0
    assert wilson(0, 10).low == 0.0


def noise(shape: str, seed: int) -> History:
    """Return 80 episodes whose ends have nothing to do with what was done before."""
    rng, history = random.Random(f"{shape} {seed}"), History()
    well = {"mostly bad": 0.2, "mostly good": 0.9}.get(shape, 0.5)
    for turn in range(80):
        end = round(rng.gauss(0.3, 2.0), 2) if shape == "of all sizes" else 1.0 if rng.random() < well else -1.0
        steps = [("start day", 0.0)]
        for _ in range(5):
            features = f"a{rng.randrange(2)} c{rng.randrange(4)}"
            if shape == "bursts":
                features = f"b{turn // 10 % 7} x{rng.randrange(5)}"
            steps.append((features, rng.choice((0.0, 0.0, 0.5, -0.5))))
        history.trial(*steps, ("end", end), session="one" if shape == "one session" else None)
    return history


@pytest.mark.parametrize("shape", ["fair", "mostly bad", "mostly good", "of all sizes", "bursts", "one session"])
def test_in_noise_hardly_ever_anything_is_found(shape: str) -> None:
    found = sum(bool(observed(noise(shape, seed).happened)) for seed in range(SEEDS))
    assert found <= LEVEL * SEEDS


def test_the_state_stays_small_whatever_things_are_called() -> None:
    history, rng = History(), random.Random(7)
    for turn in range(150):
        steps = []
        for _ in range(EPISODE_EVENTS_MAX - 1):
            size = FEATURE_CHARS_MAX if turn % 2 else 3
            steps.append((" ".join("\u6f22" * (size - 3) + f"{rng.randrange(1000):03}" for _ in range(12)), 0.0))
        history.trial(*steps, ("end", rng.choice((1.0, -1.0))))
    for _ in range(PATHS_MAX + 100):
        history.trial(("a b", 1.0), session=f"s{rng.randrange(10**9)}")
    for _ in range(STEPS_MAX + 100):
        history.tell("event", features=["x"])
    state = Reflections()
    most = 0
    for at, happening in enumerate(history.happened):
        take_in(state, happening)
        if at % 500 == 0:
            most = max(most, len(orjson.dumps(state)))
        assert len(state.paths) <= PATHS_MAX
        assert len(state.latest) <= PATHS_MAX
        assert state.members <= MEMBERS_MAX
    assert len(state.steps) <= STEPS_MAX
    assert len(state.findings) <= FINDINGS_MAX
    assert state.chars == sum(len(name) for step in state.steps.values() for name in step.features)
    assert state.members == sum(len(path.members) for path in state.paths.values())
    assert most < STATE_BYTES_MAX


def test_what_many_features_say_at_once_is_at_most_as_many_decisions_as_are_allowed() -> None:
    history, rng = History(), random.Random(9)
    for _ in range(60):
        for good in (True, False):
            steps = [(f"{'good' if good else 'bad'}:{at} other{at}:{rng.randrange(2)}", 0.0) for at in range(30)]
            history.trial(("start", 0.0), *steps, ("end", 1.0 if good else -1.0))
    state, reflector = Reflections(), Reflector()
    assert max(len(reflector.observe(state, each)) for each in history.happened) <= DECISION_PARTS_MAX


def test_a_state_is_json_and_back() -> None:
    history = noise("fair", 1)
    state = Reflections()
    for happening in history.happened:
        take_in(state, happening)
    assert orjson.loads(orjson.dumps(asdict(state))) == asdict(state)


def test_episodes_without_features_are_no_one_s_like() -> None:
    """The latest of them is looked at first, and has nothing in common with anything, itself included."""
    history = History()
    for trial in range(16):
        history.trial(("" if trial % 4 == 3 else "go", 0.0), ("", 5.0 if trial % 2 else -5.0))
    assert observed(history.happened) == []
