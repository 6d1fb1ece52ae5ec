"""The store, under the agent and the memory manager of Strands, with a scripted model."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import InvalidCommandError, Memory, Store
from yggdrasil.doors.strands import YggdrasilStore

strands = pytest.importorskip("strands", reason="cannot be installed beside the others: make test-doors")
memories = pytest.importorskip("strands.memory")
Model: Any = pytest.importorskip("strands.models").Model


class Scripted(Model):  # type: ignore[misc] # what it is made of is not installed where types are checked
    """A model that always says the same, and keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        yield {}

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        self.seen.append(str(messages))
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "Wait until Monday."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def managed(memory: Memory[Any]) -> tuple[Any, Scripted]:
    model = Scripted()
    manager = memories.MemoryManager(stores=[YggdrasilStore(memory)], add_tool_config=True)
    return strands.Agent(model=model, memory_manager=manager, callback_handler=None), model


def test_what_ended_badly_is_before_the_model(tmp_path: Path) -> None:
    with Memory.open(tmp_path, memory="me/agent", embedder=None) as memory:
        event = memory.record_event("Deployed on a Friday evening", features=["deploy"])
        memory.log_outcome(event, -3, kind="outage", text="The site was down for an hour")
        agent, model = managed(memory)
        agent("Should we deploy on Friday?")
        assert 'Deployed on a Friday evening (-3 "outage": The site was down for an hour)' in model.seen[0]
        found = asyncio.run(YggdrasilStore(memory).search("deploy on Friday", {"max_search_results": 1}))
        assert found[0].metadata is not None and found[0].metadata["ref"] == event
        memory.report_use(found[0].metadata["recall_id"], [event], result="success")


def test_what_is_added_is_found_and_nothing_is_found_in_an_empty_memory(tmp_path: Path) -> None:
    with Store.open(tmp_path, embedder=None) as store:
        ann, bob = (YggdrasilStore(store.memory(f"house/{who}")) for who in ("ann", "bob"))
        manager = memories.MemoryManager(stores=[ann])

        async def used() -> tuple[Any, Any, Any]:
            empty = await manager.search("blue")
            await manager.add("Her favourite colour is blue", {"metadata": {"from": "a talk"}})
            return empty, await manager.search("favourite colour"), await bob.search("favourite colour")

        empty, found, others = asyncio.run(used())
    assert empty == others == []
    assert [each.content for each in found] == ["agent: Her favourite colour is blue"]


def test_a_refusal_and_a_service_that_is_away(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and never listens
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with Memory.connect(url, memory="me/agent") as memory:
            agent, model = managed(memory)
            assert "Wait" in str(agent("Should we deploy on Friday?")), "the agent goes on without it"
            assert "<memory>" not in model.seen[0]
    with Memory.open(tmp_path, memory="me/agent", embedder=None) as memory, pytest.raises(InvalidCommandError):
        asyncio.run(YggdrasilStore(memory).add("x" * 200_000))


@pytest.mark.parametrize(
    ("page", "shows"), [("doors/strands.md", 'Deployed on a Friday (-3 "outage")'), ("doors.md", "the site went down")]
)
def test_the_examples_in_the_documents_run_as_they_stand(tmp_path: Path, page: str, shows: str) -> None:
    blocks = (Path(__file__).parents[3] / "docs" / page).read_text().split("```py\n")[1:]
    block = next(each for each in blocks if "strands" in each).split("```")[0]
    ran = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert shows in ran.stdout
