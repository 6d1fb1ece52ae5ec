"""Kafka joins by one more param and one more class in logs.py."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from yggdrasil_infra.log import CommandLog

from tests.contract.logs import LocalLogs, Logs


@pytest.fixture(params=["local"])
def logs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Logs]:
    assert request.param == "local"
    made = LocalLogs(tmp_path)
    yield made
    made.close()


@pytest.fixture
def log(logs: Logs) -> CommandLog:
    return logs.fresh(partitions=4)
