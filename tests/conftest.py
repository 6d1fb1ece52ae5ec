"""What all tests share: one real broker per session, and the order in which their files begin."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.kafka.node import KafkaNode, free_port, named_broker
from yggdrasil_infra.kafka_log.settings import KafkaSettings

os.environ["YGGDRASIL_EMBEDDER"] = "none"
"""Most tests are not about vectors, which would be made for every text in a new directory; those that are say which."""

TESTS: Final = Path(__file__).parent
FIRST: Final = (
    "faults/test_damage.py",
    "graph/test_oracle.py",
    "faults/test_kafka_workers_broker.py",
    "faults/test_kill.py",
    "faults/test_kafka_workers_topic.py",
    "kafka/hosts/test_worker.py",
    "faults/test_kafka_brokers.py",
    "contract/test_memory.py",
    "cli/test_help.py",
    "faults/test_kafka_workers_steps.py",
    "test_benchmarks.py",
)
"""The files that take longest: begun last, one of them would keep one process busy while the others have nothing."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes longest begin first; the order within a file, and that of all others, stays."""
    places = {TESTS / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaSettings]:
    """A broker: the one that the environment names, or one started for this session on loopback."""
    if named := named_broker():
        yield KafkaSettings.from_environment(named)
        return
    with KafkaNode(tmp_path_factory.mktemp("kafka"), free_port()) as node:
        yield KafkaSettings(node.address)
