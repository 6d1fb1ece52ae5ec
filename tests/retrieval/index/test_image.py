"""Images: what is written is read again, and what does not fit is built anew."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.retrieval.lives import anew, asks, life, living
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.index.image import BadImageError, image_path, read_image, write_image
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZERS

ME = "tenant/a"


@pytest.fixture
def projector(tmp_path: Path) -> Iterator[Projector]:
    """A projector that has folded a life, and is told of no view."""
    with living(tmp_path / "store", RetrievalView(None)) as (log, opened):
        log.extend(life(11, 200))
        opened.catch_up()
        yield opened


def graph_of(projector: Projector, memory: str = ME) -> Graph:
    graph = projector.store.peek(memory)
    assert graph is not None
    return graph


def test_an_image_is_exact_and_there_is_none_before(tmp_path: Path, projector: Projector) -> None:
    graph = graph_of(projector)
    assert read_image(tmp_path / "images", ME) is None
    size = write_image(tmp_path / "images", anew(graph))
    assert [file.name for file in (tmp_path / "images").iterdir()] == ["tenant_2f_a.index"]
    assert image_path(tmp_path / "images", ME).stat().st_size == size
    index = read_image(tmp_path / "images", ME)
    assert index is not None and (index.memory, index.seq) == (ME, graph.header.seq)
    rng = Random(2)
    for _ in range(20):
        ask = asks(rng)
        assert search_context(graph, index, ask, 0) == search_context(graph, anew(graph), ask, 0)


@pytest.mark.parametrize("place", [0, 9, 40, -1, -40, -500])
def test_a_flipped_bit_is_found_and_the_index_is_built_anew(tmp_path: Path, projector: Projector, place: int) -> None:
    graph = graph_of(projector)
    write_image(tmp_path / "images", anew(graph))
    path = image_path(tmp_path / "images", ME)
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadImageError):
        read_image(tmp_path / "images", ME)
    with RetrievalView(tmp_path / "images", image_documents_min=1) as view:
        view.index(graph)
        assert (view.counts.unfit, view.counts.built, view.counts.loaded) == (1, 1, 0)
    assert read_image(tmp_path / "images", ME) is not None  # written anew as well


@pytest.mark.parametrize("kept", [0, 7, 100, 1_000])
def test_an_image_that_ends_early_is_none(tmp_path: Path, projector: Projector, kept: int) -> None:
    write_image(tmp_path / "images", anew(graph_of(projector)))
    path = image_path(tmp_path / "images", ME)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(BadImageError):
        read_image(tmp_path / "images", ME)


def test_the_image_of_another_memory_or_version_is_not_taken(tmp_path: Path, projector: Projector) -> None:
    write_image(tmp_path / "images", anew(graph_of(projector)))
    image_path(tmp_path / "images", ME).rename(image_path(tmp_path / "images", "tenant/b"))
    with pytest.raises(BadImageError, match="it is of"):
        read_image(tmp_path / "images", "tenant/b")
    image_path(tmp_path / "images", "tenant/b").rename(image_path(tmp_path / "images", ME))
    with pytest.raises(BadImageError, match="unicode/1"):
        read_image(tmp_path / "images", ME, TOKENIZERS["english/1"])


@pytest.mark.parametrize("count", [20, 500])
def test_the_image_of_another_history_is_not_taken(tmp_path: Path, projector: Projector, count: int) -> None:
    """Whether that is shorter or longer."""
    write_image(tmp_path / "images", anew(graph_of(projector)))
    with (
        RetrievalView(tmp_path / "images", image_documents_min=1) as view,
        living(tmp_path / "other", view) as (log, other),
    ):
        log.extend(life(12, count))
        other.catch_up()
        graph = graph_of(other)
        index = view.index(graph)
        assert (view.counts.unfit, view.counts.built, index.seq) == (1, 1, graph.header.seq)


def test_names_of_images_are_safe_and_different() -> None:
    memories = [
        "a/b",
        "A/b",
        "a/B",
        "a_2f_b/c",
        "a/b_2f_c",
        "a.b/c",
        "..a/..",
        "a" * 64 + "/" + "b" * 64,
        "Z" * 64 + "/z",
    ]
    names = [image_path(Path(), memory).name for memory in memories]
    assert len({name.lower() for name in names}) == len(names)
    assert all("/" not in name and len(name) < 250 and name != ".." for name in names)


def test_an_index_that_cannot_be_written_is_dropped(tmp_path: Path, projector: Projector) -> None:
    (tmp_path / "file").write_text("")
    view = RetrievalView(tmp_path / "file" / "images", image_documents_min=1)
    view.index(graph_of(projector))
    view.close()
    assert (view.counts.written, view.memories) == (0, [])
