"""The tools of the official memory server: its own cases, told anew, and what is more than it can."""

from typing import Any

import orjson
import pytest

from tests.doors.mcp.conftest import memory_of
from tests.doors.mcp.speaking import Assistant, talking_to
from yggdrasil.engines.embedded import Embedded

ACME = "works at Acme Corp"


def entity(name: str, kind: str = "person", *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(source: str, target: str, kind: str = "knows") -> dict[str, str]:
    return {"from": source, "to": target, "relationType": kind}


def names(graph: dict[str, Any]) -> set[str]:
    return {each["name"] for each in graph["entities"]}


def pairs(graph: dict[str, Any]) -> set[tuple[str, str]]:
    return {(each["from"], each["to"]) for each in graph["relations"]}


@pytest.fixture
def direct(engine: Embedded, name: str) -> Any:
    """In this process, where a case takes least."""
    with talking_to(memory_of(engine, name), "graph") as it:
        yield it


def test_a_graph_from_end_to_end(librarian: Assistant) -> None:
    """In each way to a memory; what follows looks at the rest in one of them."""
    assert librarian.call("read_graph") == {"entities": [], "relations": []}
    made = [entity("Alice", "person", ACME), entity("Bob", "person", "likes programming")]
    assert librarian.call("create_entities", entities=made) == {"entities": made}
    assert librarian.call("create_relations", relations=[relation("Alice", "Bob")])["relations"]
    added = librarian.call("add_observations", observations=[{"entityName": "Alice", "contents": ["has a dog"]}])
    assert added == {"results": [{"entityName": "Alice", "addedObservations": ["has a dog"]}]}
    graph = librarian.call("read_graph")
    assert graph["entities"] == [entity("Alice", "person", ACME, "has a dog"), made[1]]
    assert graph["relations"] == [relation("Alice", "Bob")]
    assert names(librarian.call("search_nodes", query="DOG")) == {"Alice"}
    assert names(librarian.call("open_nodes", names=["Bob"])) == {"Bob"}
    assert librarian.read("memory://knowledge-graph") == graph
    librarian.call("delete_observations", deletions=[{"entityName": "Alice", "observations": [ACME]}])
    librarian.call("delete_relations", relations=[relation("Alice", "Bob")])
    librarian.call("delete_entities", entityNames=["Bob"])
    assert librarian.call("read_graph") == {"entities": [entity("Alice", "person", "has a dog")], "relations": []}


def test_nothing_is_there_twice(direct: Assistant) -> None:
    alice = entity("Alice", "person", ACME)
    assert direct.call("create_entities", entities=[])["entities"] == []
    direct.call("create_entities", entities=[alice, alice])
    assert direct.call("create_entities", entities=[alice])["entities"] == []
    assert direct.call("create_relations", relations=[])["relations"] == []
    direct.call("create_relations", relations=[relation("Alice", "Alice", "self")])
    assert direct.call("create_relations", relations=[relation("Alice", "Alice", "self")])["relations"] == []
    direct.call("add_observations", observations=[{"entityName": "Alice", "contents": ["likes coffee"]}])
    again = {"entityName": "Alice", "contents": ["likes coffee", "has a dog"]}
    added = direct.call("add_observations", observations=[again])["results"]
    assert added == [{"entityName": "Alice", "addedObservations": ["has a dog"]}]
    graph = direct.call("read_graph")
    assert graph["entities"] == [entity("Alice", "person", ACME, "likes coffee", "has a dog")]
    assert graph["relations"] == [relation("Alice", "Alice", "self")]


def test_what_is_not_there(direct: Assistant) -> None:
    nobody = [{"entityName": "Alice", "contents": ["x"]}, {"entityName": "Nobody", "contents": ["x"]}]
    direct.call("create_entities", entities=[entity("Alice")])
    assert "Entity with name Nobody not found" in direct.refused("add_observations", observations=nobody)
    assert direct.call("open_nodes", names=["Alice"])["entities"] == [entity("Alice")], "nothing was added"
    direct.call("delete_entities", entityNames=["Nobody"])
    direct.call("delete_observations", deletions=[{"entityName": "Nobody", "observations": ["x"]}])
    direct.call("delete_relations", relations=[relation("Nobody", "Alice")])
    assert direct.call("open_nodes", names=["Nobody"]) == {"entities": [], "relations": []}
    assert direct.call("open_nodes", names=[]) == {"entities": [], "relations": []}
    assert direct.call("search_nodes", query="Nobody") == {"entities": [], "relations": []}
    assert "128 characters on one line" in direct.refused("create_entities", entities=[entity("two\nlines")])


def test_an_entity_takes_its_relations_with_it_and_may_come_again(direct: Assistant) -> None:
    direct.call("create_entities", entities=[entity("Alice"), entity("Bob", "person", "likes tea"), entity("Charlie")])
    direct.call("create_relations", relations=[relation("Alice", "Bob"), relation("Bob", "Charlie")])
    direct.call("create_relations", relations=[relation("Alice", "Charlie", "works_with")])
    direct.call("delete_entities", entityNames=["Bob"])
    graph = direct.call("read_graph")
    assert names(graph) == {"Alice", "Charlie"} and pairs(graph) == {("Alice", "Charlie")}
    direct.call("create_entities", entities=[entity("Bob", "robot", "likes tea")])
    direct.call("create_relations", relations=[relation("Alice", "Bob")])
    opened = direct.call("open_nodes", names=["Bob"])
    assert opened == {"entities": [entity("Bob", "robot", "likes tea")], "relations": [relation("Alice", "Bob")]}


def test_only_the_relation_that_is_meant_goes(direct: Assistant) -> None:
    direct.call("create_entities", entities=[entity("Alice"), entity("Bob")])
    two = [relation("Alice", "Bob"), relation("Alice", "Bob", "works_with")]
    direct.call("create_relations", relations=two)
    direct.call("delete_relations", relations=two[:1])
    assert direct.call("read_graph")["relations"] == two[1:]


def test_search(direct: Assistant) -> None:
    people = [entity("Alice", "person", ACME, "likes programming"), entity("Bob", "person", "works at TechCo")]
    direct.call("create_entities", entities=[*people, entity("Acme Corp", "company", "tech company")])
    ends = [relation("Alice", "Acme Corp", "works_at"), relation("Bob", "Acme Corp", "competitor")]
    direct.call("create_relations", relations=ends)
    found = {"Alice": {"Alice"}, "ALICE": {"Alice"}, "company": {"Acme Corp"}, "programming": {"Alice"}}
    for query, expected in found.items():
        assert names(direct.call("search_nodes", query=query)) == expected, query
    both = direct.call("search_nodes", query="Acme")
    assert names(both) == {"Alice", "Acme Corp"} and len(both["relations"]) == 2
    assert direct.call("search_nodes", query="Alice")["relations"] == ends[:1]


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        (["Alice", "Bob"], {("Alice", "Bob"), ("Bob", "Charlie")}),
        (["Bob"], {("Alice", "Bob"), ("Bob", "Charlie")}),
        (["Alice"], {("Alice", "Bob")}),
        (["Charlie"], {("Bob", "Charlie")}),
    ],
)
def test_opened_nodes_show_what_leads_from_and_to_them(
    direct: Assistant, opened: list[str], expected: set[tuple[str, str]]
) -> None:
    direct.call("create_entities", entities=[entity("Alice"), entity("Bob"), entity("Charlie")])
    direct.call("create_relations", relations=[relation("Alice", "Bob"), relation("Bob", "Charlie")])
    graph = direct.call("open_nodes", names=opened)
    assert names(graph) == set(opened) and pairs(graph) == expected


