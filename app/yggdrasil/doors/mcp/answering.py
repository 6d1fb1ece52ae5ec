"""How a tool answers: in few tokens, as structure and as text; or with an error that says what to do."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from yggdrasil_infra.log import LogError
from yggdrasil_projections.retrieval.errors import CommandRefusedError, InvalidAskError, UnknownMemoryError
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError

from ...asynchronous import AsyncMemory

TOKENS: Final = 2_000
"""Of four characters: what one answer takes unless the caller says otherwise."""
TOKENS_MIN: Final = 100
TOKENS_MAX: Final = 10_000
"""The most that one answer takes, whatever the caller asks for."""
_CHARS_PER_TOKEN: Final = 4
_REMEDIES: Final = {
    "unknown_recall": "Give the recall_id that `recall` or `similar_cases` returned.",
    "unknown_event": "Give a reference that `remember` or `recall` returned.",
    "unknown_reference": "Give a reference that `remember`, `recall` or `facts` returned.",
    "not_recalled": "Report only references that this recall returned.",
    "recall_reported": "Its use has been reported already; ask again before you report more.",
    "recall_forgotten": "It is too old to be reported; ask again.",
    "not_trusted": "Somebody who is trusted more said it; ask a person to correct it.",
    "node_protected": "It is protected, and only an operator may change it; ask a person.",
    "not_corrigible": "Features and outcomes cannot be corrected; correct the event that they belong to.",
    "slot_full": "Too much is said of this already; correct what no longer holds first.",
}
_TRUST: Final = "trust"  # of which 0 says something: that of a stranger
# How much of an answer stays where it is too long: characters of each text, and entries of each list.
_CUTS: Final = ((4_000, 50), (1_000, 30), (400, 15), (160, 8), (80, 4), (40, 2))


@dataclass(frozen=True, slots=True)
class Door:
    """What the tools need: whose memory is meant in this call, and how many tokens an answer takes by default."""

    memory: Callable[[], AsyncMemory]
    tokens: int = TOKENS

    async def memory_as_of(self, moment: str | None) -> AsyncMemory:
        """Return the memory, or that as it stood at a moment. Raises what ``Memory.as_of`` raises."""
        memory = self.memory()
        return memory if moment is None else await memory.as_of(moment)

    def budget(self, asked: int | None) -> int:
        """Return how many tokens this answer may take."""
        return min(TOKENS_MAX, max(TOKENS_MIN, self.tokens if asked is None else asked))


@asynccontextmanager
async def told() -> AsyncGenerator[None]:
    """Turn what a memory raises into an error of the tool, with what to do about it."""
    try:
        yield
    except CommandRefusedError as error:
        remedy = _REMEDIES.get(error.reason, "Nothing was changed; mend the arguments.")
        raise ToolError(f"the memory refused it ({error}). {remedy}") from error
    except (InvalidCommandError, InvalidAskError) as error:
        raise ToolError(f"{_sentence(error)} Nothing was recorded; mend the argument and call again.") from error
    except UnknownMemoryError as error:
        raise ToolError(f"{_sentence(error)} It is empty: `remember` something first.") from error
    except LogError as error:
        raise ToolError(f"the memory cannot be reached just now ({error}). Go on without it, and try later.") from error
    except YggdrasilError as error:
        raise ToolError(str(error)) from error


def _sentence(error: Exception) -> str:
    return f"{str(error).rstrip('. ')}."


def result(structure: Mapping[str, Any], text: str | None = None) -> CallToolResult:
    """Return an answer for programs and for models; without a ``text`` that is the structure, as JSON."""
    said = orjson.dumps(structure).decode() if text is None else text
    return CallToolResult(content=[TextContent(type="text", text=said)], structured_content=dict(structure))


def chars_of(tokens: int) -> int:
    """Return how many characters a budget has."""
    return tokens * _CHARS_PER_TOKEN


def small(value: object, tokens: int) -> Any:
    """Return a dataclass as JSON has it, without what says nothing, cut until it takes at most ``tokens``."""
    room = chars_of(tokens)
    for chars, entries in _CUTS:
        cut = _cut(value, chars, entries)
        if len(orjson.dumps(cut)) <= room:
            return cut
    return {"left_out": "it does not fit into the budget of tokens; ask for one part of it, or with more tokens_max"}


def _cut(value: object, chars: int, entries: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[: chars - 1]}…"
    if isinstance(value, float):
        return round(value, 3)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        kept = {name: _cut(each, chars, entries) for name, each in cast(Mapping[str, object], value).items()}
        return {name: each for name, each in kept.items() if name == _TRUST or each not in (None, "", [], {}, 0, False)}
    if isinstance(value, list | tuple):
        listed = list(cast(Sequence[object], value))
        shown = [_cut(each, chars, entries) for each in listed[:entries]]
        return [*shown, f"({len(listed) - entries} more)"] if len(listed) > entries else shown
    return value
