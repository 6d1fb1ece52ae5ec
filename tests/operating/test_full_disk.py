"""A disk that fills: appends end before it is full and reads go on; a restart on a full one can still read."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.operating.damaged import MEMORIES, grown
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil import Memory
from yggdrasil.cli.operator.hosts.holding import embedded
from yggdrasil.cli.operator.hosts.serving_options import Kept
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.upkeep.watched import Watched
from yggdrasil.serving import Service, Serving
from yggdrasil_infra import room
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import DiskFullError, LogError
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest, AskOverview, DigestAnswer

MEMORY = MEMORIES[0]
MIB = 1 << 20


class Disk:
    """A disk of 100 GiB with so much free as the test says, and how often it was looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = 50 << 30
        self.looks = 0
        self.at = 0.0
        monkeypatch.setattr(room, "monotonic", lambda: self.at)
        monkeypatch.setattr(os, "statvfs", self._statvfs)

    def _statvfs(self, path: Path) -> SimpleNamespace:
        self.looks += 1
        return SimpleNamespace(f_bavail=self.free >> 12, f_blocks=(100 << 30) >> 12, f_frsize=4_096)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def say(engine: Embedded, text: str) -> None:
    assert engine.submit(Drafter(MEMORY, "test", "test").record_event(text)).refused is None


def test_appends_end_before_the_disk_is_full_and_begin_again(tmp_path: Path, disk: Disk) -> None:
    with Embedded(tmp_path / "home") as engine:
        say(engine, "There is room")
        disk.free, disk.at = 255 * MIB, 2.0
        before = list(engine.log._ends)
        with pytest.raises(DiskFullError, match="255 MiB left, and 256 MiB are kept free"):
            say(engine, "There is none")
        assert list(engine.log._ends) == before
        with Memory.open(tmp_path / "other", MEMORY, embedder="off") as other, pytest.raises(DiskFullError):
            other.record_event("There is none here either")
        assert engine.ask(MEMORY, AskOverview()).as_of == 1
        disk.free, disk.at = 300 * MIB, 4.0
        say(engine, "There is room again")


def test_reading_goes_on_without_a_record_of_it(tmp_path: Path, disk: Disk) -> None:
    with Memory.open(tmp_path / "home", MEMORY, embedder="off") as memory:
        memory.record_event("Deployed on a Friday", features=["deploy"])
        assert memory.get_context("deployed friday").recorded
        disk.free, disk.at = 0, 2.0
        found = memory.get_context("deployed friday")
        assert (len(found.found), found.recorded) == (1, False)


def test_it_looks_once_a_second_however_much_is_appended(tmp_path: Path, disk: Disk) -> None:
    with Embedded(tmp_path / "home") as engine:
        for number in range(20):
            disk.at += 0.1
            say(engine, f"Event {number}")
    assert disk.looks <= 3


def test_how_much_stays_free_is_a_setting(tmp_path: Path, disk: Disk) -> None:
    disk.free = 0
    with Embedded(tmp_path / "home", room_bytes=0) as engine:
        say(engine, "Nobody minds")
    disk.free = 4 << 30
    with Embedded(tmp_path / "home", room_bytes=5 << 30) as engine, pytest.raises(DiskFullError):
        say(engine, "Somebody does")


def test_a_service_says_507_with_the_remedy_and_answers_on(tmp_path: Path, disk: Disk) -> None:
    said = {"type": "record_event", "body": {}, "content": {"text": "Said on a full disk"}}
    with (
        Embedded(tmp_path / "home", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK)) as it,
        Client(it.url) as client,
    ):
        client.event("Said while there was room")
        disk.free, disk.at = 10 * MIB, 2.0
        problem = client.post("/commands", said).problem(507, "disk_full")
        assert "make room" in problem["remedy"]
        assert str(tmp_path) not in problem["detail"]
        assert len(client.get("/timeline").json["memories"]) == 1
        assert client.send("GET", "/readyz").status == 200


def test_a_restart_without_room_reads_what_was_folded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(tmp_path / "home")
    with Embedded(tmp_path / "home") as engine:
        before = {memory: engine.ask(memory, AskDigest()) for memory in MEMORIES}

    def full(*_: object) -> LocalLog:
        raise LogError("IO error: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(LocalLog, "create_or_open", full)
        check_reads(tmp_path / "home", before)
    with Embedded(tmp_path / "home") as engine:
        say(engine, "There is room again")


def test_a_daemon_that_a_command_has_started_holds_no_directory_for_reading_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(tmp_path / "home")
    kept = Kept(tmp_path / "home", None, False, None, None)

    def full(*_: object) -> LocalLog:
        raise LogError("IO error: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(LocalLog, "create_or_open", full)
        with embedded(kept, "none", None) as (engine, _, _):
            assert engine.lags(), "one that somebody has started on purpose answers"
        with pytest.raises(DiskFullError, match="open it again"), embedded(kept, "none", None, auto=True):
            pass
    with embedded(kept, "none", None, auto=True) as (engine, _, _):
        assert engine.lags()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = shutil.which("mount")
    mounted = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], check=False)
    if not mounted or mounted.returncode:
        pytest.skip("only root may mount a small disk, and a container may forbid it")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_restart_on_a_disk_that_is_really_full_reads(small_disk: Path) -> None:
    home = small_disk / "home"
    grown(home)
    with Embedded(home) as engine:
        before = {memory: engine.ask(memory, AskDigest()) for memory in MEMORIES}
    with (small_disk / "filler").open("wb", buffering=0) as filler:
        for size in (MIB, 4_096, 1):
            try:
                while filler.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
    assert os.statvfs(small_disk).f_bavail == 0
    check_reads(home, before)
    (small_disk / "filler").unlink()
    with Embedded(home) as engine:
        say(engine, "There is room again")


def check_reads(home: Path, before: dict[str, DigestAnswer]) -> None:
    with Embedded(home) as engine, Watched(engine, lambda error: None) as watched:
        assert {memory: engine.ask(memory, AskDigest()) for memory in engine.memories()} == before
        with pytest.raises(DiskFullError, match="open it again"):
            say(engine, "There is no room")
        assert "make room" in (watched.ready() or "")
        assert watched.failed() is None
