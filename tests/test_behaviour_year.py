"""The year of work, in small: its world, what the agent notes of its own life, and how two lives are shown beside."""

import json
from pathlib import Path
from random import Random

import pytest

from benchmarks.behaviour.year import __main__ as program
from benchmarks.behaviour.year.__main__ import Figures, main, table, year
from benchmarks.behaviour.year.clock import Clock
from benchmarks.behaviour.year.world import FAILURE, FILES, SUCCESS, THEMES, TRIUMPH, Happening, World

EVENTS = 200


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    return year(tmp_path_factory.mktemp("year") / "memories", EVENTS, 1)


def happenings(seed: int, count: int) -> tuple[World, list[Happening]]:
    world = World(Random(seed))
    return world, [world.step(number) for number in range(count)]


def test_the_world_is_the_same_for_the_same_seed() -> None:
    assert happenings(3, 200)[1] == happenings(3, 200)[1]
    assert happenings(3, 200)[1] != happenings(4, 200)[1]


def test_the_world_holds_what_is_said_of_it() -> None:
    world, events = happenings(5, 6_000)
    assert len({name for theme in world.themes for name in theme.features}) == 4 * THEMES
    for it in events:
        assert 2 <= len(it.features) == len(set(it.features))
        assert 1 <= len(set(it.features) & set(FILES)) <= 2
        theme = set() if it.theme is None else set(world.themes[it.theme].features)
        assert len(theme & set(it.features)) in ((0,) if it.theme is None else (2, 3))
        assert it.cause is None or it.cause in it.features
    sessions = {it.session for it in events}
    assert 10 <= len(events) / len(sessions) <= 40


def test_causes_bring_about_what_follows_and_companions_do_not() -> None:
    world, events = happenings(6, 20_000)
    values = {
        cause: [it.value for it in events if it.cause == cause and it.value is not None] for cause in world.causes
    }
    for cause, told in values.items():
        bad = cause in world.bad_causes
        share = told.count(FAILURE) / len(told)
        assert share > 0.8 if bad else share < 0.1
        assert (TRIUMPH in told) is not bad
    companion = world.companions[world.bad_causes[0]]
    alone = [it for it in events if companion in it.features and it.cause is None and it.value is not None]
    assert sum(it.value == SUCCESS for it in alone) > len(alone) / 2


def test_what_was_lived_is_told_in_figures(lived: Figures) -> None:
    assert lived["events of the work"] == EVENTS
    assert lived["outcomes refused"] == 0
    for name in ("events/s, with all else that was told and asked", "get_context in the last tenth, median ms"):
        assert lived[name] is not None
    assert lived["catastrophes: still there, archived or not"] == 1.0
    assert lived["nodes that are catastrophic"] == 10  # five events and the outcome of each
    assert lived["facts told once: first in get_context"] == 1.0  # nothing is forgotten so soon
    assert lived["events of the work still there"] == 1.0
    assert lived["outcomes that all features of the event learn from"] == 1.0
    used = lived["bound of nodes: used"]
    assert used is not None and 0 < used < 1


def test_a_read_that_a_release_has_not_is_shown_as_a_dash() -> None:
    assert (
        table({"a": 1.0, "b": None}, {"b": 0.25, "c": 12_345.0})
        == "| a | 1 | - |\n| b | - | 0.25 |\n| c | - | 12,345 |"
    )


def test_a_life_is_put_beside_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lives: list[tuple[bool, int, int]] = []

    def lived_at_once(directory: Path, events: int, seed: int) -> Figures:
        lives.append((directory.exists(), events, seed))
        return {"events of the work": float(events)}

    monkeypatch.setattr(program, "year", lived_at_once)
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"events of the work": 7.0}))
    assert main(["--events", "45", "--seed", "9", "--out", str(tmp_path / "this.json"), "--beside", str(other)]) == 0
    assert lives == [(False, 45, 9)]
    assert "| events of the work | 7 | 45 |" in capsys.readouterr().out.splitlines()
    assert json.loads((tmp_path / "this.json").read_text()) == {"events of the work": 45.0}


def test_a_year_begins_with_an_empty_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "begins with an empty memory" in capsys.readouterr().err


def test_the_clock_compares_the_end_with_the_beginning() -> None:
    clock = Clock()
    clock.wall = {"event": [1.0, 1.0, 2.0, 2.0], "context": [0.5], "sleep": [0.25]}
    clock.process = {"event": [1.0, 1.0, 4.0, 4.0], "context": [0.5], "sleep": [0.25]}
    figures = clock.figures(2)
    assert figures["record_event, speed of the last 5,000 to the first 5,000"] == 0.5
    assert figures["record_event, that in process time"] == 0.25
    assert figures["record_event, calls/s"] == pytest.approx(4 / 6)
    assert figures["sleep, greatest ms"] == 250.0
