"""Turns: readers wait for one slice, the fold for one round of readers, and nobody is lost."""

import signal
import threading
from collections.abc import Callable, Iterator
from threading import Event, Thread

import pytest

from yggdrasil_infra.running.turns import OWED_S_MAX, Turns

WAIT_S = 120.0


def started(*works: Callable[[], None]) -> list[Thread]:
    threads = [Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def joined(threads: list[Thread]) -> None:
    for thread in threads:
        thread.join(WAIT_S)
        assert not thread.is_alive()


class Line:
    """Threads that come one after another, and note when they have had their turn."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.order: list[str] = []
        self.threads: list[Thread] = []

    def comes(self, name: str, during: Callable[[], None] = lambda: None) -> None:
        """Let a reader ("r...") or a slice of the fold ("f...") queue up; return once it waits."""

        def work() -> None:
            with self.turns.reading() if name.startswith("r") else self.turns.folding():
                self.order.append(name)
                during()

        queue = self.turns._readers if name.startswith("r") else self.turns._folders
        before = len(queue)
        self.threads += started(work)
        for _ in range(2_000):
            if len(queue) > before or not self.threads[-1].is_alive():
                return
            Event().wait(0.005)


def test_readers_that_wait_go_before_the_next_slice() -> None:
    line = Line()
    with line.turns.folding():
        for name in ("f1", "r1", "f2", "r2"):
            line.comes(name)
    joined(line.threads)
    assert line.order == ["r1", "r2", "f1", "f2"]


def test_a_reader_that_comes_during_the_readers_round_waits_for_one_slice() -> None:
    """Or the fold would never go on while somebody always asks."""
    line = Line()
    with line.turns.folding():
        line.comes("f1")
        line.comes("r1", lambda: line.comes("r late"))
        line.comes("f2")
    joined(line.threads)
    assert line.order == ["r1", "f1", "r late", "f2"]


def test_one_turn_at_a_time_and_everybody_has_theirs() -> None:
    turns = Turns()
    inside = most = had = 0

    def work(reading: bool) -> None:
        nonlocal inside, most, had
        for _ in range(300):
            with turns.reading() if reading else turns.folding():
                inside += 1
                most = max(most, inside)
                had += 1
                inside -= 1

    joined(started(*[lambda reading=number % 3 > 0: work(reading) for number in range(9)]))
    assert (most, had) == (1, 9 * 300)


def test_it_is_known_that_a_reader_had_to_wait() -> None:
    line = Line()
    with line.turns.reading():
        assert not line.turns.wanted
        line.comes("r1")
        assert line.turns.wanted
    joined(line.threads)


def test_whoever_fails_in_its_turn_hands_it_on() -> None:
    turns = Turns()
    for hold in (turns.reading, turns.folding):
        with pytest.raises(ValueError, match="within"), hold():
            raise ValueError("within")
    with turns.reading():
        pass


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C interrupts, even if whoever started the tests had it ignored, as shells do in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_signal_in_the_queue_leaves_it() -> None:
    """The main thread is interrupted while it waits, by Ctrl-C for one; the others have their turns all the same."""
    turns = Turns()
    main = threading.get_ident()
    released = Event()

    def hold() -> None:
        with turns.folding():
            for _ in range(2_000):
                if turns._readers:
                    break
                Event().wait(0.005)
            signal.pthread_kill(main, signal.SIGINT)
            released.wait(WAIT_S)

    threads = started(hold)
    for _ in range(2_000):
        if turns._held:
            break
        Event().wait(0.005)
    with pytest.raises(KeyboardInterrupt), turns.reading():
        pass
    assert not turns._readers
    released.set()
    joined(threads)
    with turns.folding():
        pass


def test_readers_who_keep_the_fold_waiting_owe_it_time_up_to_a_bound() -> None:
    line = Line()
    with line.turns.reading():
        pass
    assert line.turns.owed_s() == 0.0, "nobody waited"
    owed: list[float] = []
    with line.turns.reading():
        line.comes("f1", lambda: owed.append(line.turns.owed_s()))
        Event().wait(2 * OWED_S_MAX)
    joined(line.threads)
    assert owed == [OWED_S_MAX]
    assert line.turns.owed_s() == 0.0
