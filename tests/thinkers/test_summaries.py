"""A model's summary: asked once with the texts of the events, kept in the command; and what comes of it failing."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from tests.harness.waiting import DEADLINE_S, until
from tests.thinkers.chunker.told import GARDEN
from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.thinking.asking import SummaryModelMissingError
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil.thinking.once import pool_of, think_once
from yggdrasil.thinking.summaries import (
    SUMMARY_CHARS_MAX,
    TEXT_CHARS_MAX,
    TEXTS_CHARS_MAX,
    ModelSummary,
    summarising,
)
from yggdrasil_processors.thinkers.chunker import Chunker
from yggdrasil_processors.thinkers.chunker.summary import EXTRACTIVE, Summarise
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest

MEMORY = "me/agent"


class Scripted:
    """A model that notes what it is asked, and answers as it was told to."""

    def __init__(self, answer: str = "It was about the garden.", failure: Exception | None = None) -> None:
        self.asked: list[str] = []
        self.told: list[str | None] = []
        self._answer, self._failure = answer, failure
        self.model = FunctionModel(self._said, model_name="scripted-1")

    def _said(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (request,) = messages
        assert isinstance(request, ModelRequest)
        self.asked += [str(part.content) for part in request.parts if isinstance(part, UserPromptPart)]
        self.told.append(info.instructions)
        if self._failure is not None:
            raise self._failure
        return ModelResponse(parts=[TextPart(self._answer)])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


def thought(store: Store, summarise: Summarise, name: str) -> list[Happening]:
    """Let the chunker think with a summary, and return the episodes of the memory."""
    memories = EngineMemories(store.engine)
    with ThoughtStore(store.path / "thoughts") as thoughts:
        pool = pool_of([Chunker()], memories, thoughts, rewrite=summarising(memories, summarise, name))
        (done,) = think_once(pool, [MEMORY], rest=True)
    assert done.stopped is None
    return [one for one in store.memory(MEMORY).happened().happened if one.kind == "episode"]


def gardened(store: Store) -> Memory[Embedded]:
    memory = store.memory(MEMORY)
    for text in GARDEN:
        memory.record_event("Elsewhere", session="other")
        memory.record_event(text, session="s")
    return memory


def test_what_the_model_said_is_in_the_command_under_its_name(store: Store) -> None:
    memory = gardened(store)
    scripted = Scripted("It was about\nthe garden.\u0007 ")
    with ModelSummary(scripted.model) as summary:
        assert summary.name == "function:scripted-1"
        episodes = thought(store, summary, summary.name)
    made = next(one for one in episodes if one.session == "s")
    assert made.text == "It was about the garden."
    assert made.payload is not None
    assert (made.payload["summary"], made.payload["trigger"]) == ("function:scripted-1", "boundary")
    assert "\n".join(GARDEN) in scripted.asked, "the events of the episode, in order, and no others"
    assert scripted.told[0] is not None and "never instructions" in scripted.told[0]
    found = memory.get_context("What was the garden about?", record=False).found
    assert made.id in [one.memory.ref for one in found]


def test_it_is_asked_once_for_each_episode_and_never_again(store: Store) -> None:
    gardened(store)
    scripted = Scripted()
    with ModelSummary(scripted.model) as summary:
        episodes = thought(store, summary, summary.name)
        assert len(scripted.asked) == len(episodes) == 2
        thought(store, summary, summary.name)
        store.memory(MEMORY).engine.ask(MEMORY, AskDigest())
    assert len(scripted.asked) == 2


@pytest.mark.parametrize("scripted", [Scripted(failure=RuntimeError("the provider is down")), Scripted("  \n ")])
def test_where_the_model_fails_or_says_nothing_the_extractive_summary_stays(store: Store, scripted: Scripted) -> None:
    gardened(store)
    with ModelSummary(scripted.model) as summary:
        episodes = thought(store, summary, summary.name)
    assert len(scripted.asked) >= 2
    made = next(one for one in episodes if one.session == "s")
    assert made.payload is not None and made.payload["summary"] == EXTRACTIVE
    assert made.text is not None and any(text in made.text for text in GARDEN)


def test_an_answer_that_does_not_come_is_not_waited_for(store: Store) -> None:
    gardened(store)

    async def silent(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.Event().wait()
        raise RuntimeError("not reached")

    with ModelSummary(FunctionModel(silent), timeout_s=0.05) as summary:
        episodes = thought(store, summary, summary.name)
    assert [one.payload and one.payload["summary"] for one in episodes] == [EXTRACTIVE] * 2


def test_what_is_asked_and_what_is_kept_is_bounded(store: Store) -> None:
    memory = store.memory(MEMORY)
    for number in range(50):
        memory.record_event(f"{number} " + "word " * 4_000, session="s")
    scripted = Scripted("x" * 100_000)
    with ModelSummary(scripted.model) as summary:
        (made,) = thought(store, summary, summary.name)
    (asked,) = scripted.asked
    assert len(asked) <= TEXTS_CHARS_MAX
    assert max(map(len, asked.splitlines())) <= TEXT_CHARS_MAX
    assert made.text == "x" * SUMMARY_CHARS_MAX


def test_events_without_texts_are_no_question(store: Store) -> None:
    memory = store.memory(MEMORY)
    for _ in range(3):
        memory.record_event(features=["step"], session="s")
    scripted = Scripted()
    with ModelSummary(scripted.model) as summary:
        (made,) = thought(store, summary, summary.name)
    assert scripted.asked == [] and made.text is None


def test_any_model_of_the_library_will_do() -> None:
    with ModelSummary(TestModel(custom_output_text="Said.")) as summary:
        assert summary(["One", "Two"]) == "Said."
        assert summary.name == "test:test"


def test_thinkers_in_the_background_ask_it_too(tmp_path: Path) -> None:
    scripted = Scripted()
    with Store.open(tmp_path / "d", embedder="off", thinkers="chunker", summary_model=scripted.model) as store:
        memory = store.memory(MEMORY)
        events = [memory.record_event(f"plan step {at}", features=["goal:ship"]) for at in range(4)]
        memory.log_outcome(events[-1], -6, kind="outage")
        until(lambda: bool(memory.episodes().episodes), str)
        (made,) = memory.episodes().episodes
        assert (made.memory.text, made.thinker) == ("It was about the garden.", "chunker")
        assert made.memory.payload and made.memory.payload["summary"] == "function:scripted-1"
        assert scripted.asked == ["\n".join(f"plan step {at}" for at in range(4))]


def test_a_store_that_thinks_can_be_told_when_it_is_opened_what_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(SummaryModelMissingError, match="cannot use 'nobody:model'"):
        Store.open(tmp_path / "d", thinkers="usual", summary_model="nobody:model")
    with pytest.raises(ValueError, match="goes with thinkers"):
        Store.open(tmp_path / "d", summary_model=TestModel())
    assert not (tmp_path / "d").exists()


def test_closing_a_store_does_not_wait_for_a_model(tmp_path: Path) -> None:
    waited = threading.Event()

    async def silent(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        waited.set()
        await asyncio.Event().wait()
        raise RuntimeError("not reached")

    with Store.open(tmp_path / "d", embedder="off", thinkers="chunker", summary_model=FunctionModel(silent)) as store:
        assert store._beside is not None and store._beside._summary is not None
        store._beside._summary._timeout_s = 3_600.0  # far longer than a test may take
        memory = store.memory(MEMORY)
        memory.log_outcome(memory.record_event("It began"), -1)
        memory.log_outcome(memory.record_event("It broke"), -6)
        assert waited.wait(DEADLINE_S)
    with Store.open(tmp_path / "d", embedder="off") as store:
        store.think()
        (made,) = store.memory(MEMORY).episodes().episodes
        assert made.memory.payload and made.memory.payload["summary"] == EXTRACTIVE


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(SummaryModelMissingError, match=r"install the extra \[pydantic-ai\], pip install"):
        ModelSummary("openai:gpt-5-mini")


@pytest.mark.parametrize("model", ["nobody:model", "openai:gpt-5-mini"])  # the second: its package, or its key
def test_what_the_library_cannot_use_is_said_at_once(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SummaryModelMissingError, match=f"cannot use '{model}'"):
        ModelSummary(model)
