"""What the daemon that a first command leaves costs while nobody asks it: processor time and memory, its model loaded.

Its runner is told beside it. What the two have in common is counted once in ``together``, where the system tells.
"""

import os
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Final

from yggdrasil.daemon.commands.handing import step_aside
from yggdrasil.daemon.wish import AUTO
from yggdrasil_infra.http.wire.socket_file import find

from ..measure import Report, Size
from .commands import Called

_HOUR_S: Final = 3_600.0
_SETTLED_S: Final = 0.02  # of a processor within a second
_DEADLINE_S: Final = 120.0
_MB: Final = 1_000_000


def measure(report: Report, size: Size, folder: Path) -> None:
    """Let a first command start it, and wait."""
    data = folder / "memory"
    called = Called(data)
    called.run(AUTO, "record", "Deployed on a Friday", "-f", "deploy")
    called.until_served()
    try:
        daemon = find(data)
        if daemon is None or not Path("/proc/self/smaps_rollup").exists():
            return
        (runner,) = map(int, Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split())
        both = {"auto_daemon": daemon.pid, "its_runner": runner}
        _until_quiet([*both.values()])
        before, begun = {name: _cpu_s(each) for name, each in both.items()}, monotonic()
        Event().wait(size.pick(1, 15, 120))
        took = monotonic() - begun
        for name, each in both.items():
            report.figures[f"{name}_idle_cpu_s_an_hour"] = (_cpu_s(each) - before[name]) / took * _HOUR_S
            report.figures[f"{name}_memory_mb"] = _bytes(each, "Rss") / _MB
        report.figures["both_together_memory_mb"] = sum(_bytes(each, "Pss") for each in both.values()) / _MB
    finally:
        step_aside(data)


def _until_quiet(processes: list[int]) -> None:
    """Return once they have done next to nothing for three seconds."""
    until, quiet = monotonic() + _DEADLINE_S, 0
    while quiet < 3 and monotonic() < until:
        before = sum(map(_cpu_s, processes))
        Event().wait(1.0)
        quiet = quiet + 1 if sum(map(_cpu_s, processes)) - before <= _SETTLED_S else 0


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _bytes(process: int, what: str) -> int:
    lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) * 1_024
