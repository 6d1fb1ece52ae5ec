"""The CPU of a command line call, with a daemon and without, as a multiple of that of ``yggdrasil --version``.

What is counted is the process that is started. What the daemon and its runner do for a call is a figure beside it,
where the system tells.
"""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Final

from yggdrasil.daemon.commands.handing import step_aside
from yggdrasil.daemon.wish import AUTO, NEVER, VARIABLE
from yggdrasil_infra.http.wire.socket_file import COMMANDS, find

from ..measure import Bar, Report, Size

_RATIO_MAX: Final = 1.3
_STARTED_S: Final = 120.0
_CALLED: Final = ("record", "outcome", "stats", "history", "context")
_VERSION: Final = "--version"


def measure(report: Report, size: Size, folder: Path) -> None:
    """Call each command in turn with saying the version."""
    data = folder / "memory"
    called = Called(data)
    event = called.run(NEVER, "record", "Deployed on a Friday", "-f", "deploy")[1].strip()
    for said, name, rounds in ((NEVER, "without", size.pick(1, 1, 9)), (AUTO, "with", size.pick(1, 7, 25))):
        if said == AUTO:
            called.run(AUTO, "stats")
            called.until_served()
        try:
            _compare(report, called, said, name, event, rounds)
        finally:
            step_aside(data)
    for name in _CALLED:
        ratio = report.figures[f"{name}_with_daemon_to_version"]
        report.bars.append(
            Bar(f"CPU of {name} through a daemon, in times of --version", ratio, _RATIO_MAX, at_most=True)
        )


class Called:
    """Calls of the command line on a directory."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def run(self, daemon: str, *words: str) -> tuple[float, str]:
        """Run a command; return the CPU seconds of its process, and what it said."""
        process = subprocess.Popen(
            [sys.executable, "-m", "yggdrasil", *words],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {VARIABLE: daemon, "YGGDRASIL_DIR": str(self._data)},
        )
        if process.stdout is None:
            raise RuntimeError("a pipe was asked for")
        with process.stdout as stream:
            said = stream.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{words} ended with {process.returncode}")
        return used.ru_utime + used.ru_stime, said

    def until_served(self) -> None:
        """Return once commands run beside a daemon, with its model loaded."""
        until = monotonic() + _STARTED_S
        while find(self._data, COMMANDS) is None:
            if monotonic() > until:
                raise RuntimeError("no daemon was started")
            sleep(0.05)
        self.run(AUTO, "context", "Should we deploy?")

    def beside(self) -> float | None:
        """Return the CPU seconds of the daemon, its runner and what that has run; None where no system says."""
        total = 0
        for found in (find(self._data), find(self._data, COMMANDS)):
            if found is None:
                return None
            try:
                fields = Path(f"/proc/{found.pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                return None
            total += sum(map(int, fields[11:15]))  # its own, and that of its children who have ended
        return total / os.sysconf("SC_CLK_TCK")


def _compare(report: Report, called: Called, said: str, name: str, event: str, rounds: int) -> None:
    words = {
        "record": ("record", "Deployed on a Monday", "-f", "deploy"),
        "outcome": ("outcome", event, "1"),
        "stats": ("stats",),
        "history": ("history", event),
        "context": ("context", "Should we deploy on a Friday?"),
    }
    cpu: dict[str, list[float]] = {each: [] for each in (_VERSION, *_CALLED)}
    before = called.beside()
    for _ in range(rounds):
        for each, taken in cpu.items():
            taken.append(called.run(said, *words.get(each, (each,)))[0])
    after = called.beside()
    version = median(cpu[_VERSION])
    report.figures[f"version_cpu_ms_{name}_daemon"] = 1e3 * version
    for each in _CALLED:
        report.figures[f"{each}_{name}_daemon_cpu_ms"] = 1e3 * median(cpu[each])
        report.figures[f"{each}_{name}_daemon_to_version"] = median(cpu[each]) / version
    if before is not None and after is not None:
        share = (after - before) / rounds / len(_CALLED)
        report.figures["a_call_in_the_daemon_and_its_runner_cpu_ms"] = 1e3 * share
        whole = max(median(cpu[each]) for each in _CALLED) + share
        what = "CPU of the dearest call and of the daemon for a call, in times of --version"
        report.bars.append(Bar(what, whole / version, _RATIO_MAX, at_most=True))
