"""The view: bounded, told of commits, and apart by memory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.graph.commands import event
from tests.graph.list_log import ListLog
from tests.retrieval.lives import life, living
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.source import StoreSource
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.index.image import image_path
from yggdrasil_projections.retrieval.index.view import FOLLOWED_RECORDS, RetrievalView
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_schemas.commands.vectors import Vector

MEMORIES = [f"tenant/m{number}" for number in range(12)]


def alike(count: int = 3) -> list[LogRecord]:
    """The same events in every memory, so that ids and texts collide."""
    said = [replace(event(f"e{n}", "f"), content={"text": f"the router number {n} failed"}) for n in range(count)]
    return [each.record(0, memory) for each in said for memory in MEMORIES]


def test_indexes_are_bounded_in_bytes_and_go_to_images(tmp_path: Path) -> None:
    view = RetrievalView(tmp_path / "images", 50_000, image_documents_min=1)
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        graphs = [graph for memory in MEMORIES if (graph := projector.store.peek(memory))]
        assert len(graphs) == len(MEMORIES)
        for graph in graphs * 2:
            index = view.index(graph)
            assert view.nbytes <= 50_000
            assert view.memories[-1] == index.memory == graph.header.memory
        assert 0 < len(view.memories) < len(MEMORIES)
        assert (view.counts.built, view.counts.unfit) == (len(MEMORIES), 0)
        assert view.counts.loaded > 0
        view.close()
    assert (view.memories, view.nbytes) == ([], 0)
    assert len(list((tmp_path / "images").iterdir())) == len(MEMORIES)


def test_one_index_larger_than_the_bound_is_kept_while_it_is_asked(tmp_path: Path) -> None:
    view = RetrievalView(None, bytes_max=1)
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        for memory in MEMORIES[:3]:
            graph = projector.store.peek(memory)
            assert graph is not None
            view.index(graph)
            assert view.memories == [memory]


def test_a_memory_that_is_never_asked_costs_nothing(tmp_path: Path) -> None:
    view = RetrievalView(tmp_path / "images")
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        view.close()
    assert (view.memories, view.nbytes, view.counts.built) == ([], 0, 0)
    assert not (tmp_path / "images").exists()


def test_an_image_is_not_written_again_when_nothing_has_changed(tmp_path: Path) -> None:
    with living(tmp_path / "store", RetrievalView(None)) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        graph = projector.store.peek(MEMORIES[0])
        assert graph is not None
        for written in (1, 0):
            with RetrievalView(tmp_path / "images", image_documents_min=1) as view:
                view.index(graph)
            assert view.counts.written == written


def test_what_is_built_anew_in_no_time_has_no_image(tmp_path: Path) -> None:
    """Or closing would write one for every memory that was ever asked."""
    images = tmp_path / "images"
    with living(tmp_path / "store", RetrievalView(None)) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        graph = projector.store.peek(MEMORIES[0])
        assert graph is not None
        for documents_min, there in ((None, False), (4, False), (3, True), (None, True)):  # it has three
            with RetrievalView(images, image_documents_min=documents_min) as view:
                view.index(graph)
            assert image_path(images, MEMORIES[0]).exists() == there
        log.extend([event("more").record(0, MEMORIES[0])])
        projector.catch_up()
        with RetrievalView(images) as view:
            view.index(graph)
        assert not any(images.iterdir())  # it was of before, and what is now has none


def test_vectors_of_many_models_have_no_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be read in one turn; built anew, the index is read in many."""
    monkeypatch.setattr("yggdrasil_projections.retrieval.index.view.IMAGE_MODELS_MAX", 2)
    images = tmp_path / "images"
    with living(tmp_path / "store", RetrievalView(None)) as (log, projector):
        for models in (1, 2, 3):
            vector = Vector.of(f"model/{models}", bytes([127, 0, 0, 0])).model_dump()
            said = replace(event(f"v{models}"), content={"text": "the router", "vector": vector})
            log.extend([said.record(0, MEMORIES[0])])
            projector.catch_up()
            graph = projector.store.peek(MEMORIES[0])
            assert graph is not None
            with RetrievalView(images, image_documents_min=1) as view:
                assert view.index(graph).vectors.models == models
            assert image_path(images, MEMORIES[0]).exists() == (models <= 2)


def test_images_are_bounded_on_disk_and_what_was_not_used_longest_goes(tmp_path: Path) -> None:
    images = tmp_path / "images"
    with living(tmp_path / "store", RetrievalView(None)) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        graphs = [graph for memory in MEMORIES if (graph := projector.store.peek(memory))]
        for at, graph in enumerate(graphs):
            with RetrievalView(images, image_documents_min=1) as view:
                view.index(graph)
            os.utime(image_path(images, MEMORIES[at]), (at, at))
        (images / "left_over.partial").write_text("half")
        size = image_path(images, MEMORIES[0]).stat().st_size
        log.extend([event("more").record(0, MEMORIES[5])])
        projector.catch_up()
        with RetrievalView(images, bytes_max=size, image_documents_min=1) as view:  # four of them, on disk
            view.index(graphs[0])  # used
            view.index(graphs[5])  # written
        kept = sorted(path.name for path in images.iterdir())
        assert kept == sorted(image_path(images, MEMORIES[at]).name for at in (0, 5, 11))  # of 5 there is more


