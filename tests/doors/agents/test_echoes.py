"""What a loop says and tells nothing new is kept and not searched; what a person says always is."""

import asyncio
import json
from typing import Any, cast

import pytest
from agents import TResponseInputItem
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from yggdrasil import Memory, Where
from yggdrasil.doors.loop import Loop, Outcome, Recalled, Run
from yggdrasil.doors.openai_agents import MemorySession
from yggdrasil.doors.pydantic_ai import MemoryCapability

ASKED = "What is Ana allergic to?"
FACT = "Ana is allergic to penicillin, and has been since she was a child"
UTTERANCES = Where(notes=["utterance"])


def replying(*replies: str | ToolCallPart) -> FunctionModel:
    """A model that gives one reply after the other, the last for ever."""
    left = list(replies)

    def reply(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        said = left.pop(0) if len(left) > 1 else left[0]
        return ModelResponse(parts=[TextPart(said) if isinstance(said, str) else said])

    return FunctionModel(reply)


def history(memory: Memory[Any]) -> list[tuple[str | None, str | None]]:
    return [(each.text, each.note) for each in reversed(memory.timeline(count=100).memories)]


@pytest.mark.parametrize(
    "reply",
    [
        "I do not know.",
        "I'm sorry, I don't know what Ana is allergic to.",
        "Ana is allergic to penicillin [m1].",
        f"As far as I remember, {FACT} [m1]. Is there anything else?",
        "Who is Ana?",
    ],
)
def test_after_seven_runs_the_fact_and_not_the_question_answers(memory: Memory[Any], reply: str) -> None:
    fact = memory.record_event(FACT)
    agent = Agent(replying(reply), capabilities=[MemoryCapability(memory)])
    for _ in range(7):
        asyncio.run(agent.run(ASKED))
    assert memory.get_context(ASKED).refs == [fact]
    assert memory.get_context("what is ana allergic to").refs[0] == fact
    assert history(memory)[1:] == 7 * [(ASKED, None), (reply, "utterance")]
    assert all(each.memory.note == "utterance" for each in memory.get_context(reply, where=UTTERANCES).found)


def test_the_library_s_own_model_for_tests_says_nothing(memory: Memory[Any]) -> None:
    fact = memory.record_event(FACT)
    for tools in (False, True):
        agent = Agent(TestModel(), capabilities=[MemoryCapability(memory, tools=tools)])
        for _ in range(4):
            asyncio.run(agent.run(ASKED))
    assert memory.get_context(ASKED).refs[0] == fact


def test_an_agent_s_own_question_is_no_answer_and_what_it_was_told_is(memory: Memory[Any]) -> None:
    agent = Agent(replying(ASKED), capabilities=[MemoryCapability(memory)])
    asyncio.run(agent.run("Plan a dinner for Ana on Friday"))
    assert memory.get_context(ASKED, min_confidence=0.0).refs != []
    assert ASKED not in {each.memory.text for each in memory.get_context(ASKED, min_confidence=0.0).found}
    agent = Agent(replying("Noted."), capabilities=[MemoryCapability(memory)])
    asyncio.run(agent.run("My sister Ana is allergic to nuts"))
    assert memory.get_context(ASKED).found[0].memory.text == "My sister Ana is allergic to nuts"


def test_what_a_model_recalled_by_itself_and_repeats_is_nothing_new(memory: Memory[Any]) -> None:
    fact = memory.record_event(FACT)
    script = replying(ToolCallPart("recall", {"query": ASKED}), "And has been since she was a child.")
    agent = Agent(script, capabilities=[MemoryCapability(memory, tools=True, where=Where(sessions=["none"]))])
    asyncio.run(agent.run("Since when?"))
    assert history(memory)[0] == (FACT, None) and memory.get_context(ASKED).refs == [fact]


def test_what_was_done_decided_or_judged_stays_searched(memory: Memory[Any]) -> None:
    loop = Loop(memory)

    async def recorded() -> None:
        await loop.record(Run("May I paint the fence green?", "Yes."))
        await loop.record(Run("Which database?", "We take Postgres."))
        await loop.record(Run("Deploy it", "Understood.", tools=["deploy"]))
        await loop.record(Run("Shall we wait?", "I do not know.", outcome=Outcome(-3)))
        await loop.record(Run("Who uses the old API?", "I could not find any use of it in shop.", tools=["grep"]))
        await loop.record(Run("Search the web for it", "I do not know.", tools=["search"]))

    asyncio.run(recorded())
    assert [note for _, note in history(memory)] == [None] * 6 + ["utterance"]


def test_a_loop_that_asks_another_one_says_nothing_with_its_questions(memory: Memory[Any]) -> None:
    loop = Loop(memory, asker="loop")
    asyncio.run(loop.record(Run(ASKED, "I do not know."), Recalled()))
    asyncio.run(loop.record(Run("Ana moved to Oslo", "Noted."), Recalled()))
    assert history(memory) == [
        (f"{ASKED}\n\nI do not know.", "utterance"),
        ("Ana moved to Oslo", None),
        ("Noted.", "utterance"),
    ]


CALL = {"type": "function_call", "name": "recall", "arguments": json.dumps({"query": ASKED}), "call_id": "c1"}
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": ASKED},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "What Ana is allergic to I must look up"}]},
    CALL,
    {"type": "function_call_output", "call_id": "c1", "output": f"[m1] {FACT}\nrecall_id: x"},
    {"role": "assistant", "content": "Ana is allergic to penicillin [m1]."},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "What else is she allergic to?"}],
    },
    {"role": "assistant", "content": json.dumps({"name": "recall", "arguments": {"query": ASKED}})},
]


