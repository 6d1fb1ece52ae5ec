"""A write that the kernel refuses: though there is room again, nothing is taken until a process starts anew."""

from pathlib import Path

import pytest

from tests.faults.local.load import MEMORIES, STEPS, no_space
from tests.faults.local.oracle import Child, check_against_replay
from tests.size import turns
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.log import LogError
from yggdrasil_infra.paths import PathError
from yggdrasil_infra.rocks.database import StorageError


@pytest.mark.parametrize("nth", turns([20], [3, 20]))
@pytest.mark.parametrize("step", STEPS)
def test_after_a_failed_write_nothing_is_taken(tmp_path: Path, step: str, nth: int) -> None:
    path = tmp_path / "home"
    with Child(str(path), f"{step}-{nth}", "--fault", step, "full", str(nth)) as child:
        assert child.end(None) == 1, child.errors
        acknowledged = child.acknowledged()
        failed = [line for line in child.lines if line.startswith("failed")]
        answers = [line.split() for line in child.lines if line.startswith(("refused", "taken"))]
    assert failed
    assert set(failed) == {"failed True"}, child.errors
    assert len(answers) == len(MEMORIES)
    assert {answer[0] for answer in answers} == {"refused"}, (
        answers
    )  # in every partition, not only in the one that failed
    assert all(answer[3] == "True" for answer in answers), "the log has grown by what was refused"
    check_against_replay(path, tmp_path / "replayed", acknowledged)


def test_a_directory_cannot_be_made_on_a_full_disk_and_can_be_afterwards(tmp_path: Path) -> None:
    with no_space(), pytest.raises(LogError):
        Embedded(tmp_path / "home")
    with Embedded(tmp_path / "home") as engine, no_space(), pytest.raises(StorageError):
        engine.catch_up()
    with Embedded(tmp_path / "home") as engine:
        assert engine.catch_up() == 0


@pytest.mark.parametrize("place", ["home", "home/log", "home/log/records", "home/log/acknowledged", "home/graph"])
def test_a_file_in_the_place_of_a_directory_and_the_reverse_are_errors_in_words(tmp_path: Path, place: str) -> None:
    where = tmp_path / place
    where.parent.mkdir(parents=True, exist_ok=True)
    if place.endswith("acknowledged"):
        where.mkdir()
    else:
        where.touch()
    with pytest.raises((LogError, PathError, StorageError)) as refused, Embedded(tmp_path / "home") as engine:
        engine.catch_up()
    assert str(tmp_path) in str(refused.value)
