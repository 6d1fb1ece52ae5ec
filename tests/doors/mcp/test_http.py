"""MCP at the door of a service with keys: who gets in, to what, how much of it, and what happens when it is away."""

import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doors.mcp.conftest import LOOPBACK
from tests.doors.mcp.speaking import Assistant, over_http, said, talking, talking_to
from tests.service.client import Client, Reply
from tests.size import turns
from yggdrasil.doors.mcp.over_http import McpDoor
from yggdrasil.engines.embedded import Embedded
from yggdrasil.memory import Memory
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.signals.audit import Audit

BOTH = ["append", "read"]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


@dataclass(frozen=True, slots=True)
class House:
    """A service with keys, by name."""

    url: str
    keys: dict[str, str]
    audited: Path
    serving: Serving

    def at(self, memory: str, key: str, mode: str = "auto") -> Any:
        return talking(over_http(f"{self.url}/mcp/{memory}", self.keys[key]), mode)

    def post(self, path: str, key: str | None = None, body: object = LIST, **headers: str) -> Reply:
        with Client(self.url, self.keys.get(key or "")) as client:
            said = {"Content-Type": "application/json", **MCP, **headers}
            return client.send("POST", path, orjson.dumps(body), said)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    made = {
        "acme": new_key(file, "acme", BOTH, "acme"),
        "granted": new_key(file, "acme", BOTH, "granted", grants=["query_archive"]),
        "planner": new_key(file, "acme", BOTH, "planner", agents="plan-*"),
        "only": new_key(file, "acme", BOTH, "only", agents="ana"),
        "reader": new_key(file, "acme", ["read"], "reader"),
        "lensed": new_key(file, "acme", ["read"], "lensed", trust_min=2),
        "beta": new_key(file, "beta", BOTH, "beta"),
    }
    keys = {name: key for name, (_, key) in made.items()}
    with Embedded(place / "data", sliced=True) as engine, closing(Audit(place / "audit.jsonl")) as audit:
        service = Service(LOOPBACK, Keys(file), rate=0, concurrency=4, audit=audit, doors=(McpDoor(),))
        with Serving(engine, service) as it:
            yield House(it.url, keys, place / "audit.jsonl", it)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_with_a_key_it_is_one_memory(house: House, mode: str) -> None:
    with house.at("acme/ana", "acme", mode) as assistant:
        expected = "2025-11-25" if mode == "legacy" else "2026-07-28"
        assert assistant.client.protocol_version == expected
        ref = assistant.call("remember", text=f"The printer is on floor {mode}")["ref"]
        assert ref in assistant.call("recall", query="Where is the printer?")["refs"].values()
    with Memory.connect(house.url, memory="acme/ana", key=house.keys["acme"]) as memory:
        explained = memory.explain_action(ref)
    assert explained.source == "acme", "the service stamps whose key it was"
    assert explained.key is not None and explained.key in house.keys["acme"]


def test_who_is_not_let_in(house: House) -> None:
    house.post("/mcp/acme/ana").problem(401, "unauthenticated")
    house.post("/mcp/acme/ana", Authorization="Bearer ygg_0123456789ab_wrong").problem(401, "unauthenticated")
    house.post("/mcp/acme/ana", "beta").problem(403, "forbidden")
    house.post("/mcp/acme/ana", "planner").problem(403, "forbidden")
    house.post("/mcp", "beta", **{"Yggdrasil-Memory": "acme/ana"}).problem(403, "forbidden")
    house.post("/mcp/_system/ana", "acme").problem(422, "invalid")
    assert house.post("/mcp/acme/plan-1", "planner").status == 200


