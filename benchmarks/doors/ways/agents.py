"""The doors that an agent calls by itself, or that are called around its runs: each under its framework's runner."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from .way import TOO_LONG, K, Place, ToldError, Way, connected, question, running

_ERROR: Final = "Error:"


def _told(answer: str) -> str:
    """Return what a tool answers. Raises ToldError for an error, which a model is told."""
    if answer.startswith(_ERROR):
        raise ToldError(answer)
    return answer


def _by_tools(call: Callable[[str, dict[str, Any]], str]) -> Way:
    return Way(
        lambda subject, text: call("remember", {"text": text, "features": [subject]}),
        lambda subject: call("recall", {"query": question(subject)}),
        lambda: call("report_outcome", {"ref": "no such event", "value": 1}),
    )


def _around(run: Callable[[str], str]) -> Way:
    """Return the way of a loop: what is asked is recorded, and what is shown to the model was recalled."""
    return Way(lambda _, text: run(text), lambda subject: run(question(subject)), lambda: run("half \ud800 of it"))


@contextmanager
def pydantic_ai(place: Place) -> Generator[Way]:
    """Use the capability, which recalls and records around each run."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from yggdrasil.doors.pydantic_ai import MemoryCapability

    shown: list[str] = []

    def reply(messages: Any, _: Any) -> ModelResponse:
        shown[:] = [str(getattr(part, "content", "")) for each in messages for part in each.parts]
        return ModelResponse(parts=[TextPart("Noted.")])

    with connected(place) as memory, running() as run:
        agent = Agent(FunctionModel(reply), capabilities=[MemoryCapability(memory)])

        def ran(prompt: str) -> str:
            run(agent.run(prompt))
            return "\n".join(shown)

        yield _around(ran)


