"""Whatever becomes of the group, be it zombies, storms or moved offsets: the stores decide what is applied."""

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from kafka.structs import OffsetAndMetadata, TopicPartition

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.workers.processes import Fleet, stopped
from tests.harness.waiting import until
from tests.size import only_at_length, turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.graph_worker.committed import PUBLISHED

PARTITIONS = 4
SOME = turns(80, 200)  # records


def test_a_worker_that_was_held_beyond_its_session_finds_out_and_comes_back(
    kafka: KafkaSettings, tmp_path: Path
) -> None:
    mix = Mix("zombie", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        fleet.start("a").wait_for("partition taken", PARTITIONS)
        fleet.start("b").wait_for("partition taken", PARTITIONS // 2)
        fleet.workers[0].wait_for("partition left", PARTITIONS // 2)
        for turn in range(turns(1, 10)):
            zombie, other = fleet.workers if turn % 2 else fleet.workers[::-1]
            publisher.send(mix.take(SOME))
            taken, lost = len(other.lines("partition taken")), len(zombie.lines("why=lost"))
            back = len(zombie.lines("partition taken"))
            with stopped(zombie):
                publisher.send(mix.take(SOME))
                until(lambda: fleet.members() == 1, lambda: f"{fleet.members()} members")
                other.wait_for("partition taken", taken + 1)
                publisher.settle()
            publisher.send(mix.take(SOME))
            zombie.wait_for("why=lost", lost + 1)
            zombie.wait_for("partition taken", back + 1)
        acknowledged = publisher.settle()
        fleet.settle()
        fleet.stop()
        seen = check(fleet, acknowledged)
        assert seen.stores > PARTITIONS
        assert len(seen.truth.refusals) > 20


@only_at_length
def test_workers_that_come_and_go_within_seconds(kafka: KafkaSettings, tmp_path: Path) -> None:
    """Shorter: they are killed (test_killed.py), and leave cleanly (tests/kafka/hosts/test_worker.py)."""
    rng = Random("storm")
    mix = Mix("storm", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        fleet.start("steady")
        passing = []
        for number in range(20):
            publisher.send(mix.take(200))
            passing.append(fleet.start(f"passing-{number % 3}" if number > 3 else f"passing-{number}"))
            passing[-1].wait_for(" started ")
            time.sleep(rng.uniform(0, 0.7))  # not to wait for anything: this is the random moment
            if len(passing) > 1:
                passing.pop(0).stop()
        acknowledged = publisher.settle()
        fleet.settle()
        fleet.stop()
        assert check(fleet, acknowledged).stores > PARTITIONS, "no partition ever moved"


Moved = Callable[[int], OffsetAndMetadata]
"""From the end of a partition to what somebody makes of the group's offset."""

MOVES: list[Moved] = [
    lambda end: OffsetAndMetadata(0, "", -1),
    lambda end: OffsetAndMetadata(end, "", -1),
    lambda end: OffsetAndMetadata(end + 1_000, PUBLISHED, -1),
]


@only_at_length
def test_offsets_of_the_group_that_somebody_has_moved(kafka: KafkaSettings, tmp_path: Path) -> None:
    """Every time, one worker has folded half of the log already, and in the end one that has nothing joins it.

    Shorter: the position that counts is the store's own, whoever starts again (tests/kafka/hosts/test_worker.py).
    """
    mix = Mix("moved", PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        publisher.send(mix.take(300))
        publisher.settle()
        fleet.start("a")
        for move in MOVES:
            fleet.settle()
            fleet.stop()
            publisher.send(mix.take(200))
            publisher.settle()
            ends = [fleet.log.end_offset(partition) for partition in range(PARTITIONS)]
            fleet.admin.alter_group_offsets(
                fleet.group, {TopicPartition(fleet.topic, number): move(end) for number, end in enumerate(ends)}
            )
            fleet.start("a")
        fleet.start("b").wait_for("partition taken", PARTITIONS // 2)
        acknowledged = publisher.settle()
        fleet.settle()
        fleet.stop()
        check(fleet, acknowledged)
