"""Sessions and function tools, under the runner of the OpenAI Agents SDK and its scripted model."""

import asyncio
from itertools import count
from typing import Any, cast

import pytest
from agents import Agent, RunConfig, Runner, Session, SessionSettings
from agents.exceptions import UserError
from agents.testing import ScriptedModel, assistant_message, function_call
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doors.agents.conftest import Stoppable, learnt
from tests.size import turns
from yggdrasil import Memory, ServiceAwayError, Store, Where
from yggdrasil.doors.openai_agents import ITEM_BYTES_MAX, ITEMS_MAX, MemorySession, memory_tools

UNTRACED = RunConfig(tracing_disabled=True)
EIGHT = ["remember", "recall", "similar_cases", "report_outcome", "report_use", "correct", "facts", "explain"]


def message(text: str, role: str = "user") -> Any:
    return {"role": role, "content": text}


def test_a_conversation_goes_on_where_it_was(memory: Memory[Any]) -> None:
    model = ScriptedModel([[assistant_message("San Francisco.")], [assistant_message("California.")]])
    agent = Agent(name="guide", model=model)
    for question in ("Which city has the Golden Gate Bridge?", "In which state is it?"):
        session = MemorySession("trip", memory)  # a new one each time, as after a restart
        assert isinstance(session, Session)
        asyncio.run(Runner.run(agent, question, session=session, run_config=UNTRACED))

    assert model.last_call is not None
    said = [(each["role"], each["content"]) for each in model.last_call.input]
    assert [role for role, _ in said] == ["user", "assistant", "user"]
    assert said[0][1] == "Which city has the Golden Gate Bridge?" and said[1][1][0]["text"] == "San Francisco."


def test_what_was_said_in_a_session_is_recalled_like_everything_else(memory: Memory[Any]) -> None:
    session = MemorySession("trip", memory)
    asyncio.run(session.add_items([message("My passport number ends in 77")]))
    found = memory.get_context("passport number").found
    assert [each.memory.text for each in found] == ["My passport number ends in 77"]
    assert "openai" not in memory.get_context("passport number").text()


def test_an_item_that_is_popped_or_cleared_stays_in_the_history(memory: Memory[Any]) -> None:
    async def used() -> Any:
        session = MemorySession("trip", memory)
        await session.add_items([message("one"), message("two"), message("three")])
        popped = await session.pop_item()
        await session.clear_session()
        return popped, await session.get_items(), await session.pop_item()

    assert asyncio.run(used()) == (message("three"), [], None)
    assert memory.timeline(session="trip").memories == []
    kept = memory.timeline(session="trip", where=Where(statuses=["rejected"])).memories
    assert [(each.text, each.status) for each in kept] == [(each, "rejected") for each in ("three", "two", "one")]
    memory.reinstate(kept[-1].ref)
    assert asyncio.run(MemorySession("trip", memory).get_items()) == [message("one")]


ODD = [
    {"b": 1, "a": 2, "type": "function_call", "arguments": '{"x": 1.0}', "name": "deploy"},  # order of keys
    {"role": "user", "content": "e\u0301 and \u00e9, and \x00 and \ud800"},  # no normal form, and no Unicode at all
    {"role": "user", "content": [{"type": "input_text", "text": "so"}, {"type": "input_image", "image_url": None}]},
    {"type": "reasoning", "summary": [], "encrypted_content": "x" * 10_000, "n": 10**30, "f": 1e-320},
    {"type": "function_call_output", "output": "", "deep": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]},
]


def test_items_come_back_exactly(memory: Memory[Any]) -> None:
    async def back() -> list[Any]:
        session = MemorySession("odd", memory)
        await session.add_items(cast(list[Any], ODD))
        return cast(list[Any], await session.get_items())

    found = asyncio.run(back())
    assert found == ODD
    assert [list(each) for each in found] == [list(cast(dict[str, Any], each)) for each in ODD]


