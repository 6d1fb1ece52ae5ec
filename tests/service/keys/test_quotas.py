"""What a tenant may take: bytes in all and on a day, memories, requests. And asking takes next to nothing."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.harness.waiting import until
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.upkeep.tally import Tally
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.rates import Quota
from yggdrasil_producers.draft import Drafter

EVENT: dict[str, Any] = {"type": "record_event", "body": {"features": ["x"]}, "content": {"text": "y" * 1_000}}
READS = (
    "/stats", "/timeline", "/happened", "/episodes", "/working-memory", "/digest", "/nodes/feature:x",
    "/nodes/feature:x/neighbours", "/episodes/01a2027e-a896-7aac-bed7-03de4d7b9078",
    "/actions/01a2027e-a896-7aac-bed7-03de4d7b9078", "/commands/01a2027e-a896-7aac-bed7-03de4d7b9078",
)  # fmt: skip


@contextmanager
def served(place: Path, engine: Embedded, quota: Quota, rate: float = 0) -> Generator[tuple[str, dict[str, str]]]:
    """A service with keys: its address, and a key of each of two tenants by its name."""
    file = place / "keys.json"
    file.unlink(missing_ok=True)
    keys = {name: new_key(file, name, ["append", "read", "audit"], name)[1] for name in ("acme", "other")}
    service = Service(LOOPBACK, Keys(file), rate, quota=quota, tally=place / "tally.json")
    with Serving(engine, service) as it:
        until(lambda: it.ready() is None)
        yield it.url, keys


def appended(client: Client, most: int = 100) -> int:
    """How many events a client appends until it is told that it may not."""
    for number in range(most):
        if client.post("/commands", EVENT).status != 200:
            return number
    return most


def test_asking_makes_no_memory(tmp_path: Path) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        served(tmp_path, engine, Quota()) as (url, keys),
        Client(url, keys["acme"], "acme/nobody") as client,
    ):
        for path in READS:
            client.get(path).problem(404, "unknown_memory")
        for path in ("/context", "/similar-cases"):
            client.post(path, {"query": "What is x?"}).problem(404, "unknown_memory")
        client.post("/foretold", {"text": "x"}).problem(404, "unknown_memory")
        assert client.send("GET", "/v1/memories").json == {"memories": []}
        assert engine.log.end_offset(engine.partition("acme/nobody")) == 0


def test_a_tenant_appends_no_more_bytes_than_it_may_and_a_restart_forgets_nothing(tmp_path: Path) -> None:
    with Embedded(tmp_path / "data", sliced=True) as engine:
        with (
            served(tmp_path, engine, Quota(total_bytes=20_000)) as (url, keys),
            Client(url, keys["acme"], "acme/agent") as client,
            Client(url, keys["other"], "other/agent") as other,
        ):
            assert 10 <= appended(client) <= 20
            said = client.post("/commands", EVENT).problem(403, "quota_exceeded")
            assert "20000 bytes in the log" in said["detail"] and "larger quota" in said["remedy"]
            client.memory = "acme/another"  # it is the tenant's
            client.post("/commands/batch", {"commands": [EVENT] * 3}).problem(403, "quota_exceeded")
            assert other.post("/commands", EVENT).status == 200
        for kept in (True, False):
            if not kept:
                (tmp_path / "tally.json").write_text("{")
            with (
                served(tmp_path, engine, Quota(total_bytes=20_000)) as (url, keys),
                Client(url, keys["acme"], "acme/agent") as client,
            ):
                client.post("/commands", EVENT).problem(403, "quota_exceeded")


def test_the_day_s_bytes_come_again_tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        served(tmp_path, engine, Quota(day_bytes=20_000)) as (url, keys),
        Client(url, keys["acme"], "acme/agent") as client,
    ):
        assert 10 <= appended(client) <= 20
        reply = client.post("/commands", EVENT)
        reply.problem(429, "day_quota_exceeded")
        assert 0 < int(reply.headers["retry-after"]) <= 86_400
        tomorrow = now_ms() + 86_400_000
        monkeypatch.setattr("yggdrasil.engines.upkeep.tally.now_ms", lambda: tomorrow)
        until(lambda: client.post("/commands", EVENT).status == 200)  # once what was let in is counted


def test_a_tenant_has_no_more_memories_than_it_may(tmp_path: Path) -> None:
    quota = Quota(memories=3)
    with Embedded(tmp_path / "data", sliced=True) as engine:
        engine.submit(Drafter("acme/first", "test", "test").record_event("Was there before"))
        with served(tmp_path, engine, quota) as (url, keys), Client(url, keys["acme"]) as client:
            made = []
            for number in range(6):
                client.memory = f"acme/agent-{number}"
                made.append(client.post("/commands", EVENT))
            assert [reply.status for reply in made] == [200, 200, 403, 403, 403, 403]
            assert "3 memories" in made[-1].problem(403, "quota_exceeded")["detail"]
            for memory in ("acme/first", "acme/agent-0"):
                client.memory = memory
                assert client.post("/commands", EVENT).status == 200
            with Client(url, keys["other"], "other/agent") as other:
                assert other.post("/commands", EVENT).status == 200


def test_recorded_questions_count_and_never_keep_commands_out(tmp_path: Path) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        served(tmp_path, engine, Quota(total_bytes=40_000)) as (url, keys),
        Client(url, keys["acme"], "acme/agent") as client,
    ):
        client.post("/commands", EVENT)
        recorded = True
        for _ in range(400):
            answer = client.ask("What is x? " + "z" * 2_000)
            if not answer["recorded"]:
                recorded = False
                break
        assert not recorded
        assert client.ask("What is x?")["found"]  # it is answered all the same
        end = engine.log.end_offset(engine.partition("acme/agent"))
        client.ask("What is x?")
        assert engine.log.end_offset(engine.partition("acme/agent")) == end
        assert client.post("/commands", EVENT).status == 200  # the last tenth is for commands


def test_a_batch_takes_as_many_tokens_as_it_holds_commands(tmp_path: Path) -> None:
    batch = {"commands": [EVENT] * 50}
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        served(tmp_path, engine, Quota(), rate=20) as (url, keys),
        Client(url, keys["acme"], "acme/agent") as client,
    ):
        replies = [client.post("/commands/batch", batch) for _ in range(3)]
        assert [reply.status for reply in replies] == [200, 429, 429]
        assert int(replies[-1].headers["retry-after"]) >= 1


def test_a_tenant_s_rate_is_that_of_all_its_keys(tmp_path: Path) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        served(tmp_path, engine, Quota(rate=5)) as (url, keys),
    ):
        new_key(tmp_path / "keys.json", "acme", ["append", "read"], "second")
        with Client(url, keys["acme"], "acme/agent") as client, Client(url, keys["other"], "other/agent") as other:
            client.post("/commands/batch", {"commands": [EVENT] * 30})
            assert "this tenant may send 5" in client.get("/stats").problem(429, "too_many_requests")["detail"]
            assert other.post("/commands", EVENT).status == 200


def test_the_count_is_that_of_the_log(tmp_path: Path) -> None:
    with Embedded(tmp_path / "data", sliced=True) as engine:
        drafts = [Drafter(f"t{n % 3}/agent", "test", "test").record_event("x" * n) for n in range(300)]
        list(engine.submit_many(drafts))
        tally = Tally(engine, tmp_path / "tally.json")
        tally.follow()
        for tenant in ("t0", "t1", "t2"):
            size = sum(len(one.key) + len(one.value) for one in drafts if one.memory == f"{tenant}/agent")
            assert tally.taken(tenant) == (size, size)
        assert tally.taken("t9") == (0, 0)
