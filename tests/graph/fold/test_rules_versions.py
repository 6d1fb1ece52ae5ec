"""A second version of language and rules beside the first, as a release to come would add it: here a toy.

In its language commands may say ``celebrate``; under its rules outcomes count double, a memory begins with other
constants, and keeps two recalls. What the first version says and does stays what it was, record by record.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal, cast

import pytest

from tests.graph.commands import MEMORY, Said, command_id, enable_version, event, outcome, policy, recall
from tests.graph.golden.fixed_history import GOLDEN, fixed_history, results
from tests.graph.golden.test_determinism import golden
from tests.graph.hosts import BUDGET, digests, folded, opened, projecting
from tests.graph.list_log import ListLog
from tests.graph.world import World, state
from tests.size import turns
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.checkpoint.manifest import CheckpointError, read_manifest, write_manifest
from yggdrasil_projections.graph.checkpoint.restore import restore, verify
from yggdrasil_projections.graph.checkpoint.taking import positions, take
from yggdrasil_projections.graph.fold import Fold, UnknownVersionError, known_answer
from yggdrasil_projections.graph.laws.bounds.enforcement import enforce
from yggdrasil_projections.graph.laws.learning.outcome import log_outcome
from yggdrasil_projections.graph.laws.reference import accepted
from yggdrasil_projections.graph.rules import FIRST, KNOWN, LAWS_1, RULES, Known, Law, Rules, Versions
from yggdrasil_projections.graph.store.store import Pin, StoreError
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import LANGUAGES, Language
from yggdrasil_schemas.commands import COMMANDS, Envelope, LogOutcome, RecordEvent, system_memory
from yggdrasil_schemas.commands.wire import CommandId, Strict
from yggdrasil_schemas.graph.records import node_number
from yggdrasil_schemas.limits import RULES_VERSION, SCHEMA_VERSION
from yggdrasil_schemas.policy import DEFAULT
from yggdrasil_schemas.refusals import Refusal, Refused


class CelebrateBody(Strict):
    event: CommandId


class Celebrate(Envelope):
    number = 99
    version: Literal[2]  # type: ignore[assignment]
    type: Literal["celebrate"]
    body: CelebrateBody


class Event2(RecordEvent):
    version: Literal[2]  # type: ignore[assignment]


class Outcome2(LogOutcome):
    version: Literal[2]  # type: ignore[assignment]


def celebrate(graph: Graph, command: Celebrate, seq: int, _record: bytes) -> Refused | None:
    identity = accepted(graph, command.body.event)
    node = None if identity is None else graph.settled(node_number(identity.seq))
    if node is None:
        return Refused(Refusal.UNKNOWN_EVENT)
    node.salience += 1.0
    return None


def log_outcome_twice(graph: Graph, command: LogOutcome, seq: int, record: bytes) -> Refused | None:
    body = command.body.model_copy(update={"value": 2.0 * command.body.value})
    return log_outcome(graph, command.model_copy(update={"body": body}), seq, record)


def enforce_2(graph: Graph) -> None:
    enforce(graph)
    for seq in list(graph.recalls)[:-2]:
        del graph.recalls[seq]
        graph.changed_recalls[seq] = None


TWICE: Final = cast(Law, log_outcome_twice)
RULES_2: Final = Rules(
    {
        **LAWS_1,
        LogOutcome: TWICE,
        Outcome2: TWICE,
        Event2: LAWS_1[RecordEvent],
        Celebrate: cast(Law, celebrate),
    },
    enforce_2,
    replace(DEFAULT, salience_initial=2.0),
)
LANGUAGE_2: Final = Language(
    {
        "record_event": Event2,
        "log_outcome": Outcome2,
        "enable_version": COMMANDS["enable_version"],
        "celebrate": Celebrate,
    }
)
RULES_1: Final = replace(RULES[1], laws={**LAWS_1, Event2: LAWS_1[RecordEvent]})
"""The first rules, which have a law for one command of the second language as well."""
TOY: Final = Known({**LANGUAGES, 2: LANGUAGE_2}, {1: RULES_1, 2: RULES_2})
PIN: Final = Pin("topic-1", 1, 0)


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> None:
    """This release knows the second version."""
    learn(monkeypatch)


def learn(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, rules in TOY.rules.items():
        monkeypatch.setitem(RULES, version, rules)
    monkeypatch.setitem(LANGUAGES, 2, LANGUAGE_2)


def of_version_2(said: Said) -> Said:
    return replace(said, changed=said.changed | {"version": 2})


def celebration(name: str, of: str) -> Said:
    return of_version_2(Said(name, "celebrate", {"event": command_id(of)}))


class Partition(World):
    """A world of a release that knows both versions."""

    def __init__(self, enabled: Versions = FIRST, known: Known = TOY) -> None:
        super().__init__()
        self.fold = Fold(0, 1, self, enabled, known)

    def enable(self, schema: int, rules: int) -> Versions | None:
        said = enable_version(f"{schema}, {rules}", schema, rules)
        return self.fold_record(said.record(self.offset, system_memory(0))).enabled

    def all(self, *commands: Said) -> None:
        assert [answer.refused for answer in map(self.say, commands)] == [None] * len(commands)

    def salience(self, name: str) -> float:
        graph = self.graph(MEMORY)
        identity = accepted(graph, command_id(name))
        node = None if identity is None else graph.node(node_number(identity.seq))
        assert node is not None
        return node.salience

    def dumps(self) -> dict[str, Any]:
        return {memory: state(graph) | {"history": graph.header.history} for memory, graph in self.graphs.items()}


def test_this_release_knows_every_version_up_to_its_newest() -> None:
    assert sorted(KNOWN.languages) == list(range(1, SCHEMA_VERSION + 1))
    assert sorted(KNOWN.rules) == list(range(1, RULES_VERSION + 1))
    assert KNOWN.newest == Versions(SCHEMA_VERSION, RULES_VERSION)


def test_a_language_is_refused_until_it_is_enabled_and_taken_from_then_on() -> None:
    partition = Partition()
    partition.all(event("first", "a"))
    before = partition.dumps()
    early = [of_version_2(event("second", "a")), celebration("joy", "first"), of_version_2(Said("x", "nonsense", {}))]
    not_enabled = Refused(Refusal.VERSION_NOT_ENABLED, "version 2")
    assert [partition.say(said).refused for said in early] == [not_enabled] * 3
    assert partition.dumps() == before
    assert partition.enable(2, 2) == Versions(2, 2)
    partition.all(*early[:2])  # under the ids that were refused, of which nothing was kept
    assert partition.graph(MEMORY).header.seq == 3
    assert partition.say(early[2]).refused == Refused(Refusal.UNKNOWN_TYPE, "type")
    assert partition.say(of_version_2(recall("what version 2 cannot say", "first"))).refused == Refused(
        Refusal.UNKNOWN_TYPE, "type"
    )
    partition.all(event("version 1 is still spoken", "a"), recall("and all of it", "first"))
    assert partition.say(replace(event("y"), changed={"version": 3})).refused == Refused(
        Refusal.VERSION_NOT_ENABLED, "version 3"
    )


def test_the_laws_change_at_the_record_and_not_before() -> None:
    gained = []
    for enabled in (False, True):
        partition = Partition()
        partition.all(event("e"), outcome("o", "e", 1.0))
        before = partition.salience("e")
        if enabled:
            partition.enable(1, 2)
        partition.all(outcome("again", "e", 1.0))
        gained.append(partition.salience("e") - before)
    assert gained[1] == pytest.approx(2.0 * gained[0])


def test_what_was_answered_before_is_answered_the_same_after() -> None:
    partition = Partition()
    said = [event("e"), outcome("o", "e", 1.0), outcome("refused", "nobody", 1.0)]
    first = [partition.say(each) for each in said]
    before = partition.dumps()
    partition.enable(2, 2)
    assert [partition.say(each) for each in said] == [answer._replace(duplicate=True) for answer in first]
    assert partition.dumps() == before


@pytest.mark.parametrize("body", [{"event": command_id("e")}, {"nonsense": 1}], ids=["sound", "malformed"])
def test_a_command_without_a_law_waits_for_the_rules_that_have_one(body: dict[str, Any]) -> None:
    partition = Partition()
    partition.all(event("e"))
    assert partition.enable(2, 1) == Versions(2, 1)
    partition.all(of_version_2(event("another")))
    said = of_version_2(Said("joy", "celebrate", body))
    assert partition.say(said).refused == Refused(Refusal.UNKNOWN_TYPE, "type")
    assert partition.enable(1, 2) == Versions(2, 2)
    refused = partition.say(said).refused
    assert refused is None if "event" in body else refused is not None and refused.reason == Refusal.INVALID_BODY


@pytest.mark.parametrize("older", [(1, 1), (2, 1), (1, 2)], ids=str)
def test_what_is_enabled_is_never_taken_back(older: tuple[int, int]) -> None:
    partition = Partition()
    partition.all(event("e"))
    assert partition.enable(2, 2) == partition.enable(*older) == partition.fold.enabled == Versions(2, 2)
    partition.all(celebration("joy", "e"))


@pytest.mark.parametrize("newer", [(3, 2), (2, 3), (3, 1), (1, 3)], ids=str)
def test_what_is_enabled_beyond_what_is_known_halts(newer: tuple[int, int]) -> None:
    partition = Partition(Versions(2, 2))
    asked = f"schema version {newer[0]} with rules version {newer[1]}; this release knows 2 and 2"
    with pytest.raises(UnknownVersionError, match=asked):
        partition.enable(*newer)
    assert partition.fold.enabled == Versions(2, 2)


def test_a_memory_keeps_the_policy_that_it_began_with() -> None:
    partition = Partition()
    partition.all(event("e"))
    assert partition.say(event("x"), "tenant/refused").refused is None
    partition.enable(1, 2)
    partition.say(event("first"), "tenant/new")
    partition.all(policy("loud", salience_max=50.0))
    policies = {memory: graph.header.policy for memory, graph in partition.graphs.items()}
    assert policies[MEMORY] == replace(DEFAULT, salience_max=50.0)
    assert policies["tenant/new"] == RULES_2.policy


def test_a_memory_of_which_everything_was_refused_has_not_begun() -> None:
    partition = Partition()
    assert partition.say(outcome("o", "nobody", 1.0)).refused is not None
    assert partition.graph(MEMORY).header.policy == DEFAULT
    partition.enable(1, 2)
    partition.all(event("e"))
    assert partition.graph(MEMORY).header.policy == RULES_2.policy


def test_the_bounds_are_those_of_the_rules() -> None:
    partition = Partition()
    partition.all(event("e"), *(recall(f"r{n}", "e") for n in range(4)))
    assert len(partition.graph(MEMORY).recalls) == 4
    partition.enable(1, 2)
    partition.all(recall("r4", "e"))
    assert len(partition.graph(MEMORY).recalls) == 2


def test_the_fold_begins_where_it_is_told() -> None:
    partition = Partition(Versions(2, 2))
    partition.all(of_version_2(event("e")), celebration("joy", "e"))


# The store: what is enabled is written with the batch in which it was, and nothing depends on where batches end.

ENABLING: Final = {40: (1, 2), 41: (1, 1), 90: (2, 1), 120: (1, 1)}
"""The operator's records by offset, raised step by step; between two of them no batch need end."""