def test_how_a_memory_is_named(house: House) -> None:
    assert house.post("/mcp", "acme", **{"Yggdrasil-Memory": "acme/ana"}).status == 200
    assert house.post("/mcp", "only").status == 200, "it opens exactly one"
    problem = house.post("/mcp", "acme").problem(422, "invalid")
    assert "/mcp/TENANT/AGENT" in problem["remedy"]
    house.post("/mcp", "acme", **{"Yggdrasil-Memory": "acme"}).problem(422, "invalid")
    house.post("/mcp/acme/" + "a" * 65, "acme").problem(422, "invalid")
    house.post("/mcp/acme/ana/more", "acme").problem(404, "not_found")
    house.post("/mcp/acme/ana?tools=none", "acme").problem(422, "invalid")
    with talking(over_http(f"{house.url}/mcp", house.keys["only"])) as assistant:
        ref = assistant.call("remember", text="The plain address leads to the one memory")["ref"]
    with house.at("acme/ana", "acme") as assistant:
        assert assistant.call("explain", ref=ref)["kind"] == "event"


def test_a_key_that_may_not_is_told_in_the_tool_s_own_manner(house: House) -> None:
    with house.at("acme/ana", "reader") as assistant:
        told = assistant.refused("remember", text="hello")
        assert "append" in told and "Use a key" in told
        assert "recall" in assistant.tools


def test_a_key_with_a_lens_is_shown_no_agent_s_word(house: House) -> None:
    with house.at("acme/seen", "acme") as assistant:
        ref = assistant.call("remember", text="The vault code is swordfish")["ref"]
        assert ref in assistant.call("recall", query="What is the vault code?")["refs"].values()
    with house.at("acme/seen", "lensed") as assistant:
        assert "swordfish" not in str(assistant.call("recall", query="What is the vault code?"))


def test_the_archive_is_for_a_key_that_was_granted_it(house: House) -> None:
    with house.at("acme/granted", "acme") as assistant:
        assert "query_archive" not in assistant.tools
        assert "nown tool" in assistant.refused("query_archive", query="x", sessions=["s"])
    with house.at("acme/granted", "granted") as assistant:
        ref = assistant.call("remember", text="The vault code is in the safe", session="s")["ref"]
        assert "a scope is mandatory" in assistant.refused("query_archive", query="vault")
        assert ref in assistant.call("query_archive", query="vault code", sessions=["s"])["refs"].values()


def test_a_key_file_from_before_there_were_grants_still_opens(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    _, key = new_key(file, "me", BOTH, "old", grants=["query_archive"])
    kept = orjson.loads(file.read_bytes())
    del kept["keys"][0]["grants"]
    file.write_bytes(orjson.dumps(kept))
    caller = Keys(file).caller({"authorization": f"Bearer {key}"})  # type: ignore[arg-type]
    assert caller is not None and caller.grants == frozenset()


def test_pages_of_other_sites_and_other_methods(house: House) -> None:
    house.post("/mcp/acme/ana", "acme", Origin="http://evil.example").problem(403, "forbidden")
    assert house.post("/mcp/acme/ana", "acme", Origin=house.url).status == 200
    with Client(house.url, house.keys["acme"]) as client:
        for method in ("GET", "DELETE"):
            reply = client.send(method, "/mcp/acme/ana", headers=MCP)
            reply.problem(405, "method_not_allowed")
            assert reply.headers["allow"] == "POST"


def test_without_keys_only_this_machine_is_answered(tmp_path: Path) -> None:
    with Embedded(tmp_path, sliced=True) as engine, Serving(engine, Service(LOOPBACK, doors=(McpDoor(),))) as it:
        with Client(it.url) as client:
            for header in ({"Host": "rebound.example"}, {"Origin": "http://evil.example"}):
                sent = {"Content-Type": "application/json", **MCP, **header}
                client.send("POST", "/mcp/me/agent", orjson.dumps(LIST), sent).problem(403, "forbidden")
        with talking(f"{it.url}/mcp/me/agent") as assistant:
            assert "query_archive" in assistant.tools, "whoever reaches it may do everything"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (orjson.dumps([LIST, LIST]), 400),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', 200),
        (b"[" * 100_000, 400),
    ],
)
def test_what_is_no_message_harms_nobody(house: House, body: bytes, status: int) -> None:
    with Client(house.url, house.keys["acme"]) as client:
        said = {"Content-Type": "application/json", **MCP}
        assert client.send("POST", "/mcp/acme/ana", body, said).status == status
        assert client.send("POST", "/mcp/acme/ana", orjson.dumps(LIST), said).status == 200


