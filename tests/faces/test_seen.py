"""What one sees who trusts nothing below a tier: the same over every face, all of it where nothing is below."""

import asyncio
from typing import Any, cast
from urllib.parse import quote

import httpx2
import orjson
import pytest

from tests.faces.test_reads import BY_ROW, OF_A_PART, House, arguments, house, in_python, told
from yggdrasil import AsyncMemory, InvalidAskError, Memory, UnknownActionError, UnknownNodeError
from yggdrasil.cli.app import main
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.query import Read, parameters_of
from yggdrasil_projections.retrieval.reads.learning.searched import Searched

__all__ = ["house"]  # a fixture


@BY_ROW
def test_where_nothing_is_trusted_less_everything_is_seen(house: House, read: Read[Any]) -> None:
    whole = in_python(house.here, house, read)
    for seen in (house.here.seen(trust_min=1), house.remote.seen(trust_min=1)):
        found = in_python(seen, house, read)
        if read.name == "get_context":  # a cursor is that of one filter
            found["more"]["cursor"] = whole["more"]["cursor"]
        if issubclass(read.query, Searched):
            assert found["versions"].pop("lens") == "trust/1"
        assert found == whole


@BY_ROW
def test_it_is_the_same_over_every_face(house: House, read: Read[Any], capsys: pytest.CaptureFixture[str]) -> None:
    async def awaited() -> Any:
        async with AsyncMemory(house.here).seen(trust_min=2) as memory:
            return await getattr(memory, read.called)(**arguments(house, read))

    here = in_python(house.here.seen(trust_min=2), house, read)
    assert in_python(house.remote.seen(trust_min=2), house, read) == here
    assert told(asyncio.run(awaited())) == here
    wire = {each.name: each.wire for each in parameters_of(read.query)}
    given = arguments(house, read)
    sent = {wire.get(name, name): value for name, value in given.items()} | {"trust_min": 2}
    path = read.path_of({part: quote(str(sent.pop(part)), safe="") for part in read.parts})
    address, of_body = f"{house.url}/v1/memories/me/agent{path}", read.method == "POST"
    answer = httpx2.post(address, json=sent) if of_body else httpx2.get(address, params=sent)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    if read.name != "became":
        assert told(found[OF_A_PART[read.name]] if read.name in OF_A_PART else found) == here
    words = ["read", read.called, "--json", "--service", house.url, "--trust-min", "2"]
    for name, value in given.items():
        words += [f"{name}={each}" for each in (value if isinstance(value, list) else [value])]
    assert main(words) == 0, capsys.readouterr().err
    assert told(orjson.loads(capsys.readouterr().out)) == here


@pytest.fixture(params=["here", "remote"])
def memory(request: pytest.FixtureRequest, house: House) -> Memory[Any]:
    found: Memory[Any] = getattr(house, request.param)
    return found


@pytest.fixture
def stranger(house: House) -> Memory[Any]:
    return Memory(house.here.engine, Drafter("me/agent", "bo", "faces", "agent"))


def test_what_is_hidden_is_unknown_and_nothing_tells_of_it(
    house: House, memory: Memory[Any], stranger: Memory[Any]
) -> None:
    seen = memory.seen(trust_min=2)
    hidden = stranger.record_event("Nobody should read this", features=["bo:only", "deploy"])
    ours = house.here.record_event("Deployed once more", features=["deploy"], caused_by=[hidden])
    stranger.log_outcome(ours, -9, kind="bo-says", text="It burnt down")
    assert stranger.became(hidden) is not None and seen.became(hidden) is None
    for ref in (hidden, "feature:bo:only", "feature:outcome:bo-says"):
        memory.describe(ref)
        with pytest.raises(UnknownNodeError):
            seen.describe(ref)
    with pytest.raises(UnknownActionError):
        seen.explain_action(hidden)
    why = seen.explain_action(ours)
    assert [each.id for each in memory.explain_action(ours).caused_by] == [hidden] and why.caused_by == []
    assert why.memory is not None and why.memory.outcomes == []
    found = memory.get_context("Deployed once more", k=5, where=None, record=False)
    there = seen.get_context("Deployed once more", k=5, record=False)
    (in_all, in_seen) = (next(e.memory for e in each.found if e.memory.ref == ours) for each in (found, there))
    assert [each.text for each in in_all.outcomes] == ["It burnt down"] and in_seen.outcomes == []


def test_lines_of_a_claim_and_aliases_are_seen_by_their_own_trust(
    house: House, memory: Memory[Any], stranger: Memory[Any]
) -> None:
    name = f"person:{memory.engine.__class__.__name__.lower()}"
    claim = house.here.assert_claim(name, "works_at", "org:acme")
    stranger.assert_claim(name, "works_at", "org:acme")
    stranger.alias(f"{name}-the-boss", name)
    seen = memory.seen(trust_min=2)
    assert [line.trust for line in memory.lineage(claim).lines] == [4, 1]
    assert [line.trust for line in seen.lineage(claim).lines] == [4]
    assert memory.entity(name).aliases and not seen.entity(name).aliases


def test_a_handle_is_narrowed_and_never_widened(house: House, memory: Memory[Any], stranger: Memory[Any]) -> None:
    hidden = stranger.record_event("For nobody")
    narrow = memory.seen(trust_min=2).seen(trust_min=0)
    with pytest.raises(UnknownNodeError):
        narrow.describe(hidden)
    assert memory.seen(trust_min=0).describe(hidden).memory.text == "For nobody"
    wrong: Any
    for wrong in (5, -1, "2", True, 2.0):
        with pytest.raises(InvalidAskError, match="0 to 4"):
            memory.seen(trust_min=wrong)


def test_what_is_asked_through_a_lens_is_recorded_with_it(house: House) -> None:
    house.here.set_policy(reads_recorded=1)
    try:
        house.here.seen(trust_min=3).history(key="ana/diet")
        house.remote.seen(trust_min=3).get_context("Should we deploy?")
    finally:
        house.here.set_policy(reads_recorded=0)
    log = house.here.engine.log
    partition = cast(Any, house.here.became(house.known.event)).place.partition
    latest = log.read(partition, log.end_offset(partition) - 3, 3)
    read, recall, _ = (orjson.loads(record.value or b"") for record in latest)
    assert read["content"]["payload"] == {"key": "ana/diet", "trust_min": 3}
    assert recall["content"]["payload"]["where"]["trust_min"] == 3


@pytest.mark.parametrize("path", ["context", "similar-cases", "foretold", "what-next"])
def test_what_is_asked_in_a_body_is_not_asked_beside_it(house: House, path: str) -> None:
    body = {"query": "Deployed"} if path in ("context", "similar-cases") else {"text": "Deployed"}
    address = f"{house.url}/v1/memories/me/agent/{path}"
    assert httpx2.post(address, json=body).status_code == 200
    answer = httpx2.post(f"{address}?trust_min=2", json=body)
    assert answer.status_code == 422 and "in the body" in answer.json()["detail"]
