"""What claims join to a thing, and what is joined to that."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ...asks import check_count
from ...errors import InvalidAskError
from ...found import Answered
from ...index.columns.links import UNKNOWN
from ...memories import PAGE_BYTES, content_of
from ...parameters import COUNT_MAX, Count, Thing
from ...query import Read, Source
from ...records import fields_in
from .look import Gated, Look, check_gate, looking, named

DEPTH_MAX: Final = 3
LOOKED_AT: Final = 2_000
"""So many claims are looked at at most, however many there are about one thing."""
Direction = Literal["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class JoinedTo:
    """What a claim joins: ``of`` to ``name``, ``depth`` steps away. ``direction`` is "out" where ``of`` is its subject,
    else "in".
    """

    name: str
    relation: str
    direction: str
    of: str
    depth: int
    confidence: float
    trust: int
    qualifiers: dict[str, str]
    claim: str


@dataclass(frozen=True, slots=True)
class NeighboursOf(Answered):
    """What claims join to a thing, each claim once, what is nearer first, then the most trusted, then the youngest.

    ``cut``: there may be more than were asked for, or looked at.
    """

    name: str
    neighbours: list[JoinedTo]
    cut: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskNeighboursOf(Gated[NeighboursOf]):
    """Return what claims join to a thing, by any of its names, up to ``depth`` (1 to 3) steps away.

    With ``relation`` by that predicate alone; ``direction`` "out" where the thing is the subject, "in" where it is the
    object. At most 2,000 claims are looked at. Raises InvalidAskError.
    """

    name: Thing
    _: KW_ONLY
    relation: Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)] | None = None
    direction: Direction = "both"
    depth: Annotated[int, Field(ge=1, le=DEPTH_MAX)] = 1
    count: Count = 50

    def __post_init__(self) -> None:
        check_gate(self)
        object.__setattr__(self, "name", named("name", self.name))
        if self.relation is not None:
            object.__setattr__(self, "relation", named("relation", self.relation))
        if self.direction not in ("out", "in", "both"):
            raise InvalidAskError(f"direction is out, in or both, and not {str(self.direction)[:40]!r}")
        check_count("depth", self.depth, DEPTH_MAX)
        check_count("count", self.count, COUNT_MAX)

    def read(self, source: Source, /) -> NeighboursOf:
        """Answer it."""
        with looking(source, self) as look:
            return neighbours_of(look, self)


def neighbours_of(look: Look, ask: AskNeighboursOf) -> NeighboursOf:
    """Return what claims join to a thing."""
    found: list[JoinedTo] = []
    cut, read_bytes = False, 0
    around = _Around(look, ask)
    for depth, node, link in around.links():
        if len(found) == ask.count or read_bytes >= PAGE_BYTES:
            cut = True
            break
        record = content_of(look.graph, int(look.atlas.number[link]))
        read_bytes += len(record)
        found.append(_joined(look, fields_in(record), depth, node, link))
    known = look.graph.called(ask.name)[0]
    return NeighboursOf(known, found, cut or around.cut, look.graph.header.seq)


class _Around:
    """The links around a thing, step by step."""

    def __init__(self, look: Look, ask: AskNeighboursOf) -> None:
        self.cut = False
        self._look, self._ask = look, ask
        self._left = LOOKED_AT
        self._relation = None if ask.relation is None else look.atlas.named(ask.relation)

    def links(self) -> Iterator[tuple[int, int, int]]:
        """Yield the depth, the node that has it, and the link."""
        near = self._look.nodes(self._ask.name)
        met, told = set(near), set[int]()
        atlas = self._look.atlas
        for depth in range(1, self._ask.depth + 1):
            beyond: list[int] = []
            for node in near:
                for link in self._of(node):
                    if link in told or not self._look.admits(link):
                        continue
                    told.add(link)
                    yield depth, node, link
                    other = int(atlas.subject[link] if atlas.object[link] == node else atlas.object[link])
                    if other not in met:
                        met.add(other)
                        beyond.append(other)
            near = beyond

    def _of(self, node: int) -> list[int]:
        atlas, ask = self._look.atlas, self._ask
        links = atlas.about(node) if ask.direction != "in" else []
        links = links + (atlas.leading_to(node) if ask.direction != "out" else [])
        found = [
            link
            for link in links
            if atlas.object[link] != UNKNOWN and self._relation in (None, int(atlas.links.predicate[link]))
        ]
        found.sort(key=lambda link: (-int(atlas.trust[link]), -int(atlas.number[link])))
        self.cut = self.cut or len(found) > self._left
        found = found[: self._left]
        self._left -= len(found)
        return found


def _joined(look: Look, record: dict[str, Any], depth: int, node: int, link: int) -> JoinedTo:
    atlas = look.atlas
    outwards = atlas.subject[link] == node
    other = int(atlas.object[link] if outwards else atlas.subject[link])
    return JoinedTo(
        atlas.name(other),
        record["body"]["predicate"],
        "out" if outwards else "in",
        atlas.name(node),
        depth,
        look.sure(link),
        int(atlas.trust[link]),
        record["body"].get("qualifiers") or {},
        record["id"],
    )


NEIGHBOURS_OF: Final = Read(
    "neighbours_of",
    AskNeighboursOf,
    NeighboursOf,
    "GET /entities/{name:path}/neighbours",
    "What claims join to a thing",
    """Return what claims join to a thing, and to what they lead to, up to `depth` steps from it.""",
    example={"name": "place:well", "depth": 2, "count": 5},
)
