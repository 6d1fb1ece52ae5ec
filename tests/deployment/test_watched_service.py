"""`yggdrasil serve` as those who watch it see it, at an address of their own."""

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.hosts.test_lag import publish, said
from tests.kafka.node import free_port
from tests.service.processes import serving
from yggdrasil import Memory
from yggdrasil_infra.http.keys import new_key
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_producers.draft import enable_version
from yggdrasil_projections.graph.store.families import ALL, CONTENTS

PARTITIONS = 2


def value(port: int, metric: str) -> float | None:
    found = [line for line in said(port, "/metrics").splitlines() if line.startswith(f"yggdrasil_service_{metric} ")]
    return float(found[0].split()[-1]) if found else None


def test_whoever_watches_sees_that_nobody_is_let_in(tmp_path: Path) -> None:
    """With a key nobody could see it: all keys are refused then, that of Prometheus too."""
    keys, port = tmp_path / "keys.json", free_port(1)
    _, key = new_key(keys, "*", ["operate"], "prometheus")
    with serving(tmp_path, "--data", "data", "--keys", str(keys), "--metrics", f"127.0.0.1:{port}") as it:
        with_key = urllib.request.Request(f"{it.url}/metrics", headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(with_key) as answer:
            assert b"yggdrasil_service_keys_failed 0.0" in answer.read()
        assert (value(port, "keys_failed"), value(port, "ready")) == (0, 1)
        assert (value(port, "room_bytes") or 0) > 0
        assert said(port, "/readyz") == said(port, "/livez") == "ok\n"
        keys.write_text("no keys")
        until(lambda: (value(port, "keys_failed") or 0) >= 2, lambda: said(port, "/metrics"))
        assert value(port, "ready") == 0
        assert "nobody is let in" in said(port, "/readyz")
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(with_key)
        assert said(port, "/livez") == "ok\n"


def test_a_record_that_was_changed_in_the_store_is_in_no_answer_and_is_counted(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data", "me/agent", partitions=1) as memory:
        memory.record_event("Paid one euro")
        memory.record_event("Paid with a card")
    with Rocks(tmp_path / "data" / "graph" / "0000", ALL, MemoryBudget.of()) as store:
        ((at, record),) = [row for row in store.scan(CONTENTS, bytes((0, 0, 0, 1))) if b"one euro" in row[1]]
        batch = store.batch()
        batch.put(CONTENTS, at, record.replace(b"one euro", b"two euro"))
        store.write(batch)
    port = free_port(1)
    with (
        serving(tmp_path, "--data", "data", "--metrics", f"127.0.0.1:{port}") as it,
        Memory.connect(it.url, memory="me/agent") as memory,
    ):
        assert "yggdrasil_reads_records_unsound_total{" not in said(port, "/metrics")
        found = memory.get_context("What was paid?")
        assert [each.memory.text for each in found.found] == ["Paid with a card"] and found.recorded
        assert 'yggdrasil_reads_records_unsound_total{partition="0"} 1.0' in said(port, "/metrics")
        assert said(port, "/readyz") == "ok\n"


def test_a_service_takes_a_version_from_its_operators_alone(fleet: Fleet, tmp_path: Path) -> None:
    publish(fleet, "before")
    port = free_port(1)
    options = ("--kafka", fleet.kafka.bootstrap_servers, "--development", "--topic", fleet.topic, "--dir", "q")
    with serving(tmp_path, *options, "--operators", "cli,ops", "--metrics", f"127.0.0.1:{port}") as it:
        stranger = enable_version(1, "stranger", 99)
        fleet.log.append_to(1, stranger.key, stranger.value)
        told = it.until(503)
        assert "partition 1" in told
        assert "a version is enabled by a source that is not among cli, ops (--operators)" in told
        assert value(port, "ready") == 0
