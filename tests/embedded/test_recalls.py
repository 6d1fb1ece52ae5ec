"""The record of a reading keeps its answer back for a moment at most."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from yggdrasil.engines.recalls import Recording
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.errors import NotReadyError

DRAFT = Drafter("me/agent", "test", "test").record_event("asked")


class Log:
    """Takes a command when it is let, and counts those that it was given."""

    def __init__(self) -> None:
        self.open = Event()
        self.taken = Event()
        self.given = 0

    def submit(self, draft: Draft) -> Answer:
        self.given += 1
        self.open.wait()
        self.taken.set()
        return Answer(draft.memory, draft.id, seq=1)


@pytest.fixture
def log() -> Iterator[Log]:
    it = Log()
    yield it
    it.open.set()  # so that no thread stays


def test_what_is_taken_at_once_is_answered_and_errors_come_through(log: Log) -> None:
    log.open.set()
    recording = Recording(log.submit)
    assert recording.submit(DRAFT).command_id == DRAFT.id

    def refuse(draft: Draft) -> Answer:
        raise NotReadyError(draft.id)

    with pytest.raises(NotReadyError, match=DRAFT.id):
        Recording(refuse).submit(DRAFT)
    recording.close()
    with pytest.raises(NotReadyError, match="stops"):
        recording.submit(DRAFT)


def test_while_one_is_overdue_nothing_else_is_begun_and_then_it_goes_on(log: Log) -> None:
    recording = Recording(log.submit, seconds=0.05)
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(recording.submit, DRAFT) for _ in range(4)]
        assert all(isinstance(one.exception(), NotReadyError) for one in asked)
    begun = log.given
    for _ in range(50):
        with pytest.raises(NotReadyError, match="before"):
            recording.submit(DRAFT)
    assert log.given == begun
    log.open.set()
    assert log.taken.wait(240)
    while True:  # the others end a moment later
        try:
            assert recording.submit(DRAFT).seq == 1
            break
        except NotReadyError:
            continue
