"""The yardstick of the worker, as a process: ``python -m benchmarks.kafka.plain SERVERS TOPIC RECORDS PATH HOW``.

A loop that does only what nobody can leave out: poll with kafka-python, validate strictly, which is what the log's own
codec does, and write the bare record and the next offset. It keeps no identity and folds nothing. HOW is ``each``, the
plain way, in which a record and its offset are one write and nothing is ever done twice; or ``many``, which writes once
for all that a poll has brought of a partition, as the worker does.
"""

import gc
import sys
from pathlib import Path
from time import monotonic, process_time

import orjson
from kafka import KafkaConsumer
from kafka.structs import TopicPartition

from yggdrasil_infra.kafka_log.client import reading_options
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.rocks.database import MemoryBudget, Rocks
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.refusals import Refused

from ..measure import GC_OF_HOSTS

_RECORDS = "records"
_OFFSETS = "offsets"


def main(servers: str, topic: str, records: int, path: Path, each: bool) -> None:
    """Read ``records`` records of ``topic`` into a fresh database, and tell when."""
    consumer = KafkaConsumer(**reading_options(KafkaSettings(servers)))
    places = [TopicPartition(topic, partition) for partition in consumer.partitions_for_topic(topic)]
    consumer.assign(places)
    for place in places:
        consumer.seek(place, 0)
    start = cpu = 0.0
    read = 0
    with Rocks(path, (_RECORDS, _OFFSETS), MemoryBudget.of()) as rocks:
        while read < records:
            polled = consumer.poll(timeout_ms=100)
            if polled and not start:
                start, cpu = monotonic(), process_time()
            for place, found in polled.items():
                batch = rocks.batch()
                at = place.partition.to_bytes(4, "big")
                last = found[-1]
                for record in found:
                    if isinstance(decoded := decode(record.value), Refused):
                        raise ValueError(f"the topic holds what is not a command: {decoded}")
                    batch.put(_RECORDS, at + record.offset.to_bytes(8, "big"), record.value)
                    if each or record is last:
                        batch.put(_OFFSETS, at, (record.offset + 1).to_bytes(8, "big"))
                        rocks.write(batch)
                        batch = rocks.batch()
                read += len(found)
        end, used = monotonic(), process_time() - cpu
    consumer.close()
    print(orjson.dumps({"what": "done", "start": start, "end": end, "cpu": used}).decode(), flush=True)


if __name__ == "__main__":
    gc.set_threshold(*GC_OF_HOSTS)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5] == "each")
