"""The tools of a session: begin a piece of work, keep notes on it, and end it with what others should know."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server import MCPServer
from mcp_types import CallToolResult
from pydantic import Field

from yggdrasil_producers.sessions import ITEMS_MAX
from yggdrasil_projections.retrieval.prompt import labelled
from yggdrasil_projections.retrieval.reads.sessions.given import SessionContext

from ...sessions import Left
from .answering import Door, result, told
from .arguments import ADDS, READS, TokensMax

_Name = Annotated[str, Field(description="The session, as begin_session named it.", min_length=1, max_length=128)]
_Part = Annotated[str | None, Field(max_length=119)]
_Touched = Annotated[
    list[str] | None,
    Field(description="What it will touch, as features such as file:pay.py or service:checkout.", max_length=29),
]
_Lessons = Annotated[
    list[str | dict[str, Any]] | None,
    Field(description="Sentences, or objects with text, about (a feature), evidence.", max_length=ITEMS_MAX),
]


def working_tools(server: MCPServer[Any], door: Door) -> None:
    """Give a server the tools of a session."""
    _beginning(server, door)
    _noting(server, door)
    _ending(server, door)


def _beginning(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Begin a session", annotations=ADDS)
    async def begin_session(
        goal: Annotated[str, Field(description="What you are going to achieve, in a sentence.", max_length=4_000)],
        task: Annotated[_Part, Field(description="The task, such as T-12: its notes are found under it.")] = None,
        workflow: Annotated[_Part, Field(description="The kind of work, such as release.")] = None,
        agent: Annotated[_Part, Field(description="Who you are.")] = None,
        touches: _Touched = None,
        holds: Annotated[
            list[str] | None,
            Field(description="What you take for yourself until it ends, such as resource:staging.", max_length=16),
        ] = None,
        tokens_max: TokensMax = None,
    ) -> CallToolResult:
        """Begin a piece of work, before you act: it answers with what is known for it.

        Lessons and warnings of such work, decisions that were made before, promises that stand, and who else is working
        on the same. Give `session` to the other tools, and end it with `end_session`.
        """
        async with told():
            working = door.memory().session(
                goal=goal, task=task, workflow=workflow, agent=agent, touches=touches or (), holds=holds or ()
            )
            begun = await working.begin()
            return _given(begun.session.name, await begun.context(tokens_max=door.budget(tokens_max)), door, tokens_max)

    @server.tool(title="What a session should know", annotations=READS)
    async def session_context(
        session: _Name,
        query: Annotated[
            str | None, Field(description="What it is about now, if not its goal.", max_length=8_000)
        ] = None,
        seen: Annotated[list[str] | None, Field(description="References that you were shown.", max_length=128)] = None,
        tokens_max: TokensMax = None,
    ) -> CallToolResult:
        """Ask again what is known for your session: after your context was compacted, or when the work turns.

        Give the `refs` that you have as `seen`, and what you were not shown comes first.
        """
        async with told():
            working = await door.memory().resume(session)
            found = await working.context(query, tokens_max=door.budget(tokens_max), seen=seen)
            return _given(session, found, door, tokens_max)


def _noting(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Keep notes on a session", annotations=ADDS)
    async def scratchpad(
        session: _Name,
        notes: Annotated[
            dict[str, str] | None,
            Field(description="By word, such as progress: each replaces what the word said.", max_length=32),
        ] = None,
        promise: Annotated[str | None, Field(description="Something you promise: it stays.", max_length=1_024)] = None,
        due: Annotated[str | None, Field(description="Until when, such as 2026-12-01.", max_length=40)] = None,
    ) -> CallToolResult:
        """Put notes on your desk, every few actions: they outlive a compacted context and are gone at the end.

        Of goal, subgoal and threat there may be several. `session_context` shows them.
        """
        async with told():
            working = await door.memory().resume(session)
            refs = await working.note(**notes) if notes else []
            refs += [await working.promise(promise, due=due)] if promise else []
        return result({"refs": refs}, f"noted: {len(refs)}")


def _ending(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="End a session, or reflect on it", annotations=ADDS)
    async def end_session(  # noqa: PLR0917 - the SDK calls it by names
        session: _Name,
        summary: Annotated[
            str | None, Field(description="What was done, in a few sentences.", max_length=4_000)
        ] = None,
        outcome: Annotated[float | None, Field(description="How it went, from -10 to 10.", ge=-10, le=10)] = None,
        lessons: _Lessons = None,
        warnings: _Lessons = None,
        decisions: Annotated[
            list[str | dict[str, Any]] | None,
            Field(description="Sentences, or with what, why, alternatives.", max_length=ITEMS_MAX),
        ] = None,
        recoveries: Annotated[
            list[dict[str, Any]] | None,
            Field(description="What helped: text, and failure, such as tool or loop.", max_length=ITEMS_MAX),
        ] = None,
        connections: Annotated[
            list[dict[str, Any]] | None,
            Field(description="With source, target, relation and reason.", max_length=ITEMS_MAX),
        ] = None,
        over: Annotated[bool, Field(description="False: it goes on, and this is kept in the middle of it.")] = True,
    ) -> CallToolResult:
        """End your session with what others should know; or, with over=false, say it before your context is compacted.

        One thing each, in sentences that will be understood later. What is said twice is kept once.
        """
        said: dict[str, Any] = {
            "lessons": lessons or (),
            "warnings": warnings or (),
            "decisions": decisions or (),
            "recoveries": recoveries or (),
            "connections": connections or (),
        }
        async with told():
            working = await door.memory().resume(session)
            left = await working.end(summary, outcome=outcome, **said) if over else await working.reflect(**said)
        return _left(left)


def _given(name: str, found: SessionContext, door: Door, tokens_max: int | None) -> CallToolResult:
    text = found.text(door.budget(tokens_max) * 2 // 3)
    refs = {label: ref for label, ref in labelled(found.refs).items() if f"[{label}]" in text}
    structure = {"session": name, "text": text, "refs": refs, "more": found.more[:16], "as_of": found.as_of}
    lines = [f"session: {name}", text]
    if refs:
        lines.append("refs: " + " ".join(f"{label}={ref}" for label, ref in refs.items()))
    return result(structure, "\n".join(lines))


def _left(left: Left) -> CallToolResult:
    kept = [{"part": part, "ref": ref} for part, ref in left.said]
    refused = [{"part": part, "ref": ref, "reason": str(why)} for part, ref, why in left.refused]
    told = f"kept: {', '.join(part for part, _ in left.said) or 'nothing'}"
    if refused:
        told += f"; refused: {', '.join(each['part'] for each in refused)}"
    return result({"kept": kept, "refused": refused}, told)
