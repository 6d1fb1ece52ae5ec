"""What the log says of a memory, command by command: who said what and when, and which others each of them names.

It is read from the log and not from the graph, so it has what was forgotten, and readings as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError

from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.lensed import trust_min_of, unlensed, withheld_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import (
    AliasEntity,
    AssertClaim,
    AttachVector,
    ClearContent,
    Command,
    CommitEpisode,
    FormConcept,
    Judge,
    LogOutcome,
    RecordEvent,
    RecordRecall,
    Relate,
    ReportUse,
)
from yggdrasil_schemas.commands.wire import Name, Strict
from yggdrasil_schemas.graph.records import Status, node_number
from yggdrasil_schemas.ids import key_in

from ...errors import InvalidAskError
from ...found import OfAMoment
from ...parameters import Seq
from ...query import Read, Source, Timed
from .log_pages import Accepted, accepted_in, read_log

SAID_MAX: Final = 1_000
QUESTION_CHARS_MAX: Final = 4_000
_WORDS_CHARS_MAX: Final = 120
PartVerdict = Literal["quarantine", "release"]


class _Selection(Strict):
    """Whose words a quarantine means, as its commands have it."""

    source: Name | None = None
    key: Name | None = None
    session: Name | None = None
    command: Name | None = None
    since: int = 0
    derived: bool = False


class _Noted(Strict):
    """What a command of a quarantine says of itself in its content, which no law reads."""

    selection: _Selection
    verdict: PartVerdict
    part: int
    parts: int
    was: list[Annotated[int, Field(ge=min(Status), le=max(Status))]]


@dataclass(frozen=True, slots=True)
class NamedCommand:
    """What a command names, and how.

    It is ``informed_by`` a recall and ``caused_by`` events; it is the ``outcome``, a ``vector`` or a ``relation`` of
    something; it ``contains`` others, or has them as its ``evidence``.
    """

    by: str
    of: str


@dataclass(frozen=True, slots=True)
class PartItem:
    """What a part of a quarantine judges, which had the status ``was``; ``word``: only its word for a claim."""

    ref: str
    word: bool
    was: str


@dataclass(frozen=True, slots=True)
class QuarantinePart:
    """What an operator's verdicts say of themselves: of which selection they are which part, and of how many."""

    selection: dict[str, Any]
    verdict: PartVerdict
    part: int
    parts: int
    items: list[PartItem]


@dataclass(frozen=True, slots=True)
class Said:
    """An accepted command: who said it and when, in a few words what, and which others it names.

    ``at_ms`` is the writer's clock and ``logged_ms`` that of the log, in Unix ms. ``key`` is the id of the key that it
    came with, ``trust``, 0 to 4, is as it is stamped. ``words`` are at most 120 characters; what is sealed is not read.
    ``returned`` are what a recall returned, at most 50; ``question`` is what it was asked, in at most 4,000 characters.
    """

    seq: int
    id: str
    type: str
    at_ms: int
    logged_ms: int
    source: str
    key: str | None
    session: str
    origin: str
    trust: int
    words: str
    names: list[NamedCommand] = field(default_factory=list[NamedCommand])
    returned: list[str] = field(default_factory=list[str])
    quarantine: QuarantinePart | None = None
    question: str = ""


@dataclass(frozen=True, slots=True)
class SaidPage(OfAMoment):
    """Accepted commands in the order of the log, as far as they are folded here.

    Go on with ``position`` until it is ``end``, where the fold stands; both are offsets. ``altered`` counts records
    that are not those that were folded: they are left out, and ``yggdrasil verify`` names them.
    """

    said: list[Said]
    position: int
    end: int
    altered: int
    as_of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSaid(Timed[SaidPage]):
    """Return what the log says of a memory from ``position`` on, each command with who said it and what it names.

    There are at most ``count``, and there may be none where other memories take up the log: go on with the answer's
    ``position`` until that is its ``end``. What is folded here later is found from there on.
    """

    position: Seq = 0
    count: Annotated[int, Field(ge=1, le=SAID_MAX)] = 200

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        if not 1 <= self.count <= SAID_MAX:
            raise InvalidAskError(f"count must lie between 1 and {SAID_MAX}, not {self.count}")

    def read(self, source: Source, /) -> SaidPage:
        """Answer it, outside of any turn. Raises LogError."""
        altered = 0

        def said_in(graph: Graph, record: LogRecord) -> Said | None:
            nonlocal altered
            found = accepted_in(graph, record)
            if found is None or found.altered:
                altered += found is not None
                return None
            return said_of(found.command, found.seq, record.timestamp_ms) if _is_shown(graph, found) else None

        page = read_log(source, self.position, self.count, said_in)
        return SaidPage(page.found, page.position, page.end, altered, page.as_of)


