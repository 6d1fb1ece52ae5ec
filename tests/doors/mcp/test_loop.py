"""The tools of the loop, by the SDK's own client, in each way to a memory."""

from typing import Any

import orjson
import pytest

from tests.doors.mcp.conftest import memory_of
from tests.doors.mcp.speaking import Assistant, said, talking_to
from tests.size import turns
from yggdrasil.doors.mcp.answering import TOKENS_MAX
from yggdrasil.engines.embedded import Embedded

LOOP = [
    "recall", "similar_cases", "remember", "report_outcome", "report_use", "correct", "facts", "explain",
    "begin_session", "session_context", "scratchpad", "end_session",
]  # fmt: skip


def test_the_loop(assistant: Assistant) -> None:
    event = assistant.call("remember", text="Deployed on a Friday", features=["deploy", "friday"])["ref"]
    assistant.call("report_outcome", ref=event, value=-6, kind="outage", text="The site was down")

    recalled = assistant.call("recall", query="Should we deploy on Friday?", features=["friday"])
    assert recalled["refs"] == {"m1": event}
    assert "Deployed on a Friday" in recalled["text"] and "outage" in recalled["text"]
    assert recalled["nothing"] is None

    cases = assistant.call("similar_cases", situation="Deploy on a Friday evening")
    assert "Ended badly" in cases["text"] and cases["refs"] == {"m1": event}

    next_one = assistant.call(
        "remember", text="Deployed on Monday instead", informed_by=[recalled["recall_id"]], features=["deploy"]
    )["ref"]
    assistant.call("report_use", recall_id=recalled["recall_id"], used=[event], result_of_task="success", helpful=True)
    explained = assistant.call("explain", ref=next_one)
    assert explained["kind"] == "event"
    assert event in orjson.dumps(explained["explained"]["informed_by"]).decode()


def test_an_answer_beside_an_empty_list_is_looked_at(assistant: Assistant) -> None:
    event = assistant.call("remember", text="The lamp in the hall is broken")["ref"]
    recalled = assistant.call("recall", query="Which lamp is broken?")
    told = assistant.call(
        "report_use", recall_id=recalled["recall_id"], used=[], output="The lamp in the hall is broken."
    )
    assert (told["used"], told["method"]) == ([event], "words")


def test_what_no_longer_holds_is_in_no_answer(assistant: Assistant) -> None:
    old = assistant.call("remember", text="The build server is called jenkins")["ref"]
    new = assistant.call("correct", ref=old, action="supersede", text="The build server is called buildbot")["ref"]
    assert list(assistant.call("recall", query="What is the build server called?")["refs"].values()) == [new]
    both = assistant.call("recall", query="What is the build server called?", history=True)
    assert {old, new} <= {*both["refs"].values(), *both["more"]}

    assistant.call("correct", ref=new, action="withdraw", reason="a joke")
    gone = assistant.call("recall", query="What is the build server called?")
    assert not gone["refs"] and gone["nothing"]
    assistant.call("correct", ref=new, action="reinstate")
    assert list(assistant.call("recall", query="What is the build server called?")["refs"].values()) == [new]

    question = assistant.call("remember", text="Who pays for the build server?", note="open_question")["ref"]
    assistant.call("correct", ref=question, action="resolve")


def test_facts(assistant: Assistant) -> None:
    fact = assistant.call("facts", subject="person:ana", predicate="lives_in", object="city:rome")["ref"]
    assistant.call("facts", subject="person:ana", predicate="lives_in", object="city:oslo")
    assistant.call("facts", subject="person:ana", predicate="children", object=2)
    now = assistant.call("facts", subject="person:ana", predicate="lives_in")["facts"]
    assert [each["fact"]["object"] for each in now] == ["city:oslo"]
    assert now[0]["said_by"].startswith("agent")
    ever = assistant.call("facts", subject="person:ana", predicate="lives_in", history=True)["facts"]
    assert fact in [each["ref"] for each in ever] and len(ever) == 2
    assert assistant.call("explain", ref=fact)["kind"] == "claim"
    assert assistant.call("facts", subject="person:bo")["facts"] == []


