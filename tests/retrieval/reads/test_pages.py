"""Reads of many long memories stop at so many bytes, since nobody else has a turn meanwhile."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import InvalidAskError, Memory, Where
from yggdrasil_projections.retrieval.memories import PAGE_BYTES

LONG = "a" * 100_000
EVENTS = 25
PAGE = 11  # what has begun before the bound is finished


def test_a_timeline_of_long_texts_comes_in_pages(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        events = [memory.record_event(LONG, session=f"{number % 2}") for number in range(EVENTS)]
        pages = [memory.timeline(count=200)]
        while (before := pages[-1].before) is not None:
            pages.append(memory.timeline(count=200, before=before))
        assert [len(page.memories) for page in pages] == [PAGE, PAGE, 3]
        assert [one.ref for page in pages for one in page.memories] == events[::-1]
        first = memory.timeline(session="0", count=200)
        assert [one.ref for one in first.memories] == events[::-2][: len(first.memories)]
        assert len(first.memories) == (PAGE + 1) // 2, "what was only looked at counts as well"


def test_outcomes_count_among_what_was_read(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        for number in range(3):
            event = memory.record_event(f"Short {number}")
            for _ in range(8):
                memory.log_outcome(event, 1, text=LONG)
        page = memory.timeline(count=200)
        assert sum(len(outcome.text or "") for one in page.memories for outcome in one.outcomes) >= PAGE_BYTES
        assert len(page.memories) == 2
        assert page.before is not None


def test_of_long_neighbours_there_are_fewer(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        for _ in range(EVENTS):
            memory.record_event(LONG, features=["long"])
        near = memory.neighbourhood("feature:long", count=200)
        assert (len(near.neighbours), near.degree) == (PAGE, EVENTS)
        assert len(memory.neighbourhood("feature:long", count=4).neighbours) == 4


@pytest.mark.parametrize("given", ["2024-05-01", datetime(2024, 5, 1, tzinfo=UTC), True, 1.5])
def test_a_place_is_a_seq_and_no_time(tmp_path: Path, given: Any) -> None:
    with Memory.open(tmp_path / "memory", "pages/places", embedder="none") as memory:
        memory.record_event("Once")
        for asked in (
            lambda: memory.timeline(before=given),
            lambda: memory.timeline(before=given, where=Where(trust_min=0)),
            lambda: memory.episodes(before=given),
            lambda: memory.happened(since=given),
        ):
            with pytest.raises(InvalidAskError, match="takes a seq"):
                asked()
