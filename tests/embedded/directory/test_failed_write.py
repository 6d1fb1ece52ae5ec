"""A write of the store that the kernel refuses, while readers wait: they are not answered from what was not written.

The record is in the log by then, so the next start folds it, and everything is found that the log holds.
"""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.faults.local.load import no_space
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.log import Receipt
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.projector import ProjectorStoppedError
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.index import view

MEMORY = "me/agent"
DRAFTS = Drafter(MEMORY, "test", "test")
SAID = ["the giraffe eats leaves", "red bicycle in the garden", "quarterly invoice was paid", "old violin repaired"]
LATE = "submarine dived under ice"
WAIT_S = 120.0


class Threads:
    """Calls on threads of their own, and what became of them."""

    def __init__(self) -> None:
        self.results: dict[str, Any] = {}
        self._threads: list[threading.Thread] = []

    def start(self, name: str, work: Callable[[], object]) -> None:
        def run() -> None:
            try:
                self.results[name] = work()
            except Exception as error:
                self.results[name] = error

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def end(self) -> dict[str, Any]:
        for thread in self._threads:
            thread.join(WAIT_S)
            assert not thread.is_alive()
        return self.results


def until(reached: Callable[[], bool]) -> None:
    for _ in range(4_000):
        if reached():
            return
        threading.Event().wait(0.005)
    raise AssertionError("not reached")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(view, "IMAGE_DOCUMENTS_MIN", 1)  # small indexes have images too, which are what may be wrong
    path = tmp_path / "home"
    with Embedded(path, partitions=1) as engine:
        for said in SAID:
            engine.submit(DRAFTS.record_event(said, features=[said.split()[1]]))
        engine.context(Ask(MEMORY, "violin"))
    return path


def behind(engine: Embedded, waiting: int) -> bool:
    return len(engine.turns._readers) > waiting


def found(engine: Embedded, query: str) -> list[str | None]:
    return [entry.memory.text for entry in engine.context(Ask(MEMORY, query)).found]


def fail_behind_a_reader(engine: Embedded, reads: dict[str, Callable[[], object]]) -> dict[str, Any]:
    """Let a command be appended and its fold wait for its turn, with ``reads`` behind it; then its commit fails."""
    partition = engine.partition(MEMORY)
    threads = Threads()
    with ExitStack() as turn:
        turn.enter_context(engine.hosted(MEMORY).reading(MEMORY))
        end = engine.log.end_offset(partition)
        threads.start("writer", lambda: engine.submit(DRAFTS.record_event(LATE, features=["submarine"])))
        until(lambda: engine.log.end_offset(partition) > end and bool(engine.turns._folders))
        threads.start("waiter", lambda: engine.wait(MEMORY, Receipt(partition, end), WAIT_S))
        until(lambda: engine.hosted(MEMORY)._waiting == 1)
        for name, read in reads.items():
            waiting = len(engine.turns._readers)
            threads.start(name, read)
            until(partial(behind, engine, waiting))
        with no_space():
            turn.close()
            return threads.end()


def test_whoever_waits_behind_a_failed_write_hears_of_it(home: Path) -> None:
    with Embedded(home, sliced=True) as engine:
        assert found(engine, "violin") == [SAID[3]]
        reads: dict[str, Callable[[], object]] = {
            "context": lambda: engine.context(Ask(MEMORY, "submarine under ice")),
            "stats": lambda: engine.overview(MEMORY),
            "digest": lambda: engine.digest(MEMORY),
            "memories": engine.memories,
        }
        became = fail_behind_a_reader(engine, reads)
        assert became.keys() == {"writer", "waiter", *reads}
        assert {name: it for name, it in became.items() if not isinstance(it, StorageError)} == {}
        for read in reads.values():
            with pytest.raises((StorageError, ProjectorStoppedError)):
                read()


def test_no_image_lacks_what_a_failed_write_has_left_in_the_log(home: Path) -> None:
    with Embedded(home, sliced=True) as engine:
        assert found(engine, "violin") == [SAID[3]]
        fail_behind_a_reader(engine, {"context": lambda: engine.context(Ask(MEMORY, "submarine under ice"))})
    with Embedded(home) as engine:
        assert found(engine, "submarine under ice") == [LATE]
        assert (engine.view.counts.loaded, engine.view.counts.built) == (1, 0)


def test_a_fold_that_ends_half_way_leaves_nothing_to_read(home: Path) -> None:
    """Whatever ends it: the graphs in memory have changed, and the store has not."""

    def enough() -> bool:
        raise RuntimeError("half way")

    with Embedded(home) as engine:
        hosted = engine.hosted(MEMORY)
        draft = DRAFTS.record_event(LATE, features=["submarine"])
        receipt = engine.log.append_many([(draft.key, draft.value)])[0]
        with pytest.raises(RuntimeError):
            hosted.projector.advance(enough=enough)
        assert hosted.position == receipt.offset
        with pytest.raises(StorageError, match="half way"), hosted.reading(MEMORY):
            pass
    with Embedded(home) as engine:
        assert found(engine, "submarine under ice") == [LATE]
