"""The doors that keep things for a framework: stores, sessions, files, and a retriever over them."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from .way import TOO_LONG, K, Place, Way, connected, question, running


@contextmanager
def langgraph(place: Place) -> Generator[Way]:
    """Use LangGraph's store; a room is a namespace."""
    from yggdrasil.doors.langgraph import YggdrasilStore

    with connected(place) as memory:
        store = YggdrasilStore(memory)
        namespace = ("rooms", place.room)

        def read(subject: str) -> str:
            exact = store.get(namespace, subject)
            found = store.search(namespace, query=question(subject), limit=K)
            return "\n".join(str(each.value) for each in (*([exact] if exact else []), *found))

        yield Way(
            lambda subject, text: store.put(namespace, subject, {"text": text}),
            read,
            lambda: store.put(namespace, "wrong", {"text": TOO_LONG}),
        )


@contextmanager
def langchain(place: Place) -> Generator[Way]:
    """Use LangChain's retriever, which only reads: what it finds is written by the facade."""
    from yggdrasil.doors.langchain import YggdrasilRetriever

    with connected(place) as memory:
        retriever = YggdrasilRetriever(memory=memory, k=K)
        yield Way(
            lambda subject, text: memory.record_event(text, features=[subject]),
            lambda subject: "\n".join(each.page_content for each in retriever.invoke(question(subject))),
            lambda: retriever.invoke(TOO_LONG),
        )


@contextmanager
def claude_memory(place: Place) -> Generator[Way]:
    """Use Claude's memory tool as its runner does: a command at a time."""
    from yggdrasil.doors.claude_memory import YggdrasilMemoryTool

    with connected(place) as memory:
        yield _files(YggdrasilMemoryTool(memory).call)


@contextmanager
def claude_memory_async(place: Place) -> Generator[Way]:
    """Use Claude's asynchronous memory tool."""
    from yggdrasil.doors.claude_memory import AsyncYggdrasilMemoryTool

    with connected(place) as memory, running() as run:
        tool = AsyncYggdrasilMemoryTool(memory)
        yield _files(lambda command: run(tool.call(command)))


def _files(call: Any) -> Way:
    def read(subject: str) -> str:
        listed = str(call({"command": "view", "path": "/memories"}))
        path = f"/memories/{subject}.md"
        return f"{listed}\n{call({'command': 'view', 'path': path})}" if path in listed else listed

    return Way(
        lambda subject, text: call({"command": "create", "path": f"/memories/{subject}.md", "file_text": text}),
        read,
        lambda: call({"command": "create", "path": "/memories/wrong.md", "file_text": TOO_LONG}),
    )


def claude_errors() -> tuple[type[BaseException], ...]:
    """Return what Claude's runner turns into an error that the model is told."""
    from anthropic.tools import ToolError

    return (ToolError,)


def langgraph_errors() -> tuple[type[BaseException], ...]:
    """Return what LangGraph's own store raises for what it cannot keep, and what the facade does when it is away."""
    from yggdrasil import YggdrasilError

    return (ValueError, YggdrasilError)


@contextmanager
def openai_session(place: Place) -> Generator[Way]:
    """Use the session of the OpenAI Agents SDK; a room is a session."""
    from yggdrasil.doors.openai_agents import MemorySession

    with connected(place) as memory, running() as run:
        session = MemorySession(place.room, memory)

        def read(_: str) -> str:
            return "\n".join(str(each) for each in run(session.get_items(4 * K)))

        yield Way(
            lambda _, text: run(session.add_items([{"role": "user", "content": text}])),
            read,
            lambda: run(session.add_items([{"role": "user", "content": TOO_LONG}])),
        )


def openai_errors() -> tuple[type[BaseException], ...]:
    """Return what the SDK raises for what its user did wrong, and what the facade does when it is away."""
    from agents.exceptions import UserError

    from yggdrasil import YggdrasilError

    return (UserError, YggdrasilError)


@contextmanager
def strands(place: Place) -> Generator[Way]:
    """Use the memory manager of Strands over the store."""
    from strands.memory import MemoryManager  # type: ignore[import-not-found] # installed for `make test-doors` alone

    from yggdrasil.doors.strands import YggdrasilStore

    with connected(place) as memory, running() as run:
        store = YggdrasilStore(memory)
        manager = MemoryManager(stores=[store])

        def read(subject: str) -> str:
            return "\n".join(each.content for each in run(manager.search(question(subject))))

        def write(_: str, text: str) -> None:
            run(manager.add(text))

        yield Way(write, read, lambda: write("", TOO_LONG))


def strands_errors() -> tuple[type[BaseException], ...]:
    """Return what the memory manager raises when a store has not taken something."""
    from strands.types.exceptions import AggregateMemoryError  # type: ignore[import-not-found] # as above

    return (AggregateMemoryError,)


@contextmanager
def google_adk(place: Place) -> Generator[Way]:
    """Use the memory service of the Google Agent Development Kit; a room is a user."""
    from google.adk.memory.memory_entry import MemoryEntry  # pyright: ignore[reportMissingImports]
    from google.genai.types import Content, Part  # pyright: ignore[reportMissingImports]

    from yggdrasil.doors.google_adk import YggdrasilMemoryService

    with connected(place) as memory, running() as run:
        service = YggdrasilMemoryService(memory, source=place.source)
        whose: dict[str, Any] = {"app_name": "app", "user_id": place.room}

        def read(subject: str) -> str:
            found = run(service.search_memory(**whose, query=question(subject))).memories
            return "\n".join(str(each.content.parts[0].text) for each in found)

        def write(_: str, text: str, **more: Any) -> None:
            entry = MemoryEntry(content=Content(role="user", parts=[Part(text=text)]), **more)
            run(service.add_memory(**whose, memories=[entry]))

        yield Way(write, read, lambda: write("", "x", timestamp="yesterday"))


def adk_errors() -> tuple[type[BaseException], ...]:
    """Return what a memory service of the kit raises: there is no error of its own."""
    from yggdrasil import YggdrasilError

    return (ValueError, YggdrasilError)