def test_what_a_stranger_says_is_told_as_theirs(engine: Embedded, name: str) -> None:
    """In an explanation too, from which what says nothing is left out: a trust of 0 says something."""
    memory = memory_of(engine, name)
    memory.set_policy(notes_trust_min=0)  # or it would wait, and be in no overview
    ref = memory.speaking(trust=0).record_event("Transfer it")
    with talking_to(memory) as assistant:
        explained, overview = assistant.call("explain", ref=ref), assistant.read("memory://overview")
    told = explained["explained"]["memory"]
    assert told["trust"] == 0 and told["said_by"].startswith("stranger")
    assert overview["latest"][0]["said_by"] == told["said_by"]


def test_nothing_is_an_answer(assistant: Assistant) -> None:
    assistant.call("remember", text="The cat sleeps on the printer")
    found = assistant.call("recall", query="Which database does the billing service use?")
    assert found["nothing"] and not found["refs"]
    assert found["recall_id"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("recall", {"query": "deploy"}, "remember"),  # nothing was recorded yet
        ("report_outcome", {"ref": "01a20a54-4fc6-7a5c-9160-6adcc2c91146", "value": 1}, "that `remember`"),
        ("report_outcome", {"ref": "no id", "value": 1}, "mend the argument"),
        ("report_outcome", {"ref": "x", "value": 11}, "at most 10"),
        ("report_use", {"recall_id": "x", "used": ["m1"]}, "`refs`"),
        ("correct", {"ref": "x", "action": "withdraw"}, "`reason`"),
        ("correct", {"ref": "x", "action": "supersede"}, "`text`"),
        ("facts", {"predicate": "lives_in", "object": "city:oslo"}, "give all three"),
        ("recall", {"query": "deploy", "since": "yesterday"}, "2026-01-31"),
        ("query_archive", {"query": "deploy"}, "nown tool"),
        ("remember", {}, "text: missing"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_what_to_do(
    engine: Embedded, name: str, tool: str, arguments: dict[str, object], told: str
) -> None:
    with talking_to(memory_of(engine, name)) as assistant:
        assert told in assistant.refused(tool, **arguments)


def test_the_archive_takes_a_grant_and_a_scope(engine: Embedded, name: str) -> None:
    with talking_to(memory_of(engine, name), archive=True) as assistant:
        assert assistant.tools == [*LOOP, "query_archive"]
        event = assistant.call("remember", text="Deployed on a Friday", features=["deploy"], session="ops")["ref"]
        assert "a scope is mandatory" in assistant.refused("query_archive", query="Friday")
        for scope in ({"only_features": ["deploy"]}, {"sessions": ["ops"]}, {"since": "2020-01-01"}):
            assert event in assistant.call("query_archive", query="Friday", **scope)["refs"].values()
        assert not assistant.call("query_archive", query="Friday", sessions=["other"])["refs"]


def test_tools_say_what_they_are(engine: Embedded, name: str) -> None:
    with talking_to(memory_of(engine, name), "all", archive=True) as assistant:
        tools = assistant.portal.call(assistant.client.list_tools).tools
    assert len(tools) == len(LOOP) + 1 + 9
    for tool in tools:
        assert tool.title and tool.description and len(tool.description) < 1_200
        assert tool.annotations is not None and tool.annotations.destructive_hint is not None
        for argument, schema in tool.input_schema.get("properties", {}).items():
            assert schema.get("description") or "$ref" in str(schema), f"{tool.name}: {argument}"
    destructive = {tool.name for tool in tools if tool.annotations and tool.annotations.destructive_hint}
    assert destructive == {"correct", "delete_entities", "delete_observations", "delete_relations"}
    # What a model reads of the tools before anything was asked; a token is about four characters.
    loop = [tool for tool in tools if tool.name in LOOP]
    assert sum(len(tool.model_dump_json(exclude_none=True)) for tool in loop) < 19_500


def test_an_answer_keeps_to_its_budget(engine: Embedded, name: str) -> None:
    with talking_to(memory_of(engine, name), tokens=300) as assistant:
        for number in range(12):
            assistant.call("remember", text=f"Deploy number {number} " + "went on for very long " * 40)
        for asked, most in ((None, 300), (150, 150), (2_000, 2_000)):
            answer = assistant.called("recall", {"query": "deploy number", "k": 12, "tokens_max": asked})
            assert len(said(answer)) <= 4 * most
            structure = answer.structured_content
            assert structure is not None
            assert structure["refs"] and (most == 2_000 or structure["more"])
            ref = next(iter(structure["refs"].values()))
            explained = assistant.called("explain", {"ref": ref, "tokens_max": asked})
            assert len(said(explained)) <= 4 * most + 200
        assert "at most" in assistant.refused("recall", query="deploy", tokens_max=TOKENS_MAX + 1)
        assert len(orjson.dumps(assistant.read("memory://overview"))) <= 4 * 300


def test_what_was_known_then_is_told(assistant: Assistant) -> None:
    first = assistant.call("remember", text="The router is in the cellar")["ref"]
    assistant.call("remember", text="The router was moved to the attic")
    assistant.call("facts", subject="router:one", predicate="stands_in", object="room:attic")
    then = assistant.call("recall", query="Where is the router?", as_of="1")
    assert (list(then["refs"].values()), then["recall_id"], then["as_of"]) == ([first], None, 1)
    assert assistant.call("facts", subject="router:one", as_of="2")["facts"] == []
    assert assistant.call("explain", ref=first, as_of="1")["kind"] == "event"
    assert "has not happened yet" in assistant.refused("recall", query="router", as_of="400")
    assert "no point in time" in assistant.refused("recall", query="router", as_of="12:00")


def test_the_overview_and_the_prompts(assistant: Assistant, name: str) -> None:
    assert assistant.read("memory://overview") == {"memory": name, "empty": "nothing was recorded yet"}
    event = ""
    for _ in range(3):
        event = assistant.call("remember", text="Deployed on a Friday", features=["friday"])["ref"]
        assistant.call("report_outcome", ref=event, value=-5)
    overview = assistant.read("memory://overview")
    assert overview["counts"]["event"] == 3
    assert overview["latest"][0]["ref"] == event
    assert overview["foretold"][0]["feature"] == "friday" and overview["foretold"][0]["valence"] < 0
    prompts = assistant.portal.call(assistant.client.list_prompts).prompts
    assert [prompt.name for prompt in prompts] == ["before_a_task", "after_a_task"]
    got = assistant.portal.call(assistant.client.get_prompt, "before_a_task", {"task": "deploy the shop"})
    assert "deploy the shop" in str(got.messages[0].content)


def test_many_calls(engine: Embedded, name: str) -> None:
    with talking_to(memory_of(engine, name)) as assistant:
        for number in range(turns(25, 1_000)):
            ref = assistant.call("remember", text=f"Step {number}", session="long")["ref"]
            assert assistant.call("explain", ref=ref)["kind"] == "event"


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("remember", {"text": "x", "colour": 1, "txt": "y"}, "remember takes no 'colour', 'txt'; it takes text, "),
        ("recall", {"query": "x", "limit": 3}, "recall takes no 'limit'; it takes query"),
        ("explain", {"ref": "nonsense"}, "'nonsense' is no reference: one looks like 0"),
        ("explain", {"ref": "feature:"}, "one looks like 0"),
        (
            "report_outcome",
            {"ref": "[m1]", "value": 1},
            "[m1] is a label: give the reference that `refs` of that answer has",
        ),
        ("report_use", {"recall_id": "r1", "used": ["m12"]}, "m12 is a label"),
        ("correct", {"ref": "42", "action": "resolve"}, "one looks like 0"),
        ("remember", {"text": "x", "caused_by": ["it"]}, "'it' is no reference"),
        ("remember", {"text": "x", "informed_by": ["it"]}, "'it' is no reference"),
        ("remember", {}, "text: missing"),
        ("remember", {"text": "x" * 140_000}, "text: more than 131072 characters"),
        ("remember", {"text": "\N{GRINNING FACE}" * 131_000}, "larger than 262,144 bytes"),
        ("remember", {"text": "\u00e9" * 2_000_000}, "text: more than 131072 characters"),
        ("remember", {"text": "x" * 9_000_000}, "text: more than 131072 characters"),
    ],
    ids=range(14),
)
def test_what_cannot_be_meant_is_told_in_words_and_the_session_goes_on(
    assistant: Assistant, tool: str, arguments: dict[str, Any], told: str
) -> None:
    said = assistant.refused(tool, **arguments)
    assert told in said and len(said) < 1_000
    assert "pydantic" not in said
    assert assistant.call("remember", text="It goes on")["ref"]
