"""Thousands of broken records among 1,000 valid commands: every one is answered, and the valid ones notice nothing."""

import os
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from tests.faults.records.fuzz import MARK, NODES_MAX, Fuzzer, corpus_values, valid_commands
from tests.faults.records.list_log import ListLog
from tests.schemas.test_corpus import DETAIL
from tests.size import turns
from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks.database import MemoryBudget
from yggdrasil_projections.graph.store.chain import CHAIN_START, chained, record_hash
from yggdrasil_projections.graph.store.projector import Applied, Projector
from yggdrasil_projections.graph.store.store import GraphStore, Pin, StoreState
from yggdrasil_schemas.codec import Decoded, decode, named
from yggdrasil_schemas.commands import EnableVersion
from yggdrasil_schemas.graph.records import Header
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import Refusal

SEED = int(os.environ.get("YGGDRASIL_FUZZ_SEED", "2026"))
BROKEN = turns(8_000, 20_000)
VALID = 1_000
PARTITIONS = 4
MEMORY = "acme/valid"
PARTITION = partition_for(MEMORY.encode(), PARTITIONS)
FUZZED = next(f"acme/fuzzed-{n}" for n in range(99) if partition_for(b"acme/fuzzed-%d" % n, PARTITIONS) == PARTITION)
# These depend on the record alone; the others on what a memory holds.
STATELESS = {refusal.code for refusal in Refusal if refusal <= Refusal.WRONG_PARTITION}


@dataclass
class Folded:
    """A log, where its store is, and what could be seen once everything was folded."""

    log: ListLog
    path: Path
    applied: list[Applied]
    refusals: list[dict[str, Any]]
    digest: str
    attestations: dict[int, str]
    header: Header
    state: StoreState


def projector(log: ListLog, path: Path) -> Projector:
    return Projector(log, GraphStore(path, Pin(log.topic_id, PARTITIONS, PARTITION), MemoryBudget.of(8 << 20, 8 << 20)))


def fold(records: list[LogRecord], path: Path) -> Folded:
    log = ListLog(PARTITIONS, records)
    host = projector(log, path)
    try:
        every: list[Applied] = []
        while applied := host.advance():
            every += applied
        host.settle_attestations()
        store = host.store
        frozen = store.frozen(MEMORY)
        frozen.view.close()
        seen = store.digest(MEMORY), store.attestations(MEMORY), frozen.header, store.state
        return Folded(log, path, every, store.refusals(), *seen)
    finally:
        host.close()


def mixed(seed: int) -> tuple[list[LogRecord], list[LogRecord]]:
    """All records in log order, with gaps in the offsets, and those of them that are valid."""
    random = Random(seed)
    waiting = [*valid_commands(seed, MEMORY, VALID)][::-1]
    fuzzer = Fuzzer(seed, {FUZZED: corpus_values(FUZZED), MEMORY: waiting[:]})
    places = set(random.sample(range(BROKEN + VALID), VALID))
    records: list[LogRecord] = []
    valid: list[LogRecord] = []
    sent: set[str] = set()
    offset = 0
    for place in range(BROKEN + VALID):
        offset += random.choice((1, 1, 1, 2, 7))
        if place in places:
            value = waiting.pop()
            sent.add(orjson.loads(value)["id"])
            records.append(LogRecord(PARTITION, offset, MEMORY.encode(), value, 0))
            valid.append(records[-1])
            continue
        key, broken = fuzzer.broken()
        while _disturbs(key, broken, sent):
            key, broken = fuzzer.broken()
        records.append(LogRecord(PARTITION, offset, key, broken, 0))
    return records, valid


def _disturbs(key: bytes | None, value: bytes | None, sent: set[str]) -> bool:
    """Whether a record is not broken at all but a new command to the valid memory, or a version that must halt."""
    decoded = decode(value)
    if not isinstance(decoded, Decoded):
        return False
    command = decoded.command
    if isinstance(command, EnableVersion):
        return max(command.body.schema_version, command.body.rules_version) > 1
    return command.memory == MEMORY and key == MEMORY.encode() and command.id not in sent


@pytest.fixture(scope="module", params=[SEED], ids=[f"YGGDRASIL_FUZZ_SEED={SEED}"])
def log(request: pytest.FixtureRequest) -> tuple[list[LogRecord], list[LogRecord]]:
    return mixed(request.param)


