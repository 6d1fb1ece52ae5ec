"""What has been said in one slot: of a key, or in place of one another, the first first."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_projections.graph.laws.standing.succession import slot_of_key
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ...asks import check_text
from ...errors import InvalidAskError
from ...found import Answered
from ...lens import stands
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ...query import Read, Source, Timed
from ..experience.described import node_called

HISTORY_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class History(Answered):
    """What was said in one slot, the first first: at most 200, the latest of them, and before them what was asked for
    and what stands.

    ``left_out`` says how many others there are; what was forgotten is not among them, and is in the log.
    """

    memories: list[MemoryObject]
    left_out: int
    as_of: int


def history(graph: Graph, ref: str | None = None, key: str | None = None, *, standing: bool = False) -> History:
    """Return the history of what has a key, or of what ``ref``, a command's id, was said in place of or gave way to.

    With ``standing`` only what of it still stands, however much was said before. A key that was never used has no
    history. Raises UnknownNodeError.
    """
    asked = 0
    if key is not None:
        slot = slot_of_key(composed(check_text("key", key)))
        numbers = graph.slot(slot) if standing else graph.ruled(slot)
    else:
        node = node_called(graph, ref or "")
        asked = node.number
        slot = graph.ruling(node).slot
        held = graph.slot if standing else graph.ruled
        numbers = held(slot) if slot else [node.number]
    if standing:
        numbers = [number for number in numbers if stands(graph.expect(number))]
    first = [each for each in numbers[:-HISTORY_MAX] if each == asked or stands(graph.expect(each))][-HISTORY_MAX:]
    last = numbers[-HISTORY_MAX:]
    found: dict[int, MemoryObject] = {}
    read_bytes = 0
    for number in (*first, *reversed(last[len(first) :])):
        if read_bytes >= PAGE_BYTES:
            break
        read_bytes += len(content_of(graph, number))
        found[number] = describe(graph, graph.expect(number))
    return History([found[number] for number in sorted(found)], len(numbers) - len(found), graph.header.seq)


@dataclass(frozen=True, slots=True)
class AskHistory(Timed[History]):
    """Return what was said under a ``key``, or in place of one another around ``ref``, the first first.

    Each says its status, and what gave it that. With ``standing`` only what still stands: mostly one, and more
    where they contest each other. Raises UnknownNodeError, and InvalidAskError unless one is given.
    """

    ref: Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)] | None = None
    _: KW_ONLY
    key: Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)] | None = None
    standing: Annotated[bool, Field(description="Only what of it still stands.")] = False

    def __post_init__(self) -> None:
        if (self.ref is None) == (self.key is None):
            raise InvalidAskError("a history is that of a reference, or of a key: give one of them")

    def read(self, source: Source, /) -> History:
        """Answer it."""
        with source.graph() as graph:
            return history(graph, self.ref, self.key, standing=self.standing)


HISTORY: Final = Read(
    "history",
    AskHistory,
    History,
    "GET /history",
    "What was said of it, in order",
    """Return what was said under a `key`, or in place of one another around a `ref`: the first first, each with
its status and what gave it that. With `standing` only what still stands.""",
    (UNKNOWN_NODE,),
    example={"key": "ana/diet"},
)
