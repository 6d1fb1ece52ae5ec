"""What a memory experienced, in order: its events and episodes, the latest first."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import NodeFlag, NodeKind, Status, node_number, seq_of
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.moments import Moment, MomentSent
from yggdrasil_schemas.names import composed, thing

from ...answers import Timeline
from ...asks import Where, asked_moment, check_count, check_filter, check_seq, check_text
from ...errors import InvalidAskError
from ...index.admission import told
from ...index.index import MemoryIndex
from ...lens import narrowed, seen_by
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe
from ...parameters import COUNT, CountOfMany, Seq, SessionNamed
from ...query import OnTheWire, Read, Source, Timed
from ...records import fields_in

_KIND: Final = "kind:"
_Named = Annotated[str | None, Field(min_length=1, max_length=NAME_CHARS_MAX)]
_NOT_TOLD: Final = (Status.CANDIDATE, Status.QUARANTINED, Status.REJECTED)
_LOOKED_AT_MAX: Final = 2_000  # contents that one call reads to find those of a session, some 10 ms; it returns no more


def timeline(graph: Graph, *, session: str | None, before: int | None, count: int) -> Timeline:
    """Return at most ``count`` live events and episodes with a seq below ``before``, of one session or of all.

    What is archived is among them, and what was superseded or settled, as it happened. What waits until somebody has
    looked at it is not, nor what was rejected, nor an episode of which a part has fallen: ``where`` shows these to who
    asks. Where contents are long, or a session was long ago, one call may find fewer, or none, before it has read
    enough: ``before`` then says where to go on, and None that there is nothing earlier.
    """
    session = None if session is None else composed(session)
    check_seq("before", before)
    return _page(graph, _numbers(graph, before), session, count)


def timeline_of(
    graph: Graph, index: MemoryIndex, where: Where, *, session: str | None, before: int | None, count: int
) -> Timeline:
    """Return what ``timeline`` does, of what ``where`` admits alone: what stands, unless it says otherwise.

    What a loop said is there, though no search finds it: it happened.
    ``index`` stands at the position of ``graph``.
    """
    graph, where = seen_by(graph, where), narrowed(where, trust_min_of(graph)) or where
    check_seq("before", before)
    documents, wanted = index.documents.columns, told(index.held, where, before)
    wanted &= (documents.kind == NodeKind.EVENT) | (documents.kind == NodeKind.EPISODE)
    numbers: list[int] = documents.number[wanted][::-1].tolist()
    return _page(graph, numbers, None if session is None else composed(session), count)


def _page(graph: Graph, numbers: Sequence[int], session: str | None, count: int) -> Timeline:
    """Return the first of ``numbers`` that are of a session, or of any, as far as one call may read."""
    found: list[MemoryObject] = []
    read_bytes = 0
    for looked_at, number in enumerate(numbers):
        if len(found) == count or looked_at == _LOOKED_AT_MAX or read_bytes >= PAGE_BYTES:
            return Timeline(found, seq_of(numbers[looked_at - 1]), graph.header.seq)
        content = content_of(graph, number)
        read_bytes += len(content)
        if session is None or fields_in(content).get("session", SESSION_DEFAULT) == session:
            found.append(describe(graph, graph.expect(number)))
            read_bytes += sum(len(outcome.text or "") for outcome in found[-1].outcomes)
    return Timeline(found, None, graph.header.seq)


def _numbers(graph: Graph, before: int | None) -> list[int]:
    """Return the numbers of events and episodes that were made before the seq ``before``, the latest first."""
    table = graph.node_table()
    keys, kinds = table.keys.astype(np.uint64), table.rows["kind"]
    wanted = (kinds == NodeKind.EVENT) | (kinds == NodeKind.EPISODE)
    wanted &= ~np.isin(table.rows["status"], _NOT_TOLD)
    wanted &= (kinds != NodeKind.EPISODE) | (table.rows["flags"] & NodeFlag.STALE == 0)
    if before is not None:
        wanted &= keys < np.uint64(min(node_number(max(before, 0)), 2**64 - 1))
    numbers: list[int] = keys[wanted][::-1].tolist()
    return numbers


@dataclass(frozen=True, slots=True)
class AskTimeline(Timed[Timeline]):
    """Return events and episodes in order, the latest first: at most ``count``, of one session or of all.

    There are fewer where texts are long. To go on, give the answer's ``before``; it is None at the beginning.
    What waits and what was rejected is left out. With ``where`` only what that admits: what stands, unless it says
    otherwise.

    ``place``, ``actor`` and ``kind`` are those of ``observe``, such as "forge", "npc:smith" and "trade"; ``since`` and
    ``until`` bound when it happened, of a date the whole day. They say in short what ``where`` says with
    ``features_all``, ``since`` and ``until``, and belong to it. Raises InvalidAskError.
    """

    _: KW_ONLY
    session: SessionNamed | None = None
    before: Seq | None = None
    count: CountOfMany = COUNT
    where: Where | None = None
    place: Annotated[_Named, Field(description="Where it happened; a name without a kind is a `place:`.")] = None
    actor: Annotated[_Named, Field(description="Who did it; a name without a kind is an `actor:`.")] = None
    kind: Annotated[_Named, Field(description="What sort of thing it is, such as `trade`.")] = None
    since: Annotated[
        Moment | None, OnTheWire(MomentSent | None), Field(description="What happened at this moment or later.")
    ] = None
    until: Annotated[
        Moment | None, OnTheWire(MomentSent | None), Field(description="What happened until then; of a date all day.")
    ] = None

    def __post_init__(self) -> None:
        check_count("count", self.count, _LOOKED_AT_MAX)
        object.__setattr__(self, "where", check_filter(self.where))
        for name in ("since", "until"):
            if (given := getattr(self, name)) is not None:
                if self.where is not None and getattr(self.where, name) is not None:
                    raise InvalidAskError(f"{name} is said twice: give it by itself, or in where")
                object.__setattr__(self, name, asked_moment(name, given, end=name == "until"))
        self._asked()

    def _asked(self) -> Where | None:
        """Return the filter that all of it makes; None for none. Raises InvalidAskError."""
        features = [_feature(name, getattr(self, name)) for name in ("place", "actor", "kind")]
        if not any((*features, self.since is not None, self.until is not None)):
            return self.where
        where = self.where or Where()
        features += where.features_all or ()
        wanted = [each for each in features if each is not None]
        given = {"features_all": wanted or None, "since": self.since, "until": self.until}
        return where.having(**{name: value for name, value in given.items() if value is not None})

    def read(self, source: Source, /) -> Timeline:
        """Answer it."""
        where = self._asked()
        if where is None:
            with source.graph() as graph:
                return timeline(graph, session=self.session, before=self.before, count=self.count)
        with source.indexed() as (graph, index):
            return timeline_of(graph, index, where, session=self.session, before=self.before, count=self.count)


def _feature(name: str, given: object) -> str | None:
    """Return the feature that says where, who or what sort of thing; None for none. Raises InvalidAskError."""
    if given is None:
        return None
    said = check_text(name, given).strip()
    if not said:
        raise InvalidAskError(f"{name} is empty: leave it out, or name one")
    if name == "kind" and ":" in said.removeprefix(_KIND):
        raise InvalidAskError(f"kind is a word such as trade, and not {said[:40]!r}")
    if ":" in said and not said.partition(":")[2].strip():
        raise InvalidAskError(f"{name} is {said[:40]!r}, and nothing after the colon: leave it out, or name one")
    return thing(name, said)


TIMELINE: Final = Read(
    "timeline",
    AskTimeline,
    Timeline,
    "GET /timeline",
    "What happened, the latest first",
    """Return events and episodes, of one session or of all, the latest first; `before` leads to earlier ones.

What waits and what was rejected is left out. With `where` only what that admits: what stands, unless it says
otherwise. `place`, `actor`, `kind`, `since` and `until` say in short what a filter says.""",
    example={"session": "ops", "count": 2},
)
