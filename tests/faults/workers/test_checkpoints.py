"""A store that is missing or damaged starts from another worker's checkpoint, and is the same memory."""

from pathlib import Path

import pytest

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check, published_refusals
from tests.faults.workers.processes import Fleet, last_end
from tests.harness.waiting import until
from tests.size import turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_projections.graph.checkpoint.taking import place, positions
from yggdrasil_projections.graph.store.store import Pin

OFTEN = "0.01"  # minutes


def has_checkpoints(fleet: Fleet, root: Path) -> bool:
    """Whether every partition that has records has a checkpoint at its end."""
    for partition in range(fleet.log.partitions):
        end = last_end(fleet.log, partition)
        found = positions(place(root, Pin(fleet.log.topic_id, fleet.log.partitions, partition)))
        if end and (not found or int(found[0].name) != end):
            return False
    return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints"


def test_a_new_worker_starts_from_the_checkpoints_of_another(kafka: KafkaSettings, tmp_path: Path, root: Path) -> None:
    mix = Mix("checkpoints", 4)
    with Fleet(kafka, tmp_path, 4) as fleet, Publisher(kafka, fleet.topic, 4) as publisher:
        first = fleet.start("a", "--checkpoints", str(root), "--checkpoint-minutes", OFTEN)
        publisher.send(mix.take(turns(250, 600)))
        publisher.settle()
        fleet.settle()
        until(lambda: has_checkpoints(fleet, root), lambda: first.words)
        first.stop()
        refused = len(published_refusals(fleet))
        second = fleet.start("b", "--checkpoints", str(root))
        second.wait_for("started from a checkpoint", 4).wait_for("partition taken", 4)
        fleet.settle()
        assert len(published_refusals(fleet)) == refused, "what the first one has published was published again"
        publisher.send(mix.take(turns(100, 200)))
        acknowledged = publisher.settle()
        fleet.settle()
        second.stop()
        assert check(fleet, acknowledged).stores == 8


def test_a_damaged_store_is_refused_or_on_request_set_aside(kafka: KafkaSettings, tmp_path: Path, root: Path) -> None:
    """One store comes from its checkpoint; another, whose checkpoint is damaged too, from the log."""
    mix = Mix("damage", 2)
    with Fleet(kafka, tmp_path, 2) as fleet, Publisher(kafka, fleet.topic, 2) as publisher:
        first = fleet.start("a", "--checkpoints", str(root), "--checkpoint-minutes", OFTEN)
        publisher.send(mix.take(turns(150, 400)))
        acknowledged = publisher.settle()
        fleet.settle()
        until(lambda: has_checkpoints(fleet, root), lambda: first.words)
        first.stop()
        refused = len(published_refusals(fleet))
        for store in (fleet.directory("a") / "graph").glob("[0-9]" * 4):
            (store / "CURRENT").unlink()
        for checkpoint in positions(place(root, Pin(fleet.log.topic_id, 2, 1))):
            (checkpoint / "manifest.json").write_text("{}")
        worker = fleet.start("a", "--checkpoints", str(root)).wait_for("partition halted", 2)
        worker.stop()
        assert "CURRENT is missing" in worker.words
        assert "Start once with --recover" in worker.words
        worker = fleet.start("a", "--checkpoints", str(root), recover=True)
        worker.wait_for("partition taken", 2)
        fleet.settle()
        worker.stop()
        assert len(worker.lines("store set aside")) == 2
        assert len(worker.lines("started from a checkpoint")) == 1
        assert worker.lines("checkpoint passed over")
        assert sorted(path.name for path in (fleet.directory("a") / "graph").glob("*.refused-1")) == [
            "0000.refused-1",
            "0001.refused-1",
        ]
        assert len(published_refusals(fleet)) == refused
        check(fleet, acknowledged)