def history(enabling: dict[int, tuple[int, int]] = ENABLING) -> list[LogRecord]:
    """A fixed history in which every seventh record speaks version 2, and every eleventh celebrates an event."""
    records: list[LogRecord] = []
    events = [event(f"lived {n}", "f1", f"f{n % 5}") for n in range(20)]
    source: Iterable[LogRecord] = iter(fixed_history(180))
    for said in events:
        records.append(said.record())
    for each in source:
        offset = len(records)
        if offset in enabling:
            records.append(enable_version(f"{offset}", *enabling[offset]).record(memory=system_memory(0)))
        elif offset % 7 == 0:
            records.append(each._replace(value=(each.value or b"").replace(b'"version":1', b'"version":2')))
        elif offset % 11 == 0:
            records.append(celebration(f"joy {offset}", f"lived {offset % 20}").record())
        elif offset % 5 == 0:
            records.append(outcome(f"said {offset}", f"lived {offset % 20}", 2.0).record())
        else:
            records.append(each)
    return [record._replace(offset=offset) for offset, record in enumerate(records)]


RECORDS: Final = history()


def dumped(
    records: list[LogRecord], versions: Callable[[int], Versions]
) -> tuple[dict[str, Any], list[Refused | None]]:
    """Fold each record by a fold of its own that is told which versions hold: nothing is remembered from before."""
    partition, refused = Partition(), list[Refused | None]()
    for record in records:
        partition.fold = Fold(0, 1, partition, versions(record.offset), TOY)
        refused.append(partition.fold_record(record).refused)
    return partition.dumps(), refused


