"""A model of Pydantic AI that is asked one thing after another, on an event loop in a thread of its own."""

import asyncio
import importlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from yggdrasil_schemas.errors import YggdrasilError

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model

OutputT = TypeVar("OutputT")
TIMEOUT_S: Final = 30.0


class SummaryModelMissingError(YggdrasilError):
    """Pydantic AI, the provider's package or its key is missing, or there is no such model."""


class SummaryEndedError(YggdrasilError):
    """Whoever asked the model is being ended; what was found without it stays."""


class AskedModel(Generic[OutputT]):
    """A model with its instructions and the type of its answers; a context manager, for any thread.

    Its requests run on one event loop, so that connections outlive a call.
    """

    def __init__(
        self, model: "str | Model", instructions: str, output: type[OutputT], *, timeout_s: float = TIMEOUT_S
    ) -> None:
        """Use ``model``, such as ``openai:gpt-5-mini``, or a model object of Pydantic AI.

        Raises SummaryModelMissingError if Pydantic AI, the provider's package or its key is missing.
        """
        try:
            library: Any = importlib.import_module("pydantic_ai")
            models: Any = importlib.import_module("pydantic_ai.models")
        except ImportError as error:
            raise SummaryModelMissingError(
                "summaries and claims by a model need Pydantic AI: install the extra [pydantic-ai], "
                "pip install 'yggdrasil-substrate[pydantic-ai]', and pydantic-ai-slim with the extra of your provider"
            ) from error
        try:
            found: Model = models.infer_model(model)
        except Exception as error:  # an unknown name, a package or a key that is missing: each provider has its own
            raise SummaryModelMissingError(f"Pydantic AI cannot use {model!r}: {error}") from error
        self.name = f"{found.system}:{found.model_name}"
        """What is kept beside its words."""
        self._agent: Agent[None, OutputT] = library.Agent(
            found, output_type=output, instructions=instructions, retries=1
        )
        self._timeout_s = timeout_s
        self._runner = asyncio.Runner()
        self._asking: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None] | None = None
        self._ended = False
        self._thread = ThreadPoolExecutor(1, "models")

    def ask(self, told: str) -> OutputT:
        """Return what the model answers. Raises what Pydantic AI raises, TimeoutError, and SummaryEndedError."""
        return self._thread.submit(self._runner.run, self._asked(told)).result()

    def end(self) -> None:
        """Let what is being asked, and whatever is asked from now on, raise SummaryEndedError at once."""
        self._ended = True
        asking = self._asking
        if asking is not None and asking[1] is not None:
            with suppress(RuntimeError):  # its loop was closed meanwhile
                asking[0].call_soon_threadsafe(asking[1].cancel)

    def close(self) -> None:
        """End the thread, and what is being asked."""
        self.end()
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _asked(self, told: str) -> OutputT:
        self._asking = asyncio.get_running_loop(), asyncio.current_task()
        if self._ended:
            raise SummaryEndedError("no model is asked any more: thinking is being ended")
        try:
            async with asyncio.timeout(self._timeout_s):
                return (await self._agent.run(told)).output
        except asyncio.CancelledError:
            raise SummaryEndedError("no model is waited for any more: thinking is being ended") from None
        finally:
            self._asking = None
