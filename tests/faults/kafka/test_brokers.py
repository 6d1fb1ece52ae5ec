"""Brokers killed under load: nothing acknowledged is lost, and every replay of the log gives the same memories.

A broker that is killed with SIGKILL loses nothing that the kernel has taken from it, so a single one keeps what it
acknowledged, and so does a leader; that a machine may be lost with all it has is what three replicas are for, and no
test can cut the power. What is shown is that no acknowledgement runs ahead of the log, through recovery, elections,
retries and resends. ``make test-faults`` runs the long form.
"""

import gc
import logging
import signal
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import orjson
from kafka.errors import KafkaError

from tests.contract.logs import everything
from tests.faults.local.oracle import Child
from tests.kafka.node import READY_S, KafkaNode, free_port
from tests.size import LONG, only_at_length, turns
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin, create_topic
from yggdrasil_infra.log import LogError
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_processors.auditing.replay import replay, verify_chain
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.topics import Profile

TOPIC = "yggdrasil.commands"
PARTITIONS = 2  # two of the load's memories in each
SEED = "brokers"
AGENTS = "tests.faults.kafka.agents"
ACKNOWLEDGED = ("acme/", "zoo/")


@only_at_length
def test_one_broker_killed_again_and_again_under_load(tmp_path: Path) -> None:
    """Shorter: leaders are killed below, and a single broker under a sender (tests/kafka/log/test_delivery.py)."""
    rng = Random(SEED)
    node = KafkaNode(tmp_path / "node", free_port())
    node.start()
    try:
        node.wait_until_ready()
        settings = KafkaSettings(node.address)
        create_topic(settings, TOPIC, PARTITIONS, "development")
        with Child(node.address, TOPIC, SEED, "development", module=AGENTS) as child:
            for _ in range(10):
                progress(child)
                time.sleep(rng.uniform(0, 1))  # not to wait for anything: this is the random moment
                node.kill()
                node.start()
                node.wait_until_ready()
            progress(child)
            assert child.end(signal.SIGTERM) == 0, child.errors
        check(child, settings, "development", tmp_path)
    finally:
        node.stop()


@only_at_length
def test_leaders_of_three_brokers_killed_in_turn_under_load(tmp_path: Path) -> None:
    """A leader every ten seconds for two minutes, or as soon as the one before is in sync again; shorter as above."""
    rng = Random(SEED)
    port = free_port(22)
    cluster = {number: KafkaNode(tmp_path / str(number), port, number, 3) for number in (1, 2, 3)}
    settings = KafkaSettings(",".join(node.address for node in cluster.values()))
    for node in cluster.values():
        node.start()
    try:
        for node in cluster.values():
            node.wait_until_ready()
        create_topic(settings, TOPIC, PARTITIONS, "production")
        killed: set[int] = set()
        with Child(settings.bootstrap_servers, TOPIC, SEED, "production", module=AGENTS) as child:
            for _ in range(turns(1, 12)):
                began = time.monotonic()
                leaders = wait_for_leaders(settings, replicas_in_sync=3)
                progress(child)
                leader = rng.choice(leaders)
                killed.add(leader)
                cluster[leader].kill()
                wait_for_leaders(settings, without=leader)
                progress(child)
                cluster[leader].start()
                cluster[leader].wait_until_ready()
                if LONG:
                    time.sleep(max(0.0, began + 10 - time.monotonic()))  # not to wait for anything: this is the pace
            progress(child)
            assert child.end(signal.SIGTERM) == 0, child.errors
        wait_for_leaders(settings, replicas_in_sync=3)
        assert len(killed) >= turns(1, 2), "always the same one"
        check(child, settings, "production", tmp_path)
    finally:
        for node in cluster.values():
            node.stop()


def progress(child: Child) -> None:
    """Return once many commands are acknowledged that were not when this was called."""
    already = len(child.lines)
    while sum(line.startswith(ACKNOWLEDGED) for line in child.lines[already:]) < turns(100, 300):
        child.wait_for(*ACKNOWLEDGED)


def check(child: Child, settings: KafkaSettings, profile: Profile, scratch: Path) -> None:
    """Every acknowledged command is in the identity index of a clean replay, and a second replay is the same."""
    acknowledged = child.acknowledged()
    assert len(acknowledged) > 100
    with KafkaLog(settings, TOPIC, profile) as log:
        known: dict[str, set[bytes]] = {}
        for partition in range(PARTITIONS):
            first = replay(log, scratch / "first" / str(partition), partition)
            assert replay(log, scratch / "second" / str(partition), partition) == first
            pin = Pin(log.topic_id, log.partitions, partition)
            with GraphStore(scratch / "first" / str(partition), pin, MemoryBudget.of()) as store:
                assert verify_chain(log, store) == first.chain
                known |= {memory: set(store.identities(memory)) for memory in store.memories()}
        lost = [name for name in acknowledged if id_bytes(name[1]) not in known.get(name[0], set())]
        assert lost == [], f"{len(lost)} of {len(acknowledged)} acknowledged commands are gone"
        check_doubles(child, log)


def check_doubles(child: Child, log: KafkaLog) -> None:
    """No command is in the log more often than it was handed over: kafka-python's own retries double nothing."""
    sent = Counter(line.split()[1] for line in child.lines if line.startswith("sent "))
    written = Counter(orjson.loads(record.value or b"")["id"] for record in everything(log))
    assert {command: times for command, times in written.items() if times > sent[command]} == {}
    assert any(times > 1 for times in written.values()), "nothing was sent twice"


def wait_for_leaders(
    settings: KafkaSettings, topic: str = TOPIC, *, replicas_in_sync: int = 2, without: int | None = None
) -> list[int]:
    """Wait until every partition has a leader other than ``without`` and enough replicas, and return the leaders."""
    deadline = time.monotonic() + READY_S
    seen: Any = "nothing"
    while time.monotonic() < deadline:
        with leaks_forgiven():
            try:
                with admin(settings) as client:
                    (seen,) = client.describe_topics([topic])
            except (KafkaError, LogError) as error:
                seen = str(error)  # and not what holds on to the sockets
                continue
        partitions = seen["partitions"]
        leaders = [partition["leader_id"] for partition in partitions]
        if without not in leaders and all(
            leader >= 0 and len(partition["isr_nodes"]) >= replicas_in_sync
            for leader, partition in zip(leaders, partitions, strict=True)
        ):
            return leaders
    raise AssertionError(f"the cluster has not healed within {READY_S:g} s: {seen}")


@contextmanager
def leaks_forgiven() -> Iterator[None]:
    """kafka-python leaves its socket open when a connection is refused, and one of the brokers is away."""
    logging.disable()  # what is logged holds on to the error, and the error to the socket
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            yield
            gc.collect()
    finally:
        logging.disable(logging.NOTSET)
