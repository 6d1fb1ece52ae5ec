"""Work that a second thread helps with: all of it is done, whether the helper comes, is late, or fails."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident
from typing import Final

import pytest

from yggdrasil_projections.retrieval.index.columns import helped as module
from yggdrasil_projections.retrieval.index.columns.helped import helped

COUNT: Final = 50


def test_all_is_done_whoever_does_it() -> None:
    done: list[int] = []
    helped(done.append, COUNT)
    assert sorted(set(done)) == list(range(COUNT))
    helped(done.append, 0)


def test_what_the_helper_has_begun_and_not_ended_is_not_waited_for() -> None:
    asking, begun, go_on = get_ident(), Event(), Event()
    done: list[int] = []

    def work(number: int) -> None:
        if get_ident() != asking:
            begun.set()
            go_on.wait(10.0)
        else:
            begun.wait(10.0)  # so that the helper has one
            done.append(number)

    helped(work, COUNT)
    go_on.set()
    assert sorted(done) == list(range(COUNT))


def test_what_fails_in_the_helper_is_done_by_whoever_asks() -> None:
    asking, begun = get_ident(), Event()
    done: list[int] = []

    def work(number: int) -> None:
        if get_ident() != asking:
            begun.set()
            raise MemoryError
        begun.wait(10.0)
        done.append(number)

    helped(work, COUNT)
    assert sorted(done) == list(range(COUNT))


def test_where_nobody_can_help_all_is_done_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = ThreadPoolExecutor(1)
    ended.shutdown()
    monkeypatch.setattr(module, "_helper", lambda: ended)
    done: list[int] = []
    helped(done.append, COUNT)
    assert done == list(range(COUNT))
