"""A write of the store that the kernel refuses, while readers wait: they are not answered from what was not written.

The record is in the log by then, so the next start folds it, and everything is found that the log holds.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.faults.local.load import no_space
from tests.harness.waiting import until
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil import Event, Memory, RecordManyError
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Health, Service, Serving
from yggdrasil_infra.log import NotFoldedError, Receipt
from yggdrasil_infra.rocks.batch import Batch
from yggdrasil_infra.rocks.database import Rocks, StorageError
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.projector import ProjectorStoppedError
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.index import view
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest, AskOverview
from yggdrasil_schemas.ids import derived_id

MEMORY = "me/agent"
DRAFTS = Drafter(MEMORY, "test", "test")
SAID = ["the giraffe eats leaves", "red bicycle in the garden", "quarterly invoice was paid", "old violin repaired"]
LATE = "submarine dived under ice"
WAIT_S = 120.0
NEVER = 1 << 30


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


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(view, "IMAGE_DOCUMENTS_MIN", 1)  # small indexes have images too, which are what may be wrong
    path = tmp_path / "home"
    with Embedded(path, partitions=1) as engine:
        for said in SAID:
            engine.submit(DRAFTS.record_event(said, features=[said.split()[1]]))
        engine.ask(MEMORY, AskContext(Ask(MEMORY, "violin")))
    return path


def behind(engine: Embedded, waiting: int) -> bool:
    return len(engine.turns._readers) > waiting


def found(engine: Embedded, query: str) -> list[str | None]:
    return [entry.memory.text for entry in engine.ask(MEMORY, AskContext(Ask(MEMORY, query))).found]


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
            "context": lambda: engine.ask(MEMORY, AskContext(Ask(MEMORY, "submarine under ice"))),
            "stats": lambda: engine.ask(MEMORY, AskOverview()),
            "digest": lambda: engine.ask(MEMORY, AskDigest()),
            "memories": engine.memories,
        }
        became = fail_behind_a_reader(engine, reads)
        assert became.keys() == {"writer", "waiter", *reads}
        assert {name: it for name, it in became.items() if not isinstance(it, StorageError | NotFoldedError)} == {}
        assert isinstance(became["writer"], NotFoldedError)
        for read in reads.values():
            with pytest.raises((StorageError, ProjectorStoppedError)):
                read()


def test_no_image_lacks_what_a_failed_write_has_left_in_the_log(home: Path) -> None:
    with Embedded(home, sliced=True) as engine:
        assert found(engine, "violin") == [SAID[3]]
        query = AskContext(Ask(MEMORY, "submarine under ice"))
        fail_behind_a_reader(engine, {"context": lambda: engine.ask(MEMORY, query)})
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


@pytest.fixture
def store_fails(monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[[int], None]]:
    """Let the kernel refuse what a store writes, from the so many-th batch on; the log it lets be."""
    written, from_ = [0], [NEVER]
    original = Rocks.write

    def write(rocks: Rocks, batch: Batch, *args: Any, **kwargs: Any) -> None:
        if rocks.path.parent.name != "graph":
            return original(rocks, batch, *args, **kwargs)
        written[0] += 1
        if written[0] < from_[0]:
            return original(rocks, batch, *args, **kwargs)
        with no_space():
            return original(rocks, batch, *args, **kwargs)

    monkeypatch.setattr(Rocks, "write", write)

    def fail(nth: int) -> None:
        written[0], from_[0] = 0, nth

    yield fail
    fail(NEVER)


def events(count: int) -> list[Event]:
    return [Event(f"number {place}", id=derived_id("failed-write", str(place))) for place in range(count)]


@pytest.mark.parametrize(("count", "nth", "there"), [(20, 1, 20), (1, 1, 1), (1_200, 2, 1_000), (1_200, 3, 1_200)])
def test_of_many_it_is_told_what_is_in_the_log_and_a_resend_takes_each_once(
    tmp_path: Path, store_fails: Callable[[int], None], count: int, nth: int, there: int
) -> None:
    """The store fails at the first, second or third batch of five hundred: what was appended by then is there."""
    said = events(count)
    with Memory.open(tmp_path / "home", MEMORY, partitions=1, embedder=None) as memory:
        store_fails(nth)
        with pytest.raises(RecordManyError, match=f"In the log: {there} of the events") as stopped:
            memory.record_many(said)
        assert stopped.value.ids == [event.id for event in said[:there]]
        assert stopped.value.unsure == []
        assert isinstance(stopped.value.__cause__, NotFoldedError)
        store_fails(NEVER)
    with Memory.open(tmp_path / "home", MEMORY) as memory:
        assert memory.overview().seq == there
        assert memory.record_many(said) == [event.id for event in said]
        assert memory.overview().seq == count


def test_a_single_command_says_that_it_is_in_the_log(tmp_path: Path, store_fails: Callable[[int], None]) -> None:
    with Memory.open(tmp_path / "home", MEMORY, partitions=1, embedder=None) as memory:
        memory.record_event("said while all was well")
        store_fails(1)
        with pytest.raises(NotFoldedError, match="durable in the log") as stopped:
            memory.record_event(LATE)
        store_fails(NEVER)
    with Memory.open(tmp_path / "home", MEMORY) as memory:
        assert memory.describe(stopped.value.ids[0]).memory.text == LATE


def test_a_recall_whose_record_is_in_the_log_is_recorded(tmp_path: Path, store_fails: Callable[[int], None]) -> None:
    with Memory.open(tmp_path / "home", MEMORY, partitions=1, embedder=None) as memory:
        memory.record_event(LATE)
        store_fails(1)
        found = memory.get_context("submarine")
        assert found.recorded
        recall = found.recall_id
        store_fails(NEVER)
    with Memory.open(tmp_path / "home", MEMORY) as memory:
        assert recall is not None and memory.became(recall) is not None


def test_a_service_says_what_is_in_the_log_and_not_that_it_may_be(
    tmp_path: Path, store_fails: Callable[[int], None]
) -> None:
    sent = {"type": "record_event", "body": {}, "content": {"text": LATE}}
    with (
        Embedded(tmp_path / "home", partitions=1) as engine,
        Serving(engine, Service(LOOPBACK), Health(lambda: None, lambda: None)) as it,
        Client(it.url) as client,
    ):
        client.event("said while all was well")
        store_fails(1)
        problem = client.post("/commands", sent).problem(503, "not_ready")
        store_fails(NEVER)
    assert problem["detail"].startswith("in the log, and not folded")
    command_id = problem["detail"].rpartition(" ")[2]
    with Memory.open(tmp_path / "home", client.memory) as memory:
        assert memory.describe(command_id).memory.text == LATE
