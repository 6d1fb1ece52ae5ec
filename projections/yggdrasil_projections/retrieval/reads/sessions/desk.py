"""What is on the desks: notes for the work at hand, and promises until somebody settles them."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.laws.knowledge.desk import DESK as DESK_CLASS
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.knowledge import OPEN_TO
from yggdrasil_schemas.graph.predicates import PROMISE
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status
from yggdrasil_schemas.names import composed

from ...asks import check_text
from ...claimed import claim_seen, content_shown
from ...found import Answered
from ...index.index import MemoryIndex
from ...index.vocabulary import FEATURE_TERM
from ...lens import DESK as AT_DESK
from ...lens import TASK, stands
from ...memories import PAGE_BYTES, content_of, teller_of
from ...parameters import SessionNamed
from ...query import Query, Read, Source
from ...records import fields_in
from .registered import TaskNamed, feature_of

NOTES_MAX: Final = 200
_LOOKED_AT_MAX: Final = 1_024  # of all desks together: 32 notes are on one, and promises of what has ended come beside
_OUT: Final = (Status.QUARANTINED, Status.SUPERSEDED, Status.REJECTED, Status.RESOLVED)
_STATUSES: Final = {int(status): status.name.lower() for status in Status}
_FIRST: Final = {"goal": 0, "intent": 1, "subgoal": 2, "threat": 3, PROMISE: 4}
_OTHERS: Final = len(_FIRST)


@dataclass(frozen=True, slots=True)
class DeskNote:
    """A note on the desk: ``subject`` has, by a ``predicate``, a ``value``, and ``text`` says so in words.

    The value is a thing, a number, a yes or no, or a text, None where that is sealed. ``session`` is the one in which
    it was noted, at ``at`` (Unix ms). ``due`` is when a promise is to be kept (Unix ms): one that is ``overdue`` stands
    until somebody settles it. ``status`` may be "candidate": it waits, and is shown to its own task and session alone,
    as is one that is ``stale``: all that it was concluded from has fallen.
    """

    ref: str
    predicate: str
    subject: str
    value: str | bool | None
    text: str | None
    session: str
    at: int
    due: int | None
    overdue: bool
    status: str
    trust: int
    said_by: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Desk(Answered):
    """Notes: goals, the intent, subgoals, threats, promises by when they are due, then others by predicate.

    ``left_out`` counts those that are not shown, of which 200 are at most.
    """

    notes: list[DeskNote] = field(default_factory=list[DeskNote])
    left_out: int = 0
    as_of: int = 0


def notes_at(index: MemoryIndex, names: Iterable[str] | None, session: str | None) -> list[int]:
    """Return the numbers of live desk notes: about one of ``names`` or of a session; of all with neither.

    The latest come first, at most 1,024.
    """
    columns, postings = index.documents.columns, index.postings
    likely: npt.NDArray[np.bool_] = columns.alive & (columns.note == AT_DESK)
    likely &= ~np.isin(columns.status, _OUT)
    if names is not None or session is not None:
        ours = np.zeros(len(likely), np.bool_)
        if session is not None and session in index.sessions:
            ours |= columns.session == index.sessions[session]
        terms = [postings.number.get(FEATURE_TERM + name) for name in names or ()]
        known = [term for term in terms if term is not None]
        if known:
            ours[postings.rows_of(known)] = True
        likely &= ours
    numbers: list[int] = columns.number[likely][::-1].tolist()
    return numbers


def notes_of(graph: Graph, numbers: Sequence[int], now: int, *, own: bool) -> list[DeskNote]:
    """Return the notes among some nodes, in their order on a desk; their ``own`` session is shown those that wait."""
    found: list[tuple[tuple[int, str, int, int], DeskNote]] = []
    read_bytes = 0
    for number in numbers[:_LOOKED_AT_MAX]:
        node = graph.node(number)
        if node is None or node.status in _OUT or not (own or stands(node)):
            continue
        if read_bytes >= PAGE_BYTES:
            break
        content = content_of(graph, number)
        read_bytes += len(content)
        note = note_seen(graph, node, fields_in(content), now)
        if note is not None:
            rank = _FIRST.get(note.predicate, _OTHERS)
            due = OPEN_TO if note.due is None else note.due
            found.append(((rank, note.predicate if rank == _OTHERS else "", due, number), note))
    return [note for _, note in sorted(found, key=lambda each: each[0])]


def note_seen(graph: Graph, node: Node, record: dict[str, Any], now: int) -> DeskNote | None:
    """Return a live node as a note, given the fields of the record that made it; None for one that is no note."""
    claim = graph.claim(node)
    seen = None if claim is None or claim.sort != DESK_CLASS else claim_seen(graph, node, record)
    if claim is None or seen is None:
        return None
    due = None if claim.ends == OPEN_TO else claim.ends
    return DeskNote(
        record["id"],
        seen.predicate,
        seen.subject,
        seen.object,
        content_shown(node, record, seen).get("text"),
        record.get("session", SESSION_DEFAULT),
        record["at"],
        due,
        due is not None and due <= now,
        _STATUSES[node.status],
        node.trust,
        teller_of(graph, node, record),
        bool(node.flags & NodeFlag.STALE),
    )


@dataclass(frozen=True, slots=True)
class AskDesk(Query[Desk]):
    """Return what is on the desks: goals, the intent, threats, promises, and whatever else was noted.

    With a ``task`` those of that task in any session, with a ``session`` those that were noted in it, with both either
    of these: also what waits, and promises whose session has ended. Without them those of all that stand. What was
    rejected, settled or replaced is not there. Raises InvalidAskError.
    """

    _: KW_ONLY
    task: TaskNamed | None = None
    session: SessionNamed | None = None

    def __post_init__(self) -> None:
        feature_of(TASK, self.task)
        if self.session is not None:
            check_text("session", self.session)

    def read(self, source: Source, /) -> Desk:
        """Answer it."""
        task, now = feature_of(TASK, self.task), source.now_ms()
        session = None if self.session is None else composed(self.session)

        def find(graph: Graph, index: MemoryIndex) -> list[int]:
            return notes_at(index, None if task is None else graph.called(task), session)

        with source.found(find) as (graph, numbers):
            own = task is not None or session is not None
            found = notes_of(graph, numbers, now, own=own)
            unread = max(0, len(numbers) - _LOOKED_AT_MAX)
            return Desk(found[:NOTES_MAX], max(0, len(found) - NOTES_MAX) + unread, graph.header.seq)


DESK: Final = Read(
    "desk",
    AskDesk,
    Desk,
    "GET /desk",
    "What is noted for the work at hand",
    """Return what is on the desks: goals first, then the intent, subgoals, threats, promises by when they are due, and
other notes.

With a `task` or a `session` its own notes that wait are there too. A promise that is overdue is marked, and stands.""",
    example={"task": "T-12"},
)
