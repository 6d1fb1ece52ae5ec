"""The working memory: what is in the short-term buffers of open sessions, before any of it is committed (000, 6).

What an episode has taken out of a buffer is experience, and no longer in mind: it is found by asking. Nothing here is
kept anywhere; it is read from the buffers each time.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Final, NamedTuple

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, NodeKind, Session, seq_of
from yggdrasil_schemas.names import composed

from ...found import Answered
from ...lens import stands
from ...memories import MemoryObject, describe, teller_of
from ...parameters import COUNT, Count, SessionNamed
from ...query import Read, Source, Timed
from ..learning.foretold import FORETOLD_MAX, NAMED_MAX, lesson_of, sureness
from ..ranked.taught import NOTHING, Taught, taught
from ..sessions.desk import DeskNote, notes_of
from .episodes import Reading, Step, content_in, precede, read, sessions_of, step

GOALS: Final = ("goal:", "task:")
PROMISES: Final = ("promise:",)
THREATS: Final = ("threat:",)
DONE: Final = "done:"
_SAID: Final = GOALS + PROMISES + THREATS
SESSIONS_MAX: Final = 64
_EPISODES_MAX: Final = 8  # the latest ones of a session that are told
_WALKED_MAX: Final = 64  # episodes that are looked at for those: of them some may have fallen
_BEGINNINGS_MAX: Final = 64  # events that are looked at for the one that opened a session
_CAUSAL: Final = int(EdgeKind.CAUSAL)


@dataclass(frozen=True, slots=True)
class Intent:
    """A goal or a promise that stands: ``feature`` said it, last in ``event``, and in so many events of the buffer.

    ``said_by`` is who said that event, as of a memory.
    """

    feature: str
    event: str
    seq: int
    text: str | None
    times: int
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class Threat:
    """What may go wrong: a feature of buffered events, last of ``event``, or with ``feature`` None that event itself.

    ``said``: somebody called it a threat (``threat:NAME``), and it stands. Any other has come to mean a bad outcome:
    ``valence``, in [-10, 10], is the outcome that it predicts, ``sureness``, in [0, 1], how sure its sign is, and
    ``good`` and ``bad`` count the outcomes that it had a part in. ``said_by`` is who said the event, as of a memory.
    """

    feature: str | None
    event: str
    seq: int
    text: str | None
    times: int
    said: bool
    valence: float
    sureness: float
    good: int
    bad: int
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """What is in mind in one open session.

    ``since`` is the seq of the first event that is remembered of it since it was opened, ``touched`` that of its last
    one. ``buffered`` counts the events in its short-term buffer, which holds at most ``buffer_max``; ``read`` are those
    that were looked at, the latest of them: all, unless they are very long. ``observations`` are the last of these, the
    latest last. Goals, promises and threats that were said come in the order in which they were last said, so the last
    goal is the one that is pursued now; threats that are foretold come behind, the most telling first. ``episodes`` are
    those that the session has had, the latest first, at most 8. ``desk`` are its notes, goals, threats and promises
    among them: these outlive the buffer and its episodes. One that has ``ended`` is there only if it is asked for.
    """

    session: str
    since: int
    touched: int
    buffered: int
    buffer_max: int
    read: int
    observations: list[MemoryObject] = field(default_factory=list[MemoryObject])
    goals: list[Intent] = field(default_factory=list[Intent])
    promises: list[Intent] = field(default_factory=list[Intent])
    threats: list[Threat] = field(default_factory=list[Threat])
    episodes: list[Step] = field(default_factory=list[Step])
    desk: list[DeskNote] = field(default_factory=list[DeskNote])
    ended: bool = False


@dataclass(frozen=True, slots=True)
class WorkingMemory(Answered):
    """What is in mind: the open sessions, the one that was touched last first. ``open`` counts all that are open.

    One that has ended is not open, and has nothing in mind; what it left open is there if it is asked for.
    """

    sessions: list[OpenSession]
    open: int
    as_of: int


class Buffered(NamedTuple):
    """An event in a buffer, with what its record says."""

    node: Node
    id: str
    text: str | None
    features: list[str]
    said_by: str


def working_memory(
    graph: Graph, *, session: str | None, count: int, now: int = 0, ended: bool = False
) -> WorkingMemory:
    """Return what is in mind in one open session or in all, with at most ``count`` observations of each.

    A feature ``goal:NAME`` or ``task:NAME`` says a goal, ``promise:NAME`` a promise and ``threat:NAME`` a threat. It
    stands until a later event, or the same one, has the feature ``done:NAME``, or until an outcome follows from the
    event that said it last; said again after that, it stands again. A session that is not open has nothing in mind;
    with ``ended`` it is there all the same, until its place is needed for another one. ``now``, in Unix ms, tells which
    promises on a desk are overdue.
    """
    wanted = None if session is None else composed(session)
    meant = (each for each in graph.sessions.items() if ended or not each[1].ended)
    opened = sorted(meant, key=lambda each: (-each[1].touched, each[0]))
    going_on = sum(not each.ended for each in graph.sessions.values())  # any order: counted
    reading = Reading()
    found: list[OpenSession] = []
    for name, each in opened:
        if wanted is not None and name != wanted:
            continue
        if len(found) == SESSIONS_MAX or reading.enough:
            break
        one = _opened(graph, name, each, count, reading)
        desk = notes_of(graph, each.desk, now, own=wanted is not None)
        found.append(replace(one, desk=desk, ended=each.ended))
    return WorkingMemory(found, going_on, graph.header.seq)


def buffered(graph: Graph, session: Session, reading: Reading) -> list[Buffered]:
    """Return the events in a session's buffer that stand, the oldest first: the latest, as far as they can be read."""
    found: list[Buffered] = []
    for number in reversed(session.buffer):
        if found and reading.enough:
            break
        node = graph.node(number)
        if node is not None and stands(node):
            record = reading.fields(graph, number)
            features: list[str] = record["body"].get("features", [])
            who = teller_of(graph, node, record)
            found.append(Buffered(node, record["id"], content_in(record).get("text"), features, who))
    return found[::-1]


