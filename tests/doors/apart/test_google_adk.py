"""The memory service, under the Runner and the sessions of the Google Agent Development Kit, with a scripted model."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.doors.served import House
from yggdrasil import Memory, ServiceAwayError, Store, UnknownNodeError, Where
from yggdrasil.doors.loop import RECORDED_CHARS_MAX

adk: Any = pytest.importorskip("google.adk", reason="cannot be installed beside the others: make test-doors")
agents: Any = pytest.importorskip("google.adk.agents")
events: Any = pytest.importorskip("google.adk.events")
models: Any = pytest.importorskip("google.adk.models")
entries: Any = pytest.importorskip("google.adk.memory.memory_entry")
runners: Any = pytest.importorskip("google.adk.runners")
sessions: Any = pytest.importorskip("google.adk.sessions")
tools: Any = pytest.importorskip("google.adk.tools.preload_memory_tool")
loading: Any = pytest.importorskip("google.adk.tools.load_memory_tool")
types: Any = pytest.importorskip("google.genai.types")
door: Any = pytest.importorskip("yggdrasil.doors.google_adk")

QUESTION = "Should we deploy on Friday?"


class Scripted(models.BaseLlm):  # type: ignore[misc] # what it is made of is not installed where types are checked
    """A model that gives one reply after the other, the last for ever, and keeps what it was shown."""

    model: str = "scripted"
    replies: list[Any] = []  # noqa: RUF012 - pydantic copies it
    seen: list[str] = []  # noqa: RUF012

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[Any]:
        self.seen.append("\n".join(part.text or "" for each in llm_request.contents for part in each.parts))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        part = types.Part(text=reply) if isinstance(reply, str) else reply
        yield models.LlmResponse(content=types.Content(role="model", parts=[part]))


class App:
    """An app whose agent has a memory service."""

    def __init__(self, memory: Any, *replies: Any, tool: Any = None) -> None:
        self.service = door.YggdrasilMemoryService(memory)
        self.model = Scripted(replies=list(replies) or ["Wait until Monday."])
        agent = agents.LlmAgent(name="guide", model=self.model, tools=[tool or tools.PreloadMemoryTool()])
        self.sessions = sessions.InMemorySessionService()
        self.runner = runners.Runner(
            app_name="app", agent=agent, session_service=self.sessions, memory_service=self.service
        )

    async def ask(self, text: str, user: str = "ana", session: str = "s1") -> str:
        """Ask in a session, add that to the memory, and return what the agent said."""
        of: dict[str, str] = {"app_name": "app", "user_id": user, "session_id": session}
        if await self.sessions.get_session(**of) is None:
            await self.sessions.create_session(**of)
        sent = types.Content(role="user", parts=[types.Part(text=text)])
        said = ""
        async for event in self.runner.run_async(user_id=user, session_id=session, new_message=sent):
            said += "".join(part.text or "" for part in (event.content.parts if event.content else []))
        await self.service.add_session_to_memory(await self.sessions.get_session(**of))
        return said

    async def found(self, query: str, user: str = "ana", app: str = "app") -> list[Any]:
        answer = await self.service.search_memory(app_name=app, user_id=user, query=query)
        return list(answer.memories)


WHO = "agent: "


def texts(found: list[Any]) -> list[str]:
    """What memories say, without who says it: the program that recorded them."""
    told = [each.content.parts[0].text for each in found]
    assert all(text.startswith(WHO) for text in told)
    return [text.removeprefix(WHO) for text in told]


@contextmanager
def opened(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path, memory="me/agent", embedder=None) as memory:
        yield memory


def event(text: str, number: int, **more: Any) -> Any:
    content = types.Content(role="user", parts=[types.Part(text=text, **more)])
    return events.Event(id=f"e{number}", author="user", content=content, timestamp=1_700_000_000.0 + number)


def test_what_was_said_in_one_session_is_before_the_model_in_the_next(tmp_path: Path) -> None:
    async def run(app: App) -> list[Any]:
        assert await app.ask("Deploying on Friday took the site down") == "Wait until Monday."
        await app.ask(QUESTION, session="s2")
        return await app.found("the site is down")

    with opened(tmp_path) as memory:
        app = App(memory)
        (first, *_) = asyncio.run(run(app))
        assert "Deploying on Friday took the site down" not in app.model.seen[0].partition("PAST")[2]
        assert "user: agent: Deploying on Friday took the site down" in app.model.seen[1]
        assert first.author == "user" and first.timestamp and first.custom_metadata["status"] == "active"
        kept = memory.describe(first.id).memory
        assert kept.session == "app/ana/s1" and "author:user" in kept.features
        memory.report_use(first.custom_metadata["recall_id"], [first.id], result="success")
        memory.log_outcome(first.id, -3, kind="outage", text="An hour")
        assert any('(-3 "outage": An hour)' in each for each in texts(asyncio.run(app.found("the site is down"))))


def test_the_model_may_ask_by_itself(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        call = types.Part.from_function_call(name="load_memory", args={"query": "favourite colour"})
        app = App(memory, "Noted.", call, "It is blue.", tool=loading.load_memory_tool)

        async def run() -> str:
            await app.ask("My favourite colour is blue")
            return await app.ask("Which is it?", session="s2")

        assert asyncio.run(run()) == "It is blue."


def test_a_session_that_grows_is_added_once_and_what_was_deleted_stays_away(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        app = App(memory)

        async def run() -> tuple[list[Any], list[Any]]:
            for text in ("The lamp is green", "The door is red", "The roof is grey"):
                await app.ask(text)
            lamp = (await app.found("lamp"))[0]
            await app.service.delete_memory(app_name="app", user_id="ana", memory_id=lamp.id)
            await app.service.delete_memory(app_name="app", user_id="ana")
            await app.ask("The gate is white")
            return await app.found("lamp"), await app.found("door")

        lamp, doors = asyncio.run(run())
        kept = memory.timeline(count=50, where=Where(history=True)).memories
        assert len([each for each in kept if "author:user" in each.features]) == 4
        assert "The lamp is green" not in texts(lamp) and "The door is red" in texts(doors)
        assert [each.status for each in kept if each.text == "The lamp is green"] == ["rejected"]


@pytest.mark.parametrize("shared", [True, False])
def test_nothing_of_one_user_or_app_is_seen_by_another(tmp_path: Path, shared: bool) -> None:
    names = [("app", "ana"), ("app", "bob"), ("app/ana", "x"), ("app", "ana/x"), ("äpp", "ana"), ("app", "a" * 300)]
    with Store.open(tmp_path, embedder=None) as store:
        whose = {name: store.memory(f"me/{number}") for number, name in enumerate(names)}
        one = store.memory("me/shared")
        service = door.YggdrasilMemoryService(one if shared else lambda app, user: whose[app, user])

        async def run() -> None:
            found: dict[tuple[str, str], Any] = {}
            for number, (app, user) in enumerate(names):
                of: dict[str, str] = {"app_name": app, "user_id": user}
                said = [event(f"The secret word is mark-{number}", 1)]  # all with one id, in one session
                await service.add_events_to_memory(**of, session_id="s", events=said)
            for number, (app, user) in enumerate(names):
                answer = await service.search_memory(app_name=app, user_id=user, query="What is the secret word?")
                assert texts(answer.memories) == [f"The secret word is mark-{number}"]
                found[app, user] = answer.memories[0].id
            with pytest.raises(UnknownNodeError):
                await service.delete_memory(app_name="app", user_id="ana", memory_id=found["app", "bob"])

        asyncio.run(run())
        if shared:
            assert len({each.session for each in one.timeline(count=50).memories}) == len(names)


def test_memories_that_are_given_as_they_stand(tmp_path: Path) -> None:
    def entry(text: str | None, **more: Any) -> Any:
        parts = [types.Part(text=text)] if text else []
        return entries.MemoryEntry(content=types.Content(role="user", parts=parts), **more)

    with opened(tmp_path) as memory:
        app = App(memory)
        of: dict[str, Any] = {"app_name": "app", "user_id": "ana"}

        async def run() -> list[Any]:
            given = [entry("The key is under the mat", id="m1", author="ana", timestamp="2026-03-01T10:00:00Z")]
            for _ in range(2):
                await app.service.add_memory(**of, memories=given, custom_metadata={"from": "a talk"})
            for wrong in (entry(None), entry("x", timestamp="yesterday")):
                with pytest.raises(ValueError, match=r"a part with|at least one part|ISO 8601"):
                    await app.service.add_memory(**of, memories=[wrong])
            return await app.found("where is the key")

        (found,) = asyncio.run(run())
    assert texts([found]) == ["The key is under the mat"]
    assert found.author == "ana" and found.timestamp.startswith("2026-03-01T10:00:00")
    assert found.custom_metadata["from"] == "a talk"


def test_what_is_no_text_is_passed_over_and_what_is_long_is_cut(tmp_path: Path) -> None:
    of: dict[str, Any] = {"app_name": "app", "user_id": "ana", "session_id": "s"}
    with opened(tmp_path) as memory:
        service = door.YggdrasilMemoryService(memory)
        partial = event("half of a", 3)
        partial.partial = True
        odd = [event("only thought", 1, thought=True), events.Event(id="e2", author="user"), partial]
        odd += [event("long " * 60_000, 4), event("half \ud800 of a character", 5)]

        async def run() -> list[Any]:
            await service.add_events_to_memory(**of, events=odd)
            of.pop("session_id")
            assert (await service.search_memory(**of, query=" ")).memories == []
            return list((await service.search_memory(**of, query="half of a character")).memories)

        found = asyncio.run(run())
        kept = memory.timeline(count=50).memories
    assert len(kept) == 2 and max(len(each.text or "") for each in kept) == RECORDED_CHARS_MAX
    assert texts(found)[0] == "half ? of a character"
    with pytest.raises(ValueError, match="1 to"):
        door.YggdrasilMemoryService(memory, results=0)


def test_a_service_that_is_away_and_back(tmp_path: Path) -> None:
    with House(tmp_path) as house:
        app = App(house.memory("service"))

        async def asked(text: str, session: str) -> str:
            return await app.ask(text, session=session)

        asyncio.run(asked("Deploying on Friday took the site down", "s1"))
        house.go()
        with pytest.raises(ServiceAwayError):  # of the session that is to be added: the agent has gone on without it
            asyncio.run(asked(QUESTION, "s2"))
        assert "PAST_CONVERSATIONS" not in app.model.seen[1]
        house.come()
        asyncio.run(asked(QUESTION, "s2"))
        assert "took the site down" in app.model.seen[2]


def test_nobody_listens() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and never listens
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with Memory.connect(url, memory="me/agent") as memory, pytest.raises(ServiceAwayError):
            asyncio.run(App(memory).found("anything"))


@pytest.mark.parametrize(
    ("page", "shows"), [("doors/google-adk.md", "user: agent: Deploying on Friday"), ("doors.md", "memories=")]
)
def test_the_examples_in_the_documents_run_as_they_stand(tmp_path: Path, page: str, shows: str) -> None:
    blocks = (Path(__file__).parents[3] / "docs" / page).read_text().split("```py\n")[1:]
    block = next(each for each in blocks if "google_adk" in each).split("```")[0]
    ran = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert shows in ran.stdout


def test_what_an_agent_says_that_tells_nothing_new_is_kept_and_not_searched(tmp_path: Path) -> None:
    """What the user says is searched, whatever it is like; and to add a session again is no other session."""
    with Memory.open(tmp_path, "me/agent", embedder="none") as memory:
        app = App(memory, "I do not know.", "What is Ana allergic to?", "Noted: Ana is allergic to nuts since 2020.")

        async def talk() -> None:
            for asked in ("What is Ana allergic to?", "Plan a dinner", "Ana is allergic to nuts"):
                await app.ask(asked)
            session = await app.sessions.get_session(app_name="app", user_id="ana", session_id="s1")
            await app.service.add_session_to_memory(session)

        asyncio.run(talk())
        told = {each.text: each.note for each in memory.timeline(count=50).memories}
        assert told == {
            "What is Ana allergic to?": told["What is Ana allergic to?"],
            "I do not know.": "utterance",
            "Plan a dinner": None,
            "Ana is allergic to nuts": None,
            "Noted: Ana is allergic to nuts since 2020.": None,
        }
        notes = [each.note for each in memory.timeline(count=50).memories if each.text == "What is Ana allergic to?"]
        assert sorted(notes, key=str) == [None, "utterance"]
        found = texts(asyncio.run(app.found("What is Ana allergic to?")))
        assert len(found) > 1 and all("nuts" in each for each in found[:2])  # what else Ana said comes after it
        assert not any("?" in each or each == "I do not know." for each in found)
