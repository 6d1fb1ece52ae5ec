"""What mem0, LangGraph's store and MCP's memory server export becomes events, documents and claims."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from tests.producers.drafts import DRAFTER
from tests.producers.exports.samples import commands_of, content, imported, texts, written
from yggdrasil_producers.documents import namespace_feature
from yggdrasil_producers.importers.exports import import_langgraph, import_mcp_memory, import_mem0
from yggdrasil_schemas.names import text_digest

MEMORY: dict[str, Any] = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
    "memory": "Dev works at TechCorp as a senior engineer",
    "user_id": "dev",
    "agent_id": None,
    "run_id": "onboarding",
    "hash": "f0e1",
    "metadata": {"type": "professional", "remote": True, "level": 3, "skills": ["go", "sql"], "outcome": "x",
                 "note": "n" * 65, "nested": {"deep": 1}},
    "categories": ["work", "work", 5],
    "created_at": "2024-07-26T10:29:36.630547-07:00",
    "updated_at": "2024-07-27T10:29:36Z",
    "score": 0.3,
}  # fmt: skip


@pytest.mark.parametrize("lines", [False, True])
def test_a_memory_of_mem0_is_an_event_under_its_id(tmp_path: Path, lines: bool) -> None:
    file = written(tmp_path, json.dumps(MEMORY).encode() if lines else {"count": 1, "results": [MEMORY]})
    (event,) = imported(import_mem0, file)
    assert (content(event).text, event.body.key, event.at) == (
        MEMORY["memory"],
        f"import:mem0:{MEMORY['id']}",
        1_722_076_176_000,
    )
    assert event.body.features == [
        "user:dev", "run:onboarding", "category:work", "type:professional", "remote:true", "level:3", "skills:go",
        "skills:sql",
    ]  # fmt: skip
    payload = content(event).payload
    assert payload is not None and payload["metadata"] == MEMORY["metadata"] and "score" not in payload
    assert event.session == "mem0/onboarding"


def test_a_later_export_of_mem0_says_something_else_under_the_same_key(tmp_path: Path) -> None:
    later = MEMORY | {"memory": "Dev works at Initech", "updated_at": "2025-01-01T00:00:00Z"}
    back = MEMORY | {"updated_at": "2025-06-01T00:00:00Z"}
    scored = MEMORY | {"score": 0.9}
    ones = [imported(import_mem0, written(tmp_path, [each]))[0] for each in (MEMORY, scored, later, back)]
    assert ones[0].id == ones[1].id and len({each.id for each in ones}) == 3
    assert {each.body.key for each in ones} == {f"import:mem0:{MEMORY['id']}"}


def test_relations_of_mem0_are_claims_and_what_is_no_memory_is_named(tmp_path: Path) -> None:
    data = {
        "results": [{"id": "a", "memory": "Ana eats plants"}, {"id": "b"}, {"memory": "no id"}, 7,
                    {"id": "c", "memory": "x", "categories": [f"c{n}" for n in range(40)]}],
        "relations": [{"source": "ana", "relationship": "likes", "target": "jazz"}, {"source": "ana"}],
    }  # fmt: skip
    importing = import_mem0(written(tmp_path, data), DRAFTER)
    event, many, claim = commands_of(importing)
    assert (event.session, event.body.features, len(many.body.features)) == ("default", [], 32)
    assert (claim.body.subject, claim.body.predicate, claim.body.object.entity) == ("ana", "likes", "jazz")
    assert importing.unread.reasons == {
        "no memory": 2,
        "no object": 1,
        "no relation": 1,
        "more than 32 features: the rest is in the payload alone": 1,
    }
    assert importing.unread.places[0][0] == "line 1, results 2"


def test_the_items_of_a_real_store_are_documents(tmp_path: Path) -> None:
    store = InMemoryStore()
    store.put(("users", "ana"), "diet", {"eats": "plants", "since": [2024, None], "Ä": {"b": 1.5}})
    store.put(("users",), "empty", {})
    items = [item.dict() for item in store.search((), limit=10)]
    for data in (items, {"items": items}, "\n".join(map(json.dumps, items)).encode()):
        found = {each.body.key: each for each in imported(import_langgraph, written(tmp_path, data))}
        diet, empty = found["langgraph:users/ana/diet"], found["langgraph:users/empty"]
        payload = content(diet).payload
        assert payload is not None and payload["value"] == {"eats": "plants", "since": [2024, None], "Ä": {"b": 1.5}}
        assert payload["path"] == ["langgraph", "users", "ana", "diet"]
        assert diet.body.features == [
            namespace_feature("langgraph", path) for path in (("users", "ana"), ("users",), ())
        ]
        assert (content(diet).text, diet.session) == ("eats: plants\nsince: 2024\nÄ b: 1.5", "langgraph")
        assert (content(empty).text, empty.session) == (None, "langgraph-kept")
        when = next(item for item in store.search(()) if item.key == "diet").updated_at
        assert diet.at == int(when.timestamp() * 1000) and payload["created"] <= diet.at


def test_rows_of_its_table_are_items_too(tmp_path: Path) -> None:
    rows = [{"prefix": "users.ana", "key": "diet", "value": '{"eats": "plants"}', "created_at": "2024-01-01 00:00:00"}]
    (item,) = imported(import_langgraph, written(tmp_path, rows))
    assert (item.body.key, item.at) == ("langgraph:users/ana/diet", 1_704_067_200_000)


def test_what_is_no_item_is_named(tmp_path: Path) -> None:
    good: dict[str, Any] = {"namespace": ["a"], "key": "k", "value": {}}
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    wrong: list[Any] = [
        {}, good | {"namespace": "a"}, good | {"namespace": ["a", 1]}, good | {"key": None}, good | {"key": ""},
        good | {"value": 5}, good | {"value": "{"}, good | {"namespace": ["a"] * 40},
        good | {"namespace": ["x" * 2_000]},
        good | {"value": {"long": "x" * 200_000}}, good | {"value": {"deep": deep}},
    ]  # fmt: skip
    importing = import_langgraph(written(tmp_path, [*wrong, good]), DRAFTER)
    assert len(commands_of(importing)) == 1
    assert [place for place, _, _ in importing.unread.places] == [f"element {n}" for n in range(1, len(wrong) + 1)]


GRAPH = [
    {
        "type": "entity",
        "name": "Ana_Ruiz",
        "entityType": "person",
        "observations": ["Likes jazz", "likes jazz", "likes jazz"],
    },
    {"type": "entity", "name": "Depot", "entityType": "place", "observations": ["city:oslo", "x" * 2_000]},
    {"type": "relation", "from": "Ana_Ruiz", "to": "Depot", "relationType": "works_at"},
]


@pytest.mark.parametrize("whole", [False, True])
def test_the_graph_of_the_memory_server_is_claims(tmp_path: Path, whole: bool) -> None:
    graph = {"entities": GRAPH[:2], "relations": GRAPH[2:]}
    file = written(tmp_path, graph if whole else "\n".join(map(json.dumps, GRAPH)).encode())
    person, loud, quiet, place, thing, long, works = imported(import_mcp_memory, file)
    assert (person.body.subject, person.body.predicate, content(person).text) == (
        "Ana_Ruiz", "is_a", "Ana_Ruiz is a person",
    )  # fmt: skip
    assert [content(each).text for each in (loud, quiet)] == ["Ana_Ruiz: Likes jazz", "Ana_Ruiz: likes jazz"]
    assert loud.body.object == quiet.body.object and loud.body.qualifiers != quiet.body.qualifiers
    assert (content(place).object, content(thing).text) == ("place", "Depot: city:oslo")
    assert thing.body.object.digest == text_digest("city:oslo"), "an observation is a text, whatever it looks like"
    assert content(long).text == "Depot: " + "x" * 2_000
    assert (works.body.subject, works.body.predicate, works.body.object.entity) == ("Ana_Ruiz", "works_at", "Depot")


def test_what_is_no_part_of_a_graph_is_named(tmp_path: Path) -> None:
    lines = [
        '{"type":"entity","name":"A","entityType":"t","observations":["ok",5,"",{"content":"of a fork"}]}',
        '{"type":"entity","name":"B","entityType":"t"}',
        '{"type":"entity","name":"","entityType":"t","observations":[]}',
        '{"type":"relation","from":"A","to":"B"}',
        '{"type":"relation","from":"A","to":"' + "B" * 200 + '","relationType":"r"}',
        '{"type":"moon"}',
        "{",
        "[]",
        "NaN",
    ]
    importing = import_mcp_memory(written(tmp_path, "\n".join(lines).encode(), "memory.jsonl"), DRAFTER)
    assert texts(commands_of(importing)) == ["A is a t", "A: ok", "A: of a fork", "B is a t"]
    assert [place for place, _, _ in importing.unread.places] == [
        "line 1, observation 2", "line 2", *(f"line {n}" for n in range(3, 10))
    ]  # fmt: skip
