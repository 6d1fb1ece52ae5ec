"""The pasts that a host keeps: bounded, shared out between tenants, built beside appends, and gone after a restart."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock
from typing import Any

import pytest

from tests.harness.waiting import until
from yggdrasil import BeingBuiltError, Memory, NoSuchMomentError, NotReadyError, Receipt
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past import jobs, kept
from yggdrasil.engines.past.jobs import Job, Jobs
from yggdrasil.engines.past.kept import Pasts
from yggdrasil.engines.past.standing import Stood
from yggdrasil_processors.past.building import Built, build
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


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Nothing is built before this is set: a past of a few records may be there before its asker has asked."""
    go_on = Event()

    def building(*args: Any) -> Built:
        assert go_on.wait(240)
        return build(*args)

    monkeypatch.setattr(kept, "build", building)
    yield go_on
    go_on.set()


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


def test_who_waits_no_longer_hears_how_far_it_is(engine: Embedded, held: Event) -> None:
    with pytest.raises(BeingBuiltError) as raised, engine.pasts.standing(TENANTS[0], AsOf(seq=30), 0.0):
        pass
    assert "is being built" in str(raised.value) and "ask again" in str(raised.value)
    held.set()
    engine.stand(TENANTS[0], AsOf(seq=30))
    with engine.pasts.standing(TENANTS[0], AsOf(seq=30), 0.0) as stood:
        assert stood.reached.seq == 30


def test_who_waits_when_all_is_closed_hears_of_it(engine: Embedded, held: Event) -> None:
    with ThreadPoolExecutor(9) as threads:
        waiting = [threads.submit(_digest, engine, TENANTS[0], seq) for seq in range(60, 44, -2)]
        closing = threads.submit(engine.pasts.close)
        until(lambda: engine.pasts._jobs.closed)
        held.set()
        closing.result()
        found = [each.exception() for each in waiting]
    assert all(isinstance(each, NotReadyError) for each in found), "none of them was built by then"


def test_what_is_held_when_all_is_closed_stays_whole_until_the_last_is_let_go(engine: Embedded, tmp_path: Path) -> None:
    with engine.pasts.standing(TENANTS[0], AsOf(seq=30), None) as first:
        with engine.pasts.standing(TENANTS[0], AsOf(seq=20), None) as second:
            engine.pasts.close()
            second.copy_to(tmp_path / "second")
        first.copy_to(tmp_path / "first")
    assert not list((engine.path / "past").iterdir())


def test_a_flood_of_one_tenant_keeps_no_other_waiting(engine: Embedded, held: Event) -> None:
    for seq in range(60, 10, -1):  # of each somebody asks, and waits for none
        with pytest.raises(BeingBuiltError), engine.pasts.standing(TENANTS[1], AsOf(seq=seq), 0.0):
            pass
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(_digest, engine, TENANTS[0], 2)
        until(lambda: engine.pasts._jobs._working == {"one", "two"})  # of the flood one is built beside it
        assert len(engine.pasts._jobs._waiting["two"]) <= 4
        held.set()
        assert other.result()


def test_a_past_with_more_refusals_is_built_on(engine: Embedded) -> None:
    memory = _of(engine, TENANTS[0])
    for _ in range(20):
        draft = Drafter(TENANTS[0], "me", "past").log_outcome("01900000-0000-7000-8000-000000000000", -1, kind="x")
        assert engine.submit(draft).refused is not None
    end = engine.log.end_offset(0)
    for offset in range(end - 20, end):
        memory.as_of(Receipt(0, offset))
    assert engine.pasts._made == 20


def test_a_damaged_past_is_built_anew(engine: Embedded) -> None:
    memory = _of(engine, TENANTS[0])
    expected = memory.as_of(50).digest()
    for table in (engine.path / "past").rglob("*.sst"):
        table.write_bytes(bytes(each ^ 255 for each in table.read_bytes()))
    for file in (engine.path / "past").rglob("*.log"):
        file.write_bytes(b"")
    assert memory.as_of(50).digest() == expected
    assert memory.as_of(51).moment().as_of == 51


def test_a_moment_that_cannot_be_builds_nothing(engine: Embedded) -> None:
    with pytest.raises(NoSuchMomentError):
        _of(engine, TENANTS[0]).as_of(10**9)
    assert engine.pasts._made == 0


def test_a_past_can_be_had_where_nothing_may_be_written_below_the_directory(engine: Embedded) -> None:
    engine.pasts.close()
    (engine.path / "past").unlink() if (engine.path / "past").is_file() else None
    place = engine.path / "no directory"
    place.write_text("")
    engine.pasts = Pasts(lambda: engine.log, engine.reality_of, place)
    assert _of(engine, TENANTS[0]).as_of(3).moment().as_of == 3


def test_a_building_that_times_out_is_told() -> None:
    def build(job: Job) -> Stood:
        raise TimeoutError(job.tenant)

    jobs = Jobs(Lock(), build, lambda stood, waiters: lambda: None)
    job = jobs.ask((TENANTS[0], AsOf(seq=1), None))
    assert job is not None
    with pytest.raises(TimeoutError, match="one"):
        jobs.wait(job, None, None)
    jobs.close()


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


def test_whoever_waits_no_more_holds_nothing(engine: Embedded, held: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Ctrl-C had ended the waiting for was held for ever: it was never closed, and its files stayed."""

    class Interrupted(Future[Stood]):
        def result(self, timeout: float | None = None) -> Stood:
            raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(jobs, "Future", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            _digest(engine, TENANTS[0], 20)
    held.set()
    until(lambda: engine.pasts._kept)
    assert [each.leases for each in engine.pasts._kept] == [0]
    engine.pasts.close()
    assert not list((engine.path / "past").iterdir())


def test_what_is_held_keeps_its_files_though_its_directory_is_opened_again(engine: Embedded) -> None:
    """They were taken for what a process that was killed had left."""
    past = engine.path / "past"
    with engine.pasts.standing(TENANTS[0], AsOf(seq=30), None) as stood:
        engine.close()
        with Embedded(engine.path, spacing=Spacing(every=0)) as again:
            _digest(again, TENANTS[0], 20)
            stood.copy_to(past.parent / "copied")
        assert len(list(past.iterdir())) == 1
    assert not list(past.iterdir())
