"""A worker meets a damaged block: that partition halts and says so, the others go on, and --recover mends it."""

from pathlib import Path

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.workers.processes import Fleet
from tests.operating.damaged import damage_blocks
from yggdrasil_infra.kafka_log.settings import KafkaSettings

PARTITIONS = 2


def test_a_damaged_block_halts_one_partition_until_it_is_mended(kafka: KafkaSettings, fleet: Fleet) -> None:
    mix = Mix("damage", PARTITIONS)
    with Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(200))
        publisher.settle()
        first = fleet.start("a")
        fleet.settle()
        first.stop()
        store = fleet.directory("a") / "graph" / "0000"
        fleet_tables(store)
        publisher.send(mix.take(200))
        acknowledged = publisher.settle()
        worker = fleet.start("a").wait_for("partition halted")
        fleet.settle([1])
        worker.stop()
        assert worker.lines("partition halted")[0].count("--recover") == 1
        again = fleet.start("a").wait_for("partition halted")  # at once, out of the mark that was left
        assert "was found damaged" in again.words
        again.stop()
        mending = fleet.start("a", recover=True)
        fleet.settle()
        mending.stop()
        assert len(mending.lines("store set aside")) == 1
    assert [path.name for path in store.parent.glob("0000.*")] == ["0000.refused-1"]
    check(fleet, acknowledged)


def fleet_tables(store: Path) -> None:
    """Move what the WAL holds into tables, as time does, and damage them."""
    from yggdrasil_infra.rocks.database import MemoryBudget
    from yggdrasil_projections.graph.store.store import GraphStore

    pin = GraphStore.pin_at(store, MemoryBudget.of())
    assert pin is not None
    with GraphStore(store, pin, MemoryBudget.of()) as opened:
        opened.flush()
    assert damage_blocks(store)