def held_at(offset: int) -> Versions:
    """By hand: what holds for the record at ``offset``."""
    return Versions(2 if offset > 90 else 1, 2 if offset > 40 else 1)


def test_one_fold_does_what_many_do_that_are_told_what_holds() -> None:
    partition = Partition()
    refused = [partition.fold_record(record).refused for record in RECORDS]
    assert (partition.dumps(), refused) == dumped(RECORDS, held_at)
    for wrong in (FIRST, Versions(2, 1), Versions(1, 2), Versions(2, 2)):
        assert dumped(RECORDS, lambda _, wrong=wrong: wrong)[0] != partition.dumps(), wrong  # type: ignore[misc]


def test_the_history_says_all_of_it_before_and_after() -> None:
    partition = Partition()
    reasons = [(offset, answer.refused) for offset, answer in enumerate(map(partition.fold_record, RECORDS))]
    early = [offset for offset, refused in reasons if refused and refused.detail == "version 2"]
    assert len(early) > 10 and max(early) < 90
    spoken = [record.offset for record in RECORDS if b'"version":2' in (record.value or b"")]
    assert sum(offset > 90 and reasons[offset][1] is None for offset in spoken) > 7
    assert sum(b"celebrate" in (RECORDS[offset].value or b"") for offset in spoken if not reasons[offset][1]) > 3


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize("batch", turns([7, 41], [1, 2, 3, 7, 41, 500]))
def test_batches_may_end_anywhere_and_the_host_start_again_after_each(tmp_path: Path, batch: int) -> None:
    expected = folded(RECORDS, tmp_path / "whole")
    assert expected != folded(history({}), tmp_path / "never enabled")
    assert folded(RECORDS, tmp_path / "batches", batch) == expected
    position = 0
    while position < len(RECORDS):
        with projecting(ListLog(RECORDS), tmp_path / "again and again") as projector:
            projector.advance(batch)
            position, enabled = projector.store.state.position, projector.store.state.enabled
            assert enabled == held_at(position)
    with opened(tmp_path / "again and again") as store:
        assert digests(store) == expected
        assert store.state.enabled == Versions(2, 2)
        last = store.peek(MEMORY)
        assert last is not None
        known = known_answer(last, RECORDS[110].value or b"")
        assert known is not None and known.refused is None