@pytest.fixture(scope="module")
def valid(log: tuple[list[LogRecord], list[LogRecord]]) -> list[LogRecord]:
    return log[1]


@pytest.fixture(scope="module")
def folded(log: tuple[list[LogRecord], list[LogRecord]], tmp_path_factory: pytest.TempPathFactory) -> Folded:
    return fold(log[0], tmp_path_factory.mktemp("fuzz") / "graph")


def test_every_record_is_answered_in_order(folded: Folded) -> None:
    assert len(folded.applied) == BROKEN + VALID
    assert [entry.record for entry in folded.applied] == folded.log.read(PARTITION, 0, BROKEN + VALID)
    assert folded.state.position == folded.log.end_offset(PARTITION)
    assert folded.state.folded == BROKEN + VALID


def test_every_refusal_waits_in_the_outbox_with_its_reason_and_its_offset(folded: Folded) -> None:
    expected = [
        (record.offset, PARTITION, answer.refused.reason.code, answer.refused.detail)
        for record, answer in folded.applied
        if answer.refused is not None and not answer.duplicate
    ]
    names = ("offset", "partition", "reason", "detail")
    assert [tuple(entry[name] for name in names) for entry in folded.refusals] == expected
    assert folded.state.refused == Counter(reason for _, _, reason, _ in expected)


def test_a_refusal_names_memory_and_command_as_far_as_the_record_does(folded: Folded) -> None:
    values = {record.offset: (record.value, answer) for record, answer in folded.applied}
    for entry in folded.refusals:
        value, answer = values[entry["offset"]]
        said = named(value)
        assert entry["memory"] == (answer.memory or said["memory"])
        assert entry["command_id"] == (answer.command_id or said["command_id"])


def test_no_refusal_repeats_what_was_sent(folded: Folded) -> None:
    assert [entry for entry in folded.refusals if not DETAIL.fullmatch(entry["detail"])] == []
    names = ("memory", "command_id", "source")  # which have the form of names, or are left out
    told = [{name: value for name, value in entry.items() if name not in names} for entry in folded.refusals]
    assert MARK.encode() not in orjson.dumps(told)
    assert any(MARK.encode() in (record.value or b"") for record, _ in folded.applied)


def test_the_valid_commands_are_all_accepted_in_their_order(folded: Folded, valid: list[LogRecord]) -> None:
    answers = {record.offset: answer for record, answer in folded.applied}
    assert [answers[record.offset].seq for record in valid] == list(range(1, VALID + 1))
    assert not any(answers[record.offset].duplicate for record in valid)


def test_the_valid_memory_is_what_it_is_without_the_fuzz(
    folded: Folded, valid: list[LogRecord], tmp_path: Path
) -> None:
    renumbered = [record._replace(offset=offset) for offset, record in enumerate(valid)]  # offsets are transport
    alone = fold(renumbered, tmp_path / "alone")
    assert alone.refusals == []
    assert folded.digest == alone.digest
    assert folded.header == alone.header
    assert folded.header.seq == VALID
    assert folded.header.nodes <= NODES_MAX < folded.header.tick, "so few events that nothing was pruned"
    assert folded.attestations == alone.attestations
    assert len(alone.attestations) == VALID // 100


def test_the_store_opens_again_and_is_still_the_fold_of_its_log(folded: Folded) -> None:
    host = projector(folded.log, folded.path)
    try:
        assert host.advance() == []
        assert host.store.state == folded.state
        assert host.store.digest(MEMORY) == folded.digest
        expected = [(record.offset, record_hash(record)) for record, _ in folded.applied]
        assert host.store.record_hashes() == expected
        assert reduce(chained, (of_record for _, of_record in expected), CHAIN_START) == folded.state.chain
    finally:
        host.close()


def test_the_fuzz_gets_everywhere(folded: Folded) -> None:
    """A fuzz that only ever fails to parse would prove little."""
    assert folded.state.refused.keys() >= STATELESS
    assert folded.state.refused["id_reused"] > 50
    accepted = [answer for _, answer in folded.applied if answer.memory == FUZZED and answer.seq]
    assert len(accepted) > 50
    assert sum(answer.duplicate for _, answer in folded.applied) > turns(15, 50)
    assert sum(folded.state.refused.values()) > BROKEN // 2