def test_an_observation_comes_back_to_the_letter(direct: Assistant) -> None:
    told = [
        *(
            "Likes Coffee",
            "likes coffee",
            " begins  with a space",
            "todo: mend it",
            "city:oslo",
            "two\nlines\tand more",
        ),
        *("e\u0301 in two code points", "\u00e9 in one", '{"a": [1]}', "42", "true", "Alice: hello", "long " * 500),
    ]
    direct.call("create_entities", entities=[entity("Alice", "person", *told)])
    alice = direct.call("open_nodes", names=["Alice"], tokens_max=5_000)["entities"][0]
    assert alice["observations"] == told
    for each in told:
        direct.call("delete_observations", deletions=[{"entityName": "Alice", "observations": [each]}])
    assert direct.call("open_nodes", names=["Alice"])["entities"] == [entity("Alice")]


def test_what_is_deleted_stays_in_the_history(direct: Assistant, engine: Embedded, name: str) -> None:
    direct.call("create_entities", entities=[entity("Alice", "person", ACME)])
    direct.call("delete_entities", entityNames=["Alice"])
    memory = memory_of(engine, name)
    assert not memory.claims("Alice").claims
    kept = memory.claims("Alice", history=True).claims
    assert {each.status for each in kept} == {"rejected"} and len(kept) == 2
    assert {each.ruling.reason for each in kept if each.ruling} == {"deleted"}