def _opened(graph: Graph, name: str, session: Session, count: int, reading: Reading) -> OpenSession:
    events = buffered(graph, session, reading)
    said = _standing(graph, events)
    times = _times(events)
    latest = events[max(0, len(events) - count) :]
    return OpenSession(
        name,
        _since(graph, name, session),
        session.touched,
        len(session.buffer),
        graph.header.policy.session_buffer_max,
        len(events),
        [describe(graph, event.node) for event in latest],
        [_intent(feature, event, times) for feature, event in said.items() if feature.startswith(GOALS)],
        [_intent(feature, event, times) for feature, event in said.items() if feature.startswith(PROMISES)],
        _threats(graph, events, said, times),
        _episodes(graph, name, session, reading),
    )


def _standing(graph: Graph, events: Iterable[Buffered]) -> dict[str, Buffered]:
    """Return the goals, promises and threats that stand, in the order in which they were last said."""
    said: dict[str, Buffered] = {}
    for event in events:
        for feature in event.features:
            if feature.startswith(_SAID):
                said.pop(feature, None)
                said[feature] = event
        for feature in event.features:
            if feature.startswith(DONE):
                for prefix in _SAID:
                    said.pop(prefix + feature.removeprefix(DONE), None)
    return {feature: event for feature, event in said.items() if not _judged(graph, event.node.number)}


def _judged(graph: Graph, number: int) -> bool:
    """Return whether an outcome that stands followed from an event: its own, or one of which it is named as a step."""
    led_to = (key[2] for key in graph.links(number) if key[1] == _CAUSAL and key[0] == number)
    return any(node.kind == NodeKind.OUTCOME and stands(node) for node in map(graph.expect, led_to))


def _times(events: Iterable[Buffered]) -> dict[str, int]:
    times: dict[str, int] = {}
    for event in events:
        for feature in dict.fromkeys(event.features):
            times[feature] = times.get(feature, 0) + 1
    return times


def _intent(feature: str, event: Buffered, times: dict[str, int]) -> Intent:
    return Intent(feature, event.id, seq_of(event.node.number), event.text, times[feature], event.said_by)


def _threats(graph: Graph, events: list[Buffered], said: dict[str, Buffered], times: dict[str, int]) -> list[Threat]:
    """Return the threats that were said, then the features and the events that foretell bad outcomes."""
    last: dict[str, Buffered] = {}
    for event in reversed(events):
        for feature in event.features:
            last.setdefault(feature, event)
    called = [feature for feature in said if feature.startswith(THREATS)]
    found = [_threat(feature, last[feature], _taught(graph, feature), times[feature], said=True) for feature in called]
    foretold: list[Threat] = []
    for feature, event in list(last.items())[:NAMED_MAX]:
        of = _foretells(graph, feature)
        if of is not None and not feature.startswith(THREATS):
            foretold.append(_threat(feature, event, of, times[feature]))
    of_events = ((event, taught(graph, event.node)) for event in events)
    foretold += [_threat(None, event, of, 1) for event, of in of_events if _is_bad(graph, of)]
    foretold.sort(key=lambda each: (each.valence * each.sureness, each.seq, each.feature or ""))
    return found + foretold[:FORETOLD_MAX]


