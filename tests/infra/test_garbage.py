"""What lives on is not looked at by the garbage collector, and nothing is lost to it for good."""

import gc
import weakref
from collections.abc import Generator
from threading import Event
from time import monotonic

import pytest

from yggdrasil_infra.running.garbage import LongLived, Settling


class _Cycle:
    """Garbage that only the collector finds."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def _as_before() -> Generator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def _lost() -> "weakref.ref[_Cycle]":
    return weakref.ref(_Cycle())


def _looked_at(lists: list[list[int]]) -> int:
    """How many of these the collector still looks at.

    A count of all that is frozen would not do: whatever else dies in this process meanwhile lowers it.
    """
    return len({id(one) for one in lists} & {id(one) for one in gc.get_objects()})


def test_what_a_fold_leaves_is_taken_out_of_the_collectors_sight() -> None:
    with LongLived().folding():
        kept = [[number] for number in range(1_000)]
        assert _looked_at(kept) == len(kept)
    assert _looked_at(kept) == 0
    assert gc.isenabled()


def test_nothing_is_collected_while_folding() -> None:
    with LongLived().folding():
        assert not gc.isenabled()


def test_a_failing_fold_leaves_the_collector_at_work() -> None:
    with pytest.raises(ValueError, match="broken"), LongLived().folding():
        raise ValueError("broken")
    assert gc.isenabled()


def test_the_garbage_from_before_a_fold_is_collected_first() -> None:
    gc.collect()
    lost = _lost()
    with LongLived().folding():
        assert lost() is None


def test_garbage_that_was_taken_for_long_lived_is_found_when_all_is_looked_at() -> None:
    patient = LongLived()
    with patient.folding():
        lost = _lost()
    gc.collect()
    assert lost() is not None
    with LongLived(all_every_s=-1.0).folding():
        pass
    assert lost() is None


def test_a_service_settles_what_lives_on_now_and_then() -> None:
    gc.unfreeze()
    before = [[number] for number in range(1_000)]
    with Settling(every_s=0.01):
        assert _looked_at(before) == 0
        later = [[number] for number in range(1_000)]
        until = monotonic() + 60
        while _looked_at(later):
            assert monotonic() < until
            Event().wait(0.01)
    assert gc.isenabled()
