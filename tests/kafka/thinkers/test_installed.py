"""A thinker that somebody else has made decides beside a topic, named by the operator."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.harness.waiting import until
from tests.kafka.thinkers.processes import Thinkers
from tests.plugins.installed import install_thinkers
from yggdrasil_infra.kafka_log.settings import KafkaSettings


def test_it_decides_beside_a_topic(kafka: KafkaSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_thinkers(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    with ExitStack() as stack:
        thinkers = Thinkers(kafka, tmp_path, stack)
        memory = thinkers.memory()
        with thinkers.thinking("one", "--thinkers", "acme-watch/1", module="yggdrasil"):
            events = [memory.record_event(f"e{at}") for at in range(4)]
            until(lambda: len(memory.episodes().episodes) == 2, thinkers.words)
        assert sorted(one.memory.members for one in memory.episodes().episodes) == [events[:2], events[2:]]
        assert {one.thinker for one in memory.episodes().episodes} == {"acme-watch"}
