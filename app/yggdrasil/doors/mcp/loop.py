"""The tools of the loop: recall before a task, act, say how it went, and correct what no longer holds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import UnknownNodeError
from yggdrasil_projections.retrieval.using.finding import OUTPUT_CHARS_MAX
from yggdrasil_schemas.commands.experience import NoteKind

from ...asynchronous import AsyncMemory
from .answering import Door, result, small, told
from .arguments import ADDS, CORRECTS, READS, AsOf, Features, Ref, Session, Text, TokensMax, referred
from .recalling import recalling_tools
from .working import working_tools


def loop_tools(server: MCPServer[Any], door: Door) -> None:
    """Give a server the tools of the loop."""
    recalling_tools(server, door)
    _recording(server, door)
    _reporting(server, door)
    _correcting(server, door)
    _knowing(server, door)
    working_tools(server, door)


def _recording(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Remember", annotations=ADDS)
    async def remember(
        text: Annotated[Text, Field(description="What happened, was decided or was learnt, so that it stands alone.")],
        features: Features = None,
        session: Session = None,
        informed_by: Annotated[
            list[str] | None, Field(description="The recall_ids of what led to it.", max_length=8)
        ] = None,
        caused_by: Annotated[
            list[str] | None, Field(description="References of earlier events that brought it about.", max_length=8)
        ] = None,
        key: Annotated[
            str | None,
            Field(
                description="Names what this is the latest word on, such as ana/diet: it replaces what had that key.",
                max_length=128,
            ),
        ] = None,
        note: Annotated[NoteKind | None, Field(description="What sort of note it is, if it is one.")] = None,
    ) -> CallToolResult:
        """Record an event, a decision or a note, and return its reference.

        One thing at a time, in words that will be understood later. Give its `ref` to `report_outcome` once you know
        how it turned out: that is what the memory learns from. Never record secrets.
        """
        referred(*(informed_by or ()), *(caused_by or ()))
        async with told():
            ref = await door.memory().record_event(
                text,
                features=features or (),
                session=session,
                informed_by=informed_by or (),
                caused_by=caused_by or (),
                key=key,
                note=note,
            )
        return result({"ref": ref}, f"remembered as {ref}")


def _reporting(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Report how it turned out", annotations=ADDS)
    async def report_outcome(
        ref: Ref,
        value: Annotated[float, Field(description="From -10, a disaster, over 0 to 10.", ge=-10, le=10)],
        kind: Annotated[
            str, Field(description="In a word, such as outage or tests_passed.", max_length=120)
        ] = "outcome",
        text: Annotated[str, Field(description="What came of it.", max_length=20_000)] = "",
        session: Session = None,
    ) -> CallToolResult:
        """Say how something that was remembered turned out: failures too, above all.

        The steps that led to it take a share, so that the next recall foretells it.
        """
        referred(ref)
        async with told():
            outcome = await door.memory().log_outcome(ref, value, kind=kind, text=text or None, session=session)
        return result({"ref": outcome}, f"the outcome {outcome} of {ref} is recorded")

    @server.tool(title="Report what was used", annotations=ADDS)
    async def report_use(
        recall_id: Annotated[str, Field(description="The recall_id of the answer.", max_length=64)],
        used: Annotated[
            list[str] | None,
            Field(description="The references (from `refs`, not labels) that you really used.", max_length=50),
        ] = None,
        result_of_task: Annotated[
            Literal["success", "failure", "unknown"], Field(description="How the task went.")
        ] = "unknown",
        helpful: Annotated[bool, Field(description="Whether they helped.")] = False,
        prevented_error: Annotated[bool, Field(description="Whether they kept you from a mistake.")] = False,
        output: Annotated[
            str,
            Field(description="In place of `used`: your answer, in which that is found.", max_length=OUTPUT_CHARS_MAX),
        ] = "",
    ) -> CallToolResult:
        """Say which memories of a recall you really used, once per recall: what is useful stays, the rest fades."""
        if used is None and not output.strip():
            raise ToolError("say what you used: its references as `used`, or the answer that you gave as `output`")
        referred(*(used or ()), recall_id)
        how: dict[str, Any] = {"result": result_of_task, "helpful": helpful, "prevented_error": prevented_error}
        async with told():
            if used or not output.strip():  # an empty list beside an answer says nothing of it
                done = await door.memory().report_use(recall_id, used or (), **how)
                return result({"ref": done}, "the use is recorded")
            found = await door.memory().used(recall_id, output, **how)
        return result({"ref": found.report, "used": found.used, "method": found.method}, "the use is recorded")


def _correcting(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Correct what was said", annotations=CORRECTS)
    async def correct(
        ref: Ref,
        action: Annotated[
            Literal["supersede", "withdraw", "resolve", "reinstate"],
            Field(
                description="supersede: `text` holds instead. withdraw: it does not hold. resolve: an open question or "
                "problem is settled. reinstate: undo one of these."
            ),
        ],
        text: Annotated[str, Field(description="For supersede: what holds instead.", max_length=131_072)] = "",
        reason: Annotated[str, Field(description="Why, in a few words; needed to withdraw.", max_length=128)] = "",
        features: Features = None,
    ) -> CallToolResult:
        """Correct a memory or a fact: what no longer holds leaves every answer, and stays in the history."""
        if action == "supersede" and not text:
            raise ToolError("supersede needs the text that holds instead: give it as `text`")
        if action == "withdraw" and not reason:
            raise ToolError("withdraw needs a reason, in a few words: give it as `reason`")
        referred(ref)
        memory = door.memory()
        async with told():
            match action:
                case "supersede":
                    done = await memory.supersede(ref, text, features=features or ())
                case "withdraw":
                    done = await memory.withdraw(ref, reason)
                case "resolve":
                    done = await memory.resolve(ref, reason or "resolved")
                case "reinstate":
                    done = await memory.reinstate(ref, reason or "reinstated")
        return result({"ref": done}, f"{ref}: {action} is recorded as {done}")


def _knowing(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Facts: ask, or assert", annotations=ADDS)
    async def facts(  # noqa: PLR0917 - as above
        subject: Annotated[
            str | None, Field(description="The thing it is about, such as person:ana.", max_length=128)
        ] = None,
        predicate: Annotated[
            str | None, Field(description="What is said of it, such as lives_in.", max_length=64)
        ] = None,
        object: Annotated[
            bool | int | float | str | None,
            Field(description="To assert it: the value, such as city:oslo, a text, a number, true or false."),
        ] = None,
        evidence: Annotated[
            list[str] | None, Field(description="References that it was concluded from.", max_length=16)
        ] = None,
        confidence: Annotated[int, Field(description="How sure you are, in percent.", ge=0, le=100)] = 70,
        valid_at: Annotated[
            str | None, Field(description="To ask: what held at this moment, such as 2023-05-01.", max_length=40)
        ] = None,
        history: Annotated[bool, Field(description="To ask: also what no longer holds.")] = False,
        as_of: AsOf = None,
        tokens_max: TokensMax = None,
    ) -> CallToolResult:
        """Ask what is so of a thing, or assert that something is so.

        With subject, predicate and object it asserts that fact and returns its reference; what contradicts it is
        weighed by who said so, and nothing is lost. Otherwise it asks: by subject, by predicate or both, and shows
        each fact with its reference, how sure it is, and whether it is contested.
        """
        memory = door.memory()
        async with told():
            if object is not None:
                if subject is None or predicate is None:
                    raise ToolError(
                        "to assert a fact takes a subject and a predicate beside the object: give all three"
                    )
                ref = await memory.assert_claim(
                    subject, predicate, object, confidence=confidence, evidence=evidence or ()
                )
                return result({"ref": ref}, f"the fact is {ref}")
            moment = Where(valid_at=valid_at).valid_at
            past = await door.memory_as_of(as_of)
            found = await past.claims(subject, predicate, valid_at=moment, history=history)
        shown = [
            {
                "ref": each.ref,
                "said_by": each.said_by,
                "text": each.text,
                "status": each.status,
                "fact": each.claim,
            }
            for each in found.claims
        ]
        whole = {"facts": shown, "left_out": found.left_out, "as_of": found.as_of}
        return result({"facts": [], **small(whole, door.budget(tokens_max))})

    @server.tool(title="Explain", annotations=READS)
    async def explain(ref: Ref, as_of: AsOf = None, tokens_max: TokensMax = None) -> CallToolResult:
        """Explain a reference in full: what led to it and what came of it, or for a fact, who says so and what speaks
        against it. Use it to go on from a short answer, and before you correct something.
        """
        referred(ref)
        async with told():
            kind, found = await _explained(await door.memory_as_of(as_of), ref)
        return result(small({"ref": ref, "kind": kind, "explained": found}, door.budget(tokens_max)))


async def _explained(memory: AsyncMemory, ref: str) -> tuple[str, object]:
    """Return what sort of memory a reference is, and all that there is to say of it."""
    try:
        described = await memory.describe(ref)
    except UnknownNodeError:
        return "event", await memory.explain_action(ref)  # of what has been forgotten the log still tells
    match described.memory.kind:
        case "event":
            return "event", await memory.explain_action(ref)
        case "claim":
            return "claim", await memory.lineage(ref)
        case kind:
            return kind, described
