"""What must hold of workers after every fault, judged by the log alone.

The log is folded anew, once as it is on Kafka and once as a copy in a local log, since offsets are transport. Then:
every acknowledged command is known; every store of every worker, folded on to the end, is one of these folds, wherever
it stood; what was published on the topic of refusals is what the fold refuses, nothing less and nothing else.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from tests.faults.kafka.load import Acknowledged
from tests.faults.workers.processes import Fleet
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_processors.auditing.replay import replay, verify_chain
from yggdrasil_projections.graph.store.chain import CHAIN_START, chained, record_hash
from yggdrasil_projections.graph.store.projector import Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.ids import id_bytes

Refusals = dict[tuple[int, int], Any]
"""By partition and offset, what the fold says of a record that it refuses."""


class Held:
    """A log as it is now, read once: the brokers need not be asked again for every store."""

    def __init__(self, log: LogReader) -> None:
        self.topic_id = log.topic_id
        self.partitions = log.partitions
        self._starts = [log.start_offset(partition) for partition in range(log.partitions)]
        self._ends = [log.end_offset(partition) for partition in range(log.partitions)]
        self._records = [self._read(log, partition) for partition in range(log.partitions)]

    def _read(self, log: LogReader, partition: int) -> list[LogRecord]:
        records: list[LogRecord] = []
        offset = self._starts[partition]
        while offset < self._ends[partition] and (found := log.read(partition, offset, 500)):
            records += found
            offset = found[-1].offset + 1
        return records

    def start_offset(self, partition: int) -> int:
        return self._starts[partition]

    def end_offset(self, partition: int) -> int:
        return self._ends[partition]

    def read(self, partition: int, offset: int, records_max: int) -> list[LogRecord]:
        first = bisect_left(self._records[partition], offset, key=lambda record: record.offset)
        return self._records[partition][first : first + records_max]

    def all_of(self, partition: int) -> list[LogRecord]:
        return self._records[partition]

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True)
class Truth:
    """What the log says, folded anew."""

    digests: dict[str, str]
    identities: dict[str, dict[bytes, Identity]]
    refusals: Refusals
    chains: dict[tuple[int, int], bytes]
    """The chain at every position that a store may stand at."""
    ends: dict[int, int]
    """The offset after the last record, by partition."""


@dataclass(frozen=True)
class Seen:
    """What was found in good order, for a test to say that there was something to find."""

    truth: Truth
    stores: int
    behind: int
    """Stores that stood before the end of the log."""
    published: int
    """Refusals on their topic; more than there are positions of them when some were sent twice."""
    waiting: int


def check(fleet: Fleet, acknowledged: Acknowledged) -> Seen:
    """Hold everything against the log. No worker may run."""
    assert fleet.running() == []
    held = Held(fleet.log)
    truth = truth_of(fleet.log, held, fleet.folder / f"truth-{len(fleet.workers)}")
    lost = [name for name in acknowledged if id_bytes(name[1]) not in truth.identities.get(name[0], {})]
    assert lost == [], f"{len(lost)} of {len(acknowledged)} acknowledged commands are not in the log"
    positions: list[tuple[int, int]] = []
    waiting: Refusals = {}
    for directory in fleet.directories():
        for path in sorted((directory / "graph").glob("[0-9]" * 4)):
            with opened(path, held) as store:
                positions.append((store.pin.partition, store.state.position))
                waiting |= waiting_in(store)
                check_store(held, store, truth)
    assert {partition for partition, _ in positions} >= truth.ends.keys(), "no worker has a store of some partition"
    assert {place: waiting[place] for place in waiting if truth.refusals.get(place) != waiting[place]} == {}
    published = published_refusals(fleet)
    check_refusals(published, truth)
    behind = sum(position < truth.ends.get(partition, 0) for partition, position in positions)
    return Seen(truth, len(positions), behind, len(published), len(waiting))


def truth_of(log: KafkaLog, held: Held, scratch: Path) -> Truth:
    """Fold ``log`` anew, as it is and as a copy, and compare the two."""
    truth = Truth({}, {}, {}, {}, {})
    with LocalLog.create_or_open(scratch / "copy", log.partitions) as copy:
        for partition in range(log.partitions):
            records = held.all_of(partition)
            append_all(copy, records)
            of_kafka = replay(log, scratch / "kafka" / str(partition), partition)
            embedded = replay(copy, scratch / "embedded" / str(partition), partition)
            assert embedded.digests == of_kafka.digests, f"partition {partition} depends on the kind of log"
            truth.digests.update(of_kafka.digests)
            with opened(scratch / "kafka" / str(partition), log, partition) as store:
                truth.refusals.update(waiting_in(store))
                truth.identities.update({memory: store.identities(memory) for memory in store.memories()})
            truth.chains.update(chains_of(partition, records))
            if records:
                truth.ends[partition] = records[-1].offset + 1
    return truth


def append_all(copy: LocalLog, records: Iterable[LogRecord]) -> None:
    """Append records to their own partitions in one write; a key or a value that is absent becomes an empty one."""
    entries = [copy._entry(record.partition, record.key or b"", record.value or b"") for record in records]
    if entries:
        copy._commit.submit(entries)


def chains_of(partition: int, records: Iterable[LogRecord]) -> Iterator[tuple[tuple[int, int], bytes]]:
    chain = CHAIN_START
    yield (partition, 0), chain
    for record in records:
        chain = chained(chain, record_hash(record))
        yield (partition, record.offset + 1), chain


def check_store(log: LogReader, store: GraphStore, truth: Truth) -> None:
    """Hold one store against the log where it stands, and at the end of the log once it is folded on to there."""
    partition, where = store.pin.partition, store.path
    assert store.state.chain == truth.chains[partition, store.state.position], f"{where} was folded from other records"
    verify_chain(log, store)
    running = Projector(log, store)
    running.catch_up()
    running.settle_attestations()
    assert store.state.chain == truth.chains[partition, truth.ends.get(partition, 0)], where
    for memory in store.memories():
        assert store.identities(memory) == truth.identities[memory], f"{where}: {memory}"
        assert store.digest(memory) == truth.digests[memory], f"{where}: {memory}"
    running.close()


def check_refusals(published: list[dict[str, Any]], truth: Truth) -> None:
    """Every refusal of the fold was published at least once, word for word, and nothing else was."""
    found = {(it["partition"], it["offset"]): it for it in published}
    missing = sorted(truth.refusals.keys() - found.keys())
    assert missing == [], f"{len(missing)} of {len(truth.refusals)} refusals were never published: {missing[:5]}"
    wrong = [it for it in published if truth.refusals.get((it["partition"], it["offset"])) != it]
    assert wrong == [], f"{len(wrong)} were published that the fold did not make: {wrong[:5]}"


def published_refusals(fleet: Fleet) -> list[dict[str, Any]]:
    """Return everything on the topic of refusals, and see that a partition's refusals are in one place."""
    with KafkaLog(fleet.kafka, fleet.refused, fleet.profile) as log:
        held = Held(log)
        records = [record for partition in range(log.partitions) for record in held.all_of(partition)]
        found = [(record, orjson.loads(record.value or b"")) for record in records]
        for record, it in found:
            assert (record.key, record.partition) == (b"%d" % it["partition"], it["partition"] % log.partitions)
    return [it for _, it in found]


def waiting_in(store: GraphStore) -> Refusals:
    return {(it["partition"], it["offset"]): it for it in store.refusals()}


@contextmanager
def opened(path: Path, log: LogReader, partition: int | None = None) -> Iterator[GraphStore]:
    """Open a worker's store of ``log`` as its next start would; the directory's name is the partition."""
    pin = Pin(log.topic_id, log.partitions, int(path.name) if partition is None else partition)
    with GraphStore(path, pin, MemoryBudget.of(8 << 20, 8 << 20)) as store:
        yield store
