"""The door to the OpenAI Agents SDK: a session whose items are events of a memory, and function tools.

Each item of a session is one event, with its words to be found by and the item itself, exactly as it was, beside them.
To pop an item or to clear a session withdraws events: they leave the session, and stay in the history.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final, cast
from unicodedata import is_normalized

from yggdrasil_producers.utterance import tells_nothing
from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_schemas.commands.experience import UTTERANCE
from yggdrasil_schemas.limits import JUDGED_MAX, NAME_CHARS_MAX

from ..asynchronous import AsyncMemory
from ..memory import Memory
from ..recording import Event
from . import needing
from .loop import MEMORY_TOOLS, awaited
from .tools import Tools, told

with needing("openai-agents"):
    from agents import FunctionTool, RunContextWrapper, TResponseInputItem, function_tool
    from agents.exceptions import ModelBehaviorError, UserError
    from agents.memory import SessionSettings
    from agents.memory.session import SessionABC

ITEM_BYTES_MAX: Final = 200_000
"""So large an item may be, as JSON in ASCII: a record of the log takes little more."""
ITEMS_MAX: Final = 2_000
"""So many items, the latest, a session gives at once."""
ADDED_MAX: Final = 2_000
"""So many items may be added at once."""
_PAGE: Final = 100
_FIELD: Final = "openai_agents"  # of a payload; what is in it is nested, so that no search looks at it
_TEXT_CHARS_MAX: Final = 8_000
_REASON: Final = "removed from the session"
_LOOP: Final = ("reasoning", "item_reference", "mcp_list_tools", "mcp_approval_request", "compaction")
"""Types of items that are the loop's own business, beside calls of tools; what these give is searched."""
_CALLS_KEPT: Final = 256  # calls of the memory's tools, and texts that these gave, that a session knows


@dataclass(frozen=True, slots=True)
class _Kept:
    ref: str
    item: TResponseInputItem


