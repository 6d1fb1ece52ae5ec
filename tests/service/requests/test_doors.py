"""Who may come in, and where to: keys, tenants and roles."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from tests.size import turns
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.callers import ROLES
from yggdrasil_infra.http.keys import Keys, new_key, read, revoke
from yggdrasil_producers.gateway.authority import SPOKEN_BY
from yggdrasil_schemas.commands import COMMANDS

PART = st.from_regex(r"\A[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\Z")
SLOW = settings(
    max_examples=turns(20, 1_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@dataclass(frozen=True, slots=True)
class House:
    """A service, the file of its keys, and a key of tenant ``acme`` for each role."""

    url: str
    file: Path
    keys: dict[str, str]
    known: Keys

    def with_key(self, role: str, memory: str = "acme/agent") -> Client:
        return Client(self.url, self.keys[role], memory)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    keys: dict[str, str] = {role: new_key(file, "acme", [role], f"acme-{role}")[1] for role in ROLES}
    keys["other"] = new_key(file, "other", ["append", "read"], "other")[1]
    keys["all"] = new_key(file, "*", list(ROLES), "operator")[1]
    known = Keys(file)
    with (
        Embedded(place / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, known, rate=0)) as it,
    ):
        with (
            Client(it.url, keys["append"], "acme/agent") as acme,
            Client(it.url, keys["other"], "other/agent") as other,
        ):
            acme.event("What only Acme knows", features=["secret"])
            other.event("What only the other knows", features=["secret"])
        yield House(it.url, file, keys, known)


def test_nobody_comes_in_without_a_key(house: House) -> None:
    with Client(house.url, None, "acme/agent") as client:
        for path in ("/stats", "/timeline", "/digest", "/nowhere"):
            client.get(path).problem(401, "unauthenticated")
        client.post("/context", {"query": "secret"}).problem(401, "unauthenticated")
        found = client.send("GET", "/v1/memories")
        found.problem(401, "unauthenticated")
        assert found.headers["www-authenticate"] == "Bearer"
        client.send("GET", "/metrics").problem(401, "unauthenticated")
        assert client.send("GET", "/readyz").body == b"ok\n"


def test_a_key_that_is_nearly_right_is_wrong(house: House) -> None:
    right = house.keys["read"]
    prefix, key_id, secret = right.split("_", 2)
    other_id = house.keys["other"].split("_", 2)[1]
    wrong = [
        right[:-1], right + "A", right[:-1] + ("A" if right[-1] != "A" else "B"), right.upper(), f"{prefix}_{key_id}_",
        f"{prefix}_{other_id}_{secret}", f"{prefix}_{'0' * 12}_{secret}", f"{prefix}__{secret}", secret, key_id, "_",
    ]  # fmt: skip
    with Client(house.url, None, "acme/agent") as client:
        for key in wrong:
            client.send("GET", "/v1/memories", headers={"Authorization": f"Bearer {key}"}).problem(
                401, "unauthenticated"
            )
        for scheme in ("Basic", "", "Bearer Bearer", "Token"):
            said = {"Authorization": f"{scheme} {right}"}
            client.send("GET", "/v1/memories", headers=said).problem(401, "unauthenticated")
        assert client.send("GET", "/v1/memories", headers={"Authorization": f"bearer  {right}"}).status == 200


@pytest.mark.parametrize("name", ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "10.0.0.1", ""])
def test_without_keys_a_page_that_had_its_name_led_here_is_not_answered(tmp_path: Path, name: str) -> None:
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK)) as it,
        Client(it.url) as client,
    ):
        client.send("GET", "/v1/memories", headers={"Host": name}).problem(403, "forbidden")
        for own in ("localhost", "LOCALHOST:8787", "127.0.0.1:8787", "[::1]:8787", "127.1.2.3"):
            assert client.send("GET", "/v1/memories", headers={"Host": own}).status == 200


@SLOW
@given(said=st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=300))
def test_no_other_header_opens(house: House, said: str) -> None:
    with Client(house.url) as client:
        reply = client.send("GET", "/v1/memories", headers={"Authorization": said.strip()})
        reply.problem(401, "unauthenticated")


@SLOW
@given(tenant=PART, agent=PART, role=st.sampled_from(["append", "read", "audit", "operate"]))
def test_another_tenant_s_memory_is_answered_alike_whether_it_is_there_or_not(
    house: House, tenant: str, agent: str, role: str
) -> None:
    if tenant == "acme":
        tenant = "Acme"
    event = {"type": "record_event", "body": {}}
    for path, body in (
        ("/context", {"query": "secret"}),
        ("/foretold", {"text": "secret"}),
        ("/what-next", {"text": "secret"}),
        ("/commands", event),
        ("/commands/batch", {"commands": [event]}),
    ):
        found = []
        for memory in ("other/agent", f"{tenant}/{agent}"):
            with house.with_key(role, memory) as client:
                problem = client.post(path, body).problem(403, "forbidden")
                del problem["instance"]
                found.append(problem)
        assert found[0] == found[1]
    node = "/nodes/feature:secret"
    lists = "/timeline", "/happened", "/episodes", f"/episodes/{'0' * 8}-0000-7000-8000-{'0' * 12}", "/working-memory"
    for path in (*lists, "/stats", "/digest", node, f"{node}/neighbours"):
        with house.with_key(role, f"{tenant}/{agent}") as client:
            client.get(path).problem(403, "forbidden")


def test_what_the_system_keeps_for_itself_is_for_nobody(house: House) -> None:
    with house.with_key("all", "_yggdrasil/partition-0") as client:
        client.get("/stats").problem(403, "forbidden")
        client.post("/commands", {"type": "sleep", "body": {}}).problem(403, "forbidden")


def test_each_role_does_its_own_and_no_more(house: House) -> None:
    allowed = {
        "/context": {"read", "audit"},
        "/similar-cases": {"read", "audit"},
        "/foretold": {"read", "audit"},
        "/stats": {"read", "audit"},
        "/timeline": {"read", "audit"},
        "/happened": {"read", "audit"},
        "/working-memory": {"read", "audit"},
        "/episodes": {"read", "audit"},
        "/what-next": {"read", "audit"},
        "/digest": {"audit"},
    }
    for path, roles in allowed.items():
        for role in ROLES:
            with house.with_key(role) as client:
                situation = path in ("/foretold", "/what-next")
                sent = {"text": "secret"} if situation else {"query": "secret"}
                asking = situation or path in ("/context", "/similar-cases")
                reply = client.post(path, sent) if asking else client.get(path)
                if role in roles:
                    assert reply.status == 200, (path, role, reply.body)
                else:
                    reply.problem(403, "forbidden")


def test_the_table_of_commands_is_closed() -> None:
    assert set(COMMANDS) - set(SPOKEN_BY) == {"record_recall", "record_read", "enable_version"}


@pytest.mark.parametrize("kind", sorted(COMMANDS))
@pytest.mark.parametrize("role", ROLES)
def test_a_command_takes_its_role(house: House, kind: str, role: str) -> None:
    """With an empty body most are malformed, which is said only to whoever may say them."""
    with house.with_key(role) as client:
        reply = client.post("/commands", {"type": kind, "body": {}})
        if role in SPOKEN_BY.get(kind, ()):
            assert reply.status in (200, 422), reply.body
        else:
            reply.problem(403, "forbidden")


def test_who_says_it_is_stamped_and_never_said(house: House) -> None:
    with house.with_key("all") as client:
        for field in ("source", "process", "origin", "memory", "version"):
            forged = {"type": "record_event", "body": {}, field: "agent"}
            assert client.post("/commands", forged).problem(422, "invalid")["reason"] == "invalid_envelope"
        decided = client.post("/commands", {"type": "sleep", "body": {}, "content": {"text": "tired"}}).json
        assert decided["accepted"]
    with house.with_key("append") as client:
        event = client.event("Who said this, wonders the auditor")
    with house.with_key("audit") as client:
        found = client.ask("wonders the auditor")
        lineage = next(one["lineage"] for one in found["found"] if one["memory"]["ref"] == event["id"])
        assert (lineage["source"], lineage["origin"]) == ("acme-append", "agent")


def test_auditors_leave_no_trace(house: House) -> None:
    with house.with_key("audit") as client:
        before = client.get("/digest").json
        assert not client.ask("What only Acme knows")["recorded"]
        assert not client.post("/similar-cases", {"query": "What only Acme knows"}).json["recorded"]
        client.get("/stats")
        client.get("/timeline")
        for path in ("/happened", "/episodes", "/working-memory"):
            client.get(path)
        client.post("/what-next", {"text": "Acme"})
        assert client.get("/digest").json == before
    with house.with_key("read") as client:
        assert client.ask("What only Acme knows")["recorded"]
        assert not client.ask("What only Acme knows", record=False)["recorded"]


def test_a_tenant_sees_only_its_memories(house: House) -> None:
    for role, memories in (
        ("read", ["acme/agent"]),
        ("other", ["other/agent"]),
        ("all", ["acme/agent", "other/agent"]),
    ):
        with house.with_key(role) as client:
            assert client.send("GET", "/v1/memories").json == {"memories": memories}


def test_a_revoked_key_opens_nothing_and_a_new_one_does(house: House) -> None:
    entry, key = new_key(house.file, "acme", ["read"], "guest")
    house.known.look()
    with Client(house.url, key, "acme/agent") as client:
        assert client.get("/stats").status == 200
        revoke(house.file, entry.id)
        house.known.look()
        client.get("/stats").problem(401, "unauthenticated")
    assert entry.id not in {one.id for one in read(house.file).keys}


def test_the_file_keeps_no_key(house: House) -> None:
    text = house.file.read_text()
    for key in house.keys.values():
        assert key.split("_", 2)[2] not in text
    assert orjson.loads(text)["version"] == 1
    assert house.file.stat().st_mode & 0o077 == 0
