"""A key opens the agents that it is for, and what comes with it says so for ever."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.ids import key_in


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Embedded, dict[str, Client], dict[str, str]]]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    made = {
        "planner": new_key(file, "acme", ["append", "read"], "planner", agents="plan-*"),
        "all": new_key(file, "acme", ["append", "read", "operate"], "all"),
        "tool": new_key(file, "acme", ["append"], "tool", "tool"),
    }
    with (
        Embedded(place / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it,
    ):
        clients = {name: Client(it.url, key, "acme/plan-1") for name, (_, key) in made.items()}
        yield engine, clients, {name: entry.id for name, (entry, _) in made.items()}
        for client in clients.values():
            client.close()


def test_a_key_for_agents_opens_no_other(house: tuple[Embedded, dict[str, Client], dict[str, str]]) -> None:
    _, clients, _ = house
    planner, every = clients["planner"], clients["all"]
    planner.event("Planned")
    every.memory = "acme/secret"
    every.event("Hidden")
    for memory in ("acme/secret", "acme/nobody", "acme/Plan-1", "acme/xplan-1"):
        planner.memory = memory
        one = planner.get("/stats").problem(403, "forbidden")["detail"]
        other = planner.post("/commands", {"type": "record_event", "body": {}}).problem(403, "forbidden")["detail"]
        assert one == other == "this key is not for this memory"
    assert planner.send("GET", "/v1/memories").json == {"memories": ["acme/plan-1"]}
    assert every.send("GET", "/v1/memories").json == {"memories": ["acme/plan-1", "acme/secret"]}


def test_what_comes_with_a_key_names_it(house: tuple[Embedded, dict[str, Client], dict[str, str]]) -> None:
    engine, clients, ids = house
    first = clients["planner"].event("Planned", features=["plan"])["id"]
    recall = clients["all"].ask("plan")["recall_id"]
    action = clients["planner"].event("Done", features=["plan"], informed_by=[recall])["id"]
    clients["tool"].post("/commands", {"type": "log_outcome", "body": {"event": action, "value": -1}})
    why = clients["all"].get(f"/actions/{action}").json
    assert (why["source"], why["key"]) == ("planner", ids["planner"])
    assert [seen["key"] for seen in why["informed_by"]] == [ids["all"]]
    assert [seen["key"] for seen in why["memory"]["outcomes"]] == [ids["tool"]]
    records = [
        orjson.loads(record.value or b"")
        for partition in range(engine.log.partitions)
        for record in engine.log.read(partition, 0, 100)
    ]
    keys = [key_in(record["process"]) for record in records]
    assert keys == [ids["planner"], ids["all"], ids["planner"], ids["tool"], ids["all"]]
    assert orjson.dumps(records[-1]["body"]["purpose"]) == b'"explanation"'
    assert records[0]["id"] == first


@pytest.mark.parametrize("field", ["source", "process", "origin"])
def test_nobody_says_who_they_are(house: tuple[Embedded, dict[str, Client], dict[str, str]], field: str) -> None:
    _, clients, ids = house
    said = {"type": "record_event", "body": {}, field: f"yggdrasil-serve/{ids['tool']}"}
    clients["planner"].post("/commands", said).problem(422, "invalid")


def test_a_fork_is_for_who_operates_and_for_keys_whose_pattern_names_it(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = {
        "reader": new_key(file, "acme", ["read"], "reader")[1],
        "granted": new_key(file, "acme", ["read"], "granted", agents="*.fork-*")[1],
        "auditor": new_key(file, "acme", ["audit"], "auditor")[1],
        "operator": new_key(file, "acme", ["append", "read", "operate"], "operator")[1],
    }
    fork = "acme/plan.fork-careful"
    with (
        Embedded(tmp_path / "data", sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it,
    ):
        memory = Memory(engine, Drafter("acme/plan", "me", "here"))
        memory.record_event("Planned")
        assert memory.fork(1, "careful").memory == fork
        clients = {name: Client(it.url, key, fork) for name, key in keys.items()}
        clients["reader"].get("/timeline").problem(403, "forbidden")
        for name in ("granted", "auditor", "operator"):
            assert clients[name].get("/timeline").json["as_of"] == 1
        for name, listed in (("reader", ["acme/plan"]), ("granted", [fork]), ("operator", ["acme/plan", fork])):
            wanted = clients[name].send("GET", "/v1/memories?forks=true").json["memories"]
            assert wanted == listed, name
            assert clients[name].send("GET", "/v1/memories").json["memories"] == [
                each for each in listed if each != fork
            ]
        for client in clients.values():
            client.close()
