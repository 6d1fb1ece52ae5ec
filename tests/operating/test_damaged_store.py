"""A block of a store that is damaged while it is in use: one partition stops, and every remedy mends it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.local.oracle import flip
from tests.operating.damaged import MEMORIES, damage_blocks, grown, of_other_partition, store_of
from yggdrasil.cli import main
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.upkeep.watched import Watched
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_infra.rocks.marking import MARK
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.reads.experience.described import AskBecame
from yggdrasil_projections.retrieval.reads.experience.timeline import AskTimeline
from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview

MEMORY = MEMORIES[0]
OTHER = of_other_partition(MEMORY)


def timeline(engine: Embedded, memory: str) -> list[str]:
    return [one.ref for one in engine.ask(memory, AskTimeline(count=1_000)).memories]


def said_before(path: Path) -> dict[str, list[str]]:
    with Embedded(path) as engine:
        return {memory: timeline(engine, memory) for memory in MEMORIES}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    grown(tmp_path / "home")
    return tmp_path / "home"


def meet(path: Path) -> None:
    """Damage the store of MEMORY, open it, and ask."""
    assert damage_blocks(store_of(path, MEMORY))
    with Embedded(path) as engine, pytest.raises(StorageDamagedError, match="--recover"):
        timeline(engine, MEMORY)


def test_a_damaged_block_stops_its_partition_and_no_other(home: Path) -> None:
    assert damage_blocks(store_of(home, MEMORY))
    failures: list[Exception] = []
    with Embedded(home) as engine, Watched(engine, failures.append) as watched:
        assert watched.ready() is None
        with pytest.raises(StorageDamagedError, match="--recover"):
            timeline(engine, MEMORY)
        ends = list(engine.log._ends)
        with pytest.raises(StorageDamagedError, match="--recover"):
            engine.submit(Drafter(MEMORY, "test", "test").record_event("Not taken"))
        assert list(engine.log._ends) == ends
        with pytest.raises(StorageDamagedError, match="--recover"):
            engine.ask(MEMORY, AskBecame("0" * 26))
        assert engine.submit(Drafter(OTHER, "test", "test").record_event("Taken")).refused is None
        assert timeline(engine, OTHER)
        told = watched.ready()
        assert told is not None and "rebuild" in told and str(home) not in told
        assert watched.failed() is None
    assert failures == []


def test_the_next_process_knows_of_it_before_it_asks(home: Path) -> None:
    meet(home)
    assert "checksum" in (store_of(home, MEMORY) / MARK).read_text()
    with Embedded(home) as engine:
        engine.catch_up()
        assert engine.hosting.damage.told() is not None
        with pytest.raises(StorageDamagedError):
            engine.ask(MEMORY, AskOverview())
        assert timeline(engine, OTHER)


def recover(path: Path) -> None:
    with Embedded(path, recover=True) as engine:
        engine.catch_up()


def rebuild(path: Path) -> None:
    assert main(["rebuild", "--accept", "--dir", str(path)]) == 0


def manifest_cut(store: Path) -> None:
    (manifest,) = store.glob("MANIFEST-*")
    manifest.write_bytes(manifest.read_bytes()[: manifest.stat().st_size // 2])


def manifest_flipped(store: Path) -> None:
    (manifest,) = store.glob("MANIFEST-*")
    flip(manifest, manifest.stat().st_size // 2, 0x10)


def current_gone(store: Path) -> None:
    (store / "CURRENT").unlink()


def last_blocks_flipped(store: Path) -> None:
    """The index of a table and what it ends with, without which none of its blocks is found."""
    for table in store.glob("*.sst"):
        flip(table, table.stat().st_size - 100, 0x10)


def tables_cut(store: Path) -> None:
    for table in store.glob("*.sst"):
        table.write_bytes(table.read_bytes()[:-40])


@pytest.mark.parametrize("damage", [manifest_cut, manifest_flipped, current_gone, last_blocks_flipped, tables_cut])
@pytest.mark.parametrize("remedy", [recover, rebuild])
def test_what_cannot_even_be_opened_is_folded_from_the_log_by_what_the_message_says(
    home: Path, remedy: Callable[[Path], None], damage: Callable[[Path], None]
) -> None:
    before = said_before(home)
    damage(store_of(home, MEMORY))
    with Embedded(home) as engine, pytest.raises(StorageDamagedError, match=r"--recover, or .* `yggdrasil rebuild"):
        timeline(engine, MEMORY)
    remedy(home)
    assert said_before(home) == before
    assert len([path for path in (home / "graph").glob("*.refused-1") if path.is_dir()]) == 1


@pytest.mark.parametrize("met", [True, False], ids=["met", "not-met-yet"])
@pytest.mark.parametrize("remedy", [recover, rebuild])
def test_every_remedy_mends_it_and_deletes_nothing(home: Path, remedy: Callable[[Path], None], met: bool) -> None:
    before = said_before(home)
    if met:
        meet(home)
    else:
        assert damage_blocks(store_of(home, MEMORY))
    tables = {table.name for table in store_of(home, MEMORY).glob("*.sst")}
    remedy(home)
    assert said_before(home) == before
    assert not (store_of(home, MEMORY) / MARK).exists()
    aside = [path for path in (home / "graph").glob(f"{store_of(home, MEMORY).name}.*") if path.is_dir()]
    assert len(aside) == 1
    assert tables <= {table.name for table in aside[0].glob("*.sst")}
