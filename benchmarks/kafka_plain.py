"""The yardstick of the worker, a process of its own: ``python -m benchmarks.kafka_plain SERVERS TOPIC RECORDS PATH``.

A loop that does only what nobody can leave out: poll with kafka-python, validate strictly with the models of the log,
and write the bare record and the next offset in one batch. It keeps no identity, refuses nothing and folds nothing.
"""

import gc
import sys
from pathlib import Path
from time import monotonic, process_time

import orjson
from kafka import KafkaConsumer
from kafka.structs import TopicPartition
from yggdrasil_infra.kafka_log import reading_options
from yggdrasil_infra.kafka_settings import KafkaSettings
from yggdrasil_infra.rocks import MemoryBudget, Rocks
from yggdrasil_schemas import codec

from .measure import GC_OF_HOSTS

_RECORDS = "records"
_OFFSETS = "offsets"
_POLL_RECORDS_MAX = 2_000


def main(servers: str, topic: str, records: int, path: Path) -> None:
    """Read ``records`` records of ``topic`` into a fresh database, and tell when."""
    loads, validators = orjson.loads, codec._VALIDATE  # pyright: ignore[reportPrivateUsage]
    consumer = KafkaConsumer(**reading_options(KafkaSettings(servers)))
    places = [TopicPartition(topic, partition) for partition in consumer.partitions_for_topic(topic)]
    consumer.assign(places)
    for place in places:
        consumer.seek(place, 0)
    start = cpu = 0.0
    read = 0
    with Rocks(path, (_RECORDS, _OFFSETS), MemoryBudget.of()) as rocks:
        while read < records:
            polled = consumer.poll(timeout_ms=100, max_records=_POLL_RECORDS_MAX)
            if polled and not start:
                start, cpu = monotonic(), process_time()
            for place, found in polled.items():
                batch = rocks.batch()
                at = place.partition.to_bytes(4, "big")
                for record in found:
                    raw = loads(record.value)
                    validators[raw["type"]](raw)
                    batch.put(_RECORDS, at + record.offset.to_bytes(8, "big"), record.value)
                batch.put(_OFFSETS, at, (found[-1].offset + 1).to_bytes(8, "big"))
                rocks.write(batch)
                read += len(found)
        end, used = monotonic(), process_time() - cpu
    consumer.close()
    print(orjson.dumps({"what": "done", "start": start, "end": end, "cpu": used}).decode(), flush=True)


if __name__ == "__main__":
    gc.set_threshold(*GC_OF_HOSTS)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
