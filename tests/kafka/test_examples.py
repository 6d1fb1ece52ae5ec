"""The examples of docs/publishing.md in Python and Java; those in Go and Node are tested by ``make test-clients``."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kafka.examples import EXAMPLES, ROOT, Example
from tests.test_docs import blocks
from yggdrasil_infra.kafka_log.settings import KafkaSettings

PAGE = ROOT / "docs" / "publishing.md"
FILES = {"py": "publish.py", "java": "Publish.java", "go": "publish.go", "js": "publish.mjs"}


@pytest.mark.parametrize(("language", "name"), FILES.items())
def test_the_page_shows_the_file(language: str, name: str) -> None:
    assert (EXAMPLES / name).read_text() in blocks(PAGE, language)


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python_with_confluent_kafka(kafka: KafkaSettings, tmp_path: Path) -> None:
    example = Example("publish.py", tmp_path, kafka)
    example.check(run(sys.executable, example.file))


def test_java_with_kafka_clients(kafka: KafkaSettings, tmp_path: Path) -> None:
    jars = run(ROOT / "infra" / "kafka" / "node", "jars").strip()
    example = Example("Publish.java", tmp_path, kafka)
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
    example.check(run("java", "-XX:TieredStopAtLevel=1", "-Xmx128m", quiet, "-cp", f"{jars}/*", example.file))
