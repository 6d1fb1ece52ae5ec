"""The door to Pydantic AI: a capability that remembers around each run, and a toolset for the model itself.

The capability recalls before the first request of a run, and records what was done after it. What is recalled goes to
the model as framed data on the user's side, never as instructions; what it is to make of that is a fixed instruction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Final

from typing_extensions import TypeVar

from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_schemas.errors import YggdrasilError

from ..asynchronous import AsyncMemory
from ..memory import Memory
from . import needing
from .loop import MEMORY_TOOLS, PATIENCE_S, RULES, TAG, TOKENS_MAX, Asker, Loop, Outcome, Recalled, Run
from .tools import Function, Tools, told

with needing("pydantic-ai"):
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ToolFailed
    from pydantic_ai.framing import register_tag, wrap
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        ToolCallPart,
        ToolReturnPart,
        UserContent,
        UserPromptPart,
    )
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.tools import RunContext
    from pydantic_ai.toolsets import AgentToolset, FunctionToolset

DepsT = TypeVar("DepsT", default=Any)
AnyMemory = Memory[Any] | AsyncMemory
Judge = Callable[[AgentRunResult[Any]], Outcome | None]

_MEMORY: Final = register_tag(TAG)


def memory_toolset(
    memory: AnyMemory,
    *,
    features: Sequence[str] = (),
    session: str | None = None,
    where: Where | None = None,
    id: str = "yggdrasil",
) -> FunctionToolset[Any]:
    """Return the tools of a memory: remember, recall, similar_cases, report_outcome and the others of ``Tools``.

    Where the memory refuses something or is away, the tool has failed (ToolFailed) and says why; the run goes on.
    """
    return _toolset(Tools(memory, features=features, session=session, where=where), id)


@dataclass
class MemoryCapability(AbstractCapability[DepsT]):
    """Remembers around each run of an agent; with ``tools`` the model may ask and tell by itself, too.

    ``memory`` is a memory, or a function of the run's context that returns one, such as that of the user whom its
    ``deps`` name. ``session`` names the session of what is recorded, that of the conversation by default. ``judge``
    says how a run turned out, if that is known at once. ``asker`` says who writes the prompts: a person, or a loop, as
    where one agent asks another. For the rest see ``Loop``.
    """

    memory: AnyMemory | Callable[[RunContext[DepsT]], AnyMemory]
    tokens_max: int = TOKENS_MAX
    features: Sequence[str] = ()
    session: str | None = None
    where: Where | None = None
    judge: Judge | None = None
    tools: bool = False
    patience_s: float = PATIENCE_S
    asker: Asker = "person"
    _loop: Loop | None = field(default=None, init=False, repr=False)
    _recalled: Recalled | None = field(default=None, init=False, repr=False)
    _tools: Tools | None = field(default=None, init=False, repr=False)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return None: a memory cannot be written into a specification."""
        return None

    async def for_run(self, ctx: RunContext[DepsT]) -> "MemoryCapability[DepsT]":
        """Return a capability of this run's own, with its memory."""
        memory = self.memory(ctx) if callable(self.memory) else self.memory
        own = replace(self, memory=memory, session=self.session or ctx.conversation_id)
        own._tools = None if callable(self.memory) else self._tools
        own._loop = Loop(
            memory,
            tokens_max=self.tokens_max,
            features=self.features,
            session=own.session,
            where=self.where,
            patience_s=self.patience_s,
            asker=self.asker,
        )
        return own

    def get_instructions(self) -> str:
        """Return what the model is to make of what is remembered."""
        return RULES

    def get_toolset(self) -> AgentToolset[DepsT] | None:
        """Return the tools, if they are wanted; before a run, which knows whose memory it is, there may be none."""
        if not self.tools or callable(self.memory):
            return None
        if self._tools is None:
            self._tools = Tools(self.memory, features=self.features, session=self.session, where=self.where)
        return _toolset(self._tools)

    async def before_model_request(
        self, ctx: RunContext[DepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put what is remembered of the prompt beside it, once in a run."""
        if self._loop is not None and self._recalled is None:
            self._recalled = await self._loop.recall(_prompt(ctx))
            if self._recalled.text:
                ctx.enqueue(wrap(_MEMORY, self._recalled.text))
        return request_context

    async def after_run(self, ctx: RunContext[DepsT], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Record what was done."""
        if self._loop is not None:
            outcome = self.judge(result) if self.judge else None
            run = Run(_prompt(ctx), str(result.output), _called(result), outcome, _recalled(result))
            await self._loop.record(run, self._recalled, tools=self._tools)
        return result


def _toolset(tools: Tools, id: str = "yggdrasil") -> FunctionToolset[Any]:
    return FunctionToolset([_tool(each) for each in tools.functions()], id=id)


def _tool(function: Function) -> Function:
    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> str:
        try:
            return await function(*args, **kwargs)
        except YggdrasilError as error:  # and no ModelRetry, of which the second would end the run
            raise ToolFailed(told(error)) from error

    return call


def _prompt(ctx: RunContext[Any]) -> str:
    """Return what the user has asked for: in this run, or if that has no prompt of its own, the last time."""
    if ctx.prompt is not None:
        return _text(ctx.prompt)
    for message in reversed(ctx.messages):
        if isinstance(message, ModelRequest):
            for part in message.parts:
                if isinstance(part, UserPromptPart) and not (said := _text(part.content)).startswith(f"<{TAG}>"):
                    return said
    return ""


def _text(content: str | Sequence[UserContent]) -> str:
    return content if isinstance(content, str) else "\n".join(each for each in content if isinstance(each, str))


def _called(result: AgentRunResult[Any]) -> list[str]:
    """Return the names of the tools that were called in a run."""
    responses = (message for message in result.new_messages() if isinstance(message, ModelResponse))
    return [part.tool_name for message in responses for part in message.parts if isinstance(part, ToolCallPart)]


def _recalled(result: AgentRunResult[Any]) -> list[str]:
    """Return what the memory's own tools gave the model in a run."""
    requests = (message for message in result.new_messages() if isinstance(message, ModelRequest))
    parts = (part for message in requests for part in message.parts if isinstance(part, ToolReturnPart))
    return [part.model_response_str() for part in parts if part.tool_name in MEMORY_TOOLS]
