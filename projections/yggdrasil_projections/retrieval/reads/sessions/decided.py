"""What was decided, why, instead of what, and how it turned out (004, decision traces)."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Final, cast

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.commands.experience import KIND_PREFIX
from yggdrasil_schemas.graph.records import Node, seq_of
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.moments import Moment, MomentSent
from yggdrasil_schemas.names import composed

from ...asks import Where, asked_moment, check_count, check_seq, check_text
from ...errors import InvalidAskError
from ...found import Answered
from ...index.admission import told
from ...index.index import MemoryIndex
from ...lens import narrowed
from ...memories import PAGE_BYTES, OutcomeSeen, content_of, outcomes_of, teller_of
from ...parameters import COUNT, COUNT_MAX, CountOfMany, Seq
from ...query import OnTheWire, Query, Read, Source
from ...records import fields_in
from .registered import AgentNamed, Name, TaskNamed, WorkflowNamed, asked_features

NOTE: Final = "decision"
"""The sort of note that a decision is."""
_ALTERNATIVES_MAX: Final = 16
_LOOKED_AT_MAX: Final = 500  # decisions of which one call looks at the outcomes, where it asks for some kind


@dataclass(frozen=True, slots=True)
class DecisionSeen:
    """A decision: ``what`` was decided in a ``session`` at ``at`` (Unix ms), ``why``, and instead of which
    ``alternatives``, as far as that was said and is not sealed.

    ``features`` are those of its event, such as its task. ``outcomes`` followed, the oldest first: of itself, and of
    what came after it and names it as a step, or took it for one.
    """

    ref: str
    what: str | None
    why: str | None
    alternatives: list[str]
    session: str
    at: int
    features: list[str]
    said_by: str
    trust: int
    outcomes: list[OutcomeSeen] = field(default_factory=list[OutcomeSeen])


@dataclass(frozen=True, slots=True)
class Decisions(Answered):
    """Decisions, the latest first; ``before`` asks for what came earlier, and is None at the beginning."""

    decisions: list[DecisionSeen] = field(default_factory=list[DecisionSeen])
    before: int | None = None
    as_of: int = 0


def decision_seen(graph: Graph, node: Node, record: dict[str, Any]) -> DecisionSeen:
    """Return the decision that a live event says, given the fields of the record that made it."""
    content: dict[str, Any] = record.get("content") or {}
    payload: dict[str, Any] = content.get("payload") or {}
    others: Any = payload.get("alternatives")
    given = cast(list[object], others) if isinstance(others, list) else []
    listed = [each for each in given if isinstance(each, str)]
    return DecisionSeen(
        record["id"],
        _text(payload, "what") or content.get("text"),
        _text(payload, "why") or content.get("rationale"),
        listed[:_ALTERNATIVES_MAX],
        record.get("session", SESSION_DEFAULT),
        record["at"],
        record["body"].get("features", []),
        teller_of(graph, node, record),
        node.trust,
        outcomes_of(graph, node),
    )


def _text(payload: dict[str, Any], name: str) -> str | None:
    said = payload.get(name)
    return said if isinstance(said, str) else None


def decisions_in(index: MemoryIndex, where: Where, before: int | None = None) -> list[int]:
    """Return the numbers of the decisions that a filter admits, the latest first."""
    found = np.flatnonzero(told(index.held, where.having(kinds=("event",), notes=(NOTE,)), before))
    numbers: list[int] = index.documents.columns.number[found][::-1].tolist()
    return numbers


def decisions(graph: Graph, numbers: Sequence[int], kind: str | None, count: int) -> Decisions:
    """Return the first ``count`` decisions among some nodes, of all or of those that an outcome of a kind followed."""
    found: list[DecisionSeen] = []
    read_bytes = 0
    for looked_at, number in enumerate(numbers):
        if len(found) == count or looked_at == _LOOKED_AT_MAX or read_bytes >= PAGE_BYTES:
            return Decisions(found, seq_of(numbers[looked_at - 1]), graph.header.seq)
        node = graph.node(number)
        if node is None:  # an index has what a lens hides
            continue
        content = content_of(graph, number)
        read_bytes += len(content)
        seen = decision_seen(graph, node, fields_in(content))
        read_bytes += sum(len(outcome.text or "") for outcome in seen.outcomes)
        if kind is None or any(outcome.kind == kind for outcome in seen.outcomes):
            found.append(seen)
    return Decisions(found, None, graph.header.seq)


@dataclass(frozen=True, slots=True)
class AskDecisions(Query[Decisions]):
    """Return what was decided, the latest first: why, instead of what, and how it turned out.

    ``task``, ``agent`` and ``workflow`` are names or features, and ``about`` is any other feature: a decision has each
    that is given. ``since`` and ``until`` bound when it was made. ``kind`` is that of an outcome that followed, such as
    "failure:tool". At most ``count``, fewer where texts are long; to go on, give the answer's ``before``. Raises
    InvalidAskError.
    """

    _: KW_ONLY
    task: TaskNamed | None = None
    agent: AgentNamed | None = None
    workflow: WorkflowNamed | None = None
    about: Annotated[Name | None, Field(description="Any other feature that it has.")] = None
    kind: Annotated[Name | None, Field(description="The kind of an outcome that followed.")] = None
    since: Annotated[Moment | None, OnTheWire(MomentSent | None), Field(description="It was made then or later.")] = (
        None
    )
    until: Annotated[
        Moment | None,
        OnTheWire(MomentSent | None),
        Field(description="It was made then or earlier; a day is meant to its end."),
    ] = None
    count: CountOfMany = COUNT
    before: Seq | None = None

    def __post_init__(self) -> None:
        for name in ("about", "kind"):
            given = getattr(self, name)
            if given is not None and not 1 <= len(check_text(name, given)) <= NAME_CHARS_MAX:
                raise InvalidAskError(f"{name} is a name of 1 to {NAME_CHARS_MAX} characters")
        check_count("count", self.count, COUNT_MAX)
        check_seq("before", self.before)
        if self.since is not None:
            object.__setattr__(self, "since", asked_moment("since", self.since))
        if self.until is not None:
            object.__setattr__(self, "until", asked_moment("until", self.until, end=True))
        self._where()

    def _where(self) -> Where:
        """Return what admits the decisions that are asked for. Raises InvalidAskError."""
        features = asked_features(self.task, self.agent, self.workflow)
        features += [] if self.about is None else [composed(self.about)]
        return Where(features_all=features or None, since=self.since, until=self.until)

    def read(self, source: Source, /) -> Decisions:
        """Answer it."""
        kind = None if self.kind is None else composed(self.kind).removeprefix(KIND_PREFIX)

        def find(graph: Graph, index: MemoryIndex) -> list[int]:
            where = narrowed(self._where(), trust_min_of(graph)) or self._where()
            return decisions_in(index, where, self.before)

        with source.found(find) as (graph, numbers):
            return decisions(graph, numbers, kind, self.count)


DECISIONS: Final = Read(
    "decisions",
    AskDecisions,
    Decisions,
    "GET /decisions",
    "What was decided, and how it turned out",
    """Return what was decided, the latest first, each with why, instead of what, and the outcomes that followed.

They are the events whose `note` is `decision`, by task, agent, workflow, another feature, time, and the kind of an
outcome that followed; `before` leads to earlier ones.""",
    example={"task": "T-12", "count": 5},
)
