"""Any command by its name: in Python, of a service, awaited and on the command line."""

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import orjson
import pytest

from tests.contract.logs import everything
from tests.contract.memories import log_of, subject
from yggdrasil import AsyncMemory, Memory
from yggdrasil.cli.app import main
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.errors import NotAllowedError
from yggdrasil_projections.retrieval.errors import CommandRefusedError
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.errors import InvalidCommandError

OF_HOSTS: Final = [kind for kind, model in COMMANDS.items() if not model.roles]


@pytest.fixture(params=["directory", "http"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def latest(memory: Memory[Any]) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(everything(log_of(memory))[-1].value or b"")
    return found


def test_what_is_said_by_name_is_the_command(memory: Memory[Any]) -> None:
    event = memory.say(
        "record_event", {"features": ["deploy"]}, content={"text": "Deployed"}, session="ops", at="2026-01-01"
    )
    record = latest(memory)
    assert (record["id"], record["session"], record["content"]) == (event, "ops", {"text": "Deployed"})
    assert (record["at"], record["body"]["features"]) == (1_767_225_600_000, ["deploy"])
    claim = {"subject": "person:ana", "predicate": "lives_in", "object": {"entity": "city:oslo"}}
    memory.say("assert_claim", claim | {"valid_from": date(2026, 1, 1)}, content=MappingProxyType({"text": "So it is"}))
    assert latest(memory)["body"]["valid_from"] == 1_767_225_600_000

    async def awaited() -> str:
        return await AsyncMemory(memory).say("log_outcome", {"event": event, "value": -3.0})

    assert asyncio.run(awaited()) == latest(memory)["id"]
    assert [each.value for each in memory.describe(event).memory.outcomes] == [-3.0]


def test_who_stands_behind_it_is_who_does_for_the_methods(memory: Memory[Any]) -> None:
    events = [memory.record_event(f"Step {number}") for number in range(2)]
    thinker = {"name": "former", "version": "1", "cursor_from": 0, "cursor_to": 2}
    memory.say("form_concept", {"members": events, "thinker": thinker})
    assert latest(memory)["origin"] == "thinker"
    for kind, body in (("retire_thinker", {"name": "former"}), ("define", {"predicate": "diet", "cardinality": "one"})):
        memory.say(kind, body)
        assert latest(memory)["origin"] == "operator", kind


def test_what_cannot_be_said_is_told(memory: Memory[Any]) -> None:
    wrong: Any
    for wrong in ("abc", 5, [], [("features", ["x"])]):
        with pytest.raises(InvalidCommandError, match="is a mapping"):
            memory.say("record_event", wrong)
        with pytest.raises(InvalidCommandError, match="names no command"):
            memory.say(wrong)
    with pytest.raises(InvalidCommandError, match="names no command"):
        memory.say("nothing")
    with pytest.raises(InvalidCommandError, match=r"body\.value"):
        memory.say("log_outcome", {"event": "0" * 8 + "-0000-7000-8000-" + "0" * 12})
    with pytest.raises(CommandRefusedError, match="unknown_event"):
        memory.say("log_outcome", {"event": "0" * 8 + "-0000-7000-8000-" + "0" * 12, "value": 1.0})
    for kind in OF_HOSTS:
        with pytest.raises(InvalidCommandError, match="by hosts"):
            memory.say(kind, {})
    agent = Memory(memory.engine, Drafter(memory.id, "agent", "said", role="agent"))
    with pytest.raises(NotAllowedError):
        agent.say("define", {"predicate": "diet"})


def test_the_command_line_says_any_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> tuple[int, str]:
        code = main(["say", *words, "--dir", str(tmp_path / "data")])
        told = capsys.readouterr()
        return code, told.out.strip() if code == 0 else told.err

    code, listed = said()
    assert code == 0 and all((kind in listed) == (kind not in OF_HOSTS) for kind in COMMANDS)
    code, event = said("record_event", "features=deploy", "features=friday", "--text", "Deployed on a Friday")
    assert code == 0
    for words in (
        ("log_outcome", f"event={event}", "value=-3", "catastrophic=false"),
        ("set_policy", 'changes={"nodes_max": 10000}', "--origin", "operator"),
        ("define", "predicate=diet", "cardinality=one"),
        (
            "assert_claim",
            "subject=person:ana",
            "predicate=diet",
            'object={"entity": "diet:vegan"}',
            "valid_from=2026-01-01",
        ),
        ("judge", f'items=[{{"node": "{event}", "verdict": "reject"}}]', "reason=it was a drill"),
        ("record_event", 'features=["a", "b"]'),
        ("record_event", "features=true", "--content", '{"text": "a", "payload": {"b": 1}}'),
        ("sleep", "--json"),
    ):
        assert said(*words)[0] == 0, words
    with Memory.open(tmp_path / "data", "me/agent") as memory:
        there = memory.describe(event).memory
        assert (there.features, there.status) == (["deploy", "friday"], "rejected")
        assert there.text == "Deployed on a Friday"
    wrong: tuple[tuple[tuple[str, ...], str], ...] = (
        (("nothing",), "none of record_event"),
        (("sleep", "x=1"), "'x=1' is none"),
        (("record_event", "features=[a"), "in JSON"),
        (("log_outcome", f"event={event}", "value=1", "value=2"), "body.value"),
        (("sleep", "--content", "[]"), "no object in JSON"),
        (("sleep", "--content", "{}", "--text", "x"), "takes the place of --text"),
    )
    for given, about in wrong:
        code, err = said(*given)
        assert code == 2 and about in err, (given, err)
