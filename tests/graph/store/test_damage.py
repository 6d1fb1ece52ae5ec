"""Flipped bytes in the files of a store: found out, or healed by folding anew; never a different memory."""

import shutil
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import digests, folded, projecting
from tests.graph.list_log import ListLog
from tests.size import turns
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_projections.graph.store.projector import LogMismatchError

RECORDS = fixed_history(300)
SEED = 2_026


def sound_store(path: Path, flush: bool) -> None:
    with projecting(ListLog(RECORDS), path) as projector:
        projector.catch_up()
        if flush:
            projector.store.flush()


def flip(file: Path, at: int, mask: int) -> None:
    stored = bytearray(file.read_bytes())
    stored[at] ^= mask
    file.write_bytes(stored)


def everything(path: Path) -> tuple[dict[str, str], int, int]:
    """All that a store says of its memories; what it has lost of the end is folded again."""
    with projecting(ListLog(RECORDS), path) as projector:
        projector.catch_up()
        store = projector.store
        known = sum(len(store.identities(memory)) for memory in store.memories())
        return digests(store), known, len(store.record_hashes())


@pytest.mark.parametrize("flips", [1, 40], ids=["one-bit", "forty-bytes"])
def test_damage_to_any_table_is_found_out_or_does_no_harm(tmp_path: Path, flips: int) -> None:
    sound = tmp_path / "sound"
    sound_store(sound, flush=True)
    expected = everything(shutil.copytree(sound, tmp_path / "copy"))
    tables = sorted(sound.glob("*.sst"))
    assert len(tables) >= 10  # nearly one for each family
    rng, told = Random(SEED), Counter[str]()
    for table in tables:
        for attempt in range(turns(1, 2)):
            damaged = shutil.copytree(sound, tmp_path / f"{table.stem}-{attempt}")
            for _ in range(flips):
                at = rng.randrange(table.stat().st_size)
                flip(damaged / table.name, at, 1 << rng.randrange(8) if flips == 1 else 0xFF)
            try:
                found = everything(damaged)
            except StorageDamagedError as error:
                assert "folded from the log" in str(error) and ".. " not in str(error)
                told["found out"] += 1
            else:
                assert found == expected, f"{table.name}, attempt {attempt}"
                told["harmless"] += 1
            shutil.rmtree(damaged)
    # Of a small table most bytes are of what nobody asks for, and there are many small ones: even forty may do no harm.
    assert told["found out"] >= len(tables) * (0.9 if flips > 1 else 1 / 3), told
    assert folded(RECORDS, tmp_path / "anew") == expected[0]


def test_damage_to_the_write_ahead_log_is_found_out_or_folded_again(tmp_path: Path) -> None:
    origin, sound = tmp_path / "origin", tmp_path / "sound"
    with projecting(ListLog(RECORDS), origin) as projector:
        while projector.advance(25):
            pass
        shutil.copytree(origin, sound)  # as a crash leaves it: closing would empty the log
    expected = everything(shutil.copytree(sound, tmp_path / "copy"))
    wal = max(sound.glob("*.log"), key=lambda file: file.stat().st_size)
    rng = Random(SEED)
    for attempt in range(15):
        damaged = shutil.copytree(sound, tmp_path / str(attempt))
        flip(damaged / wal.name, rng.randrange(wal.stat().st_size), 1 << rng.randrange(8))
        try:
            assert everything(damaged) == expected
        except (StorageDamagedError, LogMismatchError):
            continue
