"""The past is the same however a memory is reached: in a directory, over HTTP, and of a host that folds a topic."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.contract.memories import USUAL, log_of, subject
from yggdrasil import InvalidAskError, Memory, NoSuchMomentError, PastError, Receipt


@pytest.fixture(params=[each for each in USUAL if each not in ("kafka", "directory awaited")])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def test_a_memory_is_read_as_it_stood(memory: Memory[Any]) -> None:
    first = memory.record_event("The router is in the cellar", features=["router"])
    became = memory.became(first)
    assert became is not None
    second = memory.record_event("The router was moved to the attic", features=["router"])
    memory.log_outcome(second, -3, kind="outage")
    past = memory.as_of(1)
    assert [each.ref for each in past.timeline().memories] == [first]
    answer = past.get_context("Where is the router?")
    assert (answer.refs, answer.past, answer.as_of, answer.recorded) == ([first], True, 1, False)
    assert past.moment().past_ms == next(
        each.timestamp_ms for each in log_of(memory).read(became.place.partition, became.place.offset, 1)
    )
    by_receipt = memory.as_of(Receipt(became.place.partition, became.place.offset))
    assert by_receipt.digest() == past.digest() != memory.digest()
    assert memory.as_of(datetime.now(UTC)).digest() == memory.digest()
    assert [each.ref for each in memory.diff(1, 2).learnt] == [second]
    other = memory.what_if(first)
    assert [each.ref for each in other.timeline().memories] == [second]
    assert other.voids is not None and (other.voids.left_out, other.differs().gone["event"]) == (1, 1)
    with pytest.raises(PastError):
        past.record_event("Never")
    with pytest.raises(NoSuchMomentError):
        memory.as_of(99)
    with pytest.raises(InvalidAskError):
        memory.as_of("12:00")
    assert memory.moment().as_of == 3, "nothing was recorded"
