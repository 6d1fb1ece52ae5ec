"""The examples of docs/publishing.md in Go and Node, with the real clients against a real broker."""

import os
import shutil
from pathlib import Path

import pytest

from tests.clients.packages import lay_out, run
from tests.kafka.examples import EXAMPLES, Example
from yggdrasil_infra.kafka_log.settings import KafkaSettings


def test_node_with_kafkajs(kafka: KafkaSettings, tmp_path: Path) -> None:
    lay_out(tmp_path)
    example = Example("publish.mjs", tmp_path, kafka)
    example.check(run(["node", example.file], tmp_path).splitlines()[-1])


@pytest.mark.skipif(shutil.which("go") is None, reason="the example in Go takes Go 1.26 or newer")
@pytest.mark.timeout(900)  # it is compiled, with its client, when that was not done before
def test_go_with_franz_go(kafka: KafkaSettings, tmp_path: Path) -> None:
    for name in ("go.mod", "go.sum"):
        shutil.copy(EXAMPLES / name, tmp_path)
    example = Example("publish.go", tmp_path, kafka)
    run(["go", "vet", "."], tmp_path)
    example.check(run(["go", "run", "."], tmp_path, GOFLAGS=f"{os.environ.get('GOFLAGS', '')} -mod=readonly".strip()))
