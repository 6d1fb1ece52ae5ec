"""What a key's origin lets it do: an append key of an agent makes nothing permanent, and only operators lift."""

from collections.abc import Iterator

import pytest

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil_infra.http.keys import new_key

Keyring = dict[str, Client]


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyring]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    keys = {
        "agent": new_key(file, "acme", ["append", "read"], "coder")[1],
        "tool": new_key(file, "acme", ["append"], "monitor", "tool")[1],
        "operator": new_key(file, "acme", ["operate", "read"], "operator")[1],
    }
    with ring_of(place / "data", file, keys) as clients:
        yield clients


def protected(ring: Keyring, event: str) -> bool:
    found: bool = ring["agent"].get(f"/nodes/{event}").json["memory"]["protected"]
    return found


def doom(event: str) -> dict[str, object]:
    return {"type": "log_outcome", "body": {"event": event, "value": -1, "catastrophic": True}}


def test_an_append_key_cannot_make_its_own_event_permanent(ring: Keyring) -> None:
    event = ring["agent"].event("Deleted the table", features=["delete"])["id"]
    assert ring["agent"].post("/commands", doom(event)).status == 200
    assert not protected(ring, event)
    assert ring["agent"].post("/commands", doom(event) | {"origin": "tool"}).status == 422  # nobody says who they are
    ring["tool"].post("/commands", doom(event))
    assert protected(ring, event)


def test_only_an_operator_s_key_lifts_and_retires(ring: Keyring) -> None:
    event = ring["agent"].event("Deleted the table", features=["delete"])["id"]
    ring["tool"].post("/commands", doom(event))
    lift = {"type": "lift_catastrophe", "body": {"node": event, "reason": "a drill"}}
    retire = {"type": "retire_thinker", "body": {"name": "muse"}}
    for key in ("agent", "tool"):
        ring[key].post("/commands", lift).problem(403, "forbidden")
        ring[key].post("/commands", retire).problem(403, "forbidden")
    assert protected(ring, event)
    ring["operator"].post("/commands", lift)
    assert not protected(ring, event)
    slept = {"type": "sleep", "body": {"thinker": {"name": "muse", "version": "1", "cursor_from": 0, "cursor_to": 1}}}
    ring["operator"].post("/commands", slept)
    assert ring["operator"].post("/commands", retire).json["seq"]