def test_a_body_is_bounded(house: House) -> None:
    house.post("/mcp/acme/ana", "acme", {**LIST, "params": {"x": "y" * 300_000}}).problem(413, "too_large")


def test_more_at_once_than_there_are_places(house: House) -> None:
    """Were the places of the door those of the service, four calls that each wait for one would wait for ever."""

    def ask(number: int) -> list[str]:
        with house.at(f"acme/plan-{number % 3}", "acme") as assistant:
            return [assistant.call("remember", text=f"Step {n} of {number}")["ref"] for n in range(3)]

    with ThreadPoolExecutor(3) as threads:
        refs = [ref for made in threads.map(ask, range(6)) for ref in made]
    assert len(set(refs)) == 18


def test_whoever_comes_in_changes_nothing_of_how_the_process_logs(house: House) -> None:
    """The SDK gives the root logger a handler when a server is made; every line would be written twice from then on."""
    before = (logging.getLogger().handlers[:], logging.getLogger().level)
    for tools in ("loop", "graph", "all"):
        assert house.post(f"/mcp/acme/ana?tools={tools}", "acme").status == 200
    assert (logging.getLogger().handlers, logging.getLogger().level) == before
    script = (
        "import logging\n"
        "from yggdrasil.doors.mcp.answering import Door\n"
        "from yggdrasil.doors.mcp.server import memory_server\n"
        "memory_server(Door(lambda: None))\n"
        "print(logging.getLogger().handlers)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_two_at_once_share_a_memory(house: House) -> None:
    with house.at("acme/shared", "acme") as one, house.at("acme/shared", "granted") as other:
        ref = one.call("remember", text="The standup is at nine")["ref"]
        assert ref in other.call("recall", query="When is the standup?")["refs"].values()
        other.call("correct", ref=ref, action="supersede", text="The standup is at ten")
        assert ref not in one.call("recall", query="When is the standup?")["refs"].values()


def test_a_rate_holds_for_what_is_asked_behind_the_door(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    _, key = new_key(file, "me", BOTH, "eager")
    service = Service(LOOPBACK, Keys(file), rate=4, doors=(McpDoor(),))
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, service) as it,
        Client(it.url, key) as client,
    ):
        sent = {"Content-Type": "application/json", **MCP}
        call = {**LIST, "method": "tools/call", "params": {"name": "remember", "arguments": {"text": "hello"}}}
        replies = [client.send("POST", "/mcp/me/agent", orjson.dumps(call), sent) for _ in range(8)]
    assert replies[0].status == 200 and not replies[0].json["result"].get("isError")
    assert 429 in {reply.status for reply in replies}
    told = [reply.json["result"]["content"][0]["text"] for reply in replies if reply.status == 200]
    assert all("remembered" in each or "cannot be reached just now" in each for each in told)


def test_many_calls(house: House) -> None:
    with house.at("acme/many", "acme") as assistant:
        many = turns(20, 1_000)
        refs = [assistant.call("remember", text=f"Step {number}")["ref"] for number in range(many)]
        assert assistant.call("explain", ref=refs[-1])["explained"]["memory"]["text"] == f"Step {many - 1}"


def test_each_call_is_in_the_audit_with_its_memory_and_key(house: House) -> None:
    with house.at("acme/audited", "acme") as assistant:
        assistant.call("remember", text="A secret that no audit holds")
    lines = [orjson.loads(line) for line in house.audited.read_bytes().splitlines()]
    ours = [line for line in lines if line.get("memory") == "acme/audited"]
    assert {line["source"] for line in ours} == {"acme"}
    assert {line["route"] for line in ours} >= {"/mcp/{tenant}/{agent}", "/v1/memories/{tenant}/{agent}/commands"}
    assert b"no audit holds" not in house.audited.read_bytes()
    behind = next(line for line in ours if line["route"].endswith("/commands"))
    assert any(line["request"] == behind["request"] for line in ours if line["route"].startswith("/mcp"))