def _is_shown(graph: Graph, accepted: Accepted) -> bool:
    """Whether a command is as trusted as what is seen here, and so is what it made or did."""
    number, least, all_of_it = node_number(accepted.seq), trust_min_of(graph), unlensed(graph)
    if trust_of(accepted.command) < least or number in withheld_of(graph):
        return False
    made, did = all_of_it.node(number), all_of_it.act(accepted.seq)
    less = (made is not None and graph.node(number) is None) or (did is not None and graph.act(accepted.seq) is None)
    return not (least and less)  # it may be trusted less than its writer is


def said_of(command: Command, seq: int, logged_ms: int) -> Said:
    """Return what is told of an accepted command."""
    return Said(
        seq, command.id, command.type, command.at, logged_ms, command.source, key_in(command.process),
        command.session, command.origin, trust_of(command), words_of(command), list(_names(command)),
        list(command.body.returned) if isinstance(command, RecordRecall) else [], _part_of(command),
        _text(command)[:QUESTION_CHARS_MAX] if isinstance(command, RecordRecall) else "",
    )  # fmt: skip


def words_of(command: Command) -> str:
    """Return what a command says, in at most 120 characters; a text that is sealed is not read."""
    match command:
        case LogOutcome(body=body):
            said = f"{body.value:+g} {body.kind} of {body.event}"
        case AssertClaim(body=body):
            given = body.object.model_dump(exclude_none=True)
            text = _text(command, "object")
            said = f"{body.subject} {body.predicate} {text or ' '.join(str(value) for value in given.values())}"
        case AliasEntity(body=body):
            said = f"{body.name} is {body.canonical or 'itself'}"
        case Relate(body=body):
            said = f"{body.source} {body.relation} {body.target}"
        case ReportUse(body=body):
            how = "" if body.method == "declared" else f", by {body.method}"
            said = f"{body.result} with {len(body.used)} of {body.recall}{how}"
        case AttachVector(body=body):
            said = f"{body.model} of {body.node}"
        case CommitEpisode(body=body):
            parts = f"{len(body.events)} events" + (f", {len(body.episodes)} episodes" if body.episodes else "")
            said = f"{parts}: {_text(command)}"
        case FormConcept(body=body):
            said = f"{len(body.members)} members: {_text(command)}"
        case Judge(body=body):
            said = f"{', '.join(sorted({item.verdict for item in body.items}))} {len(body.items)}: {body.reason}"
        case _:
            said = _text(command)
    said = " ".join(said.split())
    return said if len(said) <= _WORDS_CHARS_MAX else f"{said[: _WORDS_CHARS_MAX - 3]}..."


def _text(command: Command, name: str = "text") -> str:
    content = command.content
    return (getattr(content, name) or "") if isinstance(content, ClearContent) else ""


def _names(command: Command) -> Iterator[NamedCommand]:
    """Yield what a command is made of, each with how."""
    match command:
        case RecordEvent(body=body):
            yield from (NamedCommand("informed_by", each) for each in body.informed_by)
            by, named = "caused_by", body.caused_by
        case LogOutcome(body=body):
            by, named = "outcome", [body.event]
        case CommitEpisode(body=body):
            by, named = "contains", [*body.events, *body.episodes]
        case FormConcept(body=body):
            by, named = "contains", body.members
        case AssertClaim(body=body):
            by, named = "evidence", body.evidence
        case AliasEntity(body=body):
            by, named = "evidence", body.evidence
        case Judge(body=body) if any(item.verdict == "verify" for item in body.items):
            by, named = "evidence", body.evidence
        case AttachVector(body=body):
            by, named = "vector", [body.node]
        case Relate(body=body):
            by, named = "relation", [body.source, body.target]
        case _:
            return
    yield from (NamedCommand(by, each) for each in named)


def _part_of(command: Command) -> QuarantinePart | None:
    """Return which part of a quarantine a command is, if an operator said so and it is whole."""
    if not isinstance(command, Judge) or command.origin != "operator" or not isinstance(command.content, ClearContent):
        return None
    try:
        noted = _Noted.model_validate((command.content.payload or {}).get("quarantine"))
    except ValidationError:
        return None
    if len(noted.was) != len(command.body.items):
        return None
    judged = [
        PartItem(each.node, each.word, Status(was).name.lower())
        for each, was in zip(command.body.items, noted.was, strict=True)
    ]
    return QuarantinePart(
        noted.selection.model_dump(exclude_unset=True), noted.verdict, noted.part, noted.parts, judged
    )


SAID: Final = Read(
    "said",
    AskSaid,
    SaidPage,
    "GET /said",
    "What the log says of it, command by command (role audit)",
    """Return accepted commands in the order of the log, each with who said it, when, and which others it names.

`position` leads on, until it is `end`. It is what an auditor reads to learn all that somebody said, and what came of
it; `yggdrasil quarantine` and `yggdrasil report` do.""",
    roles=("audit",),
    recorded="never",
    example={"count": 5},
)
