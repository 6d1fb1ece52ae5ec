"""A directory that is closed while others still read, build and write there: they hear of it, and it is free."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.harness.waiting import until
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past import kept, verifying
from yggdrasil_infra.log import LogError
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_processors.auditing.against_log.one_memory import verify_memory
from yggdrasil_processors.opening import StoreOpening
from yggdrasil_processors.past.building import Built, build
from yggdrasil_processors.past.ladder import NO_LADDER
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.retrieval.errors import NotReadyError
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_schemas.errors import YggdrasilError

ME = "me/agent"


def of(engine: Embedded, name: str = ME) -> Memory[Embedded]:
    return Memory(engine, Drafter(name, "me", "test"))


def living(path: Path) -> Embedded:
    engine = Embedded(path, partitions=1, spacing=NO_LADDER)
    of(engine).record_many([{"text": f"Event {number}"} for number in range(40)])
    return engine


class Held:
    """What stands in the place of a function: it waits until it is let go, and then does the same."""

    def __init__(self, does: Callable[..., Any]) -> None:
        self.begun, self.go_on = Event(), Event()
        self._does = does

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.begun.set()
        assert self.go_on.wait(240)
        return self._does(*args, **kwargs)


def closed(engine: Embedded) -> bool:
    try:
        engine.check()
    except YggdrasilError:
        return True
    return False


def test_whoever_lets_go_of_a_past_while_another_is_built_takes_away_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more is built by then, but for what is under way; that is in the same directory."""
    with living(tmp_path / "data") as engine:
        of(engine).as_of(5).digest()
        building = Held(build)
        monkeypatch.setattr(kept, "build", building)
        with ThreadPoolExecutor(2) as threads:
            with engine.pasts.standing(ME, AsOf(seq=5), None) as stood:
                builds = threads.submit(lambda: of(engine).as_of(30).digest())
                assert building.begun.wait(240)
                closing = threads.submit(engine.pasts.close)
                until(lambda: engine.pasts._jobs.closed)
            assert stood._path.is_dir(), "what is kept is there until it is closed, as is what is built"
            building.go_on.set()
            closing.result()
            assert isinstance(builds.exception(), NotReadyError)
    assert not list((tmp_path / "data" / "past").iterdir())


def test_a_second_one_who_closes_waits_for_what_is_built_as_the_first_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with living(tmp_path / "data") as engine:
        building = Held(build)
        monkeypatch.setattr(kept, "build", building)
        with ThreadPoolExecutor(3) as threads:
            builds = threads.submit(lambda: of(engine).as_of(30).digest())
            assert building.begun.wait(240)
            closing = [threads.submit(engine.pasts.close) for _ in range(2)]
            until(lambda: engine.pasts._jobs.closed)
            assert not any(each.done() for each in closing) and not engine.pasts._ended
            building.go_on.set()
            assert [each.result() for each in closing] == [None, None]
            assert isinstance(builds.exception(), NotReadyError)


def test_what_was_built_and_cannot_be_kept_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_ranker() -> None:
        raise LogError("no ranker")

    with living(tmp_path / "data") as engine:
        engine.pasts._ranker = no_ranker
        built: list[Built] = []

        def noted(*args: Any) -> Built:
            built.append(build(*args))
            return built[-1]

        monkeypatch.setattr(kept, "build", noted)
        with pytest.raises(LogError, match="no ranker"):
            of(engine).as_of(5).digest()
        with pytest.raises(StorageError, match="is closed"):
            built[0].projector.store.check()


def test_who_reads_a_closed_engine_opens_no_store_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one who opens the directory found a store in use, for as long as that took."""
    opened: list[int] = []
    projector = StoreOpening.projector

    def noted(self: StoreOpening, partition: int, go_on: Callable[[str], None]) -> Projector:
        opened.append(partition)
        return projector(self, partition, go_on)

    monkeypatch.setattr(StoreOpening, "projector", noted)
    engine = living(tmp_path / "data")
    assert opened == [0]
    engine.close()
    for read in (of(engine).timeline, of(engine).digest, lambda: of(engine).record_event("Late"), engine.memories):
        with pytest.raises((NotReadyError, LogError)):
            read()
    assert opened == [0]


def test_a_store_that_is_being_opened_when_all_ends_answers_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    living(tmp_path / "data").close()
    opening = Held(StoreOpening.projector)

    def held(self: StoreOpening, partition: int, go_on: Callable[[str], None]) -> Any:
        return opening(self, partition, go_on)

    monkeypatch.setattr(StoreOpening, "projector", held)
    engine = Embedded(tmp_path / "data", spacing=NO_LADDER)
    with ThreadPoolExecutor(2) as threads:
        reads = threads.submit(engine.hosting.open, 0)
        assert opening.begun.wait(240)
        engine.hosting.end(NotReadyError("it ends"))
        opening.go_on.set()
        with pytest.raises(NotReadyError, match="it ends"):
            reads.result().check()
    engine.close()


def test_it_can_be_opened_again_at_once_though_somebody_compares_a_memory_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is read outside of any turn, for as long as it takes, and would keep the store locked."""
    comparing = Held(verify_memory)
    monkeypatch.setattr(verifying, "verify_memory", comparing)
    engine = living(tmp_path / "data")
    with ThreadPoolExecutor(1) as threads:
        reads = threads.submit(of(engine).verify_against_log)
        assert comparing.begun.wait(240)
        engine.close()
        with Embedded(tmp_path / "data") as again:
            assert of(again).moment().as_of == 40
            comparing.go_on.set()
            assert isinstance(reads.exception(), NotReadyError | LogError)
    assert closed(engine)


def test_what_is_appended_while_thinkers_end_is_no_error(tmp_path: Path) -> None:
    """Whoever is told is looked up once: it goes when thinkers end, and the command was in the log by then."""
    heard: list[object] = []

    class Ending(Embedded):
        def __getattribute__(self, name: str) -> Any:
            found = super().__getattribute__(name)
            if name == "told":
                self.told = None
            return found

    with Ending(tmp_path / "data", partitions=1) as engine:
        engine.told = heard.append
        of(engine).record_event("Said")
        assert len(heard) == 1
