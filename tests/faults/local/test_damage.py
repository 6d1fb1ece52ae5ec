"""Damaged files: an error that says so, or exactly the right answers; never silently less.

The files are those of a process that was killed, and those of one that was closed. Small write buffers give them the
shape of a memory that has grown: tables of several ages, families that were flushed at different moments, WALs.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.contract.logs import everything
from tests.faults.local.load import BUFFERS, PARTITIONS
from tests.faults.local.oracle import Acknowledged, Child, Found, check_against_replay, flip, read_back
from tests.size import turns
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogDamagedError
from yggdrasil_infra.rocks import options as rocks_options
from yggdrasil_processors.auditing.replay import AlteredRecordError
from yggdrasil_projections.graph.store.store import StoreMismatchError
from yggdrasil_projections.graph.working_set import BrokenInvariantError
from yggdrasil_schemas.errors import YggdrasilError

SEED = 4_711
BUFFER_BYTES = 128 << 10
STORE = Path("graph", "0000")
RECORDS = Path("log", "records")
FILES = ["*.sst", "*.log", "MANIFEST-*", "CURRENT", "IDENTITY", "OPTIONS-*", "rocksdict-config.json"]
FLIPS = turns({"*.sst": 1, "*.log": 2, "MANIFEST-*": 3}, {"*.sst": 3, "*.log": 10, "MANIFEST-*": 25})
"""For each file of a pattern; others are small and get fewer."""
SMALL = turns(1, 3)
CUTS = turns({"*.sst": 0, "*.log": 1, "MANIFEST-*": 2}, {"*.sst": 0, "*.log": 10, "MANIFEST-*": 25})
TABLES_MAX = turns(2, 1_000)  # to be damaged, one copy of the whole directory for each damage


@dataclass(frozen=True)
class Sound:
    """An undamaged directory, what was acknowledged in it, and what it says."""

    path: Path
    acknowledged: Acknowledged
    found: Found

    def copy(self, to: Path) -> Path:
        """Make a copy that shares the tables, which RocksDB never changes; damage() un-shares the one that it does."""
        return shutil.copytree(self.path, to, copy_function=share_or_copy)


def share_or_copy(old: str, new: str) -> None:
    (os.link if old.endswith(".sst") else shutil.copyfile)(old, new)


def left_by(folder: Path, *options: str) -> Sound:
    path = folder / "home"
    words = "--turns", str(turns(60, 90)), "--buffer-bytes", str(BUFFER_BYTES), *options
    with Child(str(path), f"{SEED}", *words) as child:
        assert (child.end(None), child.errors) == (-signal.SIGKILL if options else 0, "")
        acknowledged = child.acknowledged()
    return Sound(path, acknowledged, check_against_replay(shutil.copytree(path, folder / "read"), folder, acknowledged))


@pytest.fixture(scope="module", params=["killed", "closed"])
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sound]:
    with pytest.MonkeyPatch.context() as patch:
        for name in BUFFERS:
            patch.setattr(rocks_options, name, BUFFER_BYTES)
        yield left_by(tmp_path_factory.mktemp("sound"), *(["--abandon"] if request.param == "killed" else []))


@dataclass(frozen=True)
class Damage:
    """What is done to a file: bits of ``mask`` flipped at ``at``, without a mask cut there; deleted if that is -1."""

    file: str
    at: int
    mask: int


def damages(folder: Path, pattern: str, how: str) -> Iterator[Damage]:
    rng = Random(f"{SEED}{folder.name}{pattern}{how}")
    files = sorted(folder.glob(pattern))
    assert files
    for file in sorted(rng.sample(files, min(len(files), TABLES_MAX))):
        size = file.stat().st_size
        if how == "deleted":
            yield Damage(file.name, -1, 0)
        elif not size:
            continue  # the WAL after a clean end
        elif how == "flipped":
            for _ in range(FLIPS.get(pattern, SMALL)):
                yield Damage(file.name, rng.randrange(size), 1 << rng.randrange(8))
        else:
            for at in sorted({0, size - 1, *(rng.randrange(size) for _ in range(CUTS.get(pattern, 1)))}):
                yield Damage(file.name, at, 0)


def damage(file: Path, what: Damage) -> None:
    stored = file.read_bytes()
    file.unlink()  # it may share its bytes with the sound one
    if what.at >= 0:
        file.write_bytes(stored)
        if what.mask:
            flip(file, what.at, what.mask)
        else:
            os.truncate(file, what.at)


def detected(path: Path, sound: Sound) -> str | None:
    """Read all of ``path``. Return the error if it is one of ours, and None if the answers are exactly right."""
    try:
        found = read_back(path)
    except (AlteredRecordError, BrokenInvariantError, StoreMismatchError):
        raise  # too late, or it accuses the log, which is sound
    except YggdrasilError as error:
        return str(error) or "said nothing"
    assert found.lacks(sound.acknowledged) == []
    for name in Found.__annotations__:  # one by one, since the whole is too large to be shown
        assert getattr(found, name) == getattr(sound.found, name), f"the {name} differ, and nobody said so"
    return None


def each(check: Callable[[Path, Sound, Damage], None], folder: Path, sound: Sound, damages: Iterable[Damage]) -> None:
    """Check every damage on a copy of its own, eight at a time: RocksDB sleeps a second after each that it meets."""

    def one(numbered: tuple[int, Damage]) -> None:
        path = sound.copy(folder / str(numbered[0]))
        try:
            check(path, sound, numbered[1])
        except BaseException as error:
            error.add_note(str(numbered[1]))
            raise
        shutil.rmtree(path)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, enumerate(damages)))


def refused_or_healed(path: Path, sound: Sound, what: Damage) -> None:
    damage(path / STORE / what.file, what)
    error = detected(path, sound)
    if error is None:
        return
    assert "rebuil" in error, error  # whoever reads it knows what to do, ...
    if what.at % 5 == 0:
        shutil.rmtree(path / STORE)
        assert detected(path, sound) is None  # ... and it helps


@pytest.mark.parametrize("how", ["flipped", "cut", "deleted"])
@pytest.mark.parametrize("pattern", FILES)
def test_a_damaged_store_is_refused_or_heals(tmp_path: Path, sound: Sound, pattern: str, how: str) -> None:
    each(refused_or_healed, tmp_path, sound, damages(sound.path / STORE, pattern, how))


def refused_or_whole(path: Path, sound: Sound, what: Damage) -> None:
    damage(path / RECORDS / what.file, what)
    detected(path, sound)


@pytest.mark.parametrize("how", ["flipped", "cut", "deleted"])
@pytest.mark.parametrize("pattern", FILES)
def test_a_damaged_log_is_refused_or_whole(tmp_path: Path, sound: Sound, pattern: str, how: str) -> None:
    each(refused_or_whole, tmp_path, sound, damages(sound.path / RECORDS, pattern, how))


def refused_at_opening_or_whole(path: Path, sound: Sound, what: Damage) -> None:
    damage(path / RECORDS / what.file, what)
    try:
        log = LocalLog.create_or_open(path / "log")
    except LogDamagedError:
        return
    with log:
        assert len(everything(log)) == sum(log.end_offset(partition) for partition in range(PARTITIONS))


@pytest.mark.parametrize("how", ["flipped", "cut"])
@pytest.mark.parametrize("pattern", ["*.log", "MANIFEST-*"])
def test_a_log_that_lost_a_part_is_refused_when_it_is_opened(
    tmp_path: Path, sound: Sound, pattern: str, how: str
) -> None:
    """A damaged table is found when it is read; what RocksDB forgot, it would never miss."""
    each(refused_at_opening_or_whole, tmp_path, sound, damages(sound.path / RECORDS, pattern, how))


def test_a_damaged_count_is_refused(tmp_path: Path, sound: Sound) -> None:
    for at in range(16):
        path = sound.copy(tmp_path / str(at))
        flip(path / "log" / "acknowledged", at, 1)
        assert "Restore the log from a copy" in (detected(path, sound) or "")
