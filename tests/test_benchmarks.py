"""Every benchmark runs, and says at the end what the build reads. What it measures is not a test's business."""

import json

import pytest
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import PARTITIONS

from benchmarks.__main__ import NAMES, main
from benchmarks.kafka_children import Child, ChildError
from benchmarks.kafka_topic import AGENTS, AGENTS_PER_PARTITION, memories


@pytest.mark.parametrize("name", NAMES)
def test_the_last_line_is_the_report(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--tiny"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(report) == {"name", "figures", "bars"}
    assert report["name"] == name
    assert report["figures"]
    assert all(isinstance(figure, int | float) for figure in report["figures"].values())
    for bar in report["bars"]:
        assert set(bar) == {"what", "value", "bar", "holds"}


def test_as_many_agents_fill_each_partition() -> None:
    names = memories()
    assert len(set(names)) == AGENTS
    for first in range(0, AGENTS, PARTITIONS):
        there = {partition_for(name.encode(), PARTITIONS) for name in names[first : first + PARTITIONS]}
        assert there == set(range(PARTITIONS))
    assert AGENTS == AGENTS_PER_PARTITION * PARTITIONS


def test_a_process_that_ends_too_early_is_told_with_its_last_words() -> None:
    with (
        Child("kafka_plain", "127.0.0.1:1", "a.topic", "no number", "nowhere") as child,
        pytest.raises(ChildError, match=r"kafka_plain ended too early \(exit code 1\)[\s\S]*'no number'"),
    ):
        child.until(lambda event: event["what"] == "done", 60.0)
