"""Many events at once, and when they happened: in a directory, over Kafka and over HTTP."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.contract.logs import everything
from tests.contract.memories import SUBJECTS, log_of, subject
from yggdrasil import CommandRefusedError, Event, InvalidCommandError, Memory, RecordManyError
from yggdrasil.engines.published import Published
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import Command, RecordEvent
from yggdrasil_schemas.ids import sourced_id

NEVER = "01890000-0000-7000-8000-000000000000"  # no command has it
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOON_MS = 1_769_860_800_000


@pytest.fixture(params=SUBJECTS)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def commands(memory: Memory[Any]) -> list[Command]:
    decoded = [decode(record.value) for record in everything(log_of(memory))]
    return [one.command for one in decoded if isinstance(one, Decoded)]


def test_many_events_are_recorded_in_order_over_several_chunks(memory: Memory[Any]) -> None:
    made = (
        Event(f"step {number}", [f"f{number % 7}"], {"number": number}, "s", at=NOON_MS + number)
        if number % 2
        else {"text": f"step {number}", "features": [f"f{number % 7}"], "session": "s", "at": NOON_MS + number}
        for number in range(1_203)
    )
    ids = memory.record_many(made)
    stand = commands(memory)
    assert [one.id for one in stand] == ids
    assert [one.at for one in stand] == [NOON_MS + number for number in range(1_203)]
    assert [one.content.text for one in stand[-2:]] == ["step 1201", "step 1202"]  # type: ignore[union-attr]
    assert {one.session for one in stand} == {"s"}
    assert memory.record_many([]) == []


def test_an_event_with_an_id_of_its_own_is_taken_once(memory: Memory[Any]) -> None:
    made = [Event("once", id=sourced_id("agent", str(number))) for number in range(3)]
    assert memory.record_many(made) == memory.record_many(made) == [each.id for each in made]
    assert {one.id for one in commands(memory)} == {each.id for each in made}


def test_a_feature_that_is_named_twice_is_taken_once(memory: Memory[Any]) -> None:
    """Also where it is written in two ways, and where 33 names are 32 features."""
    many = [str(number) for number in range(32)]
    memory.record_event("one", features=["caf\u00e9", "bar", "cafe\u0301", "bar"])
    memory.record_many([Event("two", [*many, "0"]), {"text": "three", "features": ["a", "a"]}])
    found = [one.body.features for one in commands(memory) if isinstance(one, RecordEvent)]
    assert found == [["caf\u00e9", "bar"], many, ["a"]]


MALFORMED: list[Any] = [
    {"text": "x", "features": "deploy"},
    {"text": "x", "features": [str(number) for number in range(33)]},
    {"txt": "x"},
    Event("x", at=-1),
    Event("x", id="mine"),
    Event("x", at=datetime(2026, 1, 31)),
]


@pytest.mark.parametrize("wrong", MALFORMED, ids=str)
def test_what_comes_before_a_malformed_event_is_recorded(tmp_path: Path, wrong: Any) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        with pytest.raises(RecordManyError, match=r"events\.2: .*In the log: 2 of the events$") as stopped:
            memory.record_many([Event("a"), Event("b"), wrong, Event("c")])
        assert isinstance(stopped.value.__cause__, InvalidCommandError)
        assert memory.record_many([Event("c")])
        assert [one.content.text for one in commands_of(memory)] == ["a", "b", "c"]  # type: ignore[union-attr]
        assert (len(stopped.value.ids), stopped.value.refused, stopped.value.unsure) == (2, {}, [])


def commands_of(memory: Memory[Any]) -> list[Command]:
    memory.__dict__["log"] = memory.engine.log
    return commands(memory)


def test_what_the_memory_refuses_is_named_and_what_was_appended_with_it_stands(memory: Memory[Any]) -> None:
    made = [Event("a"), Event("b", caused_by=[NEVER]), Event("c")]
    if isinstance(memory.engine, Published):
        assert len(memory.record_many(made)) == 3  # the refusal comes later
        return
    said = r"unknown_event.*In the log: 500 of the events, 1 of them refused: events\.1 \(unknown_event\)$"
    with pytest.raises(RecordManyError, match=said) as it:
        memory.record_many(itertools.chain(made, (Event(str(number)) for number in range(600))))
    assert isinstance(it.value.__cause__, CommandRefusedError)
    assert [refused.reason.code for refused in it.value.refused.values()] == ["unknown_event"]
    assert list(it.value.refused) == [1]
    assert len(it.value.ids) == len(commands(memory))


def test_what_the_caller_s_own_iterator_raises_loses_nothing(memory: Memory[Any]) -> None:
    def broken() -> Iterator[Event]:
        yield Event("a")
        raise OSError("the file ends")

    with pytest.raises(RecordManyError, match=r"the file ends\. In the log: 1 of the events") as stopped:
        memory.record_many(broken())
    assert isinstance(stopped.value.__cause__, OSError)
    assert [one.id for one in commands(memory)] == stopped.value.ids


def test_when_it_happened_stands_in_the_log(memory: Memory[Any]) -> None:
    event = memory.record_event("x", at=NOON)
    memory.log_outcome(event, -1, at=NOON_MS + 1)
    east = NOON.astimezone(timezone(timedelta(hours=5))) + timedelta(microseconds=2_999)
    memory.record_event("y", at=east)
    assert [one.at for one in commands(memory)] == [NOON_MS, NOON_MS + 1, NOON_MS + 2]
    bounds = "invalid_envelope: at must lie between 0 and"
    for wrong, said in ((datetime(2026, 1, 31), "invalid_envelope: at: a time"), (-1, bounds), (2**60, bounds)):
        with pytest.raises(InvalidCommandError, match=f"^{said}"):
            memory.record_event("x", at=wrong)
    assert len(commands(memory)) == 3


def test_a_string_is_no_list_and_the_bound_that_was_passed_is_named(memory: Memory[Any]) -> None:
    lists: dict[str, Any] = {
        "features": lambda: memory.record_event("x", features="deploy"),
        "informed_by": lambda: memory.record_event("x", informed_by=NEVER),
        "caused_by": lambda: memory.record_event("x", caused_by=NEVER),
        "trajectory": lambda: memory.log_outcome(NEVER, 1, trajectory=NEVER),
        "used": lambda: memory.report_use(NEVER, NEVER),
        "events": lambda: memory.commit_episode(NEVER),
        "members": lambda: memory.form_concept(NEVER),
        "evidence": lambda: memory.adjust([NEVER], evidence=NEVER),
    }
    for name, call in lists.items():
        with pytest.raises(InvalidCommandError, match=rf"body\.{name}: a list of strings is expected, not one string"):
            call()
    bounds: dict[str, Any] = {
        "33 features, at most 32": lambda: memory.record_event("x", features=[f"f{number}" for number in range(33)]),
        "1 to 128 characters": lambda: memory.record_event("x", features=["f" * 129]),
        "9 entries, at most 8": lambda: memory.record_event("x", caused_by=[NEVER] * 9),
        "value: at most 10": lambda: memory.log_outcome(NEVER, 11),
        "an episode is of 1 to 64 events": lambda: memory.commit_episode([]),
        "more than 131072 characters": lambda: memory.record_event("x" * 131_073),
    }
    for said, call in bounds.items():
        with pytest.raises(InvalidCommandError, match=said):
            call()
    assert everything(log_of(memory)) == []
