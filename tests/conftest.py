"""What all tests share: one real broker per session."""

from collections.abc import Iterator

import pytest

from tests.kafka.node import KafkaNode, free_port, named_broker
from yggdrasil_infra.kafka_log.settings import KafkaSettings


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaSettings]:
    """A broker: the one that the environment names, or one started for this session on loopback."""
    if named := named_broker():
        yield KafkaSettings.from_environment(named)
        return
    with KafkaNode(tmp_path_factory.mktemp("kafka"), free_port()) as node:
        yield KafkaSettings(node.address)
