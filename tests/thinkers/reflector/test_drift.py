"""What is reported of a memory's habits, and what is not."""

import random

from tests.thinkers.reflector.histories import History
from yggdrasil_processors.thinkers.reflector.drift import REPEATS, SWINGS, effective, recalls, reports
from yggdrasil_processors.thinkers.reflector.remembered import Reflections, take_in


def remembered(history: History) -> Reflections:
    state = Reflections()
    for happening in history.happened:
        take_in(state, happening)
    return state


def trial(history: History, took: str, end: float) -> str:
    return history.trial(("fork", 0.0), (f"path:{took}", 0.0), ("gate" if end > 0 else "ditch", end))[0]


def kinds(history: History) -> list[str]:
    return [report.kind for report in reports(remembered(history))]


def test_variety_is_counted_as_equally_frequent_things() -> None:
    assert effective([5, 5, 5, 5]) == effective([1, 1, 1, 1])
    assert abs(effective([5, 5, 5, 5]) - 4.0) < 1e-9
    assert effective([1_000, 1]) < 1.01
    assert effective([]) == 0.0


def test_a_memory_that_collapses_onto_little_is_reported() -> None:
    history, rng = History(), random.Random(1)
    for _ in range(100):
        history.tell("event", features=[f"f{rng.randrange(40)}"])
    for _ in range(100):
        history.tell("event", features=[f"f{rng.randrange(3)}"])
    (report,) = reports(remembered(history))
    assert report.kind == "collapse"
    assert report.value < report.bound
    assert set(report.evidence) == {"feature:f0", "feature:f1", "feature:f2"}
    assert "100 steps" in report.sentence


def test_outcomes_that_speak_of_little_are_reported() -> None:
    history, rng = History(), random.Random(2)
    for turn in range(400):
        event = history.tell("event", features=[f"f{rng.randrange(40)}"])
        if turn < 200:
            history.judge(event, 1.0)
        elif history.happened[-1].features[0] in ("f1", "f2", "f3"):
            for _ in range(10):
                history.judge(history.tell("event", features=["f1"]), 1.0)
    assert "what outcomes speak of" in " ".join(report.sentence for report in reports(remembered(history)))


def test_a_memory_as_varied_as_before_is_not_reported() -> None:
    history, rng = History(), random.Random(3)
    for _ in range(400):
        event = history.tell("event", features=[f"f{rng.randrange(40)}", f"g{rng.randrange(4)}"])
        history.judge(event, rng.choice((1.0, -1.0)))
    assert kinds(history) == []


def test_two_paths_in_turn_with_two_ends_in_turn_are_reported() -> None:
    history = History()
    for turn in range(SWINGS):
        trial(history, "left" if turn % 2 else "right", 1.0 if turn % 2 else -1.0)
    (report,) = reports(remembered(history))
    assert report.kind == "oscillation"
    assert "path:left" in report.sentence
    assert "path:right" in report.sentence
    assert len(report.evidence) == SWINGS


def test_two_paths_in_turn_that_both_end_well_are_not() -> None:
    history = History()
    for turn in range(4 * SWINGS):
        trial(history, "left" if turn % 2 else "right", 1.0)
    assert kinds(history) == []


def test_the_same_path_to_a_bad_end_again_and_again_is_reported() -> None:
    history = History()
    trial(history, "left", 1.0)
    failed = [trial(history, "right", -1.0) for _ in range(REPEATS)]
    (report,) = reports(remembered(history))
    assert report.kind == "repeated failure"
    assert report.evidence == failed[::-1]
    trial(history, "right", 1.0)
    assert kinds(history) == []


def test_other_paths_to_bad_ends_are_not_a_loop() -> None:
    history = History()
    for turn in range(4 * REPEATS):
        trial(history, f"way-{turn}", -1.0)
    assert kinds(history) == []


def test_narrow_recalls_are_reported_and_broad_ones_are_not() -> None:
    assert recalls({f"m{at}": 10 for at in range(20)}) == []
    assert recalls({"m0": 3, "m1": 1}) == []  # too few to say
    narrow = {f"m{at}": 1 for at in range(20)} | {"m0": 500}
    (report,) = recalls(narrow)
    assert report.kind == "narrow recall"
    assert report.evidence[0] == "m0"
    assert "500" in report.sentence or "502" in report.sentence