@pytest.mark.usefixtures("second")
@pytest.mark.parametrize("at", [0, 40, 41, 90, 91, 130])
def test_a_checkpoint_carries_what_is_enabled(tmp_path: Path, at: int) -> None:
    with projecting(ListLog(RECORDS), tmp_path / "home") as projector:
        projector.advance(at) if at else None
        path = take(projector.store, tmp_path / "root").path
    assert verify(path).enabled == held_at(at)
    assert restore(tmp_path / "root", tmp_path / "new", PIN, ListLog(RECORDS), BUDGET).unfit == ()
    assert folded(RECORDS, tmp_path / "new") == folded(RECORDS, tmp_path / "clean")
    write_manifest(path, replace(read_manifest(path), enabled=Versions(2, 1)))
    with pytest.raises(CheckpointError, match="and its store says otherwise"):
        verify(path)


def test_a_release_that_knows_only_the_first_halts_and_the_next_one_goes_on(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    for _ in range(2):  # starting it again changes nothing
        with projecting(ListLog(RECORDS), tmp_path / "store") as projector:
            with pytest.raises(UnknownVersionError, match=r"offset 40: .*this release knows 1 and 1\. .* Install"):
                projector.catch_up()
            assert (projector.store.state.position, projector.store.state.enabled) == (40, FIRST)
            assert digests(projector.store) == folded(RECORDS[:40], tmp_path / "part")
    request.getfixturevalue("second")
    assert folded(RECORDS, tmp_path / "store") == folded(RECORDS, tmp_path / "clean")


def test_what_was_folded_under_rules_that_are_not_known_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as newer:
        learn(newer)
        for position in (40, 60, 130):
            with projecting(ListLog(RECORDS), tmp_path / f"{position}") as projector:
                projector.advance(position)
                take(projector.store, tmp_path / "root")
    with projecting(ListLog(RECORDS[:40]), tmp_path / "40") as projector:  # nothing newer was enabled there yet
        assert digests(projector.store) == folded(RECORDS[:40], tmp_path / "clean")
    with pytest.raises(StoreError, match=r"schema version 1 under rules version 2.* this release knows 1 and 1"):
        opened(tmp_path / "60").__enter__()
    with pytest.raises(StoreError, match=r"schema version 2 under rules version 2.* install that one|install that one"):
        opened(tmp_path / "130").__enter__()
    (newest, *_) = positions(tmp_path / "root" / PIN.topic_id / "0000")
    with pytest.raises(CheckpointError, match=r"newer schema_version, rules_version\); install that one"):
        verify(newest)


@pytest.mark.usefixtures("second")
def test_a_log_that_never_enables_it_gives_the_golden_digests_of_the_first() -> None:
    assert results() == golden(), GOLDEN.name
