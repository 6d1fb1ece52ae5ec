"""Sessions over HTTP, by plain requests, as a shell would send them; and the facade through a service."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil import Memory
from yggdrasil_infra.http.keys import new_key

Keyring = dict[str, Client]


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyring]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    keys = {
        "agent": new_key(file, "acme", ["append", "read"], "coder")[1],
        "other": new_key(file, "acme", ["append", "read"], "writer")[1],
        "stranger": new_key(file, "acme", ["append", "read"], "mails", trust=0)[1],
        "reader": new_key(file, "acme", ["read"], "reader")[1],
        "elsewhere": new_key(file, "other", ["append", "read"], "elsewhere")[1],
    }
    with ring_of(place / "data", file, keys) as clients:
        yield clients


def sent(client: Client, method: str, path: str, body: Any = None) -> Any:
    reply = client.send(method, f"/v1/memories/{client.memory}{path}", None if body is None else orjson.dumps(body))
    assert reply.status == 200, reply.body
    return reply.json


def desk(client: Client, task: str) -> list[tuple[str, str]]:
    found = client.get(f"/claims?subject=task:{task}&sort=desk").json["claims"]
    return sorted((each["claim"]["predicate"], each["claim"]["object"]) for each in found)


def test_a_session_from_its_beginning_to_its_end(ring: Keyring) -> None:
    agent = ring["agent"]
    work = {"task": "T-1", "workflow": "release", "goal": "Ship it", "touches": ["service:x"], "holds": ["resource:db"]}
    begun = sent(agent, "POST", "/sessions", work)
    name = begun["session"]
    assert begun["parts"] == ["opening", "lease"] and begun["answers"][0]["id"] == begun["opened"]
    sent(agent, "PUT", f"/sessions/{name}/scratchpad", {"notes": {"progress": "built", "intent": "deploy"}})
    pad = {"notes": {"progress": "tested"}, "promises": [{"text": "call", "due": "2026-12-01"}]}
    sent(agent, "PUT", f"/sessions/{name}/scratchpad", pad)
    assert desk(agent, "T-1") == [("intent", "deploy"), ("progress", "tested"), ("promise", "call")]
    said = {"summary": "done", "lessons": [{"text": "Warm the cache"}], "outcome": {"value": 3}}
    middle = sent(agent, "POST", f"/sessions/{name}/reflection", {"lessons": said["lessons"]})
    first = sent(agent, "DELETE", f"/sessions/{name}", said)
    assert first["parts"] == ["lesson", "leases", "end", "outcome"]
    assert first["answers"][0]["id"] == middle["answers"][0]["id"] and first["answers"][0]["known"]
    again = sent(agent, "POST", f"/sessions/{name}/end", said)
    assert [each["id"] for each in again["answers"]] == [each["id"] for each in first["answers"]]
    assert all(each["known"] for each in again["answers"])
    assert desk(agent, "T-1") == [("promise", "call")]


def test_a_note_that_is_sent_again_is_taken_once(ring: Keyring) -> None:
    agent = ring["agent"]
    name = sent(agent, "POST", "/sessions", {"task": "T-2"})["session"]
    turn = "01a208d0-0000-7000-8000-000000000001"
    for progress, given in (("a", turn), ("b", None), ("a", turn)):
        sent(agent, "PUT", f"/sessions/{name}/scratchpad", {"notes": {"progress": progress}, "id": given})
    assert desk(agent, "T-2") == [("progress", "b")]
    sent(agent, "DELETE", f"/sessions/{name}")
    assert desk(agent, "T-2") == []


def test_nobody_else_ends_a_session_or_writes_on_its_desk(ring: Keyring) -> None:
    name = sent(ring["agent"], "POST", "/sessions", {"task": "T-3", "session": "house/three"})["session"]
    path = "/v1/memories/acme/agent/sessions/house%2Fthree"
    sent(ring["agent"], "PUT", "/sessions/house%2Fthree/scratchpad", {"notes": {"progress": "built"}})
    for who, status, problem in (
        ("other", 404, "unknown_node"),
        ("reader", 403, "forbidden"),
        ("elsewhere", 403, "forbidden"),
    ):
        ring[who].send("DELETE", path).problem(status, problem)
    close = {"type": "record_event", "session": name, "body": {"features": [], "boundary": "close"}}
    taken = ring["stranger"].post("/commands", close)
    assert (taken.json["accepted"], taken.json["reason"]) == (False, "not_trusted")
    assert desk(ring["agent"], "T-3") == [("progress", "built")]


def test_what_is_malformed_is_told_by_its_place(ring: Keyring) -> None:
    agent = ring["agent"]
    told = agent.post("/sessions", {"task": 5}).problem(422, "invalid")
    assert "task" in told["detail"]
    told = agent.post("/sessions/none/end", {}).problem(404, "unknown_node")
    assert "none" in told["detail"]
    name = sent(agent, "POST", "/sessions", {})["session"]
    told = agent.post(f"/sessions/{name}/end", {"lessons": [{"text": ""}]}).problem(422, "invalid")
    assert "lessons.0.text" in told["detail"]


def test_the_facade_has_the_same_sessions_through_a_service(ring: Keyring) -> None:
    agent = ring["agent"]
    with Memory.connect(agent.url, memory="acme/agent", key=agent.key) as memory:
        with memory.session(task="T-5", goal="Ship") as session:
            session.note(progress="built")
            assert desk(agent, "T-5") == [("progress", "built")]
            sent(agent, "PUT", f"/sessions/{session.name}/scratchpad", {"notes": {"progress": "tested"}})
            assert desk(agent, "T-5") == [("progress", "tested")]
        assert desk(agent, "T-5") == []