def test_the_service_is_away_and_back(tmp_path: Path) -> None:
    with Embedded(tmp_path, sliced=True) as engine:
        with Serving(engine, Service(LOOPBACK, doors=(McpDoor(),))) as first:
            port = int(first.url.rpartition(":")[2])
            with talking(f"{first.url}/mcp/me/agent") as assistant:
                ref = assistant.call("remember", text="Before the service went away")["ref"]
        with pytest.raises(BaseException, match=r"."), talking(f"http://127.0.0.1:{port}/mcp/me/agent"):
            pass
        back = Service(("127.0.0.1", port), doors=(McpDoor(),))
        with Serving(engine, back) as again, talking(f"{again.url}/mcp/me/agent") as assistant:
            assert assistant.call("explain", ref=ref)["kind"] == "event"


def test_a_server_over_a_service_that_is_away_says_so_and_goes_on(tmp_path: Path) -> None:
    """As `yggdrasil mcp --service` is: the assistant stays connected to it all the while."""
    with Embedded(tmp_path, sliced=True) as engine:
        with Serving(engine, Service(LOOPBACK)) as first:
            port = int(first.url.rpartition(":")[2])
            memory = Memory.connect(first.url, memory="me/agent")
            stays = talking_to(memory)
            assistant = stays.__enter__()
            ref = assistant.call("remember", text="Before")["ref"]
        told = assistant.refused("recall", query="Before?")
        assert "cannot be reached just now" in told and "Go on without it" in told
        with Serving(engine, Service(("127.0.0.1", port))):
            assert assistant.call("explain", ref=ref)["kind"] == "event"
        stays.__exit__(None, None, None)
        memory.close()


SECRET = re.compile(r"mark-[a-z]+-[a-z]+-\d+")


@pytest.fixture(scope="module")
def rooms(house: House) -> Iterator[dict[str, Assistant]]:
    """An assistant for each of four memories of two tenants, all connected at once."""
    with ExitStack() as stack:
        names = {"acme/east": "acme", "acme/west": "granted", "beta/east": "beta", "beta/west": "beta"}
        yield {name: stack.enter_context(house.at(name, key)) for name, key in names.items()}


WORDS = st.sampled_from(["printer", "deploy", "invoice", "lunch"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["acme/east", "acme/west", "beta/east", "beta/west"]),
        st.sampled_from(["remember", "facts", "recall", "similar_cases", "explain", "graph"]),
        WORDS,
    ),
    min_size=4,
    max_size=10,
)
_told = count()


@settings(max_examples=turns(4, 60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_nothing_crosses_between_memories(rooms: dict[str, Assistant], house: House, steps: list[Any]) -> None:
    """Whatever is told in one memory under whatever key: in no answer of another does its mark stand."""
    refs: dict[str, str] = {}
    for memory, action, word in steps:
        assistant, room = rooms[memory], memory.replace("/", "-")
        mark = f"mark-{room}-{next(_told)}"
        if action == "remember":
            refs[memory] = assistant.call("remember", text=f"The {word} is {mark}", features=[word])["ref"]
            answer = ""
        elif action == "facts":
            assistant.call("facts", subject=f"thing:{word}", predicate="is", object=mark)
            answer = str(assistant.call("facts", subject=f"thing:{word}"))
        elif action == "recall":
            answer = said(assistant.called("recall", {"query": f"What is the {word}?", "history": True}))
        elif action == "similar_cases":
            answer = said(assistant.called("similar_cases", {"situation": word}))
        elif action == "explain":
            others = [ref for name, ref in refs.items() if name != memory]
            answer = "".join(assistant.refused("explain", ref=ref) for ref in others)
            assert not SECRET.search(answer)
        else:
            answer = orjson.dumps(assistant.read("memory://overview")).decode()
        for found in SECRET.findall(answer):
            assert found.startswith(f"mark-{room}-"), f"{found} stands in an answer of {memory}"