def test_limits_are_those_that_were_asked_for(memory: Memory[Any]) -> None:
    async def read() -> list[list[Any]]:
        session = MemorySession("long", memory, session_settings=SessionSettings(limit=3))
        await session.add_items([message(str(number)) for number in range(250)])
        return [cast(list[Any], await session.get_items(limit)) for limit in (None, 0, 1, 240, ITEMS_MAX, 10**9)]

    found = [[int(item["content"]) for item in items] for items in asyncio.run(read())]
    assert found == [[247, 248, 249], [], [249], list(range(10, 250)), list(range(250)), list(range(250))]


@pytest.mark.parametrize("name", ["", "x" * 129, "a\nb", "e\u0301"])
def test_a_name_that_no_session_can_have(memory: Memory[Any], name: str) -> None:
    with pytest.raises(UserError, match="session_id"):
        MemorySession(name, memory)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (message("x" * ITEM_BYTES_MAX), "keep a reference to large files"),
        (message(cast(str, float("nan"))), "must be JSON"),
        (message(cast(str, {1, 2})), "must be JSON"),
        ("a text", "of type str"),
        (None, "of type NoneType"),
    ],
    ids=["large", "nan", "set", "text", "none"],
)
def test_of_items_that_cannot_all_be_kept_none_is(memory: Memory[Any], item: Any, why: str) -> None:
    session = MemorySession("trip", memory)
    with pytest.raises(UserError, match=why):
        asyncio.run(session.add_items([message("fine"), item]))
    assert asyncio.run(session.get_items()) == []


