"""A record that was altered in a broker's segment file is named: partition and offset, never read as if it were sound.

Kafka's checksum covers a batch of records, but not the offset that it begins with. Who can write to the files can also
write a new checksum; then only the hashes that were kept when the record was folded can tell.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from crc32c import crc32c

from tests.cli.runs import Cli
from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.log import LogDamagedError
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_processors.auditing.replay import AlteredRecordError, fresh_projector, replay, verify_chain
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 2
PARTITION = partition_for(b"me/agent", PARTITIONS)
RECORDS, AT = 12, 7  # of these, the one that is altered
# Of a batch of records: base offset, length (after it), leader epoch, magic, checksum of what follows; records at 61.
LENGTH, CHECKSUM, COVERED = 8, 17, 21
# Topics by what is altered in them, and where: a record's text; its text and the checksum; the offset that a batch
# begins with. What ends in "batch" was written as batches of several records, the others one by one.
TOPICS = {
    "sound": AT,
    "text": AT,
    "text-batch": AT,
    "checksum": AT,
    "checksum-batch": AT,
    "offset": AT,
    "offset-of-the-last": RECORDS - 1,
}


@dataclass(frozen=True)
class Altered:
    """Topics that were altered while the broker was down, with the stores that were folded from them before."""

    kafka: KafkaSettings
    stores: Path

    def log(self, topic: str) -> KafkaLog:
        return KafkaLog(self.kafka, topic, "development")

    def store(self, topic: str, topic_id: str) -> GraphStore:
        path = self.stores / topic / "graph" / f"{PARTITION:04d}"
        return GraphStore(path, Pin(topic_id, PARTITIONS, PARTITION), MemoryBudget.of(), read_only=True)


def batches(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each batch of records begins and ends."""
    begin = 0
    while begin < len(data):
        (length,) = struct.unpack_from(">i", data, begin + LENGTH)
        yield begin, begin + LENGTH + 4 + length
        begin += LENGTH + 4 + length


def alter(segment: Path, topic: str) -> None:
    data = bytearray(segment.read_bytes())
    text = b"step %02d" % TOPICS[topic]
    ((begin, end),) = [(begin, end) for begin, end in batches(bytes(data)) if text in data[begin:end]]
    if topic.startswith("offset"):
        (base,) = struct.unpack_from(">q", data, begin)
        struct.pack_into(">q", data, begin, base + 100)
    else:
        data[begin:end] = data[begin:end].replace(text, b"step XX")
    if topic.startswith("checksum"):
        struct.pack_into(">I", data, begin + CHECKSUM, crc32c(bytes(data[begin + COVERED : end])))
    segment.write_bytes(data)


@pytest.fixture(scope="module")
def altered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Altered]:
    """A broker of these tests' own."""
    folder = tmp_path_factory.mktemp("altered")
    node = KafkaNode(folder / "kafka", free_port())
    node.start()
    try:
        node.wait_until_ready()
        made = Altered(KafkaSettings(node.address), folder)
        for topic in TOPICS:
            create_topic(made.kafka, topic, PARTITIONS, "development")
            with made.log(topic) as log:
                write(log, together=topic.endswith("batch"))
                fold(log, folder / topic / "graph" / f"{PARTITION:04d}")
        node.stop()
        for topic in TOPICS.keys() - {"sound"}:
            alter(folder / "kafka" / "data" / f"{topic}-{PARTITION}" / f"{0:020d}.log", topic)
        node.start()
        node.wait_until_ready()
        yield made
    finally:
        node.stop()


def write(log: KafkaLog, *, together: bool) -> None:
    drafter = Drafter("me/agent", "test", "test")
    drafts = [drafter.record_event(f"step {number:02d}", features=["step"]) for number in range(RECORDS)]
    if together:
        log.append_many((draft.key, draft.value) for draft in drafts)
        return
    for draft in drafts:
        log.append(draft.key, draft.value)


def fold(log: KafkaLog, path: Path) -> None:
    path.parent.mkdir(parents=True)
    projector = fresh_projector(log, path, PARTITION)
    assert projector.catch_up() == RECORDS
    projector.close()


def test_what_was_not_altered_is_sound(altered: Altered, tmp_path: Path) -> None:
    with altered.log("sound") as log, altered.store("sound", log.topic_id) as store:
        assert verify_chain(log, store) == replay(log, tmp_path / "replayed", PARTITION).chain


@pytest.mark.parametrize("topic", ["text", "text-batch", "offset"])
def test_a_batch_that_is_not_as_it_was_written_is_never_read(altered: Altered, topic: str, tmp_path: Path) -> None:
    with altered.log(topic) as log:
        for attempt in range(2):  # it is said as often as it is asked
            with pytest.raises(LogDamagedError, match=rf"^partition {PARTITION} of {topic} .* from offset \d+ on"):
                replay(log, tmp_path / str(attempt), PARTITION)
        assert list(log.read(1 - PARTITION, 0, 10)) == []  # the other partition can still be read


@pytest.mark.parametrize("topic", ["text", "text-batch"])
def test_the_offset_of_the_damage_is_named(altered: Altered, topic: str) -> None:
    with altered.log(topic) as log:
        offset = 0
        with pytest.raises(LogDamagedError) as damaged:
            while records := log.read(PARTITION, offset, 1):
                offset = records[0].offset + 1
        assert offset == AT or (topic.endswith("batch") and offset < AT)  # the checksum is that of its whole batch
        assert f"from offset {offset} on" in str(damaged.value)
        assert "failed crc check" in str(damaged.value) and "another replica" in str(damaged.value)


@pytest.mark.parametrize("topic", ["checksum", "checksum-batch"])
def test_a_record_with_a_new_checksum_is_named_by_what_was_folded(altered: Altered, topic: str) -> None:
    with altered.log(topic) as log, altered.store(topic, log.topic_id) as store:
        assert any(b"step XX" in (record.value or b"") for record in log.read(PARTITION, 0, RECORDS))
        with pytest.raises(AlteredRecordError) as named:
            verify_chain(log, store)
        assert (named.value.partition, named.value.offset) == (PARTITION, AT)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_auditor_is_told(altered: Altered, topic: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--kafka", altered.kafka.bootstrap_servers, "--topic", topic, "--development"]
    run = Cli(tmp_path, capsys)("replay", *place, "--dir", str(altered.stores / topic), "--json")
    if topic == "sound":
        assert (run.code, run.json["same"]) == (0, True)
    elif topic in {"text", "text-batch", "offset"}:
        assert run.code == 1
        assert f"partition {PARTITION} of {topic} is not as it was written" in run.json["error"]["message"]
    else:
        assert (run.code, run.json["error"]["code"]) == (6, "record_altered")
        (mine,) = [entry for entry in run.json["partitions"] if entry["partition"] == PARTITION]
        assert mine["altered"]["offset"] == TOPICS[topic]
        assert f"offset {TOPICS[topic]} of partition {PARTITION}" in run.json["error"]["message"]
