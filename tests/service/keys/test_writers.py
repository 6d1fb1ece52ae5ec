"""A vector is attached by whoever wrote the node, or by a key that may; an agent's word protects nothing; and a policy
takes no more of the host than its operator allows.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.policy import DEFAULT

VECTOR = Vector.of("mine/1", bytes([127, *[0] * 15])).model_dump()
Ring = dict[str, Client]


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ring]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    keys = {
        "writer": new_key(file, "acme", ["append", "read"], "writer")[1],
        "other": new_key(file, "acme", ["append", "read"], "other")[1],
        "embed": new_key(file, "acme", ["embed"], "embed")[1],
        "operator": new_key(file, "acme", ["operate"], "operator")[1],
        "guard": new_key(file, "acme", ["append"], "guard", "tool")[1],
        "lowly": new_key(file, "acme", ["embed"], "lowly", trust=1)[1],
    }
    service = Service(LOOPBACK, Keys(file), rate=0, ceilings={"nodes_max": 60_000})
    with Embedded(place / "data", sliced=True) as engine, Serving(engine, service) as it:
        engine.submit(Drafter("acme/agent", "monitor", "elsewhere").record_event("Not over HTTP", features=["direct"]))
        clients = {name: Client(it.url, key, "acme/agent") for name, key in keys.items()}
        yield clients
        for client in clients.values():
            client.close()


def attach(node: str) -> dict[str, Any]:
    return {"type": "attach_vector", "body": {"node": node, "model": "mine/1"}, "content": {"vector": VECTOR}}


def test_only_the_key_that_wrote_a_node_and_those_that_embed_attach_a_vector_to_it(ring: Ring) -> None:
    event = ring["writer"].event("The right answer", features=["answer"])["id"]
    said = ring["other"].post("/commands", attach(event)).problem(403, "forbidden")["detail"]
    assert "the key that wrote the node" in said and "embed or operate" in said
    for name in ("writer", "embed", "operator"):
        assert ring[name].post("/commands", attach(event)).json["accepted"], name
    late = ring["writer"].post("/commands", attach(event)).json
    assert (late["accepted"], late["reason"]) == (False, "not_trusted"), "what an operator attached stays"


def test_a_key_that_embeds_speaks_as_an_operator_and_no_more_than_it_is_trusted(ring: Ring) -> None:
    told = ring["guard"].event("The disk is full", features=["disk"])["id"]
    for name in ("embed", "operator"):
        for node in (told, "feature:disk"):
            assert ring[name].post("/commands", attach(node)).json["accepted"], (name, node)
    for node in (told, "feature:disk"):
        assert ring["lowly"].post("/commands", attach(node)).json["reason"] == "not_trusted", node


def test_a_batch_with_one_vector_that_is_not_its_own_is_refused_as_a_whole(ring: Ring) -> None:
    mine = ring["other"].event("Mine")["id"]
    theirs = ring["writer"].event("Theirs")["id"]
    before = ring["other"].get("/stats").json["as_of"]
    ring["other"].post("/commands/batch", {"commands": [attach(mine), attach(theirs)]}).problem(403, "forbidden")
    assert ring["other"].get("/stats").json["as_of"] == before
    assert ring["other"].post("/commands/batch", {"commands": [attach(mine)]}).status == 200


def test_what_nobody_wrote_over_http_is_no_key_s(ring: Ring) -> None:
    found = ring["other"].get("/timeline").json["memories"]
    event = next(one["ref"] for one in found if one["text"] == "Not over HTTP")
    for node in (event, "feature:direct", "feature:nothing"):
        ring["other"].post("/commands", attach(node)).problem(403, "forbidden")
    assert ring["embed"].post("/commands", attach(event)).json["accepted"]


def test_a_node_that_is_not_folded_here_cannot_be_attached_to(ring: Ring) -> None:
    """Not even in the batch that makes it: its id may be another one's by the time it is folded."""
    command_id = "01a2027e-a896-7aac-bed7-03de4d7b9078"
    event = {"type": "record_event", "id": command_id, "body": {}}
    ring["other"].post("/commands", attach(command_id)).problem(404, "unknown_node")
    ring["other"].post("/commands/batch", {"commands": [event, attach(command_id)]}).problem(404, "unknown_node")


def test_an_agent_s_key_cannot_protect_its_memory_by_a_guardrail(ring: Ring) -> None:
    event = ring["writer"].event("Deleted the table", features=["delete"])["id"]
    violated = {"type": "log_outcome", "body": {"event": event, "value": -1, "kind": "guardrail_violation"}}
    said = ring["writer"].post("/commands", violated).problem(403, "forbidden")
    assert "origin tool or user" in said["detail"]
    assert not ring["writer"].get(f"/nodes/{event}").json["memory"]["protected"]
    assert ring["guard"].post("/commands", violated).json["accepted"]
    assert ring["writer"].get(f"/nodes/{event}").json["memory"]["protected"]


def test_a_policy_takes_no_more_of_the_host_than_its_ceilings(ring: Ring) -> None:
    def policy(value: int) -> dict[str, Any]:
        return {"type": "set_policy", "body": {"changes": {"nodes_max": value, "edges_max": DEFAULT.edges_max}}}

    said = ring["operator"].post("/commands", policy(60_001)).problem(403, "forbidden")
    assert "nodes_max may be at most 60000 on this host" in said["detail"]
    assert ring["operator"].post("/commands", policy(60_000)).json["accepted"]
