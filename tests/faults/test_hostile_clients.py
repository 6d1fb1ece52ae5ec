"""A good client beside hostile ones of every kind: it is served as well as without them, and memory stays bounded."""

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
from tests.size import LONG, only_at_length
from yggdrasil_infra.http.keys import new_key

MEASURED_S = 20.0 if LONG else 5.0
TIMES_MAX = 3.0
MEMORY_BYTES_MAX = 700 << 20  # beyond what it had before: answers under way, and those that are being made
TEXT = "a" * 100_000
EVENTS = 200


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


def measured(it: Process, client: Client) -> tuple[float, float, int]:
    """The p50 and p99 of a request in ms, and the most bytes that the process had meanwhile."""
    taken: list[float] = []
    most = 0
    end = monotonic() + MEASURED_S
    while monotonic() < end:
        begun = perf_counter()
        client.event(f"Deployed on a Friday, for the time {len(taken)}")
        appended = perf_counter()
        client.ask("Who deployed on a Friday?", record=False)
        taken += [appended - begun, perf_counter() - appended]
        most = max(most, resident_bytes(it.process.pid))
    taken.sort()
    return taken[len(taken) // 2] * 1_000, taken[len(taken) * 99 // 100] * 1_000, most


@only_at_length
@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS), list(KINDS)], ids="+".join)
def test_a_good_client_is_served_beside_hostile_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kinds: list[str]
) -> None:
    """In short: tests/service/front."""
    good = new_key(tmp_path / "keys.json", "good", ["append", "read"], "good")[1]
    greedy = new_key(tmp_path / "keys.json", "greedy", ["append", "read"], "greedy")[1]
    with serving(tmp_path, "--keys", "keys.json", "--rate", "0", "--embedder", "off") as it:
        with Client(it.url, greedy, "greedy/agent") as client:
            for _ in range(EVENTS):
                client.event(TEXT)
        with Client(it.url, good, "good/agent") as client:
            measured(it, client)
            p50, p99, before = measured(it, client)
            with attacked(it, kinds, greedy):
                measured(it, client)
                p50_with, p99_with, most = measured(it, client)
            said = (
                f"{'+'.join(kinds)}: p50 {p50:.1f} -> {p50_with:.1f} ms, p99 {p99:.1f} -> {p99_with:.1f} ms, "
                f"memory {before >> 20} -> {most >> 20} MB, {descriptors(it.process.pid)} descriptors\n"
            )
            with capsys.disabled():
                sys.stdout.write(said)
            assert it.process.poll() is None
        assert most - before < MEMORY_BYTES_MAX
        assert p99_with < TIMES_MAX * p99
    lines = (tmp_path / "serve.log").read_text().splitlines()
    quiet = [line for line in lines if "yggdrasil.access" not in line and "yggdrasil.audit" not in line]
    assert len(quiet) < 100
