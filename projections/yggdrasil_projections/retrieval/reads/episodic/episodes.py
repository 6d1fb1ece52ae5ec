"""The episodes of a memory: what each of them binds together, why, how it turned out, and what is around it."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Final

import numpy as np

from yggdrasil_projections.graph.laws.reference import containers
from yggdrasil_projections.graph.lensed import hidden_of, trust_min_of, unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, NodeKind, node_number, seq_of
from yggdrasil_schemas.limits import EPISODE_EVENTS_MAX
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.problems import UNKNOWN_NODE

from ...asks import check_seq
from ...errors import InvalidAskError
from ...found import Answered
from ...lens import STANDING, stands
from ...memories import PAGE_BYTES, MemoryObject, content_of, describe, reference_of
from ...parameters import COUNT, CountOfMany, Reference, Seq, SessionNamed
from ...query import Read, Source, Timed
from ...records import fields_in
from ..experience.described import node_called

STEP_CHARS_MAX: Final = 280
_LOOKED_AT_MAX: Final = 2_000  # episodes that one call reads to find those of a session
_AROUND_MAX: Final = 8  # episodes that are told before one, and after it: it may be of several sessions
_TRAJECTORY: Final = int(EdgeKind.TRAJECTORY)
_CONTAINS: Final = int(EdgeKind.CONTAINS)


@dataclass(frozen=True, slots=True)
class Step:
    """An episode in few words: its reference, its seq, and how its text begins (at most 280 characters)."""

    ref: str
    seq: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Episode(Answered):
    """An episode as it is now. ``memory`` has its text, its strength, its outcomes, and its events as ``members``.

    ``outcomes`` are its own, those that its events had when it was made, and those that they got later. ``events``
    counts what it was made of; those that are forgotten since are no members. ``first_at`` and ``last_at`` are the
    earliest and the latest time of a member, in Unix ms, and None when none is left. ``sessions`` are those of its
    members, and first of all the one that it was committed to, if that was said.

    ``trigger`` and ``why`` are what whoever committed it said of the reason (in the payload, under these names), None
    where nothing was said or it is sealed, and ``thinker`` is who it was, if it was a thinker. ``before`` and ``after``
    are the episodes around it on its trajectory that stand, the earliest first: one for each of its sessions.

    ``origins`` are those of its members, each once: whose words its text repeats or sums up, and so how far it is to be
    trusted. That it was committed by a thinker makes no word of it truer.
    """

    memory: MemoryObject
    seq: int
    events: int
    first_at: int | None
    last_at: int | None
    sessions: list[str]
    trigger: str | None = None
    why: str | None = None
    thinker: str | None = None
    before: list[Step] = field(default_factory=list[Step])
    after: list[Step] = field(default_factory=list[Step])
    origins: list[str] = field(default_factory=list[str])

    @property
    def ref(self) -> str:
        """Its reference: the id of the command that made it."""
        return self.memory.ref


@dataclass(frozen=True, slots=True)
class Episodes(Answered):
    """Episodes, the latest first; ``before`` asks for what came earlier, and is None at the beginning."""

    episodes: list[Episode]
    before: int | None
    as_of: int


@dataclass(slots=True)
class Reading:
    """How many bytes of contents a call has read."""

    bytes: int = 0

    def fields(self, graph: Graph, number: int) -> dict[str, Any]:
        """Return the fields of the record that made a live node."""
        content = content_of(graph, number)
        self.bytes += len(content)
        return fields_in(content)

    @property
    def enough(self) -> bool:
        """Whether what is left should be left to the next call: nobody else has a turn meanwhile."""
        return self.bytes >= PAGE_BYTES


def episodes(graph: Graph, *, before: int | None, count: int, session: str | None) -> Episodes:
    """Return at most ``count`` episodes with a seq below ``before``, of one session or of all, the latest first.

    What is archived is among them. Where contents are long, or a session was long ago, one call may find fewer, or
    none, before it has read enough: ``before`` then says where to go on, and None that there is nothing earlier.
    """
    session = None if session is None else composed(session)
    found: list[Episode] = []
    reading = Reading()
    check_seq("before", before)
    numbers = episode_numbers(graph, before)
    for looked_at, number in enumerate(numbers):
        if len(found) == count or looked_at == _LOOKED_AT_MAX or reading.enough:
            return Episodes(found, seq_of(numbers[looked_at - 1]), graph.header.seq)
        record, members = read(graph, number, reading)
        if session is None or session in sessions_of(record, members):
            found.append(_told(graph, number, record, members, reading))
    return Episodes(found, None, graph.header.seq)


def episode(graph: Graph, ref: str) -> Episode:
    """Return one episode by its reference. Raises UnknownNodeError, and InvalidAskError for what is none."""
    number, reading = episode_called(graph, ref).number, Reading()
    return _told(graph, number, *read(graph, number, reading), reading)


def episode_called(graph: Graph, ref: str) -> Node:
    """Return the live episode that ``ref`` names. Raises UnknownNodeError, and InvalidAskError for what is none."""
    node = node_called(graph, ref)
    if node.kind == NodeKind.EPISODE:
        return node
    kind = NodeKind(node.kind).name.lower()
    around = [reference_of(graph, each.number) for each in containers(graph, node.number, NodeKind.EPISODE)]
    within = f"; it is in {', '.join(around[-_AROUND_MAX:])}" if around else ""
    raise InvalidAskError(f"{ref} is no episode, but {'an' if kind[0] in 'aeo' else 'a'} {kind}{within}")


def episode_numbers(graph: Graph, before: int | None = None, *, standing: bool = False) -> list[int]:
    """Return the numbers of the live episodes that were made before the seq ``before``, the latest first.

    With ``standing`` those are left out that were superseded, withdrawn and the like, wait as candidates, or are stale.
    """
    table = unlensed(graph).node_table()  # at hand, where a lens would have to make one
    keys = table.keys.astype(np.uint64)
    wanted = (table.rows["kind"] == NodeKind.EPISODE) & (table.rows["trust"] >= trust_min_of(graph))
    if hidden := hidden_of(graph):
        wanted &= ~np.isin(keys, np.array(sorted(hidden), np.uint64))
    if standing:
        wanted &= np.isin(table.rows["status"], STANDING) & ((table.rows["flags"] & NodeFlag.STALE) == 0)
    if before is not None:
        wanted &= keys < np.uint64(min(node_number(max(before, 0)), 2**64 - 1))
    numbers: list[int] = keys[wanted][::-1].tolist()
    return numbers


def events_of(graph: Graph, number: int) -> list[int]:
    """Return the numbers of the live events that an episode contains, the oldest first."""
    held = sorted(key[2] for key in graph.links(number) if key[1] == _CONTAINS and key[0] == number)
    return held[:EPISODE_EVENTS_MAX]


def follow(graph: Graph, number: int) -> list[int]:
    """Return the numbers of the episodes that come next on the trajectory of one, the earliest first."""
    return sorted(key[2] for key in graph.links(number) if key[1] == _TRAJECTORY and key[0] == number)


def precede(graph: Graph, number: int) -> list[int]:
    """Return the numbers of the episodes that come before one on its trajectory, the earliest first."""
    return sorted(key[0] for key in graph.links(number) if key[1] == _TRAJECTORY and key[2] == number)


def standing(graph: Graph, numbers: Iterable[int]) -> list[int]:
    """Return those of ``numbers`` that are live and stand, in their order: a step says no status."""
    found = ((number, graph.node(number)) for number in numbers)
    return [number for number, node in found if node is not None and stands(node)]


def step(graph: Graph, number: int, reading: Reading) -> Step:
    """Return a live episode in few words."""
    record = reading.fields(graph, number)
    text: str | None = content_in(record).get("text")
    return Step(record["id"], seq_of(number), None if text is None else text[:STEP_CHARS_MAX])


def content_in(record: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a record, empty for none."""
    content: dict[str, Any] = record.get("content") or {}
    return content


