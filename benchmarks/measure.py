"""How the benchmarks measure and report: interleaved rounds, ratios with bars, one JSON object as the last line."""

import gc
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from importlib.metadata import version
from statistics import median
from time import perf_counter
from typing import Any, Final

import orjson

from yggdrasil.form import laws
from yggdrasil_infra.running.turns import SWITCH_S

# What the command line sets: the graph is a million objects that live on, and walking them all again and again would
# take a fifth of the time.
GC_OF_HOSTS: Final = (10_000, 100, 50)


class Size(Enum):
    """How long a benchmark may take: a check that it runs at all, under 40 s, as long as it needs."""

    TINY = "tiny"
    QUICK = "quick"
    FULL = "full"

    def pick(self, tiny: int, quick: int, full: int) -> int:
        """Return the number for this size."""
        return {Size.TINY: tiny, Size.QUICK: quick, Size.FULL: full}[self]


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise about a figure: at least ``bar``, or at most when ``at_most`` is set."""

    what: str
    value: float
    bar: float
    at_most: bool = False

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return self.value <= self.bar if self.at_most else self.value >= self.bar


@dataclass(slots=True)
class Report:
    """What one benchmark found; figures are named with their units."""

    name: str
    figures: dict[str, float] = field(default_factory=dict[str, float])
    bars: list[Bar] = field(default_factory=list[Bar])

    def line(self) -> str:
        """Return the report as one line of JSON."""
        bars = [
            {"what": bar.what, "value": rounded(bar.value), "bar": bar.bar, "holds": bar.holds} for bar in self.bars
        ]
        figures = {name: rounded(value) for name, value in self.figures.items()}
        return orjson.dumps({"name": self.name, "figures": figures, "bars": bars}).decode()


def rounded(value: float) -> float:
    """Return ``value`` with four significant digits, which is more than any timing here deserves."""
    return value if isinstance(value, int) else float(f"{value:.4g}")


def seconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes, with what was garbage before it out of the way."""
    gc.collect()
    start = perf_counter()
    work()
    return perf_counter() - start


def interleaved(rounds: int, *works: Callable[[], float]) -> list[list[float]]:
    """Let each work measure itself in turn, ``rounds`` times (A B A B); return the figures of each work.

    Whatever else the machine does then meets all of them alike.
    """
    found: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for figures, work in zip(found, works, strict=True):
            figures.append(work())
    return found


def median_ratio(above: list[float], below: list[float]) -> float:
    """Return the median of the ratios round by round."""
    return median(one / other for one, other in zip(above, below, strict=True))


@contextmanager
def gc_of_hosts() -> Iterator[None]:
    """Collect garbage as rarely as the hosts of the fold do."""
    before = gc.get_threshold()
    gc.set_threshold(*GC_OF_HOSTS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def switching_of_hosts() -> Iterator[None]:
    """Let threads take turns at the interpreter as often as the hosts that answer do."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else -1.0
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 1,
        "load_1_minute": round(load, 2),
        "laws": laws(),
        **{name: version(name) for name in ("pydantic", "orjson", "rocksdict", "numpy")},
    }


def say(text: str) -> None:
    """Print for people; standard error, so that standard output stays for results."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
