"""Reading in the background: a flipped byte is found before a question meets it, slowly, and by whom it concerns."""

import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

from tests.faults.local.oracle import flip
from tests.operating.damaged import MEMORIES, damage_blocks, grown, of_other_partition, partition_of, store_of
from yggdrasil import Store
from yggdrasil.cli.operator.hosts.holding import embedded
from yggdrasil.cli.operator.hosts.serving_options import Kept
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.log import LogDamagedError
from yggdrasil_infra.rocks.database import MemoryBudget, StorageDamagedError
from yggdrasil_processors.scrubbing import Scrub, ScrubSettings, scrubbed
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview

MEMORY = MEMORIES[0]
OTHER = of_other_partition(MEMORY)
FAST = 1 << 30


@pytest.fixture
def home(tmp_path: Path) -> Path:
    grown(tmp_path / "home")
    return tmp_path / "home"


def fast() -> ScrubSettings:
    return ScrubSettings(FAST, first_s=0.0)


def counted(settings: ScrubSettings, what: str) -> float:
    return float(settings.metrics.damage.labels(what, partition_of(MEMORY))._value.get())


def test_what_is_sound_is_found_sound_while_it_is_written(home: Path) -> None:
    with Embedded(home) as engine:
        settings = fast()
        scrub = Scrub(home, engine.hosting, settings)
        drafter = Drafter(MEMORY, "test", "test")
        for number in range(3):
            engine.submit(drafter.record_event(f"Beside it {number}"))
            scrub.once()
        assert engine.hosting.damage.told() is None
        assert settings.metrics.bytes_read._value.get() > 100_000
        assert settings.metrics.passed_timestamp_seconds._value.get() > 0


def test_a_flipped_byte_in_a_store_is_found_before_it_is_asked_for(home: Path) -> None:
    with Embedded(home) as engine:
        assert engine.ask(MEMORY, AskOverview())
        assert damage_blocks(store_of(home, MEMORY))
        settings = fast()
        scrub = Scrub(home, engine.hosting, settings)
        scrub.once()
        scrub.once()
        assert counted(settings, "store") == 1  # it is one place, however often it is read
        with pytest.raises(StorageDamagedError, match="--recover"):
            engine.ask(MEMORY, AskOverview())
        assert engine.ask(OTHER, AskOverview())


def test_a_flipped_byte_in_the_log_takes_no_more_and_answers_on(home: Path) -> None:
    with Embedded(home) as engine:
        engine.catch_up()
        table = max((home / "log" / "records").glob("*.sst"), key=lambda file: file.stat().st_size)
        flip(table, 40, 0x10)  # the first block, of partition 0
        scrub = Scrub(home, engine.hosting, fast())
        scrub.once()
        of_it = next(memory for memory in MEMORIES if partition_of(memory) == 0)
        with pytest.raises(LogDamagedError, match="cannot be read"):
            engine.submit(Drafter(of_it, "test", "test").record_event("Not taken"))
        assert engine.ask(of_it, AskOverview())
        assert engine.submit(Drafter(of_other_partition(of_it), "test", "test").record_event("Taken")).seq
        told = engine.hosting.damage.told()
        assert told is not None and "verify" in told and str(home) not in told


def test_it_keeps_to_its_speed(home: Path) -> None:
    with Embedded(home) as engine:
        engine.catch_up()
        settings = fast()
        Scrub(home, engine.hosting, settings).once()
        read = settings.metrics.bytes_read._value.get()
        begun = monotonic()
        Scrub(home, engine.hosting, ScrubSettings(int(read))).once()
        assert monotonic() - begun >= 0.95


def test_a_store_scrubs_until_it_is_closed(home: Path) -> None:
    before = set(threading.enumerate())

    def running() -> list[str]:
        return [each.name for each in threading.enumerate() if each.name == "scrub" and each not in before]

    with Store.open(home, embedder="off"):
        assert running() == []
    with Store.open(home, embedder="off", scrub=1 << 20):
        assert running() == ["scrub"]
    assert running() == []


def test_a_service_says_so_before_anybody_asks(home: Path) -> None:
    assert damage_blocks(store_of(home, MEMORY))
    with embedded(Kept(home, None, False, fast(), None), "off", None) as (_, health, _):
        deadline = monotonic() + 60
        while health.ready() is None:
            assert monotonic() < deadline
            threading.Event().wait(0.02)
        assert "--recover" in (health.ready() or "")
        assert health.live() is None


@dataclass
class Open:
    store: GraphStore


def test_a_worker_s_partition_learns_of_it(home: Path) -> None:
    path = store_of(home, MEMORY)
    pin = GraphStore.pin_at(path, MemoryBudget.of())
    assert pin is not None
    (home / "log").rename(home / "elsewhere")  # as a worker's directory is
    with GraphStore(path, pin, MemoryBudget.of()) as store:
        assert damage_blocks(path)
        with scrubbed(home, lambda: {pin.partition: Open(store)}, fast()):
            deadline = monotonic() + 60
            while (path / "DAMAGED").exists() is False:
                assert monotonic() < deadline
                threading.Event().wait(0.02)
        with pytest.raises(StorageDamagedError):
            store.check()
