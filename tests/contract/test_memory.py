"""What the facade promises, in a directory, over Kafka and over HTTP: folding the log shows what it appended."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.contract.logs import everything
from tests.contract.memories import SUBJECTS, USUAL, decides_for_itself, log_of, subject
from tests.size import turns
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.published import Published
from yggdrasil.memory import CommandRefusedError
from yggdrasil_infra.log import LogError
from yggdrasil_processors.auditing.replay import Replayed, replay
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.fold import Answer, Fold
from yggdrasil_projections.graph.nothing_stored import NothingStored
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest
from yggdrasil_projections.retrieval.records import text_of
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import ClearContent
from yggdrasil_schemas.commands.decisions import Thinker
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.graph.records import Header
from yggdrasil_schemas.partitions import partition_for

NEVER = "01890000-0000-7000-8000-000000000000"  # no command has it
OF_A_KIND = turns(["directory", "kafka", "http"], SUBJECTS)  # for what has many cases


@pytest.fixture(params=USUAL)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def folded(memory: Memory[Any], tmp_path: Path) -> Replayed:
    partition = partition_for(memory.id.encode(), log_of(memory).partitions)
    return replay(log_of(memory), tmp_path / "replayed", partition)


def commands(memory: Memory[Any]) -> list[Decoded]:
    decoded = [decode(record.value) for record in everything(log_of(memory))]
    assert all(isinstance(one, Decoded) for one in decoded)
    return [one for one in decoded if isinstance(one, Decoded)]


def test_an_id_is_that_of_a_command_that_stands_in_the_log(memory: Memory[Any]) -> None:
    event = memory.record_event("Deployed on a Friday", features=["deploy"], payload={"sha": "abc"}, session="monday")
    outcome = memory.log_outcome(event, -3, kind="outage", text="Down for an hour")
    policy = memory.set_policy(salience_initial=3.0)
    stand = commands(memory)
    assert [(one.command.id, one.command.type) for one in stand] == [
        (event, "record_event"),
        (outcome, "log_outcome"),
        (policy, "set_policy"),
    ]
    assert {(one.command.memory, one.command.source) for one in stand} == {("me/agent", "agent")}
    assert {record.key for record in everything(log_of(memory))} == {b"me/agent"}


def test_what_was_appended_is_folded(memory: Memory[Any], tmp_path: Path) -> None:
    event = memory.record_event("Deployed on a Friday", features=["deploy"])
    memory.log_outcome(event, -3)
    assert list(folded(memory, tmp_path).digests) == ["me/agent"]


def test_the_same_commands_make_the_same_memory_in_both_forms(memory: Memory[Any], tmp_path: Path) -> None:
    drafter = Drafter("me/agent", "test", "test")
    drafts = [drafter.record_event(f"step {number}", features=["step"]) for number in range(20)]
    drafts.append(drafter.log_outcome(drafts[3].id, -2))
    with Embedded(tmp_path / "expected", partitions=1) as engine:
        assert all(answer.refused is None for _, answer in engine.submit_many(drafts))
        expected = engine.ask("me/agent", AskDigest()).digest
    assert [memory.resend(draft) for draft in drafts] == [draft.id for draft in drafts]
    assert folded(memory, tmp_path).digests == {"me/agent": expected}


def test_a_command_that_is_sent_again_is_taken_once(memory: Memory[Any], tmp_path: Path) -> None:
    once = Drafter("me/agent", "test", "test").record_event("once")
    with Embedded(tmp_path / "expected", partitions=1) as engine:
        engine.submit(once)
        expected = engine.ask("me/agent", AskDigest()).digest
    for _ in range(3):
        assert memory.resend(once) == once.id
    assert {one.command.id for one in commands(memory)} == {once.id}
    assert folded(memory, tmp_path).digests == {"me/agent": expected}


def test_a_command_of_another_memory_is_not_sent(memory: Memory[Any]) -> None:
    with pytest.raises(ValueError, match="you/other"):
        memory.resend(Drafter("you/other", "test", "test").record_event("x"))
    assert everything(log_of(memory)) == []


def test_a_malformed_command_is_refused_before_anything_is_appended(memory: Memory[Any]) -> None:
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.record_event("x", features=[""])
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.log_outcome("not an id", 1)
    with pytest.raises(InvalidCommandError, match="not_json"):
        memory.record_event("x", payload={"value": float("nan")})
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.set_policy(no_such_constant=1.0)
    assert everything(log_of(memory)) == []


def test_threads_share_a_memory(memory: Memory[Any], tmp_path: Path) -> None:
    ids: list[str] = []

    def work(name: str) -> None:
        ids.extend([memory.record_event(f"{name} {number}", features=[name]) for number in range(20)])

    threads = [threading.Thread(target=work, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids) == 80
    assert sorted(one.command.id for one in commands(memory)) == sorted(ids)
    assert folded(memory, tmp_path).records == 80


def answers(memory: Memory[Any]) -> list[Answer]:
    """What the fold says of everything that stands in the log."""
    graphs: dict[str, Graph] = {}

    class Graphs:
        def graph(self, memory: str) -> Graph:
            return graphs.setdefault(memory, Graph(Header(memory), NothingStored()))

    log = log_of(memory)
    folds = [Fold(partition, log.partitions, Graphs()) for partition in range(log.partitions)]
    return [folds[record.partition].apply(record) for record in everything(log)]


def test_every_decision_stands_in_the_log_as_it_was_made_and_is_taken(memory: Memory[Any]) -> None:
    cause = memory.record_event("The disk is full", features=["disk"], session="alarms")
    event = memory.record_event("Deleted the logs", features=["disk", "logs"], caused_by=[cause])
    episode = memory.commit_episode([cause, event], clear="window", keep=1, text="A full disk", session="alarms")
    outcome = memory.log_outcome(episode, -2, kind="complaint", trajectory=[event, cause])
    concept = memory.form_concept([event, "feature:disk"], text="Space")
    adjusted = memory.adjust(
        [cause, event, "feature:disk"], salience=0.5, permanence=-0.5, half_life=1.5, evidence=[outcome], text="Again"
    )
    made = [
        (cause, "record_event", {"features": ["disk"], "informed_by": []}),
        (event, "record_event", {"features": ["disk", "logs"], "informed_by": [], "caused_by": [cause]}),
        (episode, "commit_episode", {"events": [cause, event], "clear": "window", "keep": 1}),
        (
            outcome,
            "log_outcome",
            {"event": episode, "value": -2.0, "kind": "complaint", "trajectory": [event, cause], "catastrophic": False},
        ),
        (concept, "form_concept", {"members": [event, "feature:disk"]}),
        (
            adjusted,
            "adjust",
            {
                "trajectory": [cause, event, "feature:disk"],
                "salience": 0.5,
                "permanence": -0.5,
                "half_life": 1.5,
                "evidence": [outcome],
            },
        ),
        (memory.sleep(text="Night"), "sleep", {}),
        (memory.sleep(scope="task"), "sleep", {"scope": "task"}),
        (memory.pin(event, permanence=5.0, text="Core"), "pin", {"node": event, "pinned": True, "permanence": 5.0}),
        (memory.pin(event, pinned=False), "pin", {"node": event, "pinned": False, "permanence": 0.0}),
        (memory.dissolve_concept(concept, text="No"), "dissolve_concept", {"concept": concept}),
    ]
    stand = [one.command for one in commands(memory)]
    assert [(one.id, one.type, one.body.model_dump(exclude_unset=True)) for one in stand] == made
    texts = ["The disk is full", "Deleted the logs", "A full disk", None, "Space", "Again", "Night", None, "Core", None]
    assert [text_of(one) for one in stand] == [*texts, "No"]
    assert [one.session for one in stand][:3] == ["alarms", "default", "alarms"]
    # A service stamps who decides: an operator's key, whatever it is used for.
    stamped = {"operator"} if decides_for_itself(memory) else {"agent"}
    said = {"record_event", "log_outcome"}
    assert {one.origin for one in stand if one.type in said} == {"agent"}
    assert {one.origin for one in stand if one.type not in said} == stamped
    assert [(answer.seq, answer.refused) for answer in answers(memory)] == [(seq, None) for seq in range(1, 12)]


def test_a_principle_is_named_and_a_vector_attached(memory: Memory[Any]) -> None:
    event = memory.record_event("Never deploy on a Friday")
    vector = Vector.of("small-1", b"\x01\x7f\xff")
    pinned = {"node": event, "pinned": True, "permanence": 0.0, "principle": True}
    made = [
        (event, "record_event", {"features": [], "informed_by": []}),
        (memory.pin(event, principle=True), "pin", pinned),
        (memory.attach_vector(event, vector), "attach_vector", {"node": event, "model": "small-1"}),
    ]
    stand = [one.command for one in commands(memory)]
    assert [(one.id, one.type, one.body.model_dump(exclude_unset=True)) for one in stand] == made
    assert isinstance(stand[-1].content, ClearContent)
    assert stand[-1].content.vector == vector
    assert [(answer.seq, answer.refused) for answer in answers(memory)] == [(1, None), (2, None), (3, None)]


Decide = Callable[[Memory[Any], str, Mapping[str, Any]], str]
DECISIONS: dict[str, Decide] = {
    "commit_episode": lambda memory, event, thinker: memory.commit_episode([event], thinker=thinker),
    "form_concept": lambda memory, event, thinker: memory.form_concept([event, "feature:x"], thinker=thinker),
    "adjust": lambda memory, event, thinker: memory.adjust([event], evidence=[event], thinker=thinker),
    "sleep": lambda memory, event, thinker: memory.sleep(thinker=Thinker(**thinker)),
    "dissolve_concept": lambda memory, event, thinker: memory.dissolve_concept(
        memory.form_concept([event, "feature:x"]), thinker=thinker
    ),
}


@pytest.mark.parametrize("memory", OF_A_KIND, indirect=True)
@pytest.mark.parametrize("kind", DECISIONS)
def test_a_thinker_s_decision_names_it_and_is_taken_once(memory: Memory[Any], kind: str) -> None:
    event = memory.record_event("x", features=["x"])
    thinker: dict[str, Any] = {"name": "one", "version": "1.2", "cursor_from": 0, "cursor_to": 1}
    first = DECISIONS[kind](memory, event, thinker)
    with suppress(CommandRefusedError):  # over Kafka the refusal comes later
        DECISIONS[kind](memory, event, thinker)
    said = {one.command.id: one.command for one in commands(memory)}
    assert said[first].body.thinker == Thinker(**thinker)  # type: ignore[union-attr]
    assert (said[first].type, said[first].origin) == (kind, "thinker")
    last = answers(memory)[-1]
    assert last.refused is not None and last.refused.reason.code == "cursor_stale"


REFUSED: dict[str, tuple[str, Callable[[Memory[Any], str, str], str]]] = {
    "a cause that never was": ("unknown_event", lambda memory, _, __: memory.record_event("y", caused_by=[NEVER])),
    "a cause that is no event": (
        "not_an_event",
        lambda memory, _, recall: memory.record_event("y", caused_by=[recall]),
    ),
    "a step that never was": (
        "unknown_event",
        lambda memory, event, _: memory.log_outcome(event, 1, trajectory=[NEVER]),
    ),
    "an episode of nothing": ("unknown_event", lambda memory, _, __: memory.commit_episode([NEVER])),
    "an episode of a policy": ("not_an_event", lambda memory, _, recall: memory.commit_episode([recall])),
    "a member that never was": ("unknown_reference", lambda memory, event, _: memory.form_concept([event, NEVER])),
    "a concept of one": ("members_forgotten", lambda memory, event, _: memory.form_concept([event, "feature:never"])),
    "an event is no concept": ("not_a_concept", lambda memory, event, _: memory.dissolve_concept(event)),
    "a feature is no concept": ("not_a_concept", lambda memory, _, __: memory.dissolve_concept("feature:x")),
    "a feature that never was": ("node_forgotten", lambda memory, _, __: memory.dissolve_concept("feature:never")),
    "no evidence": ("unknown_reference", lambda memory, event, _: memory.adjust([event], evidence=[NEVER])),
    "nothing to adjust": (
        "node_forgotten",
        lambda memory, event, _: memory.adjust(["feature:never"], evidence=[event]),
    ),
    "nothing to pin": ("node_forgotten", lambda memory, _, __: memory.pin("feature:never")),
    "pinned, and never was": ("unknown_reference", lambda memory, _, __: memory.pin(NEVER)),
    "ahead": (
        "cursor_ahead",
        lambda memory, _, __: memory.sleep(thinker={"name": "t", "version": "1", "cursor_from": 0, "cursor_to": 9}),
    ),
}


@pytest.mark.parametrize("memory", OF_A_KIND, indirect=True)
def test_what_the_memory_does_not_take_is_refused_for_its_reason(memory: Memory[Any]) -> None:
    event, policy = memory.record_event("x", features=["x"]), memory.set_policy(salience_initial=1.0)
    for reason, decide in REFUSED.values():
        if not isinstance(memory.engine, Published):
            with pytest.raises(CommandRefusedError, match=reason):
                decide(memory, event, policy)
        else:
            decide(memory, event, policy)
    said = [answer.refused.reason.code if answer.refused else "" for answer in answers(memory)]
    assert dict(zip(["event", "policy", *REFUSED], said, strict=True)) == {
        "event": "",
        "policy": "",
        **{case: reason for case, (reason, _) in REFUSED.items()},
    }


MALFORMED: dict[str, Callable[[Memory[Any], str], str]] = {
    "causes": lambda memory, event: memory.record_event("x", caused_by=[event] * 9),
    "trajectory": lambda memory, event: memory.log_outcome(event, 1, trajectory=[event, event]),
    "violation": lambda memory, event: memory.log_outcome(event, 1, kind="guardrail_violation"),
    "episode": lambda memory, event: memory.commit_episode([]),
    "keep": lambda memory, event: memory.commit_episode([event], clear="window", keep=-1),
    "concept": lambda memory, event: memory.form_concept([event]),
    "dissolve": lambda memory, event: memory.dissolve_concept("disk"),
    "adjust": lambda memory, event: memory.adjust([event], salience=1.5, evidence=[event]),
    "evidence": lambda memory, event: memory.adjust([event], evidence=[]),
    "thinker": lambda memory, event: memory.sleep(thinker={"name": "chunker"}),
    "pin": lambda memory, event: memory.pin(event, permanence=11.0),
    "principle": lambda memory, event: memory.pin(event, pinned=False, principle=True),
    "vector": lambda memory, _: memory.attach_vector("disk", Vector.of("small-1", b"\x01")),
}


@pytest.mark.parametrize("memory", OF_A_KIND, indirect=True)
def test_a_malformed_decision_is_refused_before_anything_is_appended(memory: Memory[Any]) -> None:
    for case, decide in MALFORMED.items():
        with pytest.raises(InvalidCommandError, match="invalid_body"):
            decide(memory, NEVER)
        assert everything(log_of(memory)) == [], case


def test_closing_twice_is_allowed_and_what_comes_after_is_refused(memory: Memory[Any]) -> None:
    memory.record_event("x")
    memory.close()
    memory.close()
    with pytest.raises(LogError, match="closed"):
        memory.record_event("y")
