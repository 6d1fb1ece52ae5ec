"""Whoever has a key can ask what it is; nobody else learns anything."""

from pathlib import Path

from tests.harness.waiting import until
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key, revoke


def test_a_key_learns_what_it_opens_and_may_do_until_it_is_revoked(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    one, said = new_key(file, "acme", ["append", "read"], "planner", agents="plan-1")
    _, several = new_key(file, "acme", ["read"], "looker", agents="plan-*")
    _, other = new_key(file, "globex", ["read"], "globex")
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it,
    ):
        with Client(it.url, said) as client, Client(it.url, several) as looker, Client(it.url, other) as stranger:
            found = client.send("GET", "/v1/caller").json
            assert (found["name"], found["tenant"], found["agents"]) == ("planner", "acme", "plan-1")
            assert found["memory"] == "acme/plan-1"
            assert sorted(found["roles"]) == ["append", "read"]
            assert looker.send("GET", "/v1/caller").json["memory"] is None
            assert "acme" not in stranger.send("GET", "/v1/caller").body.decode()
            revoke(file, one.id)
            until(lambda: client.send("GET", "/v1/caller").status == 401)
        with Client(it.url) as nobody:
            nobody.send("GET", "/v1/caller").problem(401, "unauthenticated")


def test_where_no_key_is_asked_for_everything_is_opened(tmp_path: Path) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, rate=0)) as it,
        Client(it.url) as client,
    ):
        found = client.send("GET", "/v1/caller").json
        assert (found["tenant"], found["memory"]) == (None, None)
