"""Damaged files: an error that says so, or exactly the right answers; never silently less.

The files are those of a process that was killed, and those of one that was closed. Small write buffers give them the
shape of a memory that has grown: tables of several ages, families that were flushed at different moments, WALs.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from yggdrasil_infra import rocks_options
from yggdrasil_processors.replay import AlteredRecordError
from yggdrasil_projections.graph.store import StoreMismatchError
from yggdrasil_projections.graph.working_set import BrokenInvariantError
from yggdrasil_schemas.errors import YggdrasilError

from tests.faults.load import BUFFER
from tests.faults.oracle import Acknowledged, Child, Found, check_against_replay, flip, read_back

SEED = 4_711
BUFFER_BYTES = 64 << 10  # the least that RocksDB allows
STORE = Path("graph", "0000")
RECORDS = Path("log", "records")
FILES = ["*.sst", "*.log", "MANIFEST-*", "CURRENT", "IDENTITY", "OPTIONS-*", "rocksdict-config.json"]
FLIPS = {"*.sst": 5, "*.log": 12, "MANIFEST-*": 30}  # for each file of the pattern; others are small and get 3
CUTS = {"*.sst": 2, "*.log": 12, "MANIFEST-*": 30}


@dataclass(frozen=True)
class Sound:
    """An undamaged directory, what was acknowledged in it, and what it says."""

    path: Path
    acknowledged: Acknowledged
    found: Found

    def copy(self, to: Path) -> Path:
        shutil.rmtree(to, ignore_errors=True)
        return shutil.copytree(self.path, to)


def left_by(folder: Path, *options: str) -> Sound:
    path = folder / "home"
    with Child(str(path), f"{SEED}", "--turns", "180", "--buffer-bytes", str(BUFFER_BYTES), *options) as child:
        assert (child.end(None), child.errors) == (-signal.SIGKILL if options else 0, "")
        acknowledged = child.acknowledged()
    return Sound(path, acknowledged, check_against_replay(shutil.copytree(path, folder / "read"), folder, acknowledged))


@pytest.fixture(scope="module", params=["killed", "closed"])
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sound]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rocks_options, BUFFER, BUFFER_BYTES)
        yield left_by(tmp_path_factory.mktemp("sound"), *(["--abandon"] if request.param == "killed" else []))


def damages(folder: Path, pattern: str, how: str, rng: Random) -> Iterator[tuple[str, int, int]]:
    """Yield what to do to the files of ``folder``: a name, an offset, and the bits to flip, or 0 to cut it there."""
    for file in sorted(folder.glob(pattern)):
        size = file.stat().st_size
        if how == "deleted":
            yield file.name, -1, 0
        elif how == "flipped":
            for _ in range(FLIPS.get(pattern, 3) if size else 0):
                yield file.name, rng.randrange(size), 1 << rng.randrange(8)
        else:
            for at in {0, max(size - 1, 0), *(rng.randrange(size or 1) for _ in range(CUTS.get(pattern, 1)))}:
                yield file.name, at, 0


def damage(file: Path, at: int, mask: int) -> None:
    if at < 0:
        file.unlink()
    elif mask:
        flip(file, at, mask)
    else:
        os.truncate(file, at)


def detected(path: Path, expected: Found, acknowledged: Acknowledged) -> str | None:
    """Read all of ``path``. Return the error if it is one of ours, and None if the answers are exactly right."""
    try:
        found = read_back(path)
    except (AlteredRecordError, BrokenInvariantError, StoreMismatchError):
        raise  # too late, or it accuses the log, which is sound
    except YggdrasilError as error:
        return str(error) or "said nothing"
    assert found.lacks(acknowledged) == []
    for name in Found.__annotations__:  # one by one, since the whole is too large to be shown
        assert getattr(found, name) == getattr(expected, name), f"the {name} differ, and nobody said so"
    return None


@pytest.mark.parametrize("how", ["flipped", "cut", "deleted"])
@pytest.mark.parametrize("pattern", FILES)
def test_a_damaged_store_is_refused_or_heals(tmp_path: Path, sound: Sound, pattern: str, how: str) -> None:
    expected, healed = sound.found, False
    for file, at, mask in damages(sound.path / STORE, pattern, how, Random(f"{SEED}{pattern}{how}")):
        path = sound.copy(tmp_path / "home")
        damage(path / STORE / file, at, mask)
        try:
            error = detected(path, expected, sound.acknowledged)
            if error is not None:
                assert "rebuil" in error, error  # whoever reads it knows what to do, ...
                if not healed:
                    shutil.rmtree(path / STORE)
                    assert detected(path, expected, sound.acknowledged) is None  # ... and it helps
                    healed = True
        except BaseException as failure:
            failure.add_note(f"{file}, {how} at {at} with mask {mask}")
            raise


@pytest.mark.parametrize("how", ["flipped", "cut", "deleted"])
@pytest.mark.parametrize("pattern", FILES)
def test_a_damaged_log_is_refused_or_whole(tmp_path: Path, sound: Sound, pattern: str, how: str) -> None:
    for file, at, mask in damages(sound.path / RECORDS, pattern, how, Random(f"{SEED}{pattern}{how}")):
        path = sound.copy(tmp_path / "home")
        damage(path / RECORDS / file, at, mask)
        try:
            detected(path, sound.found, sound.acknowledged)
        except BaseException as failure:
            failure.add_note(f"{file}, {how} at {at} with mask {mask}")
            raise
