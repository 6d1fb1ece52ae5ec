"""A key with a lens is answered as if nothing had been said that is trusted less; no request widens it."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil_infra.http.errors import KeysError
from yggdrasil_infra.http.keys import Keys, new_key, renew

QUESTION = "Which account does the rent go to?"


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Client]]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    lensed, key = new_key(file, "acme", ["read"], "payments", trust_min=2)
    keys = {
        "user": new_key(file, "acme", ["append", "read"], "alice", "user")[1],
        "agent": new_key(file, "acme", ["append", "read"], "coder")[1],
        "lensed": key,
        "renewed": renew(file, lensed.id)[1],
    }
    with ring_of(place / "data", file, keys) as clients:
        yield clients


@pytest.fixture(scope="module")
def said(ring: dict[str, Client]) -> tuple[str, str]:
    """What a user and what an agent said of one thing."""
    true = ring["user"].event("The rent goes to the account no93", features=["rent"])["id"]
    return true, ring["agent"].event("The rent goes to the account lt60", features=["rent", "moved"])["id"]


@pytest.mark.parametrize("name", ["lensed", "renewed"])
def test_no_read_shows_what_is_below_it(ring: dict[str, Client], said: tuple[str, str], name: str) -> None:
    true, poison = said
    key = ring[name]
    found = key.ask(QUESTION, k=5)
    assert [each["memory"]["ref"] for each in found["found"]] == [true]
    assert "lt60" in str(ring["agent"].ask(QUESTION, k=5)), "it is there for whoever has no lens"
    assert "lt60" not in key.get("/timeline").body.decode()
    assert key.get(f"/nodes/{true}").status == 200
    key.get(f"/nodes/{poison}").problem(404, "unknown_node")
    key.get("/nodes/feature:moved").problem(404, "unknown_node")
    assert "lt60" not in key.post("/context", {"query": QUESTION, "format": "text"}).body.decode()


def test_a_request_narrows_it_and_never_widens_it(ring: dict[str, Client], said: tuple[str, str]) -> None:
    assert "lt60" not in str(ring["lensed"].ask(QUESTION, k=5, trust_min=0))
    assert "lt60" not in ring["lensed"].get("/timeline?trust_min=0").body.decode()
    ring["lensed"].get(f"/nodes/{said[0]}?trust_min=3").problem(404, "unknown_node")


def test_the_key_is_told_that_it_has_one(ring: dict[str, Client]) -> None:
    assert ring["lensed"].send("GET", "/v1/caller").json["trust_min"] == 2
    assert ring["agent"].send("GET", "/v1/caller").json["trust_min"] == 0


def test_a_file_from_before_there_were_lenses_still_opens_and_hides_nothing(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    _, key = new_key(file, "me", ["read"], "old", trust_min=2)
    kept = orjson.loads(file.read_bytes())
    del kept["keys"][0]["trust_min"]
    file.write_bytes(orjson.dumps(kept))
    caller = Keys(file).caller({"authorization": f"Bearer {key}"})  # type: ignore[arg-type]
    assert caller is not None and caller.trust_min == 0


def test_a_lens_beyond_all_trust_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeysError, match="trust_min"):
        new_key(tmp_path / "keys.json", "me", ["read"], "blind", trust_min=5)
