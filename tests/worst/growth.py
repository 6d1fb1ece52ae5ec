"""How the work of a parser grows with its text, counted in steps of this machine at this moment.

``re`` counts no steps, and seconds say more about a machine than about a pattern. So one step is what a pattern that
cannot be anything but linear takes for a character, measured beside the work in question, in processor time of this
thread: whatever slows the machine slows both. Two bounds together are sound:

* Work of a few steps for each of 65,536 characters is linear there: what is quadratic takes tens of thousands.
* Above that, four times the text may take at most nine times the work. Linear work takes four times, quadratic sixteen.
  The text grows in steps of four from 4,096 characters, and the first step that breaks the bound ends the test, so that
  nothing has to run until a quadratic one is done. Each figure is the best of several when it decides anything.

All texts are tried at 512 characters, and those on which most steps are taken for a character at the full size: on a
text that costs more for each the longer it is, it costs most there too.
"""

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import inf
from typing import Any

SIZES = (1 << 12, 1 << 14, 1 << 16)
_SHORT = 1 << 9
FACTOR_MAX = 9.0
FEW_STEPS = 100
_TRIES = 5
_HANGS_S = 5.0  # what is exponential ends with none of its sizes


@cache
def _step_s() -> float:
    linear, text = re.compile("(?:a|b)*"), "ab" * (SIZES[-1] // 2)
    return min(_took(linear.fullmatch, text) for _ in range(9)) / len(text)


def costs(work: Callable[[Any], object], make: Callable[[int], str | bytes]) -> float:
    """Return how much a character of a short text of ``make`` costs, to find the worst among many."""
    try:
        with ending():
            return _took(work, make(_SHORT))
    except HangsError:
        return inf


def _took(work: Callable[[Any], object], text: str | bytes) -> float:
    begun = time.thread_time()
    work(text)
    return time.thread_time() - begun


def _best(work: Callable[[Any], object], text: str | bytes) -> float:
    return min(_took(work, text) for _ in range(_TRIES))


def fault(work: Callable[[Any], object], make: Callable[[int], str | bytes]) -> str | None:
    """Return how ``work`` grows beyond the bound on the texts of ``make``, which is told a number of characters."""
    try:
        with ending():
            return _fault(work, make)
    except HangsError as error:
        return str(error)


def _fault(work: Callable[[Any], object], make: Callable[[int], str | bytes]) -> str | None:
    before = 0.0
    for size in SIZES:
        text = make(size)
        took = _took(work, text)
        if took > FEW_STEPS * _step_s() * len(text) and before and took > FACTOR_MAX * before:
            took, before = _best(work, text), _best(work, make(size // 4))
            if took > FACTOR_MAX * before:
                steps = took / _step_s() / len(text)
                return f"{size // 4:,} to {size:,} characters: {took / before:.1f} times, {steps:,.0f} steps for each"
        before = took
    return None


class HangsError(Exception):
    """Work did not end."""


@contextmanager
def ending() -> Iterator[None]:
    """End work that hangs: the engine of patterns looks for signals now and then. Raises HangsError."""

    def hung(*_: object) -> None:
        raise HangsError(f"it did not end within {_HANGS_S:g} s of this processor")

    before = signal.signal(signal.SIGVTALRM, hung)
    signal.setitimer(signal.ITIMER_VIRTUAL, _HANGS_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