def sessions_of(record: dict[str, Any], members: list[dict[str, Any]]) -> list[str]:
    """Return the sessions of an episode by its record and those of its members, each once."""
    own = [record["session"]] if "session" in record else []
    return list(dict.fromkeys([*own, *(each.get("session", SESSION_DEFAULT) for each in members)]))


def read(graph: Graph, number: int, reading: Reading) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the record of an episode and those of its members."""
    members = [reading.fields(graph, event) for event in events_of(graph, number)]
    return reading.fields(graph, number), members


def _told(
    graph: Graph, number: int, record: dict[str, Any], members: list[dict[str, Any]], reading: Reading
) -> Episode:
    memory = describe(graph, graph.expect(number))
    reading.bytes += sum(len(outcome.text or "") for outcome in memory.outcomes)
    at: list[int] = [each["at"] for each in members]
    said: dict[str, Any] = content_in(record).get("payload") or {}
    thinker = record["body"].get("thinker")
    return Episode(
        memory,
        seq_of(number),
        len(record["body"]["events"]),
        min(at, default=None),
        max(at, default=None),
        sessions_of(record, members),
        _words(said.get("trigger")),
        _words(said.get("why")),
        None if thinker is None else thinker["name"],
        [step(graph, each, reading) for each in standing(graph, precede(graph, number))[-_AROUND_MAX:]],
        [step(graph, each, reading) for each in standing(graph, follow(graph, number))[:_AROUND_MAX]],
        list(dict.fromkeys(each["origin"] for each in members)),
    )


def _words(said: object) -> str | None:
    return said if isinstance(said, str) else None


@dataclass(frozen=True, slots=True)
class AskEpisodes(Timed[Episodes]):
    """Return episodes, the latest first: at most ``count``, of one session or of all, fewer where texts are long.

    To go on, give the answer's ``before``; it is None at the beginning.
    """

    _: KW_ONLY
    count: CountOfMany = COUNT
    session: SessionNamed | None = None
    before: Seq | None = None

    def read(self, source: Source, /) -> Episodes:
        """Answer it."""
        with source.graph() as graph:
            return episodes(graph, session=self.session, before=self.before, count=self.count)


@dataclass(frozen=True, slots=True)
class AskEpisode(Timed[Episode]):
    """Return one episode by its id. Raises UnknownNodeError, and InvalidAskError for what is no episode."""

    ref: Reference

    def read(self, source: Source, /) -> Episode:
        """Answer it."""
        with source.graph() as graph:
            return episode(graph, self.ref)


EPISODES: Final = Read(
    "episodes",
    AskEpisodes,
    Episodes,
    "GET /episodes",
    "The episodes, the latest first",
    """Return episodes, of one session or of all, the latest first; `before` leads to earlier ones.""",
    example={"count": 3},
)
EPISODE: Final = Read(
    "episode",
    AskEpisode,
    Episode,
    "GET /episodes/{ref:path}",
    "One episode",
    """Return one episode: its events, why it was made, how it turned out, and what is around it.""",
    (UNKNOWN_NODE,),
    example={"ref": "<episode>"},
)
