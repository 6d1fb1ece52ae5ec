"""What is reported of a memory's habits, and that nothing is of a sound one."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import DriftReport, Event, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.learning import drift as module
from yggdrasil_projections.retrieval.reads.learning.drift import RECALLS_MIN, REPEATS, STEPS_MIN, SWINGS, effective


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent", embedder="off") as opened:
        yield opened


def lived(memory: Memory[Embedded], *features: list[str]) -> None:
    """Events, each with its features."""
    for _ in memory.record_many(Event("so it was", features=each) for each in features):
        pass


def trial(memory: Memory[Embedded], took: str, end: float, at: str = "fork") -> str:
    """An episode of three steps: where the ways part, which was taken, and how it ended."""
    steps = [memory.record_event(name, features=[name]) for name in (at, took, "gate" if end > 0 else "ditch")]
    memory.log_outcome(steps[-1], end)
    return memory.commit_episode(steps)


def only(memory: Memory[Embedded], habit: str) -> DriftReport:
    (report,) = memory.drift().reports
    assert report.habit == habit
    return report


def test_variety_is_counted_as_equally_frequent_things() -> None:
    assert effective([5, 5, 5, 5]) == effective([1, 1, 1, 1])
    assert abs(effective([5, 5, 5, 5]) - 4.0) < 1e-9
    assert effective([1_000, 1]) < 1.01
    assert effective([]) == 0.0


def test_a_memory_that_collapses_onto_little_is_reported(memory: Memory[Embedded]) -> None:
    rng = random.Random(1)
    lived(memory, *([f"f{rng.randrange(40)}"] for _ in range(100)), *([f"f{rng.randrange(3)}"] for _ in range(100)))
    report = only(memory, "collapse")
    assert report.value < report.bound
    assert set(report.evidence) == {"feature:f0", "feature:f1", "feature:f2"}
    assert "100 events" in report.sentence and "mostly f" in report.sentence
    found = memory.drift()
    assert (found.events, found.episodes, found.recalls, found.as_of) == (200, 0, 0, 200)


def test_outcomes_that_speak_of_little_are_reported(memory: Memory[Embedded]) -> None:
    rng = random.Random(2)
    for turn in range(4 * STEPS_MIN):
        event = memory.record_event("so it was", features=[f"f{rng.randrange(40)}"])
        if turn < STEPS_MIN:
            memory.log_outcome(event, 1.0)
        elif turn % 3 == 0:
            memory.log_outcome(memory.record_event("again", features=["f1"]), 1.0)
    assert "what outcomes speak of" in only(memory, "collapse").sentence


def test_a_memory_as_varied_as_before_is_not_reported(memory: Memory[Embedded]) -> None:
    rng = random.Random(3)
    for _ in range(300):
        event = memory.record_event("so it was", features=[f"f{rng.randrange(40)}", f"g{rng.randrange(4)}"])
        memory.log_outcome(event, rng.choice((1.0, -1.0)))
    assert memory.drift().reports == []


def test_events_of_fewer_features_are_no_collapse(memory: Memory[Embedded]) -> None:
    rng = random.Random(4)
    many = [[f"f{each}" for each in rng.sample(range(400), 8)] for _ in range(STEPS_MIN)]
    lived(memory, *many, *([f"f{rng.randrange(400)}"] for _ in range(STEPS_MIN)))
    assert memory.drift().reports == []


def test_two_paths_in_turn_with_two_ends_in_turn_are_reported(memory: Memory[Embedded]) -> None:
    made = [trial(memory, "left" if turn % 2 else "right", 1.0 if turn % 2 else -1.0) for turn in range(SWINGS)]
    report = only(memory, "oscillation")
    assert "after fork" in report.sentence and "left and right" in report.sentence
    assert (report.evidence, report.value, report.bound) == (made[::-1], SWINGS, SWINGS)
    trial(memory, "left", 1.0)
    assert memory.drift().reports == [], "the last one took the same path twice"


def test_two_paths_in_turn_that_both_end_well_are_not(memory: Memory[Embedded]) -> None:
    for turn in range(3 * SWINGS):
        trial(memory, "left" if turn % 2 else "right", 1.0)
    assert memory.drift().reports == []


def test_the_same_path_to_a_bad_end_again_and_again_is_reported(memory: Memory[Embedded]) -> None:
    trial(memory, "left", 1.0)
    failed = [trial(memory, "right", -1.0) for _ in range(REPEATS)]
    report = only(memory, "repeated_failure")
    assert report.evidence == failed[::-1] and "(fork to right)" in report.sentence
    trial(memory, "right", 1.0)
    assert memory.drift().reports == []


def test_what_was_said_of_an_episode_as_a_whole_is_its_end(memory: Memory[Embedded]) -> None:
    made = [trial(memory, "right", 1.0) for _ in range(REPEATS)]
    for episode in made:
        memory.log_outcome(episode, -5)
    assert only(memory, "repeated_failure").evidence == made[::-1]


def test_other_paths_to_bad_ends_are_not_a_loop(memory: Memory[Embedded]) -> None:
    for turn in range(4 * REPEATS):
        trial(memory, f"way-{turn}", -1.0)
    assert memory.drift().reports == []


@pytest.mark.parametrize("seed", range(4))
def test_ends_by_lot_are_no_loop_after_any_of_many_beginnings(memory: Memory[Embedded], seed: int) -> None:
    """A run of five among sixty beginnings is nothing: it takes as many as chance hardly ever makes."""
    rng = random.Random(seed)
    for _ in range(240):
        trial(memory, rng.choice(("left", "right")), rng.choice((1.0, -1.0)), f"fork-{rng.randrange(60)}")
    assert memory.drift().reports == []


def test_recalls_that_lose_variety_are_reported_and_broad_ones_are_not(memory: Memory[Embedded]) -> None:
    lived(memory, *([f"f{each}"] for each in range(50)))
    events = [each.id for each in memory.happened().happened]
    for turn in range(2 * RECALLS_MIN):
        recalled(memory, [events[turn % 50], events[(7 * turn + 3) % 50]])
    assert memory.drift().reports == []
    for turn in range(2 * RECALLS_MIN):
        recalled(memory, [events[turn % 2], events[3]])
    report = only(memory, "narrow_recall")
    assert report.evidence[0] == events[3] and report.value < report.bound
    assert memory.drift().recalls == 4 * RECALLS_MIN


def test_no_more_than_the_latest_is_looked_at(memory: Memory[Embedded], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    lived(memory, *([f"f{rng.randrange(40)}"] for _ in range(200)), *(["same"] for _ in range(2 * STEPS_MIN)))
    assert memory.drift().reports
    monkeypatch.setattr(module, "LOOKED_AT_MAX", 2 * STEPS_MIN)
    found = memory.drift()
    assert (found.events, found.reports) == (2 * STEPS_MIN, []), "it has been so for as long as one looks"


def test_what_is_forgotten_is_not_named(memory: Memory[Embedded]) -> None:
    memory.set_policy(nodes_max=320, edges_max=2_000, sessions_open_max=32)
    rng = random.Random(6)
    lived(memory, *([f"f{rng.randrange(40)}", f"once-{turn}"] for turn, _ in enumerate(range(400))))
    for _ in range(REPEATS + 1):
        trial(memory, "right", -1.0)
    (report,) = [each for each in memory.drift().reports if each.habit == "repeated_failure"]
    for ref in report.evidence:
        assert memory.describe(ref).memory.kind == "episode"


def test_it_leaves_no_trace(memory: Memory[Embedded]) -> None:
    for _ in range(REPEATS):
        trial(memory, "right", -1.0)
    digest = memory.digest()
    assert memory.drift().reports and memory.digest() == digest


def recalled(memory: Memory[Embedded], refs: list[str]) -> None:
    by = {"ranker": "test/1", "tokenizer": "test/1", "index": "test/1"}
    body = {"purpose": "context", "returned": refs, "as_of": 0, **by}
    answer = memory.engine.submit(Drafter(memory.id, "test", "test").draft("record_recall", body))
    assert answer.refused is None, answer.refused
