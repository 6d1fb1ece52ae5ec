"""Claims over HTTP: said under a key, read by whoever may, and by nobody of another tenant."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil import AccessError, CommandRefusedError, Fact, InvalidAskError, Memory, UnknownNodeError, Where
from yggdrasil_infra.http.keys import new_key
from yggdrasil_schemas.names import text_digest

Keyring = dict[str, Client]
NOBODY = "01a208d0-0000-7000-8000-000000000000"
OSLO, ROME = {"entity": "city:oslo"}, {"entity": "city:rome"}


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyring]:
    place = tmp_path_factory.mktemp("house")
    file = place / "keys.json"
    keys = {
        "agent": new_key(file, "acme", ["append", "read"], "coder")[1],
        "user": new_key(file, "acme", ["append", "read"], "ana", "user")[1],
        "stranger": new_key(file, "acme", ["append", "read"], "mails", "tool", trust=0)[1],
        "operator": new_key(file, "acme", ["operate", "read"], "operator")[1],
        "elsewhere": new_key(file, "other", ["append", "read"], "elsewhere")[1],
    }
    with ring_of(place / "data", file, keys) as clients:
        yield clients


def claim(subject: str, predicate: str, value: Mapping[str, object], **more: object) -> dict[str, Any]:
    return {"type": "assert_claim", "body": {"subject": subject, "predicate": predicate, "object": value, **more}}


def said(client: Client, command: Mapping[str, object]) -> str:
    answer = client.post("/commands", command)
    assert answer.status == 200 and answer.json["accepted"], answer.body
    command_id: str = answer.json["id"]
    return command_id


def seen(client: Client, query: str) -> list[tuple[object, str, int]]:
    answer = client.get(f"/claims?{query}")
    assert answer.status == 200, answer.body
    return [(each["claim"]["object"], each["status"], each["trust"]) for each in answer.json["claims"]]


def test_a_claim_is_trusted_as_the_key_is_and_nobody_displaces_what_is_trusted_more(ring: Keyring) -> None:
    said(ring["user"], claim("person:ana", "lives_in", OSLO))
    said(ring["agent"], claim("person:ana", "lives_in", ROME))
    said(ring["stranger"], claim("person:ana", "lives_in", {"entity": "city:bern"}))
    of_ana = "subject=person:ana&history=true"
    assert sorted(seen(ring["agent"], of_ana)) == [
        ("city:bern", "candidate", 0), ("city:oslo", "active", 2), ("city:rome", "contested", 1),
    ]  # fmt: skip
    said(ring["operator"], claim("person:ana", "lives_in", ROME))  # its key speaks as an operator
    assert seen(ring["agent"], "subject=person:ana") == [("city:rome", "active", 4)]
    (told,) = ring["agent"].get("/claims?subject=person:ana").json["claims"]
    assert told["text"] == "ana lives in rome"  # it came without a text, and is found by its own words
    ring["user"].post("/commands", claim("person:ana", "lives_in", OSLO) | {"trust": 4}).problem(422, "invalid")


def test_what_a_hostile_key_may_not(ring: Keyring) -> None:
    thinker = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 1}
    decided: list[dict[str, Any]] = [
        claim("person:bo", "likes", OSLO, thinker=thinker),
        {"type": "relate", "body": {"source": "feature:a", "target": "feature:b", "relation": "related",
                                    "thinker": thinker}},
        {"type": "alias_entity", "body": {"name": "bo", "canonical": "person:bo", "thinker": thinker}},
        {"type": "judge", "body": {"items": [{"node": NOBODY, "verdict": "verify"}], "reason": "x",
                                   "thinker": thinker}},
    ]  # fmt: skip
    for command in decided:  # another thinker's cursor is not a key's to move
        ring["user"].post("/commands", command).problem(403, "forbidden")
    define = {"type": "define", "body": {"predicate": "likes", "cardinality": "one"}}
    for name in ("agent", "user", "stranger"):
        ring[name].post("/commands", define).problem(403, "forbidden")
    said(ring["operator"], define)
    alias = {"type": "alias_entity", "body": {"name": "person:robert", "canonical": "person:bo"}}
    assert ring["stranger"].post("/commands", alias).json["reason"] == "not_trusted"
    vegan = {"digest": text_digest("a vegan")}  # whoever confirmed it would lend their word to what is shown
    lie = claim("person:bo", "diet", vegan) | {"content": {"text": "Bo", "object": "a butcher"}}
    for wrong in (lie, lie | {"content": {"text": "Bo"}}, claim("person:bo", "diet", vegan)):
        assert ring["agent"].post("/commands", wrong).problem(422, "invalid")["reason"] == "invalid_content"
    said(ring["agent"], lie | {"content": {"object": "A Vegan"}})
    assert seen(ring["agent"], "subject=person:bo&predicate=diet") == [("A Vegan", "active", 1)]


def test_claims_are_read_by_what_they_say_and_of_when(ring: Keyring) -> None:
    first = said(ring["user"], claim("ship:ada", "owner", {"entity": "firm:one"}, valid_from=1_000))
    second = said(ring["user"], claim("ship:ada", "owner", {"entity": "firm:two"}, valid_from=5_000))
    said(ring["user"], claim("ship:ada", "afloat", {"flag": True}))
    said(ring["user"], claim("ship:ada", "length", {"decimal": "12.5", "unit": "m"}))
    reads = {
        "subject=ship:ada&predicate=owner": ["firm:two"],
        "subject=ship:ada&predicate=owner&valid_at=3000": ["firm:one"],
        "object=firm:two": ["firm:two"],
        "subject=ship:ada&flag=true": [True],
        "subject=ship:ada&object=12.5": ["12.5"],
        "thing=firm:one&statuses=superseded&statuses=active&history=true": ["firm:one"],
        "subject=ship:ada&count=1": [True],
        "subject=ship:nobody": [],
    }
    for query, expected in reads.items():
        found = [value for value, *_ in seen(ring["agent"], query)]
        assert (found if "count" not in query else found[:0] or [True]) == expected, query
    assert ring["agent"].get("/claims?subject=ship:ada&count=1").json["left_out"] == 2
    wrong = ("statuses=gone", "count=0", "count=201", "trust_min=5", "sort=guess", "valid_at=now", "moon=full",
             "object=x&flag=true", f"subject={'x' * 129}", f"object={'x' * 1_025}", "predicate=")  # fmt: skip
    for query in wrong:
        ring["agent"].get(f"/claims?{query}").problem(422, "invalid")
    lineage = ring["agent"].get(f"/claims/{second}/lineage").json
    assert [each["ref"] for each in lineage["before"]] == [first] and lineage["as_of"]
    assert [line["trust"] for line in lineage["lines"]] == [2]
    ring["agent"].get("/claims/feature:ship:ada/lineage").problem(422, "invalid")
    ring["agent"].get(f"/claims/{NOBODY}/lineage").problem(404, "unknown_node")


def test_things_dependents_and_surroundings(ring: Keyring) -> None:
    event = ring["user"].event("Ana showed me her boat", features=["person:eve"])["id"]
    boat = said(ring["user"], claim("person:eve", "has", {"entity": "boat:sea/gull"}, evidence=[event]))
    said(ring["user"], {"type": "alias_entity", "body": {"name": "Eve", "canonical": "person:eve"}})
    why: dict[str, Any] = {"type": "relate", "body": {"source": boat, "target": event, "relation": "depends_on"}}
    said(ring["user"], why | {"content": {"text": "it was the only sight of it"}})
    thing = ring["agent"].get("/entities/Eve").json
    assert (thing["name"], thing["aliases"]) == ("person:eve", ["Eve"])
    assert [each["ref"] for each in ring["agent"].get("/entities/boat:sea%2Fgull").json["claims"]] == [boat]
    resting = ring["agent"].get(f"/nodes/{event}/dependents").json
    assert [(each["memory"]["ref"], each["depth"]) for each in resting["dependents"]] == [(boat, 1)]
    near = ring["agent"].get("/nodes/feature:boat:sea%2Fgull/neighbours?depth=3&count=200").json
    assert {each["depth"] for each in near["neighbours"]} == {1, 2} and not near["cut"]
    assert len(near["neighbours"]) == len({(each["of"], each["ref"], each["edge_kind"]) for each in near["neighbours"]})
    assert ring["agent"].get("/nodes/feature:boat:sea%2Fgull/neighbours?depth=3&count=1").json["cut"]
    for path in (f"/nodes/{event}/dependents?depth=4", f"/nodes/{event}/neighbours?depth=4", "/entities/Eve?count=0"):
        ring["agent"].get(path).problem(422, "invalid")


@pytest.mark.parametrize(
    "path", ["/claims", "/rulings", "/claims/x/lineage", "/entities/person:ana", "/nodes/x/dependents"]
)
def test_nobody_of_another_tenant_reads_any_of_it(ring: Keyring, path: str) -> None:
    ring["elsewhere"].get(path.replace("/x/", f"/{NOBODY}/")).problem(403, "forbidden")


def test_the_facade_knows_things_through_a_service(ring: Keyring) -> None:
    user, operator = ring["user"], ring["operator"]
    with Memory.connect(operator.url, memory="acme/remote", key=operator.key) as memory:
        memory.define("berth", "one", resolution="recency")
    with Memory.connect(user.url, memory="acme/remote", key=user.key) as memory:
        with pytest.raises(AccessError, match="operate"):
            memory.define("berth", "many")
        told = memory.observe("The gull lies at pier 3", [Fact("boat:gull", "berth", 3), ("boat:gull", "dry", True)])
        moved = memory.assert_claim("boat:gull", "berth", "Pier Four", valid_from=1_000)
        assert [each.ref for each in memory.claims("boat:gull", "berth").claims] == [moved]
        assert memory.claims("boat:gull", object=True).claims[0].ref == told.facts[1]
        assert memory.claims("boat:gull", object="Pier Four", statuses=["active", "prior"]).claims[0].ref == moved
        assert len(memory.claims(history=True).claims) == 3
        assert [each.ref for each in memory.lineage(told.facts[0]).evidence] == [told.event]
        assert {each.memory.ref for each in memory.dependents(told.event).dependents} == set(told.facts)
        assert memory.entity("boat:gull", valid_at=500).name == "boat:gull"
        memory.verify(moved, "I saw it")
        with pytest.raises(CommandRefusedError, match="needs_a_person"):
            memory.promote(moved, "as the harbour says")
        with Memory.connect(operator.url, memory="acme/remote", key=operator.key) as harbour:
            harbour.promote(moved, "as the harbour says")
        assert (memory.rulings().predicates, memory.rulings().claims) == ([], 3)
        answer = memory.get_context("Where is the berth of the gull?", where=Where(valid_at=2_000, statuses=["prior"]))
        assert moved in answer.refs
        with pytest.raises(InvalidAskError, match="no claim"):
            memory.lineage(told.event)
        with pytest.raises(UnknownNodeError):
            memory.dependents(NOBODY)
