"""What processes cost while nothing happens: a worker, a service and thinkers beside a broker, in processor time.

All of them run at once over the same topic of ``MEMORIES`` memories, and nobody says anything. The yardstick is what
the same worker takes to fold ``FOLDED`` commands, a moment before: an hour of idleness is told in seconds, and as a
ratio to that. What the broker takes meanwhile is told beside it, since it is the pollers who keep it at work.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Final
from urllib.request import urlopen

from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Drafter

from .kafka.topic import PROFILE, Filled
from .measure import Bar, Report, Size

MEMORIES: Final = 1_000
FOLDED: Final = 10_000
BAR: Final = 60.0
_TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
_HOUR_S: Final = 3_600.0
_NO_PASS: Final = ("--scrub-mib-s", "0")  # the daily pass over the disk begins a minute after a start
_DEADLINE_S: Final = 240.0  # far beyond what anything here takes: only a hang gets there
_SETTLED: Final = 0.2  # of a core, of all together: what begins or was folded a moment ago has come to rest
_SAMPLE: Final = re.compile(r"^yggdrasil_\w*records_folded_total\{.*\} ([0-9.e+]+)$", re.MULTILINE)


def run(size: Size, scratch: Path) -> Report:
    """Start a broker and the three, let the worker fold, and wait."""
    report = Report("idle")
    memories = size.pick(20, MEMORIES, MEMORIES)
    with ExitStack() as stack:
        node = stack.enter_context(KafkaNode(scratch / "broker", free_port()))
        filled = Filled(KafkaSettings(node.address), "idle.commands")
        there = ["--kafka", node.address, "--topic", filled.name, "--development"]
        ports = {name: free_port() for name in ("worker", "service")}
        urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
        at = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
        worker = stack.enter_context(
            _process(scratch, "worker", *there, *_NO_PASS, "--dir", str(scratch / "w"), "--http", at["worker"])
        )
        _until(lambda: _answers(f"{urls['worker']}/readyz") is not None, worker)
        fold = _folding(worker, urls["worker"], filled, size.pick(200, FOLDED, FOLDED))
        _remember(filled, memories)
        service = stack.enter_context(
            _process(scratch, "serve", *there, *_NO_PASS, "--data", str(scratch / "s"), "--http", at["service"])
        )
        _until(lambda: _answers(f"{urls['service']}/readyz") is not None, service)
        directory = str(scratch / "t")
        thinkers = stack.enter_context(
            _process(scratch, "think", *there, "--service", urls["service"], "--dir", directory, "--http", "off")
        )
        broker = _Process(node.pid or 0, node.folder / "node.log")
        idle = _idle([worker, service, thinkers, broker], size.pick(1, 12, 120))
    report.figures = {
        "memories": memories,
        "fold_of_10_000_cpu_s": fold * FOLDED / size.pick(200, FOLDED, FOLDED),
    }
    for name, spent in zip(("worker", "service", "thinkers", "broker"), idle, strict=True):
        report.figures |= {
            f"{name}_idle_cpu_s_an_hour": spent,
            f"{name}_idle_hour_per_fold_of_10_000": spent / report.figures["fold_of_10_000_cpu_s"],
        }
    for name in ("worker", "service", "thinkers"):
        what = f"cpu time of an idle hour of the {name} / of folding 10,000 commands"
        report.bars.append(Bar(what, report.figures[f"{name}_idle_hour_per_fold_of_10_000"], BAR, at_most=True))
    return report


@dataclass(frozen=True, slots=True)
class _Process:
    """A process that is measured, and what it has written."""

    pid: int
    said: Path

    def cpu_s(self) -> float:
        """Return the processor time of all its threads so far, in seconds. Raises AssertionError when it has ended."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError as error:
            raise AssertionError(f"it has ended: {self.said.read_text(errors='replace')[-3_000:]}") from error
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND


@contextmanager
def _process(scratch: Path, *arguments: str) -> Iterator[_Process]:
    """Run a command of Yggdrasil, and end it."""
    said = scratch / f"{arguments[0]}.log"
    with said.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "yggdrasil", *arguments], stdout=out, stderr=out)
    try:
        yield _Process(process.pid, said)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _folding(worker: _Process, url: str, filled: Filled, count: int) -> float:
    """Append ``count`` commands, and return the processor time in which the worker folds them."""
    before = worker.cpu_s()
    filled.fill(count)
    _until(lambda: _folded(url) >= count, worker)
    return worker.cpu_s() - before


def _folded(url: str) -> float:
    return sum(float(found) for found in _SAMPLE.findall(_answers(f"{url}/metrics") or ""))


def _remember(filled: Filled, memories: int) -> None:
    """Append one event to each of so many memories."""
    drafters = [Drafter(f"idle/agent-{number}", "benchmark", "idle") for number in range(memories)]
    with KafkaLog(filled.settings, filled.name, PROFILE) as log:
        drafts = [drafter.draft("record_event", {}, {"text": "it begins"}) for drafter in drafters]
        log.append_many((draft.key, draft.value) for draft in drafts)


def _idle(processes: Sequence[_Process], seconds: float) -> list[float]:
    """Return what each takes while nothing happens, in seconds of a processor an hour."""

    def spent(within_s: float) -> list[float]:
        before, begun = [each.cpu_s() for each in processes], monotonic()
        Event().wait(within_s)
        took = monotonic() - begun
        return [(each.cpu_s() - was) / took for each, was in zip(processes, before, strict=True)]

    quiet = 0

    def settled() -> bool:
        nonlocal quiet
        quiet = quiet + 1 if sum(spent(1.0)) < _SETTLED else 0
        return quiet == 3

    _until(settled, processes[0])
    return [each * _HOUR_S for each in spent(seconds)]


def _until(happened: Callable[[], bool], process: _Process) -> None:
    deadline = monotonic() + _DEADLINE_S
    while not happened():
        process.cpu_s()  # or it has ended
        if monotonic() > deadline:
            raise AssertionError(f"it takes too long: {process.said.read_text(errors='replace')[-3_000:]}")
        Event().wait(0.05)


def _answers(url: str) -> str | None:
    """Return what is answered with success; None for anything else."""
    try:
        with urlopen(url, timeout=10) as answer:
            found: str = answer.read().decode()
            return found
    except OSError:
        return None
