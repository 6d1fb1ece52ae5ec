"""Who read or wrote which memory, from where, with which key: one line for each request, and never what was said."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.signals.audit import Audit


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[Client, str, Path]]:
    """A client with a key, the key's id, and the audit log."""
    entry, key = new_key(tmp_path / "keys.json", "acme", ["append", "read"], "planner")
    file = tmp_path / "audit.log"
    service = Service(LOOPBACK, Keys(tmp_path / "keys.json"), rate=0, audit=Audit(file))
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, service) as it,
        Client(it.url, key, "acme/agent") as client,
    ):
        yield client, entry.id, file


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_every_request_with_a_key_is_written_down_and_never_what_was_said(house: tuple[Client, str, Path]) -> None:
    client, key, file = house
    event = client.event("Something secret", features=["hidden"])["id"]
    client.post("/commands/batch", {"commands": [{"type": "record_event", "body": {}}] * 3})
    client.ask("Where is the hidden one?")
    client.get(f"/nodes/{event}")
    client.get("/nodes/feature:hidden")
    client.get("/timeline?session=hush")
    client.send("GET", "/v1/memories")
    client.memory = "other/agent"
    client.get("/stats")
    client.send("GET", "/livez")
    found = lines(file)
    root = "/v1/memories/{tenant}/{agent}"
    assert [(one["method"], one["route"], one["memory"], one["status"], one["commands"]) for one in found] == [
        ("POST", f"{root}/commands", "acme/agent", 200, 1),
        ("POST", f"{root}/commands/batch", "acme/agent", 200, 3),
        ("POST", f"{root}/context", "acme/agent", 200, 1),
        ("GET", f"{root}/nodes/{{ref}}", "acme/agent", 200, 0),
        ("GET", f"{root}/nodes/{{ref}}", "acme/agent", 200, 0),
        ("GET", f"{root}/timeline", "acme/agent", 200, 0),
        ("GET", "/v1/memories", None, 200, 0),
        ("GET", f"{root}/stats", "other/agent", 403, 0),
    ]
    assert {(one["key"], one["source"], one["from"]) for one in found} == {(key, "planner", "127.0.0.1")}
    assert found[-1]["problem"] == "forbidden"
    written = file.read_text()
    assert not any(word in written for word in ("secret", "hidden", "hush", event, client.key or "none"))


def test_whoever_has_no_key_is_written_down_too(house: tuple[Client, str, Path]) -> None:
    client, _, file = house
    client.key = "ygg_000000000000_guessed"
    client.get("/stats").problem(401, "unauthenticated")
    (found,) = lines(file)
    assert (found["key"], found["memory"], found["status"]) == (None, "acme/agent", 401)


def test_while_it_cannot_be_written_nothing_is_answered(
    house: tuple[Client, str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _, file = house
    client.event("Before")
    kept = file.rename(file.with_name("kept"))
    file.mkdir()
    client.get("/stats")  # is under way when it fails
    client.post("/commands", {"type": "record_event", "body": {}}).problem(503, "not_ready")
    ready = client.send("GET", "/readyz")
    assert ready.status == 503 and b"audit log" in ready.body
    assert client.send("GET", "/livez").status == 200
    file.rmdir()
    monkeypatch.setattr("yggdrasil_infra.signals.audit._AGAIN_S", 0.0)
    assert client.send("GET", "/readyz").status == 200
    client.event("After")
    assert [one.get("commands", "again") for one in lines(file)] == ["again", 1]
    assert len(lines(kept)) == 1
