"""A byte that flips anywhere is harmless, or verify finds it and what it says mends it; nothing is lost."""

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.operating.damaged import MEMORIES, grown
from tests.operating.flips import each, random_flip
from tests.size import turns
from yggdrasil.cli import main
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter

SEED = 1_511
FLIPS = turns(4, 150)


@pytest.fixture(scope="module", params=["closed", "killed"])
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory as it was left, with what is in tables and, by a kill, what is in the write-ahead logs alone."""
    folder = tmp_path_factory.mktemp("flips")
    grown(folder / "closed")
    with Embedded(folder / "closed") as engine:
        drafter = Drafter(MEMORIES[1], "test", "test")
        for number in range(20):
            engine.submit(drafter.record_event(f"Later {number}", features=["deploy"]))
        shutil.copytree(folder / "closed", folder / "killed")
    return folder / str(request.param)


def test_a_flipped_byte_is_harmless_or_found_and_mended(home: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    assert main(["backup", str(home), str(backup)]) == 0
    rng = Random(f"{SEED}{home.name}")
    outcomes = each(home, backup, tmp_path, [random_flip(home, rng) for _ in range(FLIPS)])
    assert set(outcomes) - {"harmless"}, outcomes
