"""Every adapter joins the suite by one param here and one class in logs.py."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.logs import KafkaLogs, LocalLogs, Logs
from yggdrasil_infra.log import CommandLog


@pytest.fixture(params=["local", "kafka"])
def logs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Logs]:
    made: LocalLogs | KafkaLogs
    made = LocalLogs(tmp_path) if request.param == "local" else KafkaLogs(request.getfixturevalue("kafka"))
    yield made
    made.close()


@pytest.fixture
def log(logs: Logs) -> CommandLog:
    return logs.fresh(partitions=4)
