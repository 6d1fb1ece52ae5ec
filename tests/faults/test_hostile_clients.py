"""A good client beside hostile ones of every kind: it is served as well as without them, and memory stays bounded.

It is measured without them and beside them by turns, so that whatever else the machine does is in both.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter

import pytest

from tests.faults.hostile import KINDS
from tests.service.client import Client
from tests.service.front.strangers import descriptors, resident_bytes
from tests.service.processes import Process, serving
from tests.size import LONG, turns
from yggdrasil_infra.http.keys import new_key

ROUNDS = turns(1, 4)
MEASURED_S = turns(2.5, 8.0)
SETTLING_S = turns(1.0, 4.0)  # until the hostile ones have all their connections
# The slowest of the few requests of the short form say more about the machine than about the service.
SLOW, TIMES_MAX, SLACK_MS = turns((0.9, 8.0, 500.0), (0.99, 3.0, 0.0))
MEMORY_BYTES_MAX = 700 << 20  # beyond what it had before: answers under way, and those that are being made
TEXT = "a" * 100_000
EVENTS = turns(100, 200)


@contextmanager
def attacked(it: Process, kinds: list[str], key: str) -> Iterator[None]:
    started = [subprocess.Popen([sys.executable, "-m", "tests.faults.hostile", kind, it.url, key]) for kind in kinds]
    try:
        yield
        assert all(one.poll() is None for one in started), "a hostile client gave up"
    finally:
        for one in started:
            one.kill()
            one.wait()


def measured(it: Process, client: Client, seconds: float) -> tuple[list[float], int]:
    """The ms of each request, and the most bytes that the process had meanwhile."""
    taken: list[float] = []
    most = 0
    end = monotonic() + seconds
    while monotonic() < end:
        begun = perf_counter()
        client.event(f"Deployed on a Friday, for the time {len(taken)}")
        appended = perf_counter()
        client.ask("Who deployed on a Friday?", record=False)
        taken += [(appended - begun) * 1_000, (perf_counter() - appended) * 1_000]
        most = max(most, resident_bytes(it.process.pid))
    return taken, most


def at(share: float, taken: list[float]) -> float:
    return sorted(taken)[int(len(taken) * share)]


@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS if LONG), list(KINDS)], ids="+".join)
def test_a_good_client_is_served_beside_hostile_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kinds: list[str]
) -> None:
    good = new_key(tmp_path / "keys.json", "good", ["append", "read"], "good")[1]
    greedy = new_key(tmp_path / "keys.json", "greedy", ["append", "read"], "greedy")[1]
    alone, beside = list[float](), list[float]()
    before = most = 0
    with serving(tmp_path, "--keys", "keys.json", "--rate", "0", "--embedder", "off") as it:
        with Client(it.url, greedy, "greedy/agent") as client:
            for _ in range(EVENTS):
                client.event(TEXT)
        with Client(it.url, good, "good/agent") as client:
            for _ in range(ROUNDS):
                measured(it, client, SETTLING_S)
                taken, used = measured(it, client, MEASURED_S)
                alone += taken
                before = before or used
                with attacked(it, kinds, greedy):
                    measured(it, client, SETTLING_S)
                    taken, used = measured(it, client, MEASURED_S)
                    beside += taken
                    most = max(most, used)
            with capsys.disabled():
                sys.stdout.write(
                    f"{'+'.join(kinds)}: p50 {at(0.5, alone):.1f} -> {at(0.5, beside):.1f} ms, "
                    f"p{SLOW * 100:.0f} {at(SLOW, alone):.1f} -> {at(SLOW, beside):.1f} ms, {len(beside)} requests, "
                    f"memory {before >> 20} -> {most >> 20} MB, {descriptors(it.process.pid)} descriptors\n"
                )
            assert it.process.poll() is None
    assert most - before < MEMORY_BYTES_MAX
    assert at(SLOW, beside) < TIMES_MAX * at(SLOW, alone) + SLACK_MS
    lines = (tmp_path / "serve.log").read_text().splitlines()
    quiet = [line for line in lines if "yggdrasil.access" not in line and "yggdrasil.audit" not in line]
    assert len(quiet) < 100