class MemorySession(SessionABC):
    """A session of the Agents SDK over a memory; equal to any other over the same memory with the same id.

    It survives whatever the memory survives, and what was said in it is recalled like everything else, but for what the
    loop says that tells nothing new: calls of tools, what the memory's own tools gave, its questions (``utterance``).
    What has the role of a user is always searched. A memory forgets above its bounds, and then a session's oldest items
    are gone: it is for conversations, and no archive.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory[Any] | AsyncMemory,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        """Use ``memory``, which stays the caller's to close. Raises UserError for an id that no session can have."""
        if not 1 <= len(session_id) <= NAME_CHARS_MAX or not session_id.isprintable():
            raise UserError(f"a session_id has 1 to {NAME_CHARS_MAX} printable characters; choose another")
        if not is_normalized("NFC", session_id):  # or two that look alike would be one
            raise UserError("a session_id must be composed (Unicode NFC): unicodedata.normalize('NFC', session_id)")
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._memory = awaited(memory)
        self._called: OrderedDict[str, None] = OrderedDict()  # ids of calls of the memory's own tools
        self._recalled: deque[str] = deque(maxlen=_CALLS_KEPT)  # what these gave

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in order, the latest ``limit``: that of the settings unless given, at most ITEMS_MAX."""
        wanted = limit if limit is not None else self.session_settings.limit if self.session_settings else None
        count = ITEMS_MAX if wanted is None else min(max(wanted, 0), ITEMS_MAX)
        return [kept.item for kept in reversed(await self._latest(count))]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items at the end, all of them or, where one cannot be kept, none. Raises UserError for such a one."""
        if len(items) > ADDED_MAX:
            raise UserError(f"{len(items)} items at once are more than {ADDED_MAX}: add them in parts")
        if events := [self._event(item) for item in items]:
            await self._memory.record_many(events)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the latest item out of the session and return it; None of an empty one.

        Two that pop at the same time may be given the same item: a session is for one conversation at a time.
        """
        latest = await self._latest(1)
        if not latest:
            return None
        await self._memory.withdraw(latest[0].ref, _REASON)
        return latest[0].item

    async def clear_session(self) -> None:
        """Take all items out of the session."""
        while latest := await self._latest(ITEMS_MAX):
            for first in range(0, len(latest), JUDGED_MAX):
                refs = [kept.ref for kept in latest[first : first + JUDGED_MAX]]
                await self._memory.judge(dict.fromkeys(refs, "reject"), reason=_REASON)

    async def _latest(self, count: int) -> list[_Kept]:
        """Return the latest items, the latest first."""
        found: list[_Kept] = []
        before: int | None = None
        while len(found) < count:
            # One page may hold other events of the session, and what was taken out of it.
            wanted = min(_PAGE, 2 * (count - len(found)))
            try:
                page = await self._memory.timeline(session=self.session_id, before=before, count=wanted)
            except UnknownMemoryError:
                break
            found += [kept for each in page.memories if (kept := _kept(each)) is not None]
            before = page.before
            if before is None:
                break
        return found[:count]

    def _event(self, item: TResponseInputItem) -> Event:
        if not isinstance(cast(object, item), dict):  # not everybody checks types
            kind = type(item).__name__
            raise UserError(f"an item of a session is a dictionary, such as a message, and this is of type {kind}")
        try:
            said = json.dumps(item, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UserError(f"an item of a session must be JSON: {error}") from error
        if len(said) > ITEM_BYTES_MAX:
            advice = "keep a reference to large files in it, and not the files"
            raise UserError(f"an item of {len(said)} bytes is larger than {ITEM_BYTES_MAX}: {advice}")
        role = item.get("role") or item.get("type") or "item"
        return Event(
            _words(cast(dict[str, Any], item)),
            features=[f"role:{role}"[:NAME_CHARS_MAX]],
            payload={_FIELD: {"item": said}},
            session=self.session_id,
            note=UTTERANCE if self._is_utterance(cast(dict[str, Any], item)) else None,
        )

    def _is_utterance(self, item: dict[str, Any]) -> bool:
        """Whether the loop itself says an item, and it tells nothing new. What a user says never is."""
        kind, role = item.get("type") or "message", item.get("role")
        if role is not None or kind == "message":
            return role == "assistant" and tells_nothing(_words(item), self._recalled)
        call = str(item.get("call_id") or "")
        if kind == "function_call" and _is_of_memory(item):
            self._called[call] = None
            if len(self._called) > _CALLS_KEPT:
                self._called.popitem(last=False)
        if kind == "function_call_output" and call in self._called:
            self._recalled.append(_words(item))
            return True
        is_call = str(kind).endswith("_call") and not (item.get("output") or item.get("results"))
        return is_call or kind in _LOOP


def memory_tools(
    memory: Memory[Any] | AsyncMemory,
    *,
    features: Sequence[str] = (),
    session: str | None = None,
    where: Where | None = None,
) -> list[FunctionTool]:
    """Return the tools of a memory: remember, recall, similar_cases, report_outcome and the others of ``Tools``.

    Where the memory refuses something or is away, the model is told so, and the run goes on.
    """
    tools = Tools(memory, features=features, session=session, where=where)
    return [function_tool(each, failure_error_function=_told) for each in tools.functions()]


def _is_of_memory(item: dict[str, Any]) -> bool:
    """Whether a call is of one of our tools, by its name and its arguments: others may be called *explain* as well."""
    if item.get("name") not in MEMORY_TOOLS:
        return False
    taken = signature(getattr(Tools, str(item["name"]))).parameters.values()
    try:
        given = set(json.loads(item.get("arguments") or "{}"))
    except (TypeError, ValueError):
        return False
    needed = {each.name for each in taken if each.default is each.empty} - {"self"}
    return needed <= given <= {each.name for each in taken}


def _told(_context: RunContextWrapper[Any], error: Exception) -> str:
    if isinstance(error, ModelBehaviorError):  # which argument it was the SDK keeps to itself: it might be private
        return f"Error: {error}. Give the arguments as the schema of the tool has them, and call again."
    return told(error)


def _kept(one: MemoryObject) -> _Kept | None:
    """Return the item that an event is; None for another event, and for what was taken out of its session."""
    kept = (one.payload or {}).get(_FIELD)
    return _Kept(one.ref, json.loads(kept["item"])) if kept and one.status == "active" else None


def _words(item: dict[str, Any]) -> str:
    """Return what an item says, in words: what is searched, and shown of it."""
    parts: Any = item.get("content") or item.get("output") or item.get("summary") or ""
    if isinstance(parts, list):
        listed = cast(list[object], parts)
        texts = (cast(dict[str, Any], part).get("text") for part in listed if isinstance(part, dict))
        parts = "\n".join(text for text in texts if isinstance(text, str))
    words = parts if isinstance(parts, str) else json.dumps(parts)
    if not words.strip():
        words = " ".join(str(item[name]) for name in ("type", "name", "arguments") if item.get(name)) or "an item"
    return words[:_TEXT_CHARS_MAX].encode("utf-8", "replace").decode()
