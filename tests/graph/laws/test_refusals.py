"""One case for every refusal, and which of several faults is named."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from tests.graph.commands import (
    MEMORY,
    Said,
    adjust,
    adopt,
    alias,
    attest,
    claim,
    concept,
    define,
    dissolve,
    enable_version,
    episode,
    event,
    judge,
    lift,
    outcome,
    pin,
    policy,
    propose,
    recall,
    relate,
    retire,
    role,
    sleep,
    snapshot,
    thinker,
    use,
    vector,
)
from tests.graph.scenario import given, refused
from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.limits import RECORD_BYTES_MAX
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import SENTENCES, Refusal

RECORD = event("new", "rain").record()
FEW = policy("few", nodes_max=10, sessions_open_max=1, edges_max=10, recalls_kept_max=1)
MANY = [event(f"e{n}") for n in range(12)]
HISTORY = [FEW, event("old"), *MANY, recall("r0", "e11"), recall("r1", "e11"), attest("proof")]
THINKERS = [sleep(f"s{n}", by=thinker(f"thinker {n}", 0, 1)) for n in range(32)]  # as many as a memory has room for
# Of one key, and pinned: one stands, and seven wait in quarantine.
PINNED = [said for n in range(8) for said in (event(f"e{n}", key="one"), pin(f"p{n}", f"e{n}"))]


def raw(value: bytes | None) -> LogRecord:
    return RECORD._replace(value=value)


def changed(**fields: Any) -> LogRecord:
    return raw(orjson.dumps(event("new", "rain").fields() | fields))


def nested(levels: int) -> dict[str, Any]:
    """A payload that makes its record ``levels`` deep: envelope, content and payload are the first three."""
    payload: dict[str, Any] = {}
    for _ in range(levels - 3):
        payload = {"deeper": payload}
    return {"payload": payload}


CASES: dict[Refusal, Said | LogRecord] = {
    Refusal.RECORD_EMPTY: raw(None),
    Refusal.RECORD_TOO_LARGE: raw(b" " * (RECORD_BYTES_MAX + 1)),
    Refusal.NOT_JSON: raw(b'{"version": NaN}'),
    Refusal.NOT_AN_OBJECT: raw(b"[1]"),
    Refusal.TOO_DEEP: changed(content=nested(17)),
    Refusal.VERSION_MISSING: changed(version="1"),
    Refusal.VERSION_NOT_ENABLED: changed(version=2),
    Refusal.UNKNOWN_TYPE: changed(type="forget_everything"),
    Refusal.INVALID_ENVELOPE: changed(origin="nobody"),
    Refusal.INVALID_BODY: changed(body={"features": "rain"}),
    Refusal.INVALID_CONTENT: changed(content={"text": 1}),
    Refusal.WRONG_KEY: RECORD._replace(key=b"tenant/other"),
    Refusal.RESERVED_MEMORY: event("new").record(memory="_yggdrasil/partition-0"),
    Refusal.WRONG_PARTITION: RECORD._replace(partition=1),
    Refusal.ID_REUSED: event("old", "rain"),
    Refusal.UNKNOWN_EVENT: outcome("new", "nobody", 1.0),
    Refusal.NOT_AN_EVENT: outcome("new", "proof", 1.0),
    Refusal.EVENT_FORGOTTEN: outcome("new", "old", 1.0),
    Refusal.UNKNOWN_REFERENCE: recall("new", "nobody"),
    Refusal.UNKNOWN_RECALL: use("new", "nobody"),
    Refusal.RECALL_FORGOTTEN: use("new", "r0"),
    Refusal.RECALL_REPORTED: use("new", "used", "e11"),
    Refusal.NOT_RECALLED: use("new", "r1", "e10"),
    Refusal.AS_OF_AHEAD: recall("new", as_of=18),
    Refusal.POLICY_CONFLICT: policy("new", sessions_open_max=2),
    Refusal.ATTEST_TOO_SOON: attest("new"),
    Refusal.MEMBERS_FORGOTTEN: concept("new", "old", "e11"),
    Refusal.NOT_A_CONCEPT: dissolve("new", "e11"),
    Refusal.NODE_FORGOTTEN: pin("new", "old"),
    Refusal.NODE_PROTECTED: dissolve("new", "core"),
    Refusal.CURSOR_STALE: sleep("new", by=thinker("chunker", 1, 2)),
    Refusal.CURSOR_AHEAD: sleep("new", by=thinker("chunker", 0, 18)),
    Refusal.THINKERS_FULL: sleep("new", by=thinker("one too many", 0, 17)),
    Refusal.NOT_A_PRINCIPLE: pin("new", "feature:rain", principle=True),
    Refusal.PRINCIPLES_FULL: pin("new", "e11", principle=True),
    Refusal.LATER_EVENT: outcome("new", "e10", 1.0, trajectory=("e11",)),
    Refusal.NOT_ALLOWED: lift("new", "e11", origin="agent"),
    Refusal.NOT_CATASTROPHIC: lift("new", "e11"),
    Refusal.EVIDENCE_ELSEWHERE: adjust("new", "e11", evidence=("proof",)),
    Refusal.PART_STALE: sleep("new", by=thinker("chunker", 0, 17, part=1, parts=2)),
    Refusal.UNKNOWN_THINKER: retire("new", "nobody"),
    Refusal.NOT_TRUSTED: event("new", supersedes="measured"),
    Refusal.NOT_CORRIGIBLE: judge("new", ("proof", "reject")),
    Refusal.SLOT_FULL: event("new", key="one"),
    Refusal.NOT_A_CLAIM: judge("new", ("e11", "verify")),
    Refusal.EVIDENCE_MISSING: claim("new", "ana", "diet", "vegan", by=thinker("reader", 0, 1)),
    Refusal.PREDICATES_FULL: define("new", "rain"),
    Refusal.ROLES_FULL: role("new", "one more", "Cost"),
    Refusal.ALIASES_FULL: alias("new", "rain", "ana"),
    Refusal.ALIAS_CYCLE: alias("new", "rain", "rain"),
    Refusal.NOT_AN_ALIAS: alias("new", "rain"),
    Refusal.RELATED_TO_ITSELF: relate("new", "e11", "e11"),
    Refusal.NEEDS_A_PERSON: judge("new", ("waits", "release")),
    Refusal.UNKNOWN_SCORER: adopt("new", "e11"),
    Refusal.TOO_FEW_SAMPLES: propose("new", samples=99),
    Refusal.SCORERS_FULL: propose("new", origin="thinker"),
    Refusal.SCORER_NOT_ADOPTED: adopt("new", "s0", active=False),
    Refusal.SNAPSHOT_EXISTS: snapshot("new", "n0"),
    Refusal.UNKNOWN_SNAPSHOT: snapshot("new", "nobody", drop=True),
    Refusal.SNAPSHOTS_FULL: snapshot("new", "one.more"),
    Refusal.SESSION_NOT_OPEN: claim("new", "task:x", "state", "begun", claim_class="desk", session="never opened"),
}


SNAPSHOTS = [snapshot(f"snapshot {n}", f"n{n}") for n in range(64)]
SCORERS = [propose(f"s{n}") for n in range(16)]
BEFORE: dict[Refusal, list[Said]] = {
    Refusal.RECALL_REPORTED: [*HISTORY, use("reported", "r1", "e11")],
    Refusal.NODE_PROTECTED: [*HISTORY, concept("core", "e10", "e11"), pin("pinned", "core")],
    Refusal.NOT_A_PRINCIPLE: [event("wet", "rain")],
    Refusal.PRINCIPLES_FULL: [*HISTORY, pin("rule", "e10", principle=True), policy("none", principles_max=1)],
    Refusal.THINKERS_FULL: [*HISTORY, *THINKERS],
    Refusal.PART_STALE: [*HISTORY, sleep("half", by=thinker("chunker", 0, 17, part=1, parts=2))],
    Refusal.NOT_TRUSTED: [*HISTORY, event("measured", origin="tool")],
    Refusal.SLOT_FULL: PINNED,
    Refusal.ROLES_FULL: [role(f"r{n}", f"role {n}", "Cost") for n in range(16)],
    Refusal.PREDICATES_FULL: [define(f"d{n}", f"predicate {n}") for n in range(256)],
    Refusal.ALIASES_FULL: [alias(f"a{n}", f"name {n}", "ana") for n in range(8)],
    Refusal.SCORERS_FULL: SCORERS,
    Refusal.SCORER_NOT_ADOPTED: SCORERS,
    Refusal.SNAPSHOT_EXISTS: SNAPSHOTS,
    Refusal.SNAPSHOTS_FULL: SNAPSHOTS,
    Refusal.NEEDS_A_PERSON: [claim("waits", "ana", "likes", "tea", candidate=True)],
}
"""What happened before a case, where that is another history."""


def in_their_place(reason: Refusal) -> tuple[list[Said], Said | LogRecord, int]:
    """What happened before the case, the case, and how many partitions there are."""
    if reason == Refusal.RECALL_REPORTED:
        return BEFORE[reason], use("new", "r1", "e11"), 1
    if reason == Refusal.WRONG_PARTITION:
        return [], RECORD._replace(partition=1 - partition_for(MEMORY.encode(), 2)), 2
    return BEFORE.get(reason, HISTORY), CASES[reason], 1


def test_every_refusal_has_a_case_and_a_sentence() -> None:
    assert set(CASES) == set(Refusal) == set(SENTENCES)


@pytest.mark.parametrize("reason", Refusal, ids=lambda reason: reason.code)
def test_a_refusal_is_given_and_changes_nothing(reason: Refusal) -> None:
    history, said, partitions = in_their_place(reason)
    given(*history, partitions=partitions).when(said).then(refused(reason))


@pytest.mark.parametrize("reason", Refusal, ids=lambda reason: reason.code)
def test_a_refusal_repeats_nothing_that_was_sent(reason: Refusal) -> None:
    history, said, partitions = in_their_place(reason)
    answer = given(*history, partitions=partitions).when(said).answer
    assert answer.refused is not None
    for sent in ("rain", "nobody", "forget_everything", "tenant/other"):
        assert sent not in str(answer.refused)


STALE = thinker("chunker", 1, 2)


def said_of_ana(**more: Any) -> Said:
    return claim("new", "ana", "diet", "vegan", **more)


BAD_BODY: dict[str, Any] = {"features": "rain"}
BAD_CONTENT: dict[str, Any] = {"text": 1}
SYSTEM = system_memory(0)

PRECEDENCE: list[tuple[Refusal, Said | LogRecord]] = [
    (Refusal.RECORD_TOO_LARGE, raw(b"{" * (RECORD_BYTES_MAX + 1))),
    (Refusal.NOT_JSON, raw(b'{"version": 2, "type": "no such thing"')),
    (Refusal.TOO_DEEP, changed(version=2, type="no such thing", content=nested(20))),
    (Refusal.VERSION_MISSING, changed(version=None, type="no such thing", body=BAD_BODY)),
    (Refusal.VERSION_NOT_ENABLED, changed(version=2, type="no such thing", body=BAD_BODY)),
    (Refusal.UNKNOWN_TYPE, changed(type="no such thing", origin="nobody", body=BAD_BODY)),
    (Refusal.INVALID_ENVELOPE, changed(origin="nobody", body=BAD_BODY, content=BAD_CONTENT)),
    (Refusal.INVALID_BODY, changed(body=BAD_BODY, content=BAD_CONTENT)),
    (Refusal.INVALID_CONTENT, changed(content=BAD_CONTENT)._replace(key=b"tenant/other")),
    (Refusal.WRONG_KEY, event("new").record(memory=SYSTEM)._replace(key=b"other", partition=1)),
    (Refusal.RESERVED_MEMORY, event("new").record(memory=SYSTEM, partition=1)),
    (Refusal.RESERVED_MEMORY, enable_version("new").record()),
    (Refusal.WRONG_PARTITION, enable_version("new", partition=1).record(memory=SYSTEM)),
    (Refusal.WRONG_PARTITION, enable_version("new").record(memory=system_memory(1))),
    (Refusal.ID_REUSED, outcome("old", "nobody", 1.0)),
    (Refusal.UNKNOWN_EVENT, outcome("new", "new", 1.0)),
    (Refusal.UNKNOWN_REFERENCE, recall("new", "e11", "nobody", as_of=99)),
    (Refusal.UNKNOWN_REFERENCE, use("new", "nobody", "nobody-either")),
    (Refusal.UNKNOWN_REFERENCE, use("new", "r1", "e10", "nobody")),
    (Refusal.UNKNOWN_REFERENCE, use("new", "r0", "nobody")),
    (Refusal.RECALL_FORGOTTEN, use("new", "r0", "e10")),
    (Refusal.UNKNOWN_RECALL, event("new", informed_by=("nobody",), caused_by=("nobody",))),
    (Refusal.UNKNOWN_EVENT, event("new", caused_by=("nobody", "proof"))),
    (Refusal.NOT_AN_EVENT, event("new", caused_by=("proof", "nobody"))),
    (Refusal.EVENT_FORGOTTEN, outcome("new", "old", 1.0, trajectory=("nobody",))),
    (Refusal.NOT_AN_EVENT, outcome("new", "e11", 1.0, trajectory=("proof", "nobody"))),
    (Refusal.UNKNOWN_EVENT, episode("new", "nobody", "proof", by=STALE)),
    (Refusal.NOT_AN_EVENT, episode("new", "proof", "nobody", by=STALE)),
    (Refusal.EVENT_FORGOTTEN, episode("new", "old", by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, concept("new", "old", "nobody", by=STALE)),
    (Refusal.MEMBERS_FORGOTTEN, concept("new", "e11", "feature:never", by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, dissolve("new", "nobody", by=STALE)),
    (Refusal.NOT_A_CONCEPT, dissolve("new", "old", by=STALE)),
    (Refusal.NODE_FORGOTTEN, dissolve("new", "feature:never", by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, adjust("new", "old", evidence=("nobody",), by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, adjust("new", "nobody", evidence=("proof",), by=STALE)),
    (Refusal.NODE_FORGOTTEN, adjust("new", "old", "feature:never", evidence=("proof",), by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, pin("new", "nobody")),
    (Refusal.UNKNOWN_REFERENCE, pin("new", "nobody", principle=True)),
    (Refusal.NODE_FORGOTTEN, pin("new", "old", principle=True)),
    (Refusal.UNKNOWN_REFERENCE, vector("new", "nobody")),
    (Refusal.NODE_FORGOTTEN, vector("new", "old")),
    (Refusal.INVALID_BODY, replace(vector("new", "nobody"), content={"vector": {"model": "m"}}, body={})),
    (Refusal.INVALID_CONTENT, replace(vector("new", "nobody"), content={"text": "x"})),
    (Refusal.CURSOR_STALE, sleep("new", by=thinker("chunker", 99, 98))),
    (Refusal.CURSOR_STALE, episode("new", "e11", by=STALE)),
    (Refusal.CURSOR_STALE, concept("new", "e11", "e10", by=STALE)),
    (Refusal.CURSOR_STALE, adjust("new", "e11", evidence=("e11",), by=STALE)),
    (Refusal.EVIDENCE_ELSEWHERE, adjust("new", "e11", evidence=("proof",), by=STALE)),
    (Refusal.NOT_ALLOWED, lift("new", "nobody", origin="agent")),
    (Refusal.NOT_ALLOWED, retire("new", "nobody", origin="thinker")),
    (Refusal.UNKNOWN_REFERENCE, lift("new", "nobody")),
    (Refusal.NODE_FORGOTTEN, lift("new", "old")),
    (Refusal.UNKNOWN_RECALL, event("new", informed_by=("nobody",), supersedes="nobody")),
    (Refusal.NOT_AN_EVENT, event("new", caused_by=("proof",), supersedes="nobody")),
    (Refusal.UNKNOWN_REFERENCE, event("new", key="one", supersedes="nobody")),
    (Refusal.NOT_CORRIGIBLE, event("new", key="one", supersedes="proof")),
    (Refusal.NOT_CORRIGIBLE, judge("new", ("old", "reject"), ("proof", "reject"), ("nobody", "reject"), by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, judge("new", ("nobody", "reject"), ("proof", "reject"), by=STALE)),
    (Refusal.NOT_TRUSTED, judge("new", ("e11", "reject"), ("nobody", "reject"), evidence=("nobody",), trust=0)),
    (Refusal.UNKNOWN_REFERENCE, judge("new", ("old", "reject"), evidence=("nobody",), by=STALE)),
    (Refusal.NODE_FORGOTTEN, judge("new", ("old", "reject"), evidence=("proof",), by=STALE)),
    (Refusal.CURSOR_STALE, judge("new", ("e11", "reject"), by=STALE)),
    (Refusal.NOT_A_CLAIM, judge("new", ("e11", "promote"), ("nobody", "reject"), trust=0)),
    (Refusal.UNKNOWN_REFERENCE, said_of_ana(evidence=("nobody",), supersedes="proof", by=STALE)),
    (Refusal.EVIDENCE_MISSING, said_of_ana(supersedes="proof", by=STALE)),
    (Refusal.NODE_FORGOTTEN, said_of_ana(evidence=("old",), supersedes="proof", by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, said_of_ana(evidence=("e11",), supersedes="nobody", by=STALE)),
    (Refusal.NOT_CORRIGIBLE, said_of_ana(evidence=("e11",), supersedes="proof", by=STALE)),
    (Refusal.NOT_TRUSTED, said_of_ana(evidence=("e11",), supersedes="e11", trust=0, by=STALE)),
    (Refusal.CURSOR_STALE, said_of_ana(evidence=("e11",), supersedes="e10", by=STALE)),
    (Refusal.NOT_ALLOWED, define("new", "likes", origin="user")),
    (Refusal.NOT_TRUSTED, alias("new", "ana", "ana", evidence=("nobody",), trust=0, by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, alias("new", "ana", "ana", evidence=("nobody",), by=STALE)),
    (Refusal.ALIAS_CYCLE, alias("new", "ana", "ana", by=STALE)),
    (Refusal.NOT_AN_ALIAS, alias("new", "ana", by=STALE)),
    (Refusal.CURSOR_STALE, alias("new", "ana", "anna", by=STALE)),
    (Refusal.NODE_FORGOTTEN, relate("new", "old", "nobody", by=STALE)),
    (Refusal.UNKNOWN_REFERENCE, relate("new", "e11", "nobody", by=STALE)),
    (Refusal.RELATED_TO_ITSELF, relate("new", "e11", "e11", by=STALE)),
    (Refusal.CURSOR_STALE, relate("new", "e11", "e10", by=STALE)),
]


@pytest.mark.parametrize(("reason", "said"), PRECEDENCE, ids=[f"{n}-{r.code}" for n, (r, _) in enumerate(PRECEDENCE)])
def test_of_several_faults_the_first_in_order_is_named(reason: Refusal, said: Said | LogRecord) -> None:
    given(*HISTORY).when(said).then(refused(reason))


def test_a_report_of_a_reported_recall_names_that_before_what_was_not_recalled() -> None:
    before = given(*HISTORY, use("reported", "r1", "e11"))
    before.when(use("new", "r1", "e10")).then(refused(Refusal.RECALL_REPORTED))
    before.when(use("newer", "r1", "nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))


def test_a_cursor_that_runs_ahead_is_named_before_a_thinker_too_many() -> None:
    before = given(*HISTORY, *THINKERS)
    before.when(sleep("x1", by=thinker("one too many", 1, 2))).then(refused(Refusal.CURSOR_STALE))
    before.when(sleep("x2", by=thinker("one too many", 0, 99))).then(refused(Refusal.CURSOR_AHEAD))
    before.when(sleep("x3", by=thinker("one too many", 0, 1))).then(refused(Refusal.THINKERS_FULL))


def test_a_part_that_is_in_is_named_after_what_belongs_to_another_decision() -> None:
    before = given(*HISTORY, sleep("half", by=thinker("chunker", 0, 17, part=1, parts=2)))
    before.when(sleep("x1", by=thinker("chunker", 1, 17, part=1, parts=2))).then(refused(Refusal.CURSOR_STALE))
    before.when(sleep("x2", by=thinker("chunker", 0, 99, part=1, parts=2))).then(refused(Refusal.CURSOR_STALE))
    before.when(sleep("x3", by=thinker("chunker", 0, 17, part=1, parts=3))).then(refused(Refusal.CURSOR_STALE))
    before.when(sleep("x4", by=thinker("chunker", 0, 17, part=1, parts=2))).then(refused(Refusal.PART_STALE))


def test_whether_a_concept_may_dissolve_is_asked_before_who_decides() -> None:
    before = given(*HISTORY, concept("pair", "e10", "e11"), dissolve("parted", "pair"))
    before.when(dissolve("new", "pair", by=STALE)).then(refused(Refusal.NODE_FORGOTTEN))
    before.when(concept("core", "e10", "e11"))
    before.when(pin("pinned", "core"))
    before.when(dissolve("newer", "core", by=STALE)).then(refused(Refusal.NODE_PROTECTED))


@pytest.mark.parametrize("value", [b"", b" ", b"{", b'{"a":1}{', b"\xff\xfe", b'"\xed\xa0\x80"', b"Infinity"])
def test_what_cannot_be_read_is_refused(value: bytes) -> None:
    moment = given(*HISTORY).when(raw(value))
    moment.then(refused(Refusal.RECORD_EMPTY if not value else Refusal.NOT_JSON))
    assert (moment.answer.memory, moment.answer.command_id) == (None, None)


@pytest.mark.parametrize("levels", [15, 16])
def test_what_is_just_deep_enough_is_taken(levels: int) -> None:
    assert given().when(changed(content=nested(levels))).answer.seq == 1


def test_the_largest_record_is_taken() -> None:
    said = changed(content={"text": "x"}).value or b""
    padded = said + b" " * (RECORD_BYTES_MAX - len(said))
    assert given().when(raw(padded)).answer.seq == 1
    given().when(raw(padded + b" ")).then(refused(Refusal.RECORD_TOO_LARGE))
