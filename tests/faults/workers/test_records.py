"""Whatever is on the topic: broken bytes, commands that are sent again and again, transactions that came to nothing."""

import re
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import orjson

from tests.corpus.cases import PARTITIONS as CORPUS_PARTITIONS
from tests.corpus.cases import Case, accepted, refused
from tests.faults.kafka.load import Mix, Outgoing, Publisher, halts
from tests.faults.kafka.oracle import Held, append_all, check, published_refusals
from tests.faults.records.fuzz import MARK, Fuzzer, corpus_values
from tests.faults.workers.processes import Fleet
from tests.harness.waiting import until
from tests.kafka.node import free_port
from tests.size import only_at_length, turns
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.replay import replay

PARTITIONS = 4
HEADERS = [("traceparent", b"00-\xff"), ("memory", b"acme/somebody-else"), ("memory", b"")]
LARGE = 900_000


def of_corpus(case: Case) -> Outgoing:
    key = b"" if case.key is None and case.value is None else case.key  # a producer sends one of them at least
    return Outgoing(key, case.value, case.partition)


def odd_records(seed: int, count: int) -> list[Outgoing]:
    """Fuzz of every sort, and what Kafka allows and no producer of ours would send."""
    rng = Random(seed)
    fuzzer = Fuzzer(seed, {name: corpus_values(name) for name in ("acme/coder", "acme/fuzzed")})
    known = [of_corpus(case) for case in accepted()]
    records = [Outgoing(key or b"", value, rng.randrange(CORPUS_PARTITIONS)) for key, value in _pairs(fuzzer, count)]
    records += [record._replace(headers=HEADERS) for record in known]  # seen before, and headers are not read
    records += [record._replace(partition=rng.randrange(CORPUS_PARTITIONS)) for record in known]
    records += [record._replace(key=None) for record in known[:20]]
    records += [record._replace(value=None) for record in known[:20]]
    records += [record._replace(value=b"") for record in known[:20]]
    records += [Outgoing(b"acme/coder", orjson.dumps({"memory": MARK * (LARGE // len(MARK))}))] * 5
    records += [Outgoing(b"k" * LARGE, record.value) for record in known[:5]]
    rng.shuffle(records)
    return [record for record in records if not halts(record)]


def _pairs(fuzzer: Fuzzer, count: int) -> list[tuple[bytes | None, bytes | None]]:
    return [fuzzer.broken() for _ in range(count)]


def test_no_record_stops_a_partition(kafka: KafkaSettings, tmp_path: Path) -> None:
    corpus = [case for case in (*accepted(), *refused()) if not halts(of_corpus(case))]
    with (
        Fleet(kafka, tmp_path, CORPUS_PARTITIONS) as fleet,
        Publisher(kafka, fleet.topic, CORPUS_PARTITIONS) as publisher,
    ):
        publisher.send(map(of_corpus, corpus))
        fleet.start("a")
        publisher.send(odd_records(2026, turns(300, 20_000)))
        acknowledged = publisher.settle()
        fleet.settle()
        fleet.stop()
        seen = check(fleet, acknowledged)
        reasons = {place: it["reason"] for place, it in seen.truth.refusals.items()}
        for case, (record, offset) in zip(corpus, publisher.places, strict=False):
            if case.key is not None or case.value is not None:
                assert reasons.get((case.partition, offset), "") == case.reason, case.name
            assert record.value == case.value
        names = ("memory", "command_id", "source")  # which have the form of names, or are left out
        told = [{name: it[name] for name in it.keys() - names} for it in published_refusals(fleet)]
        assert MARK.encode() not in orjson.dumps(told)
        assert len(seen.truth.refusals) > turns(600, 700)


@only_at_length
def test_every_command_is_sent_up_to_five_times(kafka: KafkaSettings, tmp_path: Path) -> None:
    """By several producers and mixed with others; folding each only where it first stands gives the same memories.

    Shorter: what was not acknowledged is sent again and taken once (tests/kafka/log/test_published.py).
    """
    rng = Random("again")
    mix = Mix("again", PARTITIONS)
    with (
        Fleet(kafka, tmp_path, PARTITIONS) as fleet,
        Publisher(kafka, fleet.topic, PARTITIONS) as one,
        Publisher(kafka, fleet.topic, PARTITIONS) as two,
        Publisher(kafka, fleet.topic, PARTITIONS) as three,
    ):
        publishers = [one, two, three]
        fleet.start("a")
        fleet.start("b")
        for _ in range(80):
            copies = [record for record in mix.take(50) for _ in range(rng.randrange(1, 6))]
            rng.shuffle(copies)
            for record in copies:
                rng.choice(publishers).send([record])
        acknowledged = set[tuple[str, str]]().union(*(publisher.settle() for publisher in publishers))
        fleet.settle()
        fleet.stop()
        seen = check(fleet, acknowledged)
        held = Held(fleet.log)
    with LocalLog.create_or_open(tmp_path / "once", PARTITIONS) as once:
        digests: dict[str, str] = {}
        for partition in range(PARTITIONS):
            first = {(record.key, record.value): record for record in reversed(held.all_of(partition))}
            assert len(first) < len(held.all_of(partition)) / 2
            append_all(once, sorted(first.values(), key=lambda record: record.offset))
            digests |= replay(once, tmp_path / "folded-once" / str(partition), partition).digests
    assert digests == seen.truth.digests


def metric(port: int, name: str) -> dict[str, float]:
    """Return the values of a gauge of the worker by its labels; nothing while it is not served."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
    except OSError:
        return {}
    finally:
        connection.close()
    found = re.findall(rf"^yggdrasil_worker_{name}{{(.*)}} (\S+)$", page, re.MULTILINE)
    return {labels: float(value) for labels, value in found}


def test_what_was_aborted_is_never_folded_and_a_marker_at_the_end_is_no_lag(
    kafka: KafkaSettings, tmp_path: Path
) -> None:
    mix = Mix("transactions", PARTITIONS)
    port, watchdog_s = free_port(), 5
    with (
        Fleet(kafka, tmp_path, PARTITIONS) as fleet,
        Publisher(kafka, fleet.topic, PARTITIONS, transactional_id=fleet.topic) as publisher,
        Publisher(kafka, fleet.topic, PARTITIONS, transactional_id=f"{fleet.topic}-never") as abandoned,
    ):
        worker = fleet.start("a", "--http", f"127.0.0.1:{port}", "--watchdog-s", str(watchdog_s))
        producer: Any = publisher._producer
        producer.init_transactions()
        abandoned._producer.init_transactions()
        for _ in range(turns(1, 40)):
            producer.begin_transaction()
            publisher.send(mix.take(60))
            producer.commit_transaction()
            publisher.settle()
            abandoned._producer.begin_transaction()
            abandoned.send(mix.take(60))
            abandoned.settle()
            abandoned._producer.abort_transaction()
        fleet.settle()
        until(lambda: list(metric(port, "lag_records").values()) == [0.0] * PARTITIONS, lambda: worker.words)
        beyond = monotonic() + 1.5 * watchdog_s
        until(lambda: monotonic() > beyond or not worker.running, lambda: worker.words)
        worker.stop()
        ends = [fleet.log.end_offset(partition) for partition in range(PARTITIONS)]
        seen = check(fleet, publisher.acknowledged)
        assert all(seen.truth.ends[partition] < end for partition, end in enumerate(ends)), "no marker at the end"
        assert len(seen.truth.chains) - PARTITIONS == len(publisher.places)
        assert len(abandoned.places) == len(publisher.places)
