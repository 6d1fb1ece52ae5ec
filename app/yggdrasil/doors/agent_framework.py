"""The door to the Microsoft Agent Framework: a context provider that remembers around each run, and function tools.

What is recalled goes to the model as a framed message of the user's side, never as instructions; what it is to make of
that is a fixed instruction.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import cleandoc
from typing import Any, Final

from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_schemas.errors import YggdrasilError

from ..asynchronous import AsyncMemory
from ..memory import Memory
from . import needing
from .loop import MEMORY_TOOLS, PATIENCE_S, RULES, TOKENS_MAX, Asker, Loop, Outcome, Recalled, Run, framed
from .tools import Function, Tools, told

with needing("agent-framework"):
    from agent_framework import (
        AgentResponse,
        AgentSession,
        ContextProvider,
        FunctionTool,
        Message,
        SessionContext,
        SupportsAgentRun,
    )

AnyMemory = Memory[Any] | AsyncMemory
Judge = Callable[[AgentResponse[Any]], Outcome | None]

_SOURCE: Final = "yggdrasil"


def memory_tools(
    memory: AnyMemory,
    *,
    features: Sequence[str] = (),
    session: str | None = None,
    where: Where | None = None,
) -> list[FunctionTool]:
    """Return the tools of a memory: remember, recall, similar_cases, report_outcome and the others of ``Tools``.

    Where the memory refuses something or is away, the model is told so, and the run goes on.
    """
    return _functions(Tools(memory, features=features, session=session, where=where))


class MemoryProvider(ContextProvider):
    """Recalls before each run of an agent, and records what was done after it.

    With ``tools`` the model may ask and tell by itself, too. ``judge`` says how a run turned out, if that is known at
    once. What is recorded belongs to the agent session's id. For the rest see ``Loop``.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        source_id: str = _SOURCE,
        tokens_max: int = TOKENS_MAX,
        features: Sequence[str] = (),
        where: Where | None = None,
        judge: Judge | None = None,
        tools: bool = False,
        patience_s: float = PATIENCE_S,
        asker: Asker = "person",
    ) -> None:
        """Use ``memory``, which stays the caller's to close. ``asker`` says who writes the input: see ``Loop``."""
        super().__init__(source_id)
        self._loop = Loop(
            memory, tokens_max=tokens_max, features=features, where=where, patience_s=patience_s, asker=asker
        )
        self._judge = judge
        self._told = Tools(memory, features=features, where=where) if tools else None
        self._tools = _functions(self._told) if self._told else []

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Put what is remembered of the input before it."""
        recalled = await self._loop.recall(_text(context.input_messages), context.session_id)
        context.metadata[self.source_id] = recalled  # of this run: the state is the session's, and is stored
        context.extend_instructions(self.source_id, RULES)
        if self._tools:
            context.extend_tools(self.source_id, self._tools)
        if recalled.text:
            context.extend_messages(self, [Message("user", [framed(recalled.text)])])

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Record what was done."""
        response: AgentResponse[Any] | None = context.response
        if response is None:
            return
        recalled: Recalled | None = context.metadata.get(self.source_id)
        outcome = self._judge(response) if self._judge else None
        run = Run(_text(context.input_messages), response.text, _called(response), outcome, _recalled(response))
        await self._loop.record(run, recalled, context.session_id, self._told)


def _functions(tools: Tools) -> list[FunctionTool]:
    return [_tool(each) for each in tools.functions()]


def _tool(function: Function) -> FunctionTool:
    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> str:
        try:
            return await function(*args, **kwargs)
        except YggdrasilError as error:  # raised, it would reach the model without a word of what it says
            return told(error)

    return FunctionTool(name=function.__name__, description=cleandoc(function.__doc__ or ""), func=call)


def _text(messages: Sequence[Message]) -> str:
    """Return what the user says in these messages."""
    return "\n".join(each.text for each in messages if each.role == "user" and each.text)


def _called(response: AgentResponse[Any]) -> list[str]:
    """Return the names of the tools that were called in a run."""
    contents = (content for message in response.messages for content in message.contents)
    return [content.name for content in contents if content.type == "function_call" and content.name]


def _recalled(response: AgentResponse[Any]) -> list[str]:
    """Return what the memory's own tools gave the model in a run."""
    contents = [content for message in response.messages for content in message.contents]
    own = {each.call_id for each in contents if each.type == "function_call" and each.name in MEMORY_TOOLS}
    return [str(each.result) for each in contents if each.type == "function_result" and each.call_id in own]
