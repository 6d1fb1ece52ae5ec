"""What the benchmark of behaviour stands on: its judgement, its baselines, its streams, and the claims in small."""

from pathlib import Path

import pytest

from benchmarks.behaviour.figures import place, settles, told
from benchmarks.behaviour.keepers import CAPACITY, Frequency, Keeper, Recency, Similarity
from benchmarks.behaviour.life import InMemory, Life, Stored
from benchmarks.behaviour.scenarios import catastrophe, cause, forgetting, reversal, trap

FEATURES = 40


@pytest.mark.parametrize(
    ("scores", "first", "reciprocal"),
    [
        ({"it": 2.0, "other": 1.0}, 1.0, 1.0),
        ({"it": 1.0, "other": 2.0}, 0.0, 0.5),
        ({"it": 1.0, "other": 1.0}, 0.5, 0.75),
        ({"it": 0.0, "a": 0.0, "b": 0.0, "c": 1.0}, 0.0, (1 / 2 + 1 / 3 + 1 / 4) / 3),
    ],
)
def test_a_place_in_a_ranking_breaks_ties_by_lot(scores: dict[str, float], first: float, reciprocal: float) -> None:
    found = place(scores, "it")
    assert found.first == pytest.approx(first)
    assert found.reciprocal == pytest.approx(reciprocal)


@pytest.mark.parametrize(
    ("right", "steps"),
    [([True, True], 1), ([False, True], 2), ([True, False, True, True], 3), ([True, False], 3), ([False, False], 3)],
)
def test_what_is_right_settles_after_the_last_mistake(right: list[bool], steps: int) -> None:
    assert settles(right) == steps


def test_a_measure_is_told_with_its_spread() -> None:
    assert told("it", [1.0, 3.0]) == {"it": 2.0, "it (spread)": pytest.approx(2**0.5)}
    assert told("it", [3.0]) == {"it": 3.0, "it (spread)": 0.0}


@pytest.mark.parametrize("keeper", [Recency(), Frequency(), Similarity(FEATURES)])
def test_a_baseline_keeps_no_more_than_its_capacity(keeper: Keeper) -> None:
    for event in range(CAPACITY + 100):
        keeper.tell(event, [event % FEATURES, event // FEATURES % FEATURES, event * 7 % FEATURES])
    assert 0 < len(keeper.kept()) <= CAPACITY


def test_the_window_forgets_what_was_touched_longest_ago() -> None:
    window = Recency()
    for event in range(CAPACITY):
        window.tell(event, [])
    window.touch(0)
    window.tell(CAPACITY, [])
    assert 0 in window.kept()
    assert 1 not in window.kept()


def test_the_counter_forgets_what_was_touched_least() -> None:
    counter = Frequency()
    for event in range(CAPACITY):
        counter.tell(event, [])
    for event in range(CAPACITY - 1):
        counter.touch(event)
    counter.tell(CAPACITY, [])
    assert counter.kept() == {*range(CAPACITY - 1), CAPACITY}


def test_the_differing_are_kept_and_the_similar_are_not() -> None:
    differing = Similarity(2 * CAPACITY + 4)
    differing.tell(0, [0, 1])
    differing.tell(1, [0, 1])  # the same again
    differing.tell(2, [0, 1, 2])  # two thirds like the first
    for event in range(3, CAPACITY + 2):
        differing.tell(event, [2 * event, 2 * event + 1])
    assert {0, 1, 2} & differing.kept() == {2}
    assert len(differing.kept()) == CAPACITY


def test_a_life_is_the_same_every_time() -> None:
    lives = [Life(3, InMemory()) for _ in range(2)]
    for life in lives:
        life.outcome(life.event(["a", f"b{life.random.random()}"]), -3.0)
    one, other = lives
    assert one.host.graph().header == other.host.graph().header  # its history is a hash of all that was said
    assert one.feature("a") == other.feature("a")


def test_what_is_refused_ends_the_scenario() -> None:
    life = Life(1, InMemory())
    life.tell("attest", {})
    with pytest.raises(ValueError, match="offset 1"):
        life.tell("attest", {})  # too soon after the first


def test_what_is_refused_is_noticed_in_a_batch_too(tmp_path: Path) -> None:
    with Stored(tmp_path / "store") as host:
        life = Life(1, host)
        life.tell("attest", {})
        life.tell("attest", {})
        with pytest.raises(ValueError, match="refused"):
            host.graph()


@pytest.mark.parametrize("form", cause.FORMS)
def test_the_cause_is_found(form: str) -> None:
    found = cause.live(1, cause.World(10, form, 100))
    assert found.last("valence").first == 1.0


def test_what_helps_comes_first_and_its_company_does_not(tmp_path: Path) -> None:
    found = trap.live(1, "plain", 3, tmp_path / "store")
    assert found.places["search"][-1].first == 1.0
    assert found.places["shared credit"][-1].first == pytest.approx(0.2)


def test_a_reversal_is_followed() -> None:
    found = reversal.live(1, 60)
    assert found.follows_after("valence") < found.follows_after("running mean")


def test_a_catastrophe_stays_when_the_memory_has_been_filled_many_times(tmp_path: Path) -> None:
    found = catastrophe.live(1, 1_000, tmp_path / "store")
    assert [found.survives("graph", depth) for depth in catastrophe.DEPTHS] == [1.0, 1.0, 1.0]
    assert found.survives("recency", 1) == 0.0


def test_what_was_used_stays_longer_than_what_was_not() -> None:
    used, trivial = (forgetting.live(kind, 400) for kind in ("used 20 times", "trivial event"))
    assert used.half_life() > 2 * trivial.half_life()
