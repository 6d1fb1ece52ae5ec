"""Of kafka-python we use parts that it does not promise: each is named here, and is there in the release we install."""

import ast
from collections.abc import Callable
from importlib.metadata import version
from inspect import getsource
from pathlib import Path
from typing import Any, Final

import pytest
from aiokafka.consumer import fetcher as aiokafka_fetcher
from kafka import KafkaProducer
from kafka.record.default_records import DefaultRecordBatch

import yggdrasil_infra.kafka_log
from yggdrasil_infra.kafka_log.client import open_consumer, reading_options
from yggdrasil_infra.kafka_log.connecting import connect
from yggdrasil_infra.kafka_log.settings import KafkaSettings

TESTED: Final = "3.0.12"
OF_CONSUMERS: Final = {
    "_coordinator": ("rejoining", "need_rejoin", "request_rejoin", "time_to_next_poll"),
    "_cluster": ("topic_id",),
    "_fetcher": ("PartitionRecords",),
}
OF_PRODUCERS: Final = {
    "_metadata": ("partitions_for_topic",),
    "_sender": ("is_alive", "force_close", "join"),
    "_unregister_cleanup": (),
}
OF_CLIENTS: Final = {"_manager": ("get_connection", "cluster")}
OF_BATCHES: Final = ("_buffer", "_pos")


def test_each_that_is_used_is_named() -> None:
    used = {
        node.attr
        for file in Path(yggdrasil_infra.kafka_log.__path__[0]).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    }
    assert used == OF_CONSUMERS.keys() | OF_PRODUCERS.keys() | OF_CLIENTS.keys() | set(OF_BATCHES)


def test_the_release_is_the_one_that_was_tested() -> None:
    assert version("kafka-python") == TESTED


def test_what_reads_names_of_headers_is_there() -> None:
    assert [name for name in OF_BATCHES if not hasattr(DefaultRecordBatch, name)] == []
    assert "MemoryRecords(part_data[-1])" in getsource(aiokafka_fetcher)


@pytest.mark.parametrize(
    ("made", "parts"),
    [
        (lambda kafka: open_consumer({**reading_options(kafka), "group_id": "parts"}), OF_CONSUMERS),
        (lambda kafka: KafkaProducer(**kafka.options("parts")), OF_PRODUCERS),
        (lambda kafka: connect(**kafka.options("parts")), OF_CLIENTS),
    ],
    ids=["consumer", "producer", "client"],
)
def test_each_is_there(
    kafka: KafkaSettings, made: Callable[[KafkaSettings], Any], parts: dict[str, tuple[str, ...]]
) -> None:
    one = made(kafka)
    try:
        missing = [
            f"{part}.{name}" for part, names in parts.items() for name in names if not hasattr(getattr(one, part), name)
        ]
        assert not missing
        assert all(hasattr(one, part) for part in parts)
    finally:
        one.close()
