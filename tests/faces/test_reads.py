"""Every read of the table over every face, by the example of its row: all of them answer the same."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote

import httpx2
import orjson
import pytest

from tests.faces.life import Known, lived
from yggdrasil import AsyncMemory, InvalidAskError, LogError, Memory, NotYetError, Receipt
from yggdrasil.cli.app import main
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.query import Read, parameters_of
from yggdrasil_projections.retrieval.reads.learning.searched import Searched
from yggdrasil_projections.retrieval.table import READS

BY_ROW: Final = pytest.mark.parametrize("read", READS, ids=lambda read: read.name)
OF_A_PART: Final = {"stats": "overview", "digest": "digest"}  # and whose method returns that of the answer
_OF_THE_RECORD: Final = ("recorded", "read_id", "recall_id", "as_of")


class House(NamedTuple):
    """One memory, and what leads to it."""

    here: Memory[Any]
    remote: Memory[Any]
    url: str
    known: Known


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with ExitStack() as stack:
        engine = stack.enter_context(Embedded(tmp_path_factory.mktemp("faces") / "data", partitions=2, sliced=True))
        serving = stack.enter_context(Serving(engine, Service(("127.0.0.1", 0))))
        here = stack.enter_context(Memory(engine, Drafter("me/agent", "agent", "faces", "operator")))
        remote = stack.enter_context(Memory.connect(serving.url, memory="me/agent"))
        yield House(here, remote, serving.url, lived(here))


def told(answer: object) -> Any:
    """An answer without what says when, and whether it was recorded; of what a recall notices, which it is."""
    found = orjson.loads(orjson.dumps(answer))
    if not isinstance(found, dict):
        return found
    kept = {name: value for name, value in found.items() if name not in _OF_THE_RECORD}
    if "informed_by" in kept:  # an explanation: what it shows has been noticed by the one before
        kept |= {"memory": kept["memory"]["ref"], "chain": [each["ref"] for each in kept["chain"]], "caused_by": []}
    return kept


def arguments(house: House, read: Read[Any]) -> dict[str, Any]:
    """Those of its example. A recall strengthens what it returns, so that the next answer would have other values."""
    filled = house.known.filled(read.example)
    return filled | {"record": False} if issubclass(read.query, Searched) else filled


def in_python(memory: Memory[Any], house: House, read: Read[Any]) -> Any:
    return told(getattr(memory, read.called)(**arguments(house, read)))


@BY_ROW
def test_its_example_finds_something(house: House, read: Read[Any]) -> None:
    found = in_python(house.here, house, read)
    if read.name not in ("drift", "rulings"):  # of which a memory of sound habits has nothing
        assert found and (isinstance(found, str) or any(found.values()))


@BY_ROW
def test_it_is_answered_alike_by_a_service_and_awaited(house: House, read: Read[Any]) -> None:
    async def awaited() -> Any:
        memory = AsyncMemory(Memory(house.here.engine, Drafter("me/agent", "agent", "faces", "operator")))
        async with memory:
            return await getattr(memory, read.called)(**arguments(house, read))

    here = in_python(house.here, house, read)
    assert in_python(house.remote, house, read) == here
    assert told(asyncio.run(awaited())) == here


@BY_ROW
def test_it_is_answered_alike_over_http(house: House, read: Read[Any]) -> None:
    given = arguments(house, read)
    wire = {each.name: each.wire for each in parameters_of(read.query)}
    sent = {wire.get(name, name): value for name, value in given.items()}
    path = read.path_of({part: quote(str(sent.pop(part)), safe="") for part in read.parts})
    address = f"{house.url}/v1/memories/me/agent{path}"
    of_body = read.method == "POST"
    answer = httpx2.post(address, json=sent) if of_body else httpx2.get(address, params=sent)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    if read.name == "became":
        assert found["accepted"] and found["id"] == given["command_id"]
        return
    found = found[OF_A_PART[read.name]] if read.name in OF_A_PART else found
    assert told(found) == in_python(house.here, house, read)
    refused = httpx2.post(address, json={"no": 1}) if of_body else httpx2.get(address, params={"no": 1})
    assert refused.status_code == 422, "what it does not take is refused"


@BY_ROW
def test_it_is_answered_alike_on_the_command_line(
    house: House, read: Read[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["read", read.called, "--json", "--service", house.url]
    for name, value in arguments(house, read).items():
        words += [f"{name}={each}" for each in (value if isinstance(value, list) else [value])]
    assert main(words) == 0, capsys.readouterr().err
    assert told(orjson.loads(capsys.readouterr().out)) == in_python(house.here, house, read)


def test_every_read_has_an_example_of_its_own_parameters() -> None:
    for read in READS:
        assert read.name == read.name.lower() and read.told and read.summary
        if not issubclass(read.query, Searched):
            assert read.example.keys() <= {each.name for each in parameters_of(read.query)}


@pytest.mark.parametrize("how", ["here", "remote"])
def test_what_cannot_be_meant_is_told_and_what_is_given_once_is_kept(house: House, how: str) -> None:
    memory: Memory[Any] = getattr(house, how)
    asked: list[tuple[Callable[[], object], str]] = [
        (lambda: memory.describe(cast(Any, None)), "ref is a text"),
        (lambda: memory.timeline(where=cast(Any, {"kinds": ["event"]})), "where takes a filter"),
        (lambda: memory.timeline(where=cast(Any, "event")), "where takes a filter"),
        (lambda: memory.foretell("x", features="deploy"), "a list of names"),
        (lambda: memory.timeline(after=Receipt(99, 0)), "partition"),
        (lambda: memory.claims(valid_at=datetime(2026, 1, 1)), "time zone"),
    ]
    for call, told_of in asked:
        with pytest.raises(InvalidAskError, match=told_of):
            call()
    with pytest.raises(TypeError, match=r"^drift\(\) got an unexpected keyword argument 'nobody'"):
        memory.drift(nobody=1)  # type: ignore[call-arg]  # that is what is wrong
    once = ["deploy", "friday"]
    assert memory.foretell(features=cast(Any, iter(once))).features == once
    assert memory.what_next(features=cast(Any, iter(once))).features == once
    found = memory.get_context("anything", features=cast(Any, iter(once)), record=False)
    assert {each.feature for each in found.foretold} == {
        each.feature for each in memory.foretell(features=once).foretold
    }
    assert memory.claims(statuses=iter(["active"])).claims


def test_a_memory_after_a_receipt_waits_and_is_the_same_memory(house: House) -> None:
    for memory in (house.here, house.remote):
        place = memory.became(house.known.event)
        assert place is not None
        there = memory.after(Receipt(place.place.partition, place.place.offset))
        assert there.describe(house.known.event).as_of >= place.place.seq
        end = house.here.engine.log.end_offset(place.place.partition)
        never = memory.after(Receipt(place.place.partition, end + 1_000))
        never.__dict__["_at"] = replace(never.__dict__["_at"], deadline_s=0.05)  # a test waits no ten seconds
        with pytest.raises(NotYetError):
            never.drift()
        late = there.after(Receipt(place.place.partition, end))  # what comes next
        event = late.record_event("Said through it")
        assert late.describe(event).memory.text == "Said through it"
        late.close()
        with pytest.raises(LogError, match="closed"):
            late.drift()
        assert there.drift().as_of == memory.drift().as_of, "what it was made of is open still"
