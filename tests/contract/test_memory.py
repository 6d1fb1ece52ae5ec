"""What the facade promises of appending, be it in a directory or over Kafka: folding the log shows what it appended."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from yggdrasil import Memory
from yggdrasil.embedded import Embedded
from yggdrasil.published import Published
from yggdrasil_infra.kafka_settings import KafkaSettings
from yggdrasil_infra.log import LogError
from yggdrasil_processors.replay import Replayed, replay
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.partitions import partition_for

from tests.contract.logs import everything, fresh_topic

Engines = Embedded | Published


@pytest.fixture(params=["directory", "kafka"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Engines]]:
    made: Memory[Engines]
    if request.param == "directory":
        made = Memory.open(tmp_path / "memories", "me/agent", partitions=3)
    else:
        kafka: KafkaSettings = request.getfixturevalue("kafka")
        made = Memory.connect(
            kafka.bootstrap_servers, memory="me/agent", topic=fresh_topic(kafka, 3), profile="development"
        )
    with made:
        yield made


def folded(memory: Memory[Engines], tmp_path: Path) -> Replayed:
    partition = partition_for(memory.id.encode(), memory.engine.log.partitions)
    return replay(memory.engine.log, tmp_path / "replayed", partition)


def commands(memory: Memory[Engines]) -> list[Decoded]:
    decoded = [decode(record.value) for record in everything(memory.engine.log)]
    assert all(isinstance(one, Decoded) for one in decoded)
    return [one for one in decoded if isinstance(one, Decoded)]


def test_an_id_is_that_of_a_command_that_stands_in_the_log(memory: Memory[Engines]) -> None:
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
    assert {record.key for record in everything(memory.engine.log)} == {b"me/agent"}


def test_what_was_appended_is_folded(memory: Memory[Engines], tmp_path: Path) -> None:
    event = memory.record_event("Deployed on a Friday", features=["deploy"])
    memory.log_outcome(event, -3)
    assert list(folded(memory, tmp_path).digests) == ["me/agent"]


def test_the_same_commands_make_the_same_memory_in_both_forms(memory: Memory[Engines], tmp_path: Path) -> None:
    drafter = Drafter("me/agent", "test", "test")
    drafts = [drafter.record_event(f"step {number}", features=["step"]) for number in range(20)]
    drafts.append(drafter.log_outcome(drafts[3].id, -2))
    with Embedded(tmp_path / "expected", partitions=1) as engine:
        assert all(answer.refused is None for _, answer in engine.submit_many(drafts))
        expected = engine.digest("me/agent")
    assert [memory.resend(draft) for draft in drafts] == [draft.id for draft in drafts]
    assert folded(memory, tmp_path).digests == {"me/agent": expected}


def test_a_command_that_is_sent_again_is_taken_once(memory: Memory[Engines], tmp_path: Path) -> None:
    once = Drafter("me/agent", "test", "test").record_event("once")
    with Embedded(tmp_path / "expected", partitions=1) as engine:
        engine.submit(once)
        expected = engine.digest("me/agent")
    for _ in range(3):
        assert memory.resend(once) == once.id
    assert {one.command.id for one in commands(memory)} == {once.id}
    assert folded(memory, tmp_path).digests == {"me/agent": expected}


def test_a_command_of_another_memory_is_not_sent(memory: Memory[Engines]) -> None:
    with pytest.raises(ValueError, match="you/other"):
        memory.resend(Drafter("you/other", "test", "test").record_event("x"))
    assert everything(memory.engine.log) == []


def test_a_malformed_command_is_refused_before_anything_is_appended(memory: Memory[Engines]) -> None:
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.record_event("x", features=["same", "same"])
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.log_outcome("not an id", 1)
    with pytest.raises(InvalidCommandError, match="not_json"):
        memory.record_event("x", payload={"value": float("nan")})
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.set_policy(no_such_constant=1.0)
    assert everything(memory.engine.log) == []


def test_threads_share_a_memory(memory: Memory[Engines], tmp_path: Path) -> None:
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


def test_closing_twice_is_allowed_and_what_comes_after_is_refused(memory: Memory[Engines]) -> None:
    memory.record_event("x")
    memory.close()
    memory.close()
    with pytest.raises(LogError, match="closed"):
        memory.record_event("y")
