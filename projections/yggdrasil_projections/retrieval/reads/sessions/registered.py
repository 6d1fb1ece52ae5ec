"""Who works on what: the sessions that were registered and are open."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, Session, seq_of
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed

from ...asks import check_named, check_text
from ...errors import InvalidAskError, UnknownSessionError
from ...found import Answered
from ...lens import TASK, stands
from ...memories import PAGE_BYTES, content_of, teller_of
from ...query import OnTheWire, Query, Read, Source
from ...records import fields_in

SESSIONS_MAX: Final = 64
TOUCHES_MAX: Final = 16
WORKFLOW: Final = "workflow:"
AGENT: Final = "agent:"
Name = Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)]
TaskNamed = Annotated[Name, Field(description="A task: its name, or its feature `task:NAME`.")]
AgentNamed = Annotated[Name, Field(description="An agent: its name, or its feature `agent:NAME`.")]
WorkflowNamed = Annotated[Name, Field(description="A workflow: its name, or its feature `workflow:NAME`.")]
Touched = Annotated[
    Sequence[str],
    OnTheWire(Annotated[list[Name], Field(max_length=TOUCHES_MAX)]),
    Field(description="Features, of which one is enough; give it again for more."),
]


@dataclass(frozen=True, slots=True)
class SessionSeen:
    """A registered session: who works on what, in order to do what.

    ``opened`` is the reference of the event that opened it, at ``at`` (Unix ms), and ``since`` the seq of that event.
    ``touched`` is the seq of the last event. ``workflow``, ``task`` and ``agent`` are names without their kinds, None
    where none is known. ``touches`` are the other features that the opening event has, and ``goal`` is its text, None
    where that is sealed. ``said_by`` and ``trust`` are those of the opening event.
    """

    session: str
    opened: str
    workflow: str | None
    task: str | None
    agent: str | None
    goal: str | None
    touches: list[str]
    at: int
    since: int
    touched: int
    said_by: str
    trust: int

    @property
    def features(self) -> list[str]:
        """Its features as the opening event has them: of its workflow, its task and its agent, then what it touches."""
        named = ((WORKFLOW, self.workflow), (TASK, self.task), (AGENT, self.agent))
        return [kind + name for kind, name in named if name is not None] + self.touches


@dataclass(frozen=True, slots=True)
class Sessions(Answered):
    """Registered sessions that are open, the last touched first, at most 64; ``open`` counts all that are meant."""

    sessions: list[SessionSeen] = field(default_factory=list[SessionSeen])
    open: int = 0
    as_of: int = 0


def feature_of(kind: str, name: str | None) -> str | None:
    """Return the feature that a name stands for, such as ``task:T`` for "T"; a feature of that kind is itself.

    Raises InvalidAskError.
    """
    if name is None:
        return None
    what = kind.removesuffix(":")
    if not 1 <= len(check_text(what, name)) <= NAME_CHARS_MAX:
        raise InvalidAskError(f"{what} is a name of 1 to {NAME_CHARS_MAX} characters")
    given = composed(name)
    return given if given.startswith(kind) else kind + given


def asked_features(task: str | None, agent: str | None, workflow: str | None) -> list[str]:
    """Return the features of a task, an agent and a workflow, as far as they are given. Raises InvalidAskError."""
    given = feature_of(TASK, task), feature_of(AGENT, agent), feature_of(WORKFLOW, workflow)
    return [each for each in given if each is not None]


def registered(graph: Graph) -> Iterator[SessionSeen]:
    """Yield the registered sessions that are open, the last touched first, as far as they may be seen and stand."""
    read_bytes = 0
    for name, session in sorted(graph.sessions.items(), key=lambda each: (-each[1].touched, each[0])):
        node = opening_of(graph, session)
        if node is None or not stands(node):
            continue
        if read_bytes >= PAGE_BYTES:
            return
        read_bytes += len(content_of(graph, node.number))
        yield session_seen(graph, name, session, node)


def opening_of(graph: Graph, session: Session) -> Node | None:
    """Return the event that registered an open session; None of one that was not registered, or has ended."""
    return graph.node(session.opened) if session.opened and not session.ended else None


def session_seen(graph: Graph, name: str, session: Session, node: Node) -> SessionSeen:
    """Return a session by the event that opened it."""
    record = fields_in(content_of(graph, node.number))
    content: dict[str, Any] = record.get("content") or {}
    features: list[str] = record["body"].get("features", [])
    named: dict[str, str] = {}
    touches: list[str] = []
    for feature in features:
        kind = next((kind for kind in (WORKFLOW, TASK, AGENT) if feature.startswith(kind)), None)
        if kind is None or kind in named:
            touches.append(feature)
        else:
            named[kind] = feature.removeprefix(kind)
    return SessionSeen(
        name,
        record["id"],
        named.get(WORKFLOW),
        named.get(TASK),
        named.get(AGENT),
        content.get("text"),
        touches,
        record["at"],
        seq_of(node.number),
        session.touched,
        teller_of(graph, node, record),
        node.trust,
    )


def session_called(graph: Graph, name: str) -> SessionSeen:
    """Return one registered session that is open, whether it stands or waits. Raises UnknownSessionError."""
    known = composed(name)
    session = graph.sessions.get(known)
    node = None if session is None else opening_of(graph, session)
    if session is None or node is None:
        raise UnknownSessionError(graph.header.memory, name)
    return session_seen(graph, known, session, node)


def sessions(graph: Graph, features: Sequence[str], touches: Sequence[str]) -> Sessions:
    """Return the open sessions that have all of ``features``, and one of ``touches`` if any are given."""
    wanted, some = set(features), set(touches)
    found = [
        each
        for each in registered(graph)
        if wanted <= (of := set(each.features)) and (not some or not some.isdisjoint(of))
    ]
    return Sessions(found[:SESSIONS_MAX], len(found), graph.header.seq)


@dataclass(frozen=True, slots=True)
class AskSessions(Query[Sessions]):
    """Return the registered sessions that are open, the last touched first: who works on what.

    ``task``, ``agent`` and ``workflow`` are names or features; ``touches`` are features, of which one is enough.
    Raises InvalidAskError.
    """

    _: KW_ONLY
    task: TaskNamed | None = None
    agent: AgentNamed | None = None
    workflow: WorkflowNamed | None = None
    touches: Touched = ()

    def __post_init__(self) -> None:
        asked_features(self.task, self.agent, self.workflow)
        object.__setattr__(self, "touches", check_named("", self.touches))
        if len(self.touches) > TOUCHES_MAX:
            raise InvalidAskError(f"touches takes {TOUCHES_MAX} features, and these are {len(self.touches)}")

    def read(self, source: Source, /) -> Sessions:
        """Answer it."""
        features = asked_features(self.task, self.agent, self.workflow)
        with source.graph() as graph:
            return sessions(graph, features, [composed(each) for each in self.touches])


SESSIONS: Final = Read(
    "sessions",
    AskSessions,
    Sessions,
    "GET /sessions",
    "Who works on what",
    """Return the registered sessions that are open, the last touched first, at most 64.

Each has its workflow, its task, its agent, its goal, and what it touches, as whoever opened it said.""",
    example={"workflow": "release"},
)
