"""Bytes flipped at random places of a directory: each harmless, or found by verify and mended by what it says."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.faults.local.oracle import flip
from yggdrasil.cli import main
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.locks import has_writer
from yggdrasil_processors.auditing.verifying import Verified, verify
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest, DigestAnswer

# RocksDB's own notes, which it writes and never reads, and empty files.
_NOT_READ = ("LOG", "LOG.old", "LOCK", "worker.lock")


@dataclass(frozen=True)
class Flip:
    """A byte of a file, counted from the directory, and the bits that are flipped in it."""

    file: str
    at: int
    mask: int


def random_flip(path: Path, rng: Random) -> Flip:
    """Choose a byte of all the bytes that are read; files that are small, or say options alone, weigh 2,000 bytes."""
    files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith(_NOT_READ))
    weights = [file.stat().st_size and _weight(file) for file in files]
    (file,) = rng.choices(files, weights)
    return Flip(str(file.relative_to(path)), rng.randrange(file.stat().st_size), 1 << rng.randrange(8))


def _weight(file: Path) -> int:
    return 2_000 if file.name.startswith("OPTIONS") else max(file.stat().st_size, 2_000)


def state(path: Path) -> dict[str, DigestAnswer]:
    with Embedded(path) as engine:
        return {memory: engine.ask(memory, AskDigest()) for memory in engine.memories()}


def outcome(home: Path, backup: Path, work: Path, what: Flip, expected: dict[str, DigestAnswer]) -> str:
    """Flip in a copy of ``home`` and do what is said; return how it ended. Raises AssertionError."""
    path = shutil.copytree(home, work / "copy")
    flip(path / what.file, what.at, what.mask)
    found: Verified = verify(path, lambda name, size: None, deep=True)
    assert not has_writer(path / "log" / "records")
    kinds = {one.what for one in found.findings} - {"index"}
    if not kinds:
        assert state(path) == expected, "nobody said so"
        return "harmless"
    assert all(one.said for one in found.findings)
    if "log" in kinds:
        assert main(["restore", str(backup), str(work / "restored")]) == 0
        assert state(work / "restored") == expected
        return "restored"
    assert main(["rebuild", "--accept", "--dir", str(path)]) == 0
    assert not verify(path, lambda name, size: None, deep=True).damaged
    assert state(path) == expected
    return "rebuilt"


def each(
    home: Path, backup: Path, folder: Path, flips: list[Flip], told: Callable[[Flip, str], None] = lambda *_: None
) -> list[str]:
    expected = state(shutil.copytree(home, folder / "expected"))
    outcomes: list[str] = []
    for number, what in enumerate(flips):
        work = folder / str(number)
        os.mkdir(work)
        try:
            outcomes.append(outcome(home, backup, work, what, expected))
        except BaseException as error:
            error.add_note(str(what))
            raise
        told(what, outcomes[-1])
        shutil.rmtree(work)
    return outcomes
