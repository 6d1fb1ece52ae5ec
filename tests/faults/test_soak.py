"""Ten minutes of good clients and hostile ones together: what the process takes is sampled, printed, and bounded."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Event
from time import monotonic, perf_counter

import pytest

from tests.faults.hostile import KINDS
from tests.faults.test_hostile_clients import EVENTS, TEXT, at, attacked
from tests.service.client import Client
from tests.service.front.strangers import descriptors, resident_bytes
from tests.service.processes import Process, serving
from tests.size import only_at_length
from yggdrasil_infra.http.keys import new_key

SOAK_S = float(os.environ.get("YGGDRASIL_SOAK_S", "600"))
TENANTS = ("ann", "ben", "cleo")
NODES_MAX = 1_000  # so that memories are full within the first fifth, and what is new takes the place of what was
LOOK_S = 2.0
GROWTH_BYTES_MAX = 96 << 20  # from the second fifth to the last one
BYTES_MAX = 1 << 30
DESCRIPTORS_MAX = 1_000 + 256 + 64  # connections, what stores may hold open, and what there is at the start
THREADS_MAX = 240  # 64 places to append at and 64 to wait at, 8 to read, and those of the database
WORDS = ("deploy", "friday", "outage", "router", "payment", "retry", "disk", "queue", "cache", "login", "index", "key")


@dataclass(frozen=True, slots=True)
class Sample:
    at_s: float
    resident: int
    descriptors: int
    threads: int

    def __str__(self) -> str:
        return f"{self.at_s:5.0f} s: {self.resident >> 20} MB, {self.descriptors} descriptors, {self.threads} threads"


def sampled(it: Process, at_s: float) -> Sample:
    threads = len(os.listdir(f"/proc/{it.process.pid}/task"))
    return Sample(at_s, resident_bytes(it.process.pid), descriptors(it.process.pid), threads)


def lived(client: Client, seed: str, ended: Event) -> list[float]:
    """Live as an agent does, and return the ms of each request; every one has to be answered."""
    rng = Random(seed)
    taken: list[float] = []

    def timed(path: str, body: object = None) -> dict[str, object]:
        begun = perf_counter()
        reply = client.get(path) if body is None else client.post(path, body)
        taken.append((perf_counter() - begun) * 1_000)
        assert reply.status == 200, (path, reply)
        found: dict[str, object] = reply.json
        return found

    while not ended.is_set():
        features = rng.sample(WORDS, 3)
        said = {"text": f"Saw {' and '.join(features)} for the time {len(taken)}"}
        context = timed("/context", {"query": f"What of {features[0]} and {features[1]}?", "tokens_max": 500})
        event = {"type": "record_event", "body": {"features": features, "informed_by": [context["recall_id"]]}}
        made = timed("/commands", event | {"content": said})["id"]
        timed("/commands", {"type": "log_outcome", "body": {"event": made, "value": rng.uniform(-3, 3)}})
        match rng.randrange(4):
            case 0:
                timed(f"/actions/{made}")
            case 1:
                timed("/timeline?count=50")
            case 2:
                timed("/similar-cases", {"query": features[0], "record": False})
            case _:
                timed("/stats")
    return taken


@only_at_length
def test_ten_minutes_leave_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Shorter: a good client beside hostile ones (test_hostile_clients.py)."""
    file = tmp_path / "keys.json"
    operator = new_key(file, "*", ["operate"], "operator")[1]
    greedy = new_key(file, "greedy", ["append", "read"], "greedy")[1]
    keys = {tenant: new_key(file, tenant, ["append", "read"], tenant)[1] for tenant in TENANTS}
    samples: list[Sample] = []
    ended, begun = Event(), monotonic()
    with serving(tmp_path, "--keys", "keys.json", "--embedder", "off") as it, ExitStack() as stack:
        clients = [stack.enter_context(Client(it.url, key, f"{name}/agent")) for name, key in keys.items()]
        for tenant, client in zip(TENANTS, clients, strict=True):
            client.event("Here I am")
            with Client(it.url, operator, f"{tenant}/agent") as bounding:
                bound = {"type": "set_policy", "body": {"changes": {"nodes_max": NODES_MAX}}}
                assert bounding.post("/commands", bound).json["accepted"]
        with Client(it.url, greedy, "greedy/agent") as client:
            for _ in range(EVENTS):
                client.event(TEXT)
        threads = stack.enter_context(ThreadPoolExecutor(len(TENANTS)))
        stack.callback(ended.set)
        stack.enter_context(attacked(it, list(KINDS), greedy))
        lives = [threads.submit(lived, client, client.memory, ended) for client in clients]
        while (at_s := monotonic() - begun) < SOAK_S and not any(life.done() for life in lives):
            samples.append(sampled(it, at_s))
            ended.wait(LOOK_S)
        ended.set()
        taken = [ms for life in lives for ms in life.result()]
        assert it.process.poll() is None
    tell(samples, taken, capsys)
    lines = (tmp_path / "serve.log").read_text().splitlines()
    quiet = [line for line in lines if "yggdrasil.access" not in line and "yggdrasil.audit" not in line]
    assert len(quiet) < 20 + SOAK_S, "\n".join(quiet[:50])
    assert not [line for line in quiet if "Traceback" in line or "a request failed" in line]
    fifth = len(samples) // 5
    early, late = (max(one.resident for one in some) for some in (samples[fifth : 2 * fifth], samples[-fifth:]))
    assert late - early < GROWTH_BYTES_MAX, f"{early >> 20} -> {late >> 20} MB"
    assert max(one.resident for one in samples) < BYTES_MAX
    assert max(one.descriptors for one in samples) < DESCRIPTORS_MAX
    assert max(one.threads for one in samples) < THREADS_MAX


def tell(samples: list[Sample], taken: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    said = [str(sample) for sample in samples[:: max(1, len(samples) // 20)]]
    said += [f"{len(taken)} requests of good clients, p50 {at(0.5, taken):.1f} ms, p99 {at(0.99, taken):.1f} ms"]
    with capsys.disabled():
        sys.stdout.write("\n".join(("", *said, "")))
