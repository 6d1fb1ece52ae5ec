"""What thinkers read, in a directory and over HTTP, awaited or not: the same answers, the same errors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.logs import everything
from tests.contract.memories import USUAL, log_of, subject
from tests.contract.test_reading import receipt_of
from yggdrasil import Memory
from yggdrasil_projections.retrieval.errors import UnknownMemoryError


@pytest.fixture(params=[each for each in USUAL if each != "kafka"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def test_what_happened_is_read_to_its_end_and_leaves_no_trace(memory: Memory[Any]) -> None:
    events = [
        memory.record_event(f"step {number}", features=["step"], payload={"n": number}, session="s")
        for number in range(5)
    ]
    outcome = memory.log_outcome(events[4], -3, kind="outage", text="Down", session="s")
    thinker = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 6}
    episode = memory.commit_episode(events[:3], text="Three steps", session="s", thinker=thinker)
    digest, length = memory.digest(), len(everything(log_of(memory)))
    first = memory.happened(count=4)
    assert [one.id for one in first.happened] == events[:4]
    assert (first.position, first.as_of, first.cursors) == (4, 7, {"chunker": 6})
    rest = memory.happened(since=first.position, after=receipt_of(memory, episode))
    assert [(one.id, one.kind) for one in rest.happened] == [
        (events[4], "event"), (outcome, "outcome"), (episode, "episode"),
    ]  # fmt: skip
    assert rest.position == rest.as_of == 7
    event, judged, made = rest.happened
    assert (event.text, event.payload, event.features, event.session) == ("step 4", {"n": 4}, ["step"], "s")
    assert (judged.of, judged.value, judged.outcome, judged.text) == (events[4], -3.0, "outage", "Down")
    assert (made.members, made.thinker, made.text) == (events[:3], "chunker", "Three steps")
    assert memory.happened(since=7).happened == []
    assert memory.engine.happened(memory.id, since=4, count=200) == rest
    assert memory.digest() == digest and len(everything(log_of(memory))) == length


def test_of_an_unknown_memory_nothing_happened(memory: Memory[Any]) -> None:
    with pytest.raises(UnknownMemoryError, match="me/agent"):
        memory.happened()
    with pytest.raises(UnknownMemoryError, match="me/agent"):
        memory.engine.happened(memory.id, since=0, count=1)
    assert everything(log_of(memory)) == [], "asking makes no memory"
