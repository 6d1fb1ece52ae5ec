"""Wherever a swap ends, the next start finds every directory of the old or every directory of the new.

The files themselves are looked at: an engine that opens the directory would make what is missing from its log.
"""

from pathlib import Path

import pytest

from yggdrasil_infra.swap import begin, decide, settle

STORES = ["graph/0000", "graph/0001", "graph/0002"]
STEPS = [
    "built",
    "synced",
    "decided",
    *(f"{store} moved {whither}" for store in STORES for whither in ("away", "in")),
    "views moved away",
    "views moved in",
    "all moved",
]


class Ended(Exception):
    pass


def fill(path: Path, text: str, views: list[str]) -> None:
    for store in STORES:
        (path / store).mkdir(parents=True)
        (path / store / "CURRENT").write_text(text)
    (path / "views").mkdir(parents=True)
    for view in views:
        (path / "views" / view).write_text(text)


def told(path: Path) -> dict[str, str]:
    return {str(file.relative_to(path)): file.read_text() for file in path.rglob("*") if file.is_file()}


def ended_at(path: Path, step: str) -> None:
    """Swap, and end at ``step``."""

    def at(reached: str) -> None:
        if reached == step:
            raise Ended

    with pytest.raises(Ended):
        decide(path, at)


def test_these_are_all_steps(tmp_path: Path) -> None:
    fill(tmp_path, "old", ["a"])
    fill(begin(tmp_path), "new", ["a"])
    steps: list[str] = []
    decide(tmp_path, steps.append)
    assert steps == STEPS
    assert set(told(tmp_path).values()) == {"new"}


@pytest.mark.parametrize("fresh", [False, True], ids=["over old ones", "where nothing was"])
@pytest.mark.parametrize("step", STEPS)
def test_ended_at_any_step_nothing_is_lost(tmp_path: Path, step: str, fresh: bool) -> None:
    if not fresh:
        fill(tmp_path, "old", ["a"])
    old = told(tmp_path)
    fill(begin(tmp_path), "new", ["a"])
    ended_at(tmp_path, step)
    decided = step not in {"built", "synced"}
    assert settle(tmp_path) == (decided and step != "all moved")
    new = {f"{store}/CURRENT": "new" for store in STORES} | {"views/a": "new"}
    assert told(tmp_path) == (new if decided else old)
    assert not settle(tmp_path)
    assert told(tmp_path) == (new if decided else old)


@pytest.mark.parametrize("step", STEPS[3:])
def test_ended_a_second_time_while_settling_nothing_is_lost(tmp_path: Path, step: str) -> None:
    fill(tmp_path, "old", ["a"])
    fill(begin(tmp_path), "new", ["a"])
    ended_at(tmp_path, "graph/0000 moved away")

    def at(reached: str) -> None:
        if reached == step:
            raise Ended

    if step == "graph/0000 moved away":
        settle(tmp_path)
    else:
        with pytest.raises(Ended):
            settle(tmp_path, at)
    settle(tmp_path)
    assert told(tmp_path) == {f"{store}/CURRENT": "new" for store in STORES} | {"views/a": "new"}


def test_without_any_index_the_stores_change_places_all_the_same(tmp_path: Path) -> None:
    fill(tmp_path, "old", [])
    fill(begin(tmp_path), "new", [])
    decide(tmp_path)
    assert told(tmp_path) == {f"{store}/CURRENT": "new" for store in STORES}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph", "views"]
