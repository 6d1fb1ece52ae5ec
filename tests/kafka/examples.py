"""The examples of docs/publishing, run against a topic of their own, and what the fold makes of what they append."""

import os
import re
import struct
from pathlib import Path
from typing import Any, Final

from tests.contract.logs import everything, fresh_topic
from tests.kafka.node import named_broker
from tests.kafka.shared import FOLDER_VARIABLE
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.auditing.replay import fresh_projector
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.topics import COMMANDS, PARTITIONS

ROOT: Final = Path(__file__).parent.parent.parent
EXAMPLES: Final = ROOT / "docs" / "publishing"
MEMORY: Final = b"acme/coder"
_WRITTEN: Final = "127.0.0.1:19092"  # the address in the examples
_PRODUCER_AT: Final = 43  # where a batch of records, in the format of the log, has the id of its producer
_HEAD: Final = struct.Struct(">qi")  # its first offset, and how many bytes follow


class Example:
    """One of them, copied into ``folder`` with the address of the broker and a topic of its own."""

    def __init__(self, name: str, folder: Path, kafka: KafkaSettings) -> None:
        self.topic = fresh_topic(kafka, PARTITIONS)
        self.file = folder / name
        self._kafka = kafka
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        self.file.write_text(text.replace(_WRITTEN, kafka.bootstrap_servers).replace(COMMANDS, self.topic))

    def check(self, printed: str) -> None:
        """Hold what it appended, and ``printed``, to what the page says of it. Raises AssertionError."""
        event = printed.strip()
        partition = partition_for(MEMORY, PARTITIONS)
        with KafkaLog(self._kafka, self.topic, "development") as log:
            records = everything(log)
            assert [(record.partition, record.key) for record in records] == [(partition, MEMORY)] * 2
            said = [self._decoded(record.value) for record in records]
            assert [command.type for command in said] == ["record_event", "log_outcome"]
            assert said[0].id == event
            assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", event)
            projector = fresh_projector(log, self.file.parent / f"store-{self.topic}", partition)
            projector.catch_up()
            assert projector.store.refusals() == []
            assert projector.store.memories() == [MEMORY.decode()]
            projector.close()
        if named_broker() is None:
            producers = self._producers(partition)
            assert producers and min(producers) >= 0, "the producer is not idempotent"

    @staticmethod
    def _decoded(value: bytes | None) -> Any:
        decoded = decode(value or b"")
        assert isinstance(decoded, Decoded), decoded
        return decoded.command

    def _producers(self, partition: int) -> list[int]:
        """Return the ids of the producers of each batch in the broker's file: -1 is one that is not idempotent."""
        folder = Path(os.environ[FOLDER_VARIABLE]) / "node" / "data" / f"{self.topic}-{partition}"
        (segment,) = folder.glob("*.log")
        data = segment.read_bytes()
        found: list[int] = []
        at = 0
        while at + _HEAD.size <= len(data):
            _, length = _HEAD.unpack_from(data, at)
            if length <= 0:  # the rest of the file is room
                break
            found.append(struct.unpack_from(">q", data, at + _PRODUCER_AT)[0])
            at += _HEAD.size + length
        return found