def test_other_doors_see_the_graph_and_it_sees_what_they_claim(direct: Assistant, engine: Embedded, name: str) -> None:
    direct.call("create_entities", entities=[entity("Alice", "person", "is allergic to nuts")])
    memory = memory_of(engine, name)
    found = memory.get_context("What is Alice allergic to?").found
    assert found[0].memory.text == "Alice: is allergic to nuts"
    memory.assert_claim("Bo", "is_a", "person")
    memory.assert_claim("Bo", "knows", {"entity": "Alice"})
    memory.assert_claim("Bo", "age", 30)
    graph = direct.call("read_graph")
    assert entity("Bo") in graph["entities"] and relation("Bo", "Alice") in graph["relations"]
    direct.call("delete_entities", entityNames=["Bo"])
    assert [each.text for each in memory.claims("Bo").claims] == ["Bo age 30"], "what is no part of the graph stays"


def test_a_large_graph_is_read_in_parts(direct: Assistant) -> None:
    """Beyond what one read of claims returns: 120 entities with an observation each."""
    made = [entity(f"thing-{number}", "thing", f"the observation {number}") for number in range(120)]
    for begin in (0, 60):
        direct.call("create_entities", entities=made[begin : begin + 60])
    direct.call("create_relations", relations=[relation("thing-0", "thing-119")])
    seen: dict[str, Any] = {}
    cursor, reads = 0, 0
    while True:
        part = direct.call("read_graph", cursor=cursor, tokens_max=600)
        assert len(orjson.dumps(part)) <= 2_800
        seen |= {each["name"]: each for each in part["entities"]}
        reads += 1
        if "cursor" not in part:
            break
        assert part["cursor"] > cursor and "read_graph with cursor" in part["more"]
        cursor = part["cursor"]
    assert reads > 1 and len(seen) == 120
    assert all(each in seen.values() for each in made)
    assert names(direct.call("search_nodes", query="observation 117")) == {"thing-117"}
    much = direct.call("search_nodes", query="the observation", tokens_max=200)
    assert "more entities" in much["more"]
    small = direct.call("open_nodes", names=["thing-0"], tokens_max=100)
    assert small["relations"] == [relation("thing-0", "thing-119")]


def test_an_entity_that_does_not_fit_says_how_much_is_left_out(direct: Assistant) -> None:
    direct.call("create_entities", entities=[entity("Alice", "person", *(f"{n} " + "very " * 50 for n in range(20)))])
    answer = direct.call("open_nodes", names=["Alice"], tokens_max=300)
    shown = len(answer["entities"][0]["observations"])
    assert 0 < shown < 20 and f"{20 - shown} more observations of Alice" in answer["more"]