def test_a_session_gives_back_all_items_and_the_memory_searches_what_tells_something(memory: Memory[Any]) -> None:
    fact = memory.record_event(FACT)
    session = MemorySession("trip", memory)
    asyncio.run(session.add_items(cast(list[TResponseInputItem], ITEMS)))
    assert cast(list[Any], asyncio.run(session.get_items())) == ITEMS
    assert [note for _, note in history(memory)[1:]] == [None] + 6 * ["utterance"]
    assert memory.get_context(ASKED).refs == [fact]
    assert memory.get_context("recall query arguments", min_confidence=0.0, where=Where(sessions=["trip"])).refs == []


def test_what_other_tools_gave_and_what_an_assistant_decides_is_searched(memory: Memory[Any]) -> None:
    session = MemorySession("trip", memory)
    items: list[dict[str, Any]] = [
        {"type": "function_call", "name": "weather", "arguments": "{}", "call_id": "c2"},
        {"type": "function_call_output", "call_id": "c2", "output": "It rains in Bergen"},
        {"role": "assistant", "content": "It rains in Bergen, so we go to Oslo."},
        {"role": "system", "content": "Be brief?"},
    ]
    asyncio.run(session.add_items(cast(list[TResponseInputItem], items)))
    assert [note for _, note in history(memory)] == ["utterance", None, None, None]


LOOKS_LIKE_A_LOOP = [
    ASKED, "I do not know.", "Noted.", FACT, json.dumps({"name": "recall", "arguments": {}}), "?", "Why?\n\nI see.",
]  # fmt: skip


@pytest.mark.parametrize("said", LOOKS_LIKE_A_LOOP)
def test_nothing_that_a_person_says_is_ever_marked(memory: Memory[Any], said: str) -> None:
    memory.record_event(FACT)
    for reply in ("I do not know.", said, FACT, "Ana moved to Oslo."):
        asyncio.run(Agent(replying(reply), capabilities=[MemoryCapability(memory)]).run(said))
    session = MemorySession("trip", memory)
    asyncio.run(session.add_items([{"role": "user", "content": said}]))
    told = [(text, note) for text, note in history(memory) if note is None and text and text.startswith(said)]
    assert len(told) >= 5
    assert memory.timeline(session="trip", count=1).memories[0].note is None
