"""A memory of a service compared with its log: by auditors, and nothing of others is told."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil import AccessError, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import LogDamagedError, LogRecord

PATH = "/against-log?deadline_s=30"


@pytest.fixture
def ring(tmp_path: Path) -> Iterator[dict[str, Client]]:
    file = tmp_path / "keys.json"
    keys = {
        "auditor": new_key(file, "acme", ["append", "audit", "operate"], "auditor")[1],
        "reader": new_key(file, "acme", ["read", "append", "operate"], "reader")[1],
        "careful": new_key(file, "acme", ["audit"], "careful", trust_min=2)[1],
        "other": new_key(file, "other", ["append", "audit", "operate"], "other")[1],
    }
    with (
        Embedded(tmp_path / "data", sliced=True, partitions=1) as engine,  # so that they share it
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it,
        ExitStack() as opened,
    ):
        memories = {name: "other/agent" if name == "other" else "acme/agent" for name in keys}
        yield {name: opened.enter_context(Client(it.url, key, memories[name])) for name, key in keys.items()}


@pytest.fixture
def lived(ring: dict[str, Client]) -> dict[str, str]:
    """By tenant its first event; beside each other in one partition."""
    found = {name: ring[name].event("Deployed on a Friday", features=["deploy"])["id"] for name in ("auditor", "other")}
    for name, first in found.items():
        ring[name].event("Secret plans" if name == "other" else "Deployed on a Tuesday", features=["deploy"])
        ring[name].post("/commands", {"type": "log_outcome", "body": {"event": first, "value": -3}})
        ring[name].post("/commands", {"type": "log_outcome", "body": {"event": first[:-1] + "0", "value": 1}})
        ring[name].post("/commands", {"type": "attest", "body": {}})
    return found


def changed(monkeypatch: pytest.MonkeyPatch, key: bytes) -> None:
    """Let the log say something else in the first records under a key."""
    read = LocalLog.read

    def other(self: LocalLog, *given: Any) -> Sequence[LogRecord]:
        records = read(self, *given)
        return [
            each._replace(value=each.value.replace(b"Friday", b"Monday")) if each.value and each.key == key else each
            for each in records
        ]

    monkeypatch.setattr(LocalLog, "read", other)


def test_a_memory_is_what_its_log_gives(ring: dict[str, Client], lived: dict[str, str]) -> None:
    found = ring["auditor"].get(PATH)
    assert found.status == 200, found.body
    told = found.json
    assert (told["memory"], told["same"], told["altered"], told["stopped"]) == ("acme/agent", True, 0, None)
    verdict = told["verdict"]
    assert verdict["counts"] == {} and verdict["differs"] == [] and verdict["records"] > 10
    assert verdict["standing_seq"] == verdict["log_seq"] == ring["auditor"].get("/moment").json["as_of"]


def test_what_was_altered_is_named_with_its_place_and_its_command(
    ring: dict[str, Client], lived: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(monkeypatch, b"acme/agent")
    told = ring["auditor"].get(PATH).json
    assert not told["same"] and told["altered"] == 1 == len(told["altered_at"])
    differs = {each["family"]: each for each in told["verdict"]["differs"]}
    assert told["verdict"]["counts"].keys() == differs.keys() != set()
    assert all(each["touched"] for each in differs.values()), differs
    assert "Monday" in str(differs) and "Friday" in str(differs)


def test_nothing_of_another_tenant_is_told(
    ring: dict[str, Client], lived: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(monkeypatch, b"other/agent")
    answer = ring["auditor"].get(PATH)
    assert answer.json["same"] and b"Secret" not in answer.body and b"other" not in answer.body
    assert not ring["other"].get(PATH).json["same"]


def test_a_log_that_cannot_be_read_is_told_without_a_path(
    ring: dict[str, Client], lived: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(self: LocalLog, *given: Any) -> Sequence[LogRecord]:
        raise LogDamagedError("/data/log/000.sst holds something else")

    monkeypatch.setattr(LocalLog, "read", damaged)
    told = ring["auditor"].get(PATH).json
    assert not told["same"] and "damaged" in told["stopped"] and "/data" not in told["stopped"]


def test_who_may_ask(ring: dict[str, Client], lived: dict[str, str]) -> None:
    for name in ("reader", "careful"):
        ring[name].get(PATH).problem(403, "forbidden")
    with Client(ring["other"].url, ring["other"].key, "acme/agent") as stranger:
        stranger.get(PATH).problem(403, "forbidden")
    with Client(ring["other"].url, None, "acme/agent") as keyless:
        keyless.get(PATH).problem(401, "unauthenticated")
    with Client(ring["auditor"].url, ring["auditor"].key, "acme/nobody") as unknown:
        unknown.get(PATH).problem(404, "unknown_memory")


def test_the_facade_asks_a_service_and_a_directory_alike(
    ring: dict[str, Client], lived: dict[str, str], tmp_path: Path
) -> None:
    auditor = ring["auditor"]
    with Memory.connect(auditor.url, key=auditor.key, memory="acme/agent") as memory:
        assert memory.verify_against_log().same
    with Memory.connect(auditor.url, key=ring["reader"].key, memory="acme/agent") as memory, pytest.raises(AccessError):
        memory.verify_against_log()
    with Memory.open(tmp_path / "here", "me/agent", embedder="off") as here:
        here.record_event("One")
        told: list[tuple[int, int]] = []
        found = here.verify_against_log(progress=lambda done, total: told.append((done, total)))
        assert found.same and found.verdict.standing_seq == 1 and told[-1] == (1, 1)