def _taught(graph: Graph, name: str) -> Taught:
    """Return what a feature has come to mean; nothing of one that is gone."""
    node = _named(graph, name)
    return NOTHING if node is None else taught(graph, node)


def _foretells(graph: Graph, name: str) -> Taught | None:
    """Return what a feature was taught, where it foretells a bad outcome (``foretold``); None where it does not."""
    node = _named(graph, name)
    lesson = None if node is None else lesson_of(graph, node)
    return lesson.taught if lesson is not None and lesson.taught.valence < 0 else None


def _named(graph: Graph, name: str) -> Node | None:
    """Return the feature of a name, if it is there."""
    number = graph.feature(name)
    return None if number is None else graph.node(number)


def _is_bad(graph: Graph, of: Taught) -> bool:
    """Return whether something foretells a bad outcome, as the policy counts that (see ``foretold``)."""
    return of.valence < 0.0 and of.foretells(graph.header.policy.foretell_valence)


def _threat(feature: str | None, event: Buffered, of: Taught, times: int, *, said: bool = False) -> Threat:
    at = event.id, seq_of(event.node.number), event.text, times, said
    return Threat(feature, *at, of.valence, sureness(of.valence, of.good, of.bad), of.good, of.bad, event.said_by)


def _since(graph: Graph, name: str, session: Session) -> int:
    """Return the seq of the event that opened a session, or of the first one that is remembered of it.

    The memory's very first session was opened by an event that is not flagged, since nothing came before it.
    """
    table = graph.node_table()
    rows, keys = table.rows, table.keys.astype(np.uint64)
    events = (rows["kind"] == NodeKind.EVENT) & (keys <= np.uint64(session.last))
    opening = events & ((rows["flags"] & NodeFlag.OPENING) != 0)
    marked: list[int] = keys[opening & ((rows["marks"] & np.uint64(session.mark)) != 0)][::-1].tolist()
    first: list[int] = keys[events][:_BEGINNINGS_MAX].tolist()
    reading = Reading()
    for number in marked[:_BEGINNINGS_MAX] + first:
        if reading.fields(graph, number).get("session", SESSION_DEFAULT) == name:
            return seq_of(number)
    return seq_of((session.buffer or [session.last])[0])


def _episodes(graph: Graph, name: str, session: Session, reading: Reading) -> list[Step]:
    """Return the latest episodes of a session that stand, the latest first, as far as its trajectory leads back."""
    found: list[Step] = []
    number = session.episode
    for _ in range(_WALKED_MAX):
        node = graph.node(number) if number else None
        if node is None or len(found) == _EPISODES_MAX:
            break
        if stands(node):
            found.append(step(graph, number, reading))
        earlier = precede(graph, number)
        if len(earlier) > 1:  # it was of several sessions
            earlier = [each for each in earlier if name in _sessions(graph, each, reading)]
        number = earlier[-1] if earlier else 0
    return found


def _sessions(graph: Graph, number: int, reading: Reading) -> list[str]:
    return sessions_of(*read(graph, number, reading))


@dataclass(frozen=True, slots=True)
class AskWorkingMemory(Timed[WorkingMemory]):
    """Return what is in mind: of each open session what is in its short-term buffer, before it is committed.

    These are its last ``count`` events, and the goals, promises and threats that stand. A feature ``goal:NAME`` or
    ``task:NAME`` says a goal, ``promise:NAME`` a promise, ``threat:NAME`` a threat; it stands until an event has
    the feature ``done:NAME``, or until an outcome follows from the event that said it last. What is likely to end
    badly, by what the memory has learnt, is among the threats. A session that is not open has nothing in mind: with
    ``ended`` those are there as well that have ended, as long as their place is not needed for others.
    """

    _: KW_ONLY
    session: SessionNamed | None = None
    count: Count = COUNT
    ended: Annotated[bool, Field(description="Whether what sessions left open that have ended is there too.")] = False

    def read(self, source: Source, /) -> WorkingMemory:
        """Answer it."""
        now = source.now_ms()
        with source.graph() as graph:
            return working_memory(graph, session=self.session, count=self.count, now=now, ended=self.ended)


WORKING_MEMORY: Final = Read(
    "working_memory",
    AskWorkingMemory,
    WorkingMemory,
    "GET /working-memory",
    "What is in mind, by session",
    """Return what the open sessions have in mind: their last events, goals, promises and threats, and episodes.

It is read from their short-term buffers; what an episode took out of one is no longer in mind. `session` asks
for one of them, and `ended` tells as well what sessions left open that have ended.""",
    example={"session": "ops", "count": 5},
)
