"""What only a fork on a topic meets: partitions that are elsewhere, and an interruption between two sendings."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from tests.contract.logs import fresh_topic
from tests.contract.memories import ME, READY_S
from yggdrasil import ForkThereError, LogError, Memory, NotHereError, Receipt
from yggdrasil.engines.query import QueryEngine
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_processors.past import unpacking
from yggdrasil_processors.past.alone import records_of
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.commands.forks import fork_id
from yggdrasil_schemas.partitions import partition_for

PARTITIONS = 3


def partition_of(memory: str) -> int:
    return partition_for(memory.encode(), PARTITIONS)


HERE = partition_of(ME)
NAMES = [f"n{number}" for number in range(20)]
NEAR = [each for each in NAMES if partition_of(fork_id(ME, each)) == HERE]
FAR = [each for each in NAMES if partition_of(fork_id(ME, each)) != HERE]


@contextmanager
def hosted(kafka: KafkaSettings, folder: Path, topic: str, *partitions: int) -> Iterator[Memory[QueryEngine]]:
    settings = HostSettings(
        kafka, folder, topic, "development", group=topic, look_every_s=0.5, partitions=partitions or None
    )
    host = QueryHost(settings)
    with QueryEngine(host) as engine:
        deadline = monotonic() + READY_S
        while host.ready() is not None:
            assert monotonic() < deadline, host.ready()
            Event().wait(0.02)
        yield Memory(engine, Drafter(ME, "agent", "yggdrasil-test"))


def test_a_host_forks_what_it_has_both_partitions_of(kafka: KafkaSettings, tmp_path: Path) -> None:
    topic = fresh_topic(kafka, PARTITIONS)
    with hosted(kafka, tmp_path / "part", topic, HERE) as memory:
        memory.record_event("One")
        assert memory.fork(1, NEAR[0]).appended == 1
        with pytest.raises(NotHereError):
            memory.fork(1, FAR[0])
        assert not list(records_of(memory.engine.records, fork_id(ME, FAR[0]))), "nothing was appended"
    with hosted(kafka, tmp_path / "all", topic) as memory:
        assert memory.fork(1, FAR[0]).appended == 1


def test_what_was_interrupted_goes_on_from_what_the_brokers_have(
    kafka: KafkaSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_CHUNK", 7)
    topic = fresh_topic(kafka, PARTITIONS)
    with hosted(kafka, tmp_path, topic) as memory:
        for number in range(30):
            memory.record_event(f"Event {number}")
        append, left = KafkaLog.append_dated, [14]

        def failing(self: KafkaLog, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
            if not left[0]:
                raise LogError("no broker answers")
            done = append(self, records)
            left[0] -= len(done)
            return done

        with monkeypatch.context() as patched:
            patched.setattr(KafkaLog, "append_dated", failing)
            with pytest.raises(LogError, match="no broker answers"):
                memory.fork(25, "half")
        fork = fork_id(ME, "half")
        memory.engine.fold_all(fork)
        (half,) = memory.forks()
        assert (half.seq, half.own, half.unfinished) == (14, 0, 25), "so far it has come"
        made = memory.fork(25, "half")
        assert (made.there, made.appended) == (14, 11)
        assert [each.unfinished for each in memory.forks()] == [None]
        times = [[each.timestamp_ms for each in records_of(memory.engine.records, of)] for of in (ME, fork)]
        assert times[0][:25] == times[1]
        with pytest.raises(ForkThereError):
            memory.fork(24, "half")
