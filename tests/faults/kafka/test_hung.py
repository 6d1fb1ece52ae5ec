"""One broker of three is stopped and continued under load, again and again: workers go on, and stay as small as they
were.

The one that is stopped coordinates the group, which is the worst: heartbeats wait for it. ``make test-faults`` does it
twenty times.
"""

import os
import signal
import sys
import time
from pathlib import Path

from tests.faults.kafka.load import Mix, Publisher
from tests.faults.kafka.oracle import check
from tests.faults.kafka.test_brokers import wait_for_leaders
from tests.faults.workers.processes import Fleet, Worker
from tests.kafka.node import KafkaNode, free_port
from tests.size import only_at_length
from yggdrasil_infra.kafka_log.settings import KafkaSettings

PARTITIONS = 4
TIMES = int(os.environ.get("YGGDRASIL_HANGS", "20"))
HUNG_S = 12.0  # longer than a request may take
GROWTH_MB_MAX = 60
SHARE_MAX = 0.5  # of a processor, while a broker hangs and next to nothing is published


@only_at_length
def test_workers_stay_small_and_calm_while_brokers_hang(tmp_path: Path) -> None:
    """Shorter: one member and its only broker (tests/kafka/hosts/test_hung.py)."""
    mix = Mix("hung", PARTITIONS)
    port = free_port(22)
    cluster = {number: KafkaNode(tmp_path / f"node-{number}", port, number, 3) for number in (1, 2, 3)}
    kafka = KafkaSettings(",".join(node.address for node in cluster.values()))
    for node in cluster.values():
        node.start()
    try:
        for node in cluster.values():
            node.wait_until_ready()
        with Fleet(kafka, tmp_path, PARTITIONS, "production") as fleet:
            workers = [fleet.start(name, "--session-timeout-s", "6") for name in ("a", "b")]
            acknowledged = publish(fleet, mix, 2_000)
            fleet.settle()
            before = [megabytes(worker) for worker in workers]
            for number in range(TIMES):
                coordinator = fleet.admin._manager.run(fleet.admin._find_coordinator_id, fleet.group)
                fleet.close_clients()
                used, since = [seconds(worker) for worker in workers], time.monotonic()
                hold(cluster[coordinator], signal.SIGSTOP)
                try:
                    acknowledged |= publish(fleet, mix, 300)
                    time.sleep(max(0.0, since + HUNG_S - time.monotonic()))  # for so long it hangs
                    shares = [
                        (seconds(worker) - had) / (time.monotonic() - since)
                        for worker, had in zip(workers, used, strict=True)
                    ]
                finally:
                    hold(cluster[coordinator], signal.SIGCONT)
                grown = [megabytes(worker) - had for worker, had in zip(workers, before, strict=True)]
                sys.stdout.write(f"hang {number}: broker {coordinator}, {shares} of a processor, {grown} MB more\n")
                assert max(shares) < SHARE_MAX, f"hang {number}: {shares}"
                assert max(grown) < GROWTH_MB_MAX, f"hang {number}: {grown} MB"
                wait_for_leaders(kafka, fleet.topic, replicas_in_sync=3)
                fleet.settle()
            assert fleet.running() == workers
            fleet.stop()
            check(fleet, acknowledged)
    finally:
        for node in cluster.values():
            node.kill()


def publish(fleet: Fleet, mix: Mix, count: int) -> set[tuple[str, str]]:
    with Publisher(fleet.kafka, fleet.topic, PARTITIONS, request_timeout_ms=5_000) as publisher:
        publisher.send(mix.take(count))
        return publisher.settle()


def hold(node: KafkaNode, how: signal.Signals) -> None:
    assert node.pid is not None
    os.kill(node.pid, how)


def megabytes(worker: Worker) -> float:
    """What a worker holds in memory."""
    words = Path(f"/proc/{worker.pid}/status").read_text().split()
    return int(words[words.index("VmRSS:") + 1]) / 1024


def seconds(worker: Worker) -> float:
    """Of a processor, that a worker has used."""
    fields = Path(f"/proc/{worker.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
