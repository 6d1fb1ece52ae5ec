"""What would have been, over HTTP: for auditors, one at a time of a tenant, beside reality, and nothing is recorded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil import AccessError, InvalidAskError, Memory, UnknownNodeError
from yggdrasil.serving import Serving
from yggdrasil_infra.http.keys import new_key
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.past.otherwise import Otherwise
from yggdrasil_projections.service.what_if import Meant, Remembered, WhatIfRoute

ASKED = "Should we deploy on Friday?"


@pytest.fixture
def lived(client: Client) -> dict[str, str]:
    """A Friday that went badly, and a Tuesday."""
    friday = client.event("Deployed on a Friday", features=["deploy", "friday"])["id"]
    bad = client.post("/commands", {"type": "log_outcome", "body": {"event": friday, "value": -5, "kind": "outage"}})
    tuesday = client.event("Deployed on a Tuesday", features=["deploy", "tuesday"])["id"]
    return {"friday": friday, "bad": bad.json["id"], "tuesday": tuesday}


def asked(client: Client, **sent: Any) -> dict[str, Any]:
    answer = client.post("/what-if", {"deadline_s": 30, **sent})
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json
    return found


def test_both_histories_answer_beside_each_other(client: Client, lived: dict[str, str]) -> None:
    context = {"read": "get_context", "arguments": {"query": ASKED}}
    found = asked(client, without=[lived["friday"]], **context)
    assert (found["as_of"], found["voids"]["left_out"], found["voids"]["refused"]) == (3, 1, 1)
    assert [each["id"] for each in found["voids"]["refusals"]] == [lived["bad"]]
    assert found["differs"]["gone"] == {"event": 1, "outcome": 1, "feature": 2}
    real, other = ([each["memory"]["ref"] for each in found[side]["answer"]["found"]] for side in ("real", "other"))
    assert real[0] == lived["friday"] and other == [lived["tuesday"]]
    assert not found["real"]["answer"]["recorded"] and not found["other"]["answer"]["recorded"]
    text = asked(client, without=[lived["bad"]], read="get_context", arguments={"query": ASKED, "format": "text"})
    assert "outage" in text["real"]["answer"]["text"] and "outage" not in text["other"]["answer"]["text"]
    assert client.get("/moment").json["as_of"] == 3, "nothing was recorded"


def test_what_is_unknown_in_one_history_is_a_problem_there(client: Client, lived: dict[str, str]) -> None:
    found = asked(client, without=[lived["friday"]], read="describe", arguments={"ref": lived["friday"]})
    assert found["real"]["answer"]["memory"]["text"] == "Deployed on a Friday" and found["other"]["answer"] is None
    assert found["other"]["problem"]["type"].endswith(":unknown_node") and found["other"]["problem"]["remedy"]
    none = asked(client, without_source="loopback")
    assert none["real"] is None and none["voids"]["left_out"] == 3


def test_other_policies_moments_and_commands(client: Client, lived: dict[str, str]) -> None:
    timeline = {"read": "timeline", "arguments": {"count": 5}}
    early = asked(client, without=[lived["bad"]], as_of="2", **timeline)
    assert early["as_of"] == 2 and [len(early[side]["answer"]["memories"]) for side in ("real", "other")] == [1, 1]
    sunday = {"type": "record_event", "body": {"features": ["deploy"]}, "content": {"text": "Deployed on a Sunday"}}
    later = asked(client, with_=[sunday], policy={"salience_initial": 2}, **timeline)
    texts = [[each["text"] for each in later[side]["answer"]["memories"]] for side in ("real", "other")]
    assert "Deployed on a Sunday" not in texts[0] and texts[1][0] == "Deployed on a Sunday"


@pytest.mark.parametrize(
    ("sent", "status", "name", "said"),
    [
        ({"without": ["friday"]}, 422, "invalid", "without"),
        ({"without": ["01900000-0000-7000-8000-000000000000"]}, 422, "invalid", "has accepted no command"),
        ({"without": ["01900000-0000-7000-8000-000000000000"] * 1_001}, 422, "invalid", "without"),
        ({"with_": [{}] * 101}, 422, "invalid", "with_"),
        ({"with_": [{"type": "record_event"}]}, 422, "invalid", "with_.0"),
        ({"policy": {"salience": 2}}, 422, "invalid", "policy"),
        ({"policy": {"salience_initial": "much"}}, 422, "invalid", "policy"),
        ({"as_of": "99"}, 404, "no_such_moment", "has not happened yet"),
        ({"as_of": "2026-02-30"}, 422, "invalid", "as_of"),
        ({"as_of": "yesterday"}, 404, "no_such_moment", "no snapshot called yesterday"),
        ({"as_of": "12:00"}, 422, "invalid", "no point in time"),
        ({"read": "everything"}, 422, "invalid", "there is no read"),
        ({"read": "diff", "arguments": {"from": "1"}}, 422, "invalid", "there is no read"),
        ({"arguments": {"count": 5}}, 422, "invalid", "name it"),
        ({"read": "timeline", "arguments": {"count": 10**9}}, 422, "invalid", "arguments of timeline: count"),
        ({"read": "timeline", "arguments": {"colour": "red"}}, 422, "invalid", "arguments of timeline: colour"),
        ({"read": "timeline", "arguments": {"as_of": "1"}}, 422, "invalid", "said once, of both"),
        ({"read": "describe"}, 422, "invalid", "arguments of describe"),
        ({"deadline_s": 31}, 422, "invalid", "deadline_s"),
        ({"other": 1}, 422, "invalid", "other"),
    ],
)
def test_what_cannot_be_supposed(
    client: Client, lived: dict[str, str], sent: dict[str, Any], status: int, name: str, said: str
) -> None:
    problem = client.post("/what-if", sent).problem(status, name)
    assert said in problem["detail"], problem


def test_it_is_built_while_nobody_waits(client: Client, lived: dict[str, str]) -> None:
    sunday = {"type": "record_event", "body": {"features": ["deploy"]}, "content": {"text": "Deployed on a Sunday"}}
    sent = {"with_": [sunday], "deadline_s": 0}
    first = client.post("/what-if", sent)
    tries = 0
    while first.status == 503:
        problem = first.problem(503, "past_being_built")
        assert first.headers["retry-after"] == "1" and {"done", "total"} <= problem["arguments"].keys()
        client.event("Life goes on")
        tries += 1
        first = client.post("/what-if", sent)
    assert first.status == 200 and tries, first.body
    assert first.json["as_of"] == 3, "what is asked again is of the moment at which it was asked first"


def test_one_at_a_time_of_a_tenant(
    serving: Serving, client: Client, lived: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    compared = WhatIfRoute._compared

    def meanwhile(self: WhatIfRoute, memory: str, *rest: Any) -> Any:
        with Client(serving.url, memory=memory) as second:
            answer = second.post("/what-if", {})
            assert answer.problem(429, "too_many_requests")["detail"].endswith("one at a time")
            seen.append(int(answer.headers["retry-after"]))
        return compared(self, memory, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(WhatIfRoute, "_compared", meanwhile)
        assert client.post("/what-if", {"without": [lived["bad"]], "deadline_s": 30}).status == 200
    assert seen == [1]
    asked(client, without=[lived["bad"]])


def test_one_tenant_makes_nobody_elses_request_mean_something_new() -> None:
    remembered, meant = Remembered(4), Meant(Otherwise(), None)
    remembered.note("beta", b"first", meant)
    for number in range(20):
        remembered.note("acme", b"%d" % number, meant)
    assert remembered.get("beta", b"first") == meant
    assert [number for number in range(20) if remembered.get("acme", b"%d" % number)] == [17, 18, 19]
    remembered.forget("beta", b"first")
    assert remembered.get("beta", b"first") is None


@pytest.mark.parametrize("depth", [20, 252, 900])
def test_json_that_is_nested_deep_is_no_command(client: Client, lived: dict[str, str], depth: int) -> None:
    nested = '{"a":' * depth + "{}" + "}" * depth
    sent = '{"with_":[{"type":"record_event","body":{},"content":{"payload":' + nested + "}}]}"
    answer = client.send("POST", f"/v1/memories/{client.memory}/what-if", sent.encode())
    assert "nest" in answer.problem(422, "invalid")["detail"]


@pytest.fixture
def ring(tmp_path: Path) -> Iterator[dict[str, Client]]:
    file = tmp_path / "keys.json"
    keys = {
        "reader": new_key(file, "acme", ["read", "append"], "reader")[1],
        "auditor": new_key(file, "acme", ["audit"], "auditor")[1],
        "careful": new_key(file, "acme", ["audit"], "careful", trust_min=2)[1],
        "operator": new_key(file, "acme", ["append", "operate", "audit"], "operator")[1],
    }
    with ring_of(tmp_path / "data", file, keys) as clients:
        yield clients


def test_it_takes_the_role_audit_and_of_each_command_its_own(ring: dict[str, Client]) -> None:
    friday = ring["reader"].event("Deployed on a Friday")["id"]
    ring["reader"].post("/what-if", {"without": [friday]}).problem(403, "forbidden")
    event = {"type": "record_event", "body": {}, "content": {"text": "Never"}}
    ring["auditor"].post("/what-if", {"with_": [event]}).problem(403, "forbidden")
    assert asked(ring["operator"], with_=[event])["differs"]["new"] == {"event": 1}
    ring["operator"].post("/what-if", {"policy": {"nodes_max": 10**6}}).problem(403, "forbidden")
    with Client(ring["auditor"].url, ring["auditor"].key, "other/agent") as other:
        other.post("/what-if", {}).problem(403, "forbidden")
    with Client(ring["auditor"].url, ring["auditor"].key, "acme/nobody") as unknown:
        unknown.post("/what-if", {}).problem(404, "unknown_memory")


def test_what_a_lens_hides_stays_hidden_in_both_histories(ring: dict[str, Client]) -> None:
    agent, operator = ring["reader"], ring["operator"]
    hidden = agent.event("The password is swordfish", features=["swordfish"])["id"]
    agent.post("/commands", {"type": "log_outcome", "body": {"event": hidden, "value": -4, "kind": "swordfish"}})
    agent.event("The agent is called swordfish", caused_by=[hidden])
    seen = operator.event("The password was changed")["id"]
    for sent in (
        {"without": [hidden]},
        {"without": [seen]},
        {"without": [seen], "read": "timeline"},
        {"without": [seen], "read": "said"},
        {"without": [seen], "read": "get_context", "arguments": {"query": "password", "min_confidence": 0}},
        {"without": [seen], "read": "get_similar_cases", "arguments": {"query": "password"}},
        {"without": [seen], "read": "foretell", "arguments": {"text": "swordfis", "features": ["password"]}},
    ):
        shown = ring["careful"].post("/what-if", {"deadline_s": 30, **sent})
        assert shown.status == 200, shown.body
        assert b"swordfish" not in shown.body and hidden.encode() not in shown.body, sent
    told = ring["auditor"].post("/what-if", {"without": [seen], "read": "timeline", "deadline_s": 30})
    assert b"swordfish" in told.body


def test_the_facade_supposes_at_a_service(serving: Serving, client: Client, lived: dict[str, str]) -> None:
    with Memory.connect(serving.url, memory=client.memory) as memory:
        other = memory.what_if(lived["friday"])
        assert other.get_context(ASKED).refs == [lived["tuesday"]]
        assert other.voids is not None and (other.voids.left_out, other.voids.refused) == (1, 1)
        assert other.differs().gone == {"event": 1, "outcome": 1, "feature": 2}
        with pytest.raises(UnknownNodeError):
            other.describe(lived["friday"])
        with pytest.raises(InvalidAskError, match="has accepted no command"):
            memory.what_if("01900000-0000-7000-8000-000000000000")
        draft = Drafter(client.memory, "loopback", "test").record_event("Deployed on a Sunday")
        assert memory.what_if(with_=[draft]).timeline(count=1).memories[0].ref == draft.id
        assert memory.what_if().digest() == memory.digest()


def test_a_key_that_may_not_audit_supposes_nothing(ring: dict[str, Client]) -> None:
    ring["reader"].event("Deployed on a Friday")
    with (
        Memory.connect(ring["reader"].url, key=ring["reader"].key, memory="acme/agent") as memory,
        pytest.raises(AccessError),
    ):
        memory.what_if()
