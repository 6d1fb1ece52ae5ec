"""A session by the tools of MCP, in each way to a memory."""

import pytest

from tests.doors.mcp.speaking import Assistant


def test_a_session_from_its_beginning_to_its_end(assistant: Assistant) -> None:
    first = assistant.call("begin_session", goal="Ship 2.0", workflow="release", touches=["service:checkout"])
    left = assistant.call(
        "end_session",
        session=first["session"],
        summary="Shipped",
        outcome=3,
        lessons=["Warm the cache before the switch", {"text": "Staging is slow", "about": "service:checkout"}],
        decisions=[{"what": "Blue-green", "why": "no downtime", "alternatives": ["in place"]}],
        recoveries=[{"failure": "tool", "text": "Install the wheel"}],
    )
    assert [each["part"] for each in left["kept"]] == ["decision", "lesson", "lesson", "recovery", "end", "outcome"]
    assert left["refused"] == []

    second = assistant.call(
        "begin_session", goal="Ship 2.1", task="T-12", workflow="release", touches=["service:checkout"]
    )
    name = second["session"]
    assert "Warm the cache" in second["text"] and "Staging is slow" in second["text"]
    assert "Blue-green" in second["text"] and "no downtime" in second["text"]

    assistant.call("scratchpad", session=name, notes={"progress": "built"}, promise="Tell Ana", due="2030-01-01")
    assistant.call("scratchpad", session=name, notes={"progress": "tested"})
    again = assistant.call("session_context", session=name, seen=list(second["refs"].values()))
    assert "tested" in again["text"] and "built" not in again["text"] and "Tell Ana" in again["text"]
    assert "Warm the cache" not in again["text"]

    middle = assistant.call("end_session", session=name, lessons=["Ask Ana first"], over=False)
    end = assistant.call("end_session", session=name, lessons=["Ask Ana first"], summary="Shipped 2.1")
    assert middle["kept"][0] == end["kept"][0]

    third = assistant.call("begin_session", goal="Ship 2.2", task="T-12", workflow="release")
    assert "Tell Ana" in third["text"] and "tested" not in third["text"]


def test_two_at_work_on_the_same_are_told_of_each_other(assistant: Assistant) -> None:
    assistant.call("begin_session", goal="Mend the parser", agent="writer", touches=["file:parser.py"])
    told = assistant.call("begin_session", goal="Speed up the parser", touches=["file:parser.py"])
    assert "touch the same" in told["text"] and "Mend the parser" in told["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("session_context", {"session": "none"}, "none"),
        ("scratchpad", {"session": "none", "notes": {"a": "b"}}, "none"),
        ("end_session", {"session": "none"}, "none"),
        ("begin_session", {"goal": "x", "touches": ["a"] * 30}, "touches"),
    ],
)
def test_what_cannot_be_meant_says_what_to_do(
    assistant: Assistant, tool: str, arguments: dict[str, object], said: str
) -> None:
    assert said in assistant.refused(tool, **arguments)


def test_a_malformed_lesson_is_told_by_its_place_and_ends_nothing(assistant: Assistant) -> None:
    name = assistant.call("begin_session", goal="Ship")["session"]
    assert "lessons.0.text" in assistant.refused("end_session", session=name, lessons=[{"txt": "x"}])
    assert assistant.call("end_session", session=name)["kept"][-1]["part"] == "end"
