"""An index is the same however it came about: grown with the graph, built anew, or loaded from an image."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from tests.retrieval.lives import anew, asks, life, living
from tests.size import turns
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.index.image import read_image, write_image
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.reads.learning.cases import similar_cases
from yggdrasil_projections.retrieval.reads.learning.context import search_context


def loaded(directory: Path, graph: Graph) -> MemoryIndex:
    """Return the index in the image, as ``graph`` is now."""
    index = read_image(directory, graph.header.memory)
    assert index is not None and index.fits(graph)
    index.reconcile(graph)
    index.catch_up(graph)
    return index


def assert_alike(rng: Random, graph: Graph, *indexes: MemoryIndex) -> int:
    """Ask all indexes the same; return how many memories they found."""
    found = 0
    for _ in range(4):
        ask = asks(rng)
        first, *others = [search_context(graph, index, ask, 0) for index in indexes]
        assert all(other == first for other in others), ask
        found += len(first.found)
        first_cases, *other_cases = [similar_cases(graph, index, ask, 0) for index in indexes]
        assert all(other == first_cases for other in other_cases), ask
    return found


@pytest.mark.parametrize("seed", range(turns(2, 6)))
def test_grown_rebuilt_and_loaded_indexes_give_the_same_answers_bit_for_bit(tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    view, found, removed = RetrievalView(None), 0, 0
    records = life(seed, turns(500, 900))
    with living(tmp_path / "store", view) as (log, projector):
        old = False
        while records:
            chunk = rng.choice((1, 3, 40, 90))
            log.extend(records[:chunk])
            records = records[chunk:]
            while projector.advance(rng.choice((1, 16, 500))):
                pass
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            if rng.random() < 0.3:  # not asked for a while
                continue
            grown, built = view.index(graph), anew(graph)
            removed = max(removed, grown.documents.dead)
            write_image(tmp_path / "now", grown)
            indexes = [grown, built, loaded(tmp_path / "now", graph)]
            if old:
                before = read_image(tmp_path / "old", "tenant/a")
                if before is not None and before.fits(graph):
                    indexes.append(loaded(tmp_path / "old", graph))
            found += assert_alike(rng, graph, *indexes)
            if rng.random() < 0.2:
                old = bool(write_image(tmp_path / "old", grown))
    assert found > 60
    assert removed > 10


def test_compaction_changes_no_score(tmp_path: Path) -> None:
    rng, view = Random(1), RetrievalView(None)
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(life(7, turns(700, 1_200)))
        sizes: list[int] = []
        graph, index = None, None
        while projector.advance(25):
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            index = view.index(graph)
            sizes.append(len(index.documents))
            assert_alike(rng, graph, index, anew(graph))
            assert index.documents.dead * 2 <= len(index.documents) or len(index.documents) <= 64
        assert graph is not None and index is not None
        assert any(after < before for before, after in pairwise(sizes))
        assert len(index.postings.lexicon) <= 4 * len(anew(graph).postings.lexicon)
        assert max(index.sessions.values()) == len(index.sessions) - 1


@pytest.mark.parametrize("seed", range(turns(2, 4)))
def test_an_index_that_follows_the_fold_and_is_renewed_in_small_steps_is_as_one_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """With bounds so low that it is asked at every stage of being sorted, merged and renewed."""
    rng = Random(f"follows{seed}")
    for name, value in (
        ("view.FOLLOWED_RECORDS", rng.choice((1, 4, 16))),
        ("index.NEWS_MAX", 24),
        ("index._STEP_ROWS", 1),
        ("index._STEP_FACTOR", 2 + seed % 2),
        ("index._RENEWED_FROM", 16),
        ("columns.postings._RECENT_MAX", rng.choice((0, 20, 100))),
        ("columns.postings._BULK_MIN", 150),
        ("vocabulary._WORDS_MAX", 9),
        ("vocabulary._FEATURES_MAX", 3),
    ):
        monkeypatch.setattr(f"yggdrasil_projections.retrieval.index.{name}", value)
    view, found, renewing, renewed = RetrievalView(None), 0, 0, 0
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(life(seed + 60, turns(700, 1_000)))
        before = 0
        while projector.advance(rng.choice((1, 2, 9, 30))):
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            if rng.random() < 0.5:
                index = view.index(graph)
                found += assert_alike(rng, graph, index, anew(graph))
                renewing += index.renewing
                renewed += len(index.documents) < before
                before = len(index.documents)
    assert found > 60
    assert renewing > 2
    assert renewed > 0


def test_asking_again_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = RetrievalView(None)
    with living(tmp_path / "store", view) as (log, projector):
        log.extend(life(3, 50))
        projector.advance()
        graph = projector.store.peek("tenant/a")
        assert graph is not None
        index = view.index(graph)
        standing = index.shown().standing
        monkeypatch.setattr(graph, "source", None)  # whatever is read of it fails
        assert view.index(graph) is index
        assert index.shown().standing is standing


class Told:
    """A view of one memory: one index, brought no further by itself."""

    nbytes = 0

    def __init__(self, index: MemoryIndex) -> None:
        self.index = index

    def committed(self, graph: Graph) -> None:
        self.index.committed(graph)

    def at(self, memory: str) -> int | None:
        return self.index.seq if memory == self.index.memory else None

    def rebuild(self, graph: Graph) -> None:
        self.index.catch_up(graph)


@pytest.mark.parametrize("seed", range(turns(2, 4)))
def test_an_index_that_was_read_in_parts_between_commits_is_as_one_built_anew(tmp_path: Path, seed: int) -> None:
    rng = Random(f"parts{seed}")
    records = life(seed + 20, 600)
    index, parts, found, removed = MemoryIndex("tenant/a"), 0, 0, 0
    with living(tmp_path / "store", Told(index)) as (log, projector):
        while records:
            log.extend(records[:90])
            records = records[90:]
            whole, graph = False, None
            while not whole or projector.store.state.position < log.end_offset(0):
                projector.advance(rng.choice((1, 5, 20)))  # nodes that were read in an earlier part change, and go
                graph = projector.store.peek("tenant/a")
                assert graph is not None
                whole = index.catch_up(graph, rng.choice((1, 3, 8)))
                parts += not whole
                assert index.partly != whole
            assert graph is not None
            found += assert_alike(rng, graph, index, anew(graph))
            removed = max(removed, index.documents.dead)
    assert parts > 20
    assert found
    assert removed
