"""Workers that are killed, held, added and removed under load: nothing is lost, and nothing is counted twice."""

import time
from pathlib import Path
from random import Random

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.workers.processes import Fleet
from tests.size import turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings

SEED = "2026"
PARTITIONS = turns(8, 16)
COMMANDS = turns(900, 20_000)
KILLS = turns(3, 44)


def test_workers_killed_at_random_moments(kafka: KafkaSettings, tmp_path: Path) -> None:
    """Two or three at a time; a killed one starts again, or another directory takes its place, old or new."""
    rng = Random(SEED)
    mix = Mix(SEED, PARTITIONS)
    with Fleet(kafka, tmp_path, PARTITIONS) as fleet, Publisher(kafka, fleet.topic, PARTITIONS) as publisher:
        running = {name: fleet.start(name) for name in ("a", "b")}
        for kill in range(KILLS):
            publisher.send(mix.take(COMMANDS // KILLS))
            name = rng.choice(sorted(running))
            if rng.random() < 0.7:
                running[name].wait_for("partition taken")
            time.sleep(rng.uniform(0, 0.6))  # not to wait for anything: this is the random moment
            running.pop(name).kill()
            idle = [one for one in "abcd" if one not in running]
            for one in rng.sample(idle, rng.choice((1, 1, 1, 2)) if len(running) < 2 else 1):
                running[one] = fleet.start(one)
            if kill % 5 == 4 and len(running) > 2:
                running.pop(rng.choice(sorted(running))).stop()
        acknowledged = publisher.settle()
        fleet.settle()
        fleet.stop()
        seen = check(fleet, acknowledged)
        assert len(publisher.places) == COMMANDS // KILLS * KILLS
        assert len(seen.truth.digests) > turns(75, 150)
        assert len(seen.truth.refusals) > COMMANDS // 20
        assert seen.stores > PARTITIONS, "no partition ever moved"
