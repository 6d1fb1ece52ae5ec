"""What the group says is believed only of the log that it was said of."""

from pathlib import Path

import pytest

from tests.graph.golden.fixed_history import fixed_history
from tests.graph.hosts import projecting
from tests.graph.list_log import ListLog
from yggdrasil_processors.graph_worker.committed import PUBLISHED, published, words, words_again

RECORDS = fixed_history(20)


@pytest.fixture
def said(tmp_path: Path) -> str:
    """What a worker commits that has folded the first twelve records."""
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        projector.apply(RECORDS[:12])
        return words(projector.store)


def test_its_own_words_are_believed(said: str) -> None:
    assert said.startswith(PUBLISHED)
    assert published((12, said), ListLog(RECORDS), 0).below == 12


def test_of_an_offset_that_was_moved_with_its_words_only_what_they_say_is_believed(said: str) -> None:
    assert published((14, said), ListLog(RECORDS), 0).below == 12


def test_a_store_that_has_folded_nothing_commits_nothing_to_believe(tmp_path: Path) -> None:
    with projecting(ListLog(RECORDS), tmp_path) as projector:
        assert published((0, words(projector.store)), ListLog(RECORDS), 0).below == 0


def test_what_somebody_else_has_committed_is_not_believed(said: str) -> None:
    log = ListLog(RECORDS)
    assert published(None, log, 0).below == 0
    for other in ("", PUBLISHED, f"{said} or so", said.replace(log.topic_id, "another-topic")):
        assert published((12, other), log, 0).below == 0, other


@pytest.mark.parametrize("length", [5, 11])
def test_a_log_that_was_cut_off_is_not_the_one(said: str, length: int) -> None:
    assert published((12, said), ListLog(RECORDS[:length]), 0).below == 0


def test_a_log_that_was_cut_off_and_grew_again_is_not_the_one(said: str) -> None:
    grown = [*RECORDS[:8], *(record._replace(offset=at) for at, record in enumerate(RECORDS[10:], 8))]
    assert len(grown) > 12
    assert published((12, said), ListLog(grown), 0).below == 0


def test_a_store_that_is_folded_again_says_how_far_it_is_and_forgets_nothing(said: str) -> None:
    """Its offset is lower than what was published, which its words alone say; they may be handed on again and again."""
    for position in (0, 5, 11):
        again = words_again(words_again(said))
        assert published((position, again), ListLog(RECORDS), 0) == (12, again)
        assert published((position, again), ListLog(RECORDS[:11]), 0).below == 0
    assert published((5, said), ListLog(RECORDS), 0).below == 0, "moved back by somebody"