def test_an_item_of_the_largest_size_is_kept(memory: Memory[Any]) -> None:
    largest = message("\u00e9" * ((ITEM_BYTES_MAX - 40) // 6))  # six characters each, in ASCII
    session = MemorySession("trip", memory)
    asyncio.run(session.add_items([largest]))
    assert asyncio.run(session.get_items()) == [largest]


def test_two_clients_at_once_lose_nothing(remote: Memory[Any], service: Stoppable) -> None:
    with Memory.connect(service.url, memory=remote.id) as other:
        sessions = [MemorySession("shared", each) for each in (remote, other)]

        async def both() -> list[Any]:
            adding = [
                session.add_items([message(f"{who}{number}")])
                for number in range(10)
                for who, session in enumerate(sessions)
            ]
            await asyncio.gather(*adding)
            first, second = [await session.get_items() for session in sessions]
            assert first == second
            return first

        found = asyncio.run(both())
    assert sorted(item["content"] for item in found) == sorted(f"{who}{n}" for n in range(10) for who in (0, 1))


def test_a_session_that_is_away_says_so_and_goes_on_when_it_is_back(service: Stoppable, remote: Memory[Any]) -> None:
    session = MemorySession("trip", remote)
    asyncio.run(session.add_items([message("before")]))
    service.stop()
    try:
        with pytest.raises(ServiceAwayError):
            asyncio.run(session.get_items())
        model = ScriptedModel(
            [[function_call("recall", {"query": "x", "tokens_max": 100}, call_id="c")], [assistant_message("Without.")]]
        )
        agent = Agent(name="a", model=model, tools=list(memory_tools(remote)))
        assert asyncio.run(Runner.run(agent, "Hello", run_config=UNTRACED)).final_output == "Without."
    finally:
        service.start()
    assert model.last_call is not None
    assert "the memory gives no answer" in model.last_call.input[-1]["output"]
    asyncio.run(session.add_items([message("after")]))
    assert asyncio.run(session.get_items()) == [message("before"), message("after")]


_calls = count()


def call(name: str, **arguments: Any) -> Any:
    return [function_call(name, arguments, call_id=f"call-{next(_calls)}")]


def test_the_tools_are_called_and_refuse_in_words(memory: Memory[Any]) -> None:
    event = learnt(memory)
    tools = memory_tools(memory, session="work")
    assert [tool.name for tool in tools] == EIGHT
    steps = [
        call("recall", query="Should we deploy on Friday?", tokens_max=300),
        call("report_outcome", ref=event, value=-11, kind="outage", text=None),
        call("correct", ref=event, action="withdraw", text=None, reason="It was a Thursday"),
        call("facts", subject="person:ana", predicate="lives_in", object="city:oslo", history=False),
        call("facts", subject="person:ana", predicate=None, object=None, history=False),
        call("explain", ref=event),
        [assistant_message("Done.")],
    ]
    model = ScriptedModel(steps)
    asyncio.run(Runner.run(Agent(name="a", model=model, tools=list(tools)), "Go", run_config=UNTRACED))
    assert model.last_call is not None
    told = [each["output"] for each in model.last_call.input if each.get("type") == "function_call_output"]
    assert f"refs: m1={event}" in told[0] and "The site was down for an hour" in told[0] and "recall_id: " in told[0]
    assert told[1].startswith("Error: ") and "value" in told[1]
    assert told[2].startswith("withdraw is recorded as ")
    assert told[3].startswith("The fact is ") and "oslo" in told[4] and "% sure" in told[4]
    assert 'outcome: -3 "outage", agent: The site was down for an hour' in told[5]
    assert memory.describe(event).memory.status == "rejected"


def test_arguments_that_no_tool_takes_are_told_so_that_the_model_can_mend_them(memory: Memory[Any]) -> None:
    steps = [
        call("recall", query=["deploy"]),
        call("correct", ref="x", action="drop", text=None, reason=None),
        call("remember", text=" ", features=None, key=None, informed_by=None, session=None),
        [assistant_message("Done.")],
    ]
    model = ScriptedModel(steps)
    asyncio.run(Runner.run(Agent(name="a", model=model, tools=[*memory_tools(memory)]), "Go", run_config=UNTRACED))
    assert model.last_call is not None
    told = [each["output"] for each in model.last_call.input if each.get("type") == "function_call_output"]
    assert all("Give the arguments as the schema" in each for each in told[:2])
    assert "nothing to remember" in told[2]


def test_use_is_reported_by_labels_and_once(memory: Memory[Any]) -> None:
    event = learnt(memory)
    tools = {tool.name: tool for tool in memory_tools(memory)}
    recall_id = memory.get_context("deploy on Friday").recall_id
    steps = [
        call("report_use", recall_id=recall_id, used=["m1"], result_of_task="success"),
        call("report_use", recall_id=recall_id, used=[event], result_of_task="success"),
        call("report_use", recall_id=recall_id, used=[event], result_of_task="success"),
        [assistant_message("Done.")],
    ]
    model = ScriptedModel(steps)
    asyncio.run(Runner.run(Agent(name="a", model=model, tools=list(tools.values())), "Go", run_config=UNTRACED))
    assert model.last_call is not None
    told = [each["output"] for each in model.last_call.input if each.get("type") == "function_call_output"]
    assert told[0].startswith("Error: "), "a label of a recall that these tools did not make means nothing to them"
    assert told[1] == "Noted" and told[2].startswith("Error: ")
    assert memory.describe(event).memory.usage == 1


TEXTS = st.text(max_size=20)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ann/trip", "ann/home", "bob/trip"]),  # two sessions of a memory, and one of another's
        st.one_of(
            st.tuples(st.just("add"), st.lists(TEXTS, max_size=4)),
            st.tuples(st.just("get"), st.none() | st.integers(0, 5)),
            st.tuples(st.just("pop"), st.none()),
            st.tuples(st.just("clear"), st.none()),
        ),
    ),
    max_size=12,
)


@settings(max_examples=turns(10, 500), deadline=None)
@given(steps=STEPS)
def test_sessions_are_lists_and_strangers_to_each_other(house: Store, steps: Any) -> None:
    lists: dict[str, list[Any]] = {}
    case = next(_calls)

    def session(name: str) -> MemorySession:
        who, session_id = name.split("/")
        return MemorySession(f"{session_id}-{case}", house.memory(f"family/{who}"))

    async def lived() -> None:
        for name, (what, given_) in steps:
            expected = lists.setdefault(name, [])
            if what == "add":
                await session(name).add_items([message(text) for text in given_])
                expected += [message(text) for text in given_]
            elif what == "get":
                count = len(expected) if given_ is None else given_
                assert await session(name).get_items(given_) == (expected[-count:] if count else [])
            elif what == "pop":
                assert await session(name).pop_item() == (expected.pop() if expected else None)
            else:
                await session(name).clear_session()
                expected.clear()
        for name, expected in lists.items():
            assert await session(name).get_items() == expected

    asyncio.run(lived())