def test_an_answer_never_holds_another_memory_s_text(tmp_path: Path) -> None:
    """Ids and texts are the same everywhere; each memory alone has one more word, and no other finds it."""
    view = RetrievalView(None)
    with living(tmp_path / "store", view) as (log, projector):
        own = [
            replace(event(f"own{n}"), content={"text": f"secret{n}"}).record(0, memory)
            for n, memory in enumerate(MEMORIES)
        ]
        log.extend([*alike(), *own])
        projector.catch_up()
        for n, memory in enumerate(MEMORIES):
            graph = projector.store.peek(memory)
            assert isinstance(graph, Graph)
            for other in range(len(MEMORIES)):
                answer = search_context(graph, view.index(graph), Ask(memory, f"secret{other}"), 0)
                texts = [found.memory.text for found in answer.found]
                assert texts == ([f"secret{n}"] if n == other else [])


def more(count: int, begin: int = 100) -> list[LogRecord]:
    said = [replace(event(f"more{n}"), content={"text": f"the disk {n} is full"}) for n in range(begin, begin + count)]
    return [each.record(0, MEMORIES[0]) for each in said]


@contextmanager
def asked(path: Path) -> Iterator[tuple[ListLog, Projector, RetrievalView, Graph]]:
    """A store with three events in the first memory, which has been asked."""
    view = RetrievalView(None)
    with living(path, view) as (log, projector):
        log.extend(alike())
        projector.catch_up()
        graph = projector.store.peek(MEMORIES[0])
        assert graph is not None
        view.index(graph)
        yield log, projector, view, graph


def test_an_index_that_was_asked_follows_the_fold_and_what_is_new_is_not_read_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asked(tmp_path / "store") as (log, projector, view, graph):
        index = view.index(graph)
        log.extend(more(FOLLOWED_RECORDS + 10))
        while projector.advance(7):
            assert index.news < FOLLOWED_RECORDS
        assert len(index.documents) >= 3 + FOLLOWED_RECORDS
        assert index.news > 0
        monkeypatch.setattr(StoreSource, "contents_from", None)  # to read from there fails
        assert len(view.index(graph).documents) == 3 + FOLLOWED_RECORDS + 10
        assert len(search_context(graph, index, Ask(MEMORIES[0], "a disk that is full"), 0).found) > 1


@pytest.mark.parametrize("name", ["view.FOLLOWED_S", "index.NEWS_MAX"])
def test_an_index_that_was_not_asked_lately_or_has_too_much_to_read_reads_when_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(f"yggdrasil_projections.retrieval.index.{name}", 0)
    with asked(tmp_path / "store") as (log, projector, view, graph):
        index = view.index(graph)
        log.extend(more(2 * FOLLOWED_RECORDS))
        while projector.advance(7):
            assert (len(index.documents), index.news) == (3, 0)
        assert len(view.index(graph).documents) == 3 + 2 * FOLLOWED_RECORDS


def test_what_cannot_be_read_ends_no_fold_and_the_index_is_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with asked(tmp_path / "store") as (log, projector, view, graph):
        with monkeypatch.context() as broken:
            broken.setattr("yggdrasil_projections.retrieval.index.reading.names_in", None)
            log.extend(more(FOLLOWED_RECORDS))
            projector.catch_up()
        assert "cannot follow the fold" in caplog.text
        assert (projector.store.state.position, view.memories) == (log.end_offset(0), [])
        assert len(view.index(graph).documents) == 3 + FOLLOWED_RECORDS
        assert view.counts.built == 2


def test_an_index_that_is_read_in_part_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yggdrasil_projections.retrieval.index.view.PART_RECORDS", 2)
    with living(tmp_path / "store", RetrievalView(None)) as (log, projector):
        log.extend(alike(7))
        projector.catch_up()
        graph = projector.store.peek(MEMORIES[0])
        assert graph is not None
        with RetrievalView(tmp_path / "images", image_documents_min=1) as view:
            assert not view.warm(graph)
            assert view.memories == MEMORIES[:1]
        assert view.counts.written == 0
        with RetrievalView(tmp_path / "images", image_documents_min=1) as view:
            parts = 1
            while not view.warm(graph):
                parts += 1
            assert parts >= 4
            assert len(view.index(graph).documents) == 7
        assert view.counts.written == 1


class Kinds:
    """Another view: how many nodes of each kind there are, counted from what commits say has changed."""

    nbytes = 64

    def __init__(self) -> None:
        self.nodes: dict[int, int] = {}
        self._at: int | None = None

    def committed(self, graph: Graph) -> None:
        for number, node in graph.changed_nodes.items():
            if node is None:
                self.nodes.pop(number, None)
            else:
                self.nodes[number] = node.kind
        self._at = graph.header.seq

    def at(self, memory: str) -> int | None:
        return self._at if memory == "tenant/a" else None

    def rebuild(self, graph: Graph) -> None:
        table = graph.node_table()
        self.nodes = dict(zip(table.keys.tolist(), table.rows["kind"].tolist(), strict=True))
        self._at = graph.header.seq


def test_a_store_tells_several_views_and_each_can_be_made_anew(tmp_path: Path) -> None:
    search, kinds = RetrievalView(tmp_path / "views"), Kinds()
    with living(tmp_path / "store", search, kinds) as (log, projector):
        log.extend(life(3, 300))
        projector.advance()
        graph = projector.store.peek("tenant/a")
        assert graph is not None and search.at("tenant/a") is None, "what was not asked has no index"
        search.index(graph)
        log.extend(life(4, 300)[:200])
        projector.advance()
        graph = projector.store.peek("tenant/a")
        assert graph is not None
        documents = search.index(graph).documents
        followed, as_indexed = dict(kinds.nodes), len(documents) - documents.dead
        for view in (search, kinds):
            assert view.at("tenant/a") == graph.header.seq and view.at("tenant/nobody") is None
            view.rebuild(graph)
            assert view.at("tenant/a") == graph.header.seq
        assert kinds.nodes == followed
        documents = search.index(graph).documents
        assert len(documents) - documents.dead == as_indexed and search.counts.built == 2
