"""The pasts that a host keeps: bounded, shared out between tenants, built beside appends, and gone after a restart."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from yggdrasil import BeingBuiltError, Memory, NotReadyError
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past.kept import Pasts
from yggdrasil_processors.past.ladder import Spacing
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.past.moment import AsOf

TENANTS = ("one/agent", "two/agent")


def _of(engine: Embedded, memory: str) -> Memory[Embedded]:
    return Memory(engine, Drafter(memory, "me", "past"))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "data", partitions=1, spacing=Spacing(every=0)) as it:
        for memory in TENANTS:
            _of(it, memory).record_many([{"text": f"{memory} {number}"} for number in range(60)])
        yield it


def _digest(engine: Embedded, memory: str, seq: int) -> str:
    return _of(engine, memory).as_of(seq).digest()


def _digests(engine: Embedded, seqs: range) -> dict[tuple[str, int], str]:
    return {(memory, seq): _digest(engine, memory, seq) for memory in TENANTS for seq in seqs}


def test_ten_moments_of_two_tenants_at_once_beside_appends(engine: Embedded) -> None:
    expected = _digests(engine, range(10, 60, 10))
    engine.pasts.close()
    engine.pasts = Pasts(lambda: engine.log, engine.reality_of, engine.path / "past")
    stop = Event()

    def append() -> None:
        while not stop.is_set():
            for memory in TENANTS:
                _of(engine, memory).record_event("Meanwhile")

    with ThreadPoolExecutor(11) as threads:
        appending = threads.submit(append)
        asked = {at: threads.submit(_digest, engine, *at) for at in expected}
        found = {at: each.result() for at, each in asked.items()}
        stop.set()
        appending.result()
    assert found == expected


def test_a_full_cache_builds_again_and_lets_no_tenant_crowd_out_another(engine: Embedded) -> None:
    expected = _digests(engine, range(10, 60, 10))
    engine.pasts.close()
    engine.pasts = Pasts(lambda: engine.log, engine.reality_of, engine.path / "past", bytes_max=1)
    assert _digests(engine, range(10, 60, 10)) == expected
    assert len(engine.pasts._kept) == 1
    one = engine.pasts._kept[0].nbytes
    engine.pasts.close()
    engine.pasts = Pasts(lambda: engine.log, engine.reality_of, engine.path / "past", bytes_max=int(3.5 * one))
    _of(engine, TENANTS[0]).as_of(5)
    for seq in range(10, 60, 5):
        _of(engine, TENANTS[1]).as_of(seq)
    assert TENANTS[0] in {each.memory for each in engine.pasts._kept}, "the other has the most, and makes room"


def test_what_is_held_is_closed_only_when_it_is_let_go(engine: Embedded) -> None:
    engine.pasts.close()
    engine.pasts = Pasts(lambda: engine.log, engine.reality_of, engine.path / "past", bytes_max=1)
    with engine.pasts.standing(TENANTS[0], AsOf(seq=10), None) as stood:
        _of(engine, TENANTS[1]).as_of(20)
        engine.pasts.close()
        assert stood.hosted(TENANTS[0]).store.memories() == [TENANTS[0]]
    with pytest.raises(NotReadyError):
        _of(engine, TENANTS[0]).as_of(10)


def test_who_waits_no_longer_hears_how_far_it_is(engine: Embedded) -> None:
    with pytest.raises(BeingBuiltError) as raised, engine.pasts.standing(TENANTS[0], AsOf(seq=30), 0.0):
        pass
    assert "is being built" in str(raised.value) and "ask again" in str(raised.value)
    engine.stand(TENANTS[0], AsOf(seq=30))
    with engine.pasts.standing(TENANTS[0], AsOf(seq=30), 0.0) as stood:
        assert stood.reached.seq == 30


def test_what_a_killed_process_left_is_swept_and_nothing_remains(engine: Embedded, tmp_path: Path) -> None:
    left = engine.path / "past" / "built-left"
    left.mkdir(parents=True)
    (left / "table.sst").write_bytes(b"x")
    _of(engine, TENANTS[0]).as_of(10)
    assert not left.exists()
    engine.close()
    assert not any((engine.path / "past").iterdir())
    with Embedded(tmp_path / "data") as again:
        assert _of(again, TENANTS[0]).as_of(10).moment().as_of == 10
