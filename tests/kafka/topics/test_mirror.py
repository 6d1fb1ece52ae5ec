"""A mirror of a topic, as Kafka's tools make one: another name, other settings and offsets, and the same memories."""

from pathlib import Path
from uuid import uuid4

import pytest
from kafka import KafkaProducer

from tests.cli.runs import Cli
from tests.contract.logs import everything
from tests.kafka.hosts.test_query_host import PARTITIONS, Hosts, memory_on
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.pins import write_pins
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin

USUAL = {"retention.ms": "604800000", "compression.type": "producer"}  # those of a cluster that nobody has changed


@pytest.fixture
def hosts(kafka: KafkaSettings, tmp_path: Path) -> Hosts:
    made = Hosts(kafka, tmp_path)
    with made.log() as log:
        assert write_pins(log) == PARTITIONS
    return made


def mirrored(hosts: Hosts, begin: int = 0) -> str:
    """Mirror the topic record by record in transactions, as exactly-once does it: their markers take offsets too.

    A mirror that is made late begins with the records at offset ``begin``.
    """
    name = f"source.{hosts.topic}"
    with admin(hosts.kafka) as client:
        client.create_topics({name: {"num_partitions": PARTITIONS, "replication_factor": 1, "configs": USUAL}})
        client.wait_for_topics([name])
    producer = KafkaProducer(
        bootstrap_servers=hosts.kafka.bootstrap_servers, transactional_id=uuid4().hex, compression_type="gzip"
    )
    producer.init_transactions()
    with hosts.log() as log:
        for record in everything(log):
            if record.offset < begin:
                continue
            producer.begin_transaction()
            said = {"partition": record.partition, "timestamp_ms": record.timestamp_ms, "headers": [("mm", b"1")]}
            producer.send(name, key=record.key, value=record.value, **said)
            producer.commit_transaction()
    producer.close()
    return name


def test_a_mirror_replays_to_the_same_memory_and_proves_its_recalls(hosts: Hosts, cli: Cli) -> None:
    with hosts.run("a") as engine:
        memory = memory_on(engine)
        for number in range(6):
            event = memory.record_event(f"step {number} of the plan", features=[f"s{number}"])
            memory.log_outcome(event, 1 if number % 2 else -1)
        recall_id = memory.get_context("step 3 of the plan").recall_id
        digest = memory.digest()
    name = mirrored(hosts)
    with hosts.log() as log, KafkaLog(hosts.kafka, name, None) as mirror:
        there, here = list(everything(mirror)), list(everything(log))
        assert [one.value for one in there] == [one.value for one in here]
        assert max(one.offset for one in there) > max(one.offset for one in here)
    place = ("--kafka", hosts.kafka.bootstrap_servers, "--topic", name, "--development", "--json")
    run = cli.ok("replay", *place)
    assert digest in run.out
    assert "it is read all the same" in run.err and "retention.ms is 604800000" in run.err
    proved = cli.ok("prove", "--all", "--memory", "me/agent", *place).json
    assert "puts first" not in run.err
    assert proved["holds"] and [one["recall_id"] for one in proved["proofs"]] == [recall_id]


def test_a_mirror_that_began_late_says_that_something_may_be_missing(hosts: Hosts, cli: Cli) -> None:
    with hosts.run("a") as engine:
        memory_on(engine).record_event("the plan", features=["plan"])
    name = mirrored(hosts, begin=1)
    run = cli.ok("replay", "--kafka", hosts.kafka.bootstrap_servers, "--topic", name, "--development")
    assert "begins with the record that `yggdrasil topics` puts first" in run.err
    assert "what was said before is missing" in run.err
