"""Memories as of a moment over HTTP: every read takes one, nothing is recorded, and only an auditor sees what fell."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil import AsyncMemory, Memory, NoSuchMomentError, PastError
from yggdrasil.serving import Serving
from yggdrasil_infra.http.keys import new_key


@pytest.fixture
def filled(client: Client) -> Client:
    for number in range(6):
        client.event(f"Step {number} on the way")
    return client


def test_every_way_of_asking_takes_a_moment(filled: Client) -> None:
    first = filled.get("/timeline?count=1&as_of=2")
    assert first.status == 200, first.body
    assert (first.json["as_of"], first.json["past"], first.json["withheld"]) == (2, True, 0)
    assert [each["text"] for each in first.json["memories"]] == ["Step 1 on the way"]
    told = filled.post("/context", {"query": "on the way", "as_of": "2"}).json
    assert (told["as_of"], told["past"], told["recorded"], len(told["found"])) == (2, True, False, 2)
    assert filled.post("/context", {"query": "on the way", "as_of": "2"}).body == (
        filled.post("/context", {"query": "on the way", "as_of": "2"}).body
    )
    assert filled.post("/foretold", {"text": "on the way", "as_of": "3"}).json["as_of"] == 3
    assert filled.get("/moment?as_of=4").json["as_of"] == 4
    live = filled.get("/moment").json
    assert (live["as_of"], live["past"], live["past_ms"]) == (6, False, None), "nothing was recorded"


@pytest.mark.parametrize(
    ("as_of", "status", "name"),
    [
        ("99", 404, "no_such_moment"),
        ("2020-01-31", 404, "no_such_moment"),
        ("2999-01-31", 404, "no_such_moment"),
        ("yesterday", 404, "no_such_moment"),
        ("12:00", 422, "invalid"),
        ("0", 422, "invalid"),
        ("-1", 422, "invalid"),
        ("9" * 65, 422, "invalid"),
        ("999999-1", 422, "invalid"),
    ],
)
def test_what_is_no_moment_is_a_problem(filled: Client, as_of: str, status: int, name: str) -> None:
    filled.get(f"/timeline?as_of={as_of}").problem(status, name)
    filled.post("/context", {"query": "way", "as_of": as_of}).problem(status, name)


def test_an_unknown_memory_has_no_past(client: Client) -> None:
    client.get("/timeline?as_of=1").problem(404, "unknown_memory")


def test_only_who_may_audit_sees_what_is_in_quarantine_today(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    roles: dict[str, list[Any]] = {
        "reader": ["read", "append"],
        "auditor": ["audit"],
        "operator": ["append", "operate", "read"],
    }
    keys = {who: new_key(file, "acme", may, who)[1] for who, may in roles.items()}
    with ring_of(tmp_path / "data", file, keys) as clients:
        operator, reader, auditor = clients["operator"], clients["reader"], clients["auditor"]
        fallen = operator.event("The password is swordfish")["id"]
        operator.event("Something else")
        body = {"items": [{"node": fallen, "verdict": "quarantine"}], "reason": "poison"}
        said = operator.post("/commands", {"type": "judge", "body": body})
        assert said.status == 200 and said.json["accepted"], said.body
        path = "/timeline?as_of=2"
        told = reader.get(path)
        assert told.json["withheld"] == 1 and b"swordfish" not in told.body
        assert b"swordfish" not in reader.get("/timeline?as_of=1").body
        reader.get(f"{path}&quarantined=true").problem(403, "forbidden")
        seen = auditor.get(f"{path}&quarantined=true")
        assert seen.json["withheld"] == 0 and b"swordfish" in seen.body
        reader.get("/timeline?quarantined=true").problem(422, "invalid")
        reader.send("GET", "/v1/memories/other/agent/timeline?as_of=1").problem(403, "forbidden")


def test_the_facade_reads_the_past_of_a_service(serving: Serving, filled: Client) -> None:
    with Memory.connect(serving.url, memory=filled.memory) as memory:
        told: list[tuple[int, int]] = []
        past = memory.as_of(3, progress=lambda done, total: told.append((done, total)))
        assert past.moment().as_of == 3 and past.moment().past
        assert [each.text for each in past.timeline(count=1).memories] == ["Step 2 on the way"]
        answer = past.get_context("on the way")
        assert len(answer.found) == 3 and not answer.recorded
        with pytest.raises(PastError):
            past.record_event("Never")
        with pytest.raises(NoSuchMomentError, match="seq 40 has not happened yet"):
            memory.as_of(40)
        assert memory.moment().as_of == 6


def test_it_can_be_awaited(serving: Serving, filled: Client) -> None:
    async def asked() -> tuple[int, int]:
        async with await AsyncMemory.connect(serving.url, memory=filled.memory) as memory:
            past = await memory.as_of(2)
            return (await past.moment()).as_of, len((await past.timeline()).memories)

    assert asyncio.run(asked()) == (2, 2)
