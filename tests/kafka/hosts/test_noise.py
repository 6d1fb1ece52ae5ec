"""A broker that is killed and started again costs the log of a worker a line when it goes, and one when it is well."""

from pathlib import Path

from tests.faults.workers.processes import Worker
from tests.kafka.node import KafkaNode, free_port
from tests.size import only_at_length
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_schemas.topics import refused_topic

TOPIC = "noise.commands"


@only_at_length
def test_a_restart_of_the_broker_is_two_lines(tmp_path: Path) -> None:
    """The shorter one is ``tests/infra/signals/test_trouble.py``, which has what was said here."""
    with KafkaNode(tmp_path / "broker", free_port()) as node:
        for topic in (TOPIC, refused_topic(TOPIC)):
            create_topic(KafkaSettings(node.address), topic, 1, "development")
        there = ("--kafka", node.address, "--topic", TOPIC, "--development", "--http", "off")
        worker = Worker([*there, "--dir", str(tmp_path / "worker")], tmp_path / "said")
        try:
            worker.wait_for("partition taken")
            node.kill()
            worker.wait_for("the brokers do not answer, and are waited for")
            node.start()
            worker.wait_for("the brokers answer again")
            worker.wait_for("it is well again")
        finally:
            worker.kill()
        said = [line for line in worker.words.splitlines() if " kafka." in line]
        assert len(said) == 1 and "the client of Kafka has met trouble with the brokers" in said[0], worker.words