@contextmanager
def pydantic_ai_tools(place: Place) -> Generator[Way]:
    """Use the toolset: a model that calls one tool in each run."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    from yggdrasil.doors.pydantic_ai import memory_toolset

    wanted: list[ToolCallPart] = []
    answers: list[str] = []

    def reply(messages: Any, _: Any) -> ModelResponse:
        returned = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        answers.extend(str(part.content) for part in returned)
        return ModelResponse(parts=[TextPart("Done.") if returned else wanted.pop()])

    with connected(place) as memory, running() as run:
        agent = Agent(FunctionModel(reply), toolsets=[memory_toolset(memory)])

        def call(tool: str, arguments: dict[str, Any]) -> str:
            wanted.append(ToolCallPart(tool, arguments))
            run(agent.run("Go on."))
            return _told(answers.pop())

        yield _by_tools(call)


@contextmanager
def openai_tools(place: Place) -> Generator[Way]:
    """Use the function tools, under the runner of the OpenAI Agents SDK and its scripted model."""
    from agents import Agent, RunConfig, Runner
    from agents.testing import ScriptedModel, assistant_message, function_call

    from yggdrasil.doors.openai_agents import memory_tools

    with connected(place) as memory, running() as run:
        tools = memory_tools(memory)
        numbers = count()

        def call(tool: str, arguments: dict[str, Any]) -> str:
            model = ScriptedModel(
                [[function_call(tool, arguments, call_id=f"call-{next(numbers)}")], [assistant_message("Done.")]]
            )
            agent = Agent(name="agent", model=model, tools=[*tools])
            run(Runner.run(agent, "Go on.", run_config=RunConfig(tracing_disabled=True)))
            assert model.last_call is not None
            last: Any = model.last_call.input[-1]
            return _told(str(last["output"]))

        yield _by_tools(call)


def _chat(reply: Callable[[Sequence[Any]], Any]) -> Any:
    """Return a chat client of the Agent Framework that replies as it is told."""
    from agent_framework import BaseChatClient, ChatResponse, FunctionInvocationLayer, Message

    class Scripted(FunctionInvocationLayer[Any], BaseChatClient[Any]):
        def _inner_get_response(self, *, messages: Sequence[Any], options: Any, **_: Any) -> Awaitable[Any]:
            async def answer() -> ChatResponse[Any]:
                return ChatResponse(messages=[Message("assistant", [reply(messages)])])

            return answer()

    return Scripted()


@contextmanager
def agent_framework(place: Place) -> Generator[Way]:
    """Use the context provider, which recalls and records around each run."""
    from agent_framework import Agent

    from yggdrasil.doors.agent_framework import MemoryProvider

    shown: list[str] = []

    def reply(messages: Sequence[Any]) -> str:
        shown[:] = [each.text for each in messages]
        return "Noted."

    with connected(place) as memory, running() as run:
        agent = Agent(_chat(reply), context_providers=[MemoryProvider(memory)])

        async def asked(prompt: str) -> None:
            await agent.run(prompt)

        def ran(prompt: str) -> str:
            run(asked(prompt))
            return "\n".join(shown)

        yield _around(ran)


@contextmanager
def agent_framework_tools(place: Place) -> Generator[Way]:
    """Use the function tools of the Agent Framework: a model that calls one tool in each run."""
    from agent_framework import Agent, Content

    from yggdrasil.doors.agent_framework import memory_tools

    wanted: list[Any] = []
    answers: list[str] = []
    numbers = count()

    def reply(messages: Sequence[Any]) -> Any:
        results = [each for each in messages[-1].contents if each.type == "function_result"]
        answers.extend(str(each.result) for each in results)
        return "Done." if results else wanted.pop()

    with connected(place) as memory, running() as run:
        agent = Agent(_chat(reply), tools=[*memory_tools(memory)])

        async def asked() -> None:
            await agent.run("Go on.")

        def call(tool: str, arguments: dict[str, Any]) -> str:
            wanted.append(Content.from_function_call(f"call-{next(numbers)}", tool, arguments=arguments))
            run(asked())
            return _told(answers.pop())

        yield _by_tools(call)


@contextmanager
def hooks(place: Place) -> Generator[Way]:
    """Use the script that a coding agent starts at each event."""
    from yggdrasil.doors.hooks.installing import SCRIPT

    project = place.folder / "project"
    (project / ".git").mkdir(parents=True, exist_ok=True)
    variables = {"PATH": os.environ["PATH"], "YGGDRASIL_DIR": str(place.folder), "YGGDRASIL_MEMORY": place.memory}
    variables |= {"YGGDRASIL_SERVICE": place.url, "YGGDRASIL_SOURCE": place.source, "YGGDRASIL_HOOKS_MS": "10000"}
    variables |= {"YGGDRASIL_KEY": place.key} if place.key else {}
    command = [sys.executable, "-I", "-S", str(SCRIPT), "--program", "no-such-program"]
    prompts = count()

    def prompt(text: str) -> str:
        said = {
            "session_id": f"{os.getpid()}-{id(prompts)}",
            "cwd": str(project),
            "hook_event_name": "UserPromptSubmit",
        }
        said |= {"prompt": text, "prompt_id": f"p{next(prompts)}"}
        done = subprocess.run(
            command, input=json.dumps(said), capture_output=True, text=True, check=True, env=variables
        )
        assert not done.stderr, done.stderr
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""

    yield _around(prompt)


def _speaking(server: Any, stack: ExitStack) -> Callable[[str, dict[str, Any]], str]:
    """Return what calls a tool by the client of the official SDK."""
    from anyio.from_thread import start_blocking_portal
    from mcp.client import Client

    portal = stack.enter_context(start_blocking_portal())
    client = Client(server)
    stack.enter_context(portal.wrap_async_context_manager(client))

    def call(tool: str, arguments: dict[str, Any]) -> str:
        answer: Any = portal.call(client.call_tool, tool, arguments)
        said = "\n".join(getattr(each, "text", "") for each in answer.content)
        if answer.is_error:
            raise ToldError(said)
        return said

    return call


def _transport(place: Place, tools: str) -> Any:
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Any]:
        sent = {"Authorization": f"Bearer {place.key}"} if place.key else {}
        url = f"{place.url}/mcp/{place.memory}?tools={tools}"
        async with create_mcp_http_client(sent) as client, streamable_http_client(url, http_client=client) as streams:
            yield streams

    return opened()


@contextmanager
def mcp_http(place: Place) -> Generator[Way]:
    """Use MCP over HTTP."""
    with ExitStack() as stack:
        yield _by_mcp(_speaking(_transport(place, "loop"), stack))


@contextmanager
def mcp_graph(place: Place) -> Generator[Way]:
    """Use the tools of the official memory server, over HTTP."""
    with ExitStack() as stack:
        call = _speaking(_transport(place, "graph"), stack)

        def write(subject: str, text: str) -> str:
            return call("create_entities", {"entities": [_entity(subject, text)]})

        def read(subject: str) -> str:
            return call("open_nodes", {"names": [subject]}) + call("search_nodes", {"query": subject})

        yield Way(write, read, lambda: call("add_observations", {"observations": [{"entityName": "nobody"}]}))


def _entity(subject: str, text: str) -> dict[str, Any]:
    return {"name": subject, "entityType": "thing", "observations": [text]}


@contextmanager
def mcp_stdio(place: Place) -> Generator[Way]:
    """Use MCP over stdio, as an editor does: a process that speaks to the service."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    told = ["-m", "yggdrasil", "mcp", "--service", place.url, "--memory", place.memory]
    env = {**os.environ, **({"YGGDRASIL_KEY": place.key} if place.key else {})}
    started = StdioServerParameters(command=sys.executable, args=told, env=env)
    with Path(os.devnull).open("w") as errors, ExitStack() as stack:
        yield _by_mcp(_speaking(stdio_client(started, errlog=errors), stack))


def _by_mcp(call: Callable[[str, dict[str, Any]], str]) -> Way:
    return Way(
        lambda subject, text: call("remember", {"text": text, "features": [subject]}),
        lambda subject: call("recall", {"query": question(subject), "k": K}),
        lambda: call("remember", {"text": TOO_LONG}),
    )


def mcp_errors() -> tuple[type[BaseException], ...]:
    """Return what the client of MCP raises, where it is not the tool that says it."""
    return (ToldError, Exception)
