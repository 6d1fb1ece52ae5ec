"""While the file of keys cannot be trusted nobody is let in, and when it is mended the service goes on by itself."""

from pathlib import Path

from tests.harness.waiting import until
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key


def test_a_file_that_others_can_write_to_closes_the_doors_until_that_is_mended(tmp_path: Path) -> None:
    """With nobody asking: the service looks by itself."""
    file = tmp_path / "keys.json"
    _, key = new_key(file, "acme", ["append", "read"], "agent")
    service = Service(LOOPBACK, Keys(file), rate=0)
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, service) as it,
        Client(it.url, key, "acme/agent") as client,
    ):
        client.event("Before")
        file.chmod(0o666)
        until(lambda: client.send("GET", "/readyz").status == 503)
        assert b"chmod go-w keys.json" in client.send("GET", "/readyz").body
        refused = client.get("/stats")
        refused.problem(503, "not_ready")
        assert "retry-after" in refused.headers
        assert (it.metrics.registry.get_sample_value("yggdrasil_service_keys_failed") or 0) >= 2
        assert client.send("GET", "/livez").status == 200
        file.chmod(0o600)
        until(lambda: client.send("GET", "/readyz").status == 200)
        assert client.get("/stats").status == 200


def test_a_key_that_has_expired_says_so(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    _, key = new_key(file, "acme", ["read"], "guest", expires_ms=1)
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it,
        Client(it.url, key, "acme/agent") as client,
    ):
        assert "has expired at 1970-01-01" in client.get("/stats").problem(401, "unauthenticated")["detail"]
