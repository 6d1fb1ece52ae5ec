"""How commands stand: what became of what each of them made or did, and which verdict said so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_projections.graph.laws.reference import accepted, live_or_heir, made
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import BY_NUMBER, Judge
from yggdrasil_schemas.commands.wire import CommandId, is_ref
from yggdrasil_schemas.graph.records import NOBODY, Act, Node, NodeFlag, Status, node_number, seq_of
from yggdrasil_schemas.ids import id_text
from yggdrasil_schemas.limits import JUDGED_MAX

from ...errors import InvalidAskError
from ...found import OfAMoment
from ...memories import reference_of
from ...query import OnTheWire, Read, Source, Timed

_PINNED: Final = int(NodeFlag.PINNED)
_IDS = Annotated[list[CommandId], Field(min_length=1, max_length=JUDGED_MAX)]


@dataclass(frozen=True, slots=True)
class StandingNode:
    """What a command made or confirmed: ``id`` and ``seq`` are those of the command that made it.

    ``by`` is the command that gave it its ``status``, if one did, ``instead`` the seq of what stands in its place, else
    0. ``lines`` are the seqs of those who say a claim; None of all else.
    """

    id: str
    seq: int
    status: str
    by: str | None
    instead: int
    pinned: bool
    lines: list[int] | None


@dataclass(frozen=True, slots=True)
class StandingAct:
    """What a command did that made no node: a name, a relation, a report, a vector, a word for a claim, a verdict.

    ``by`` is the verdict that gave it its ``status``, if one did. Of a verdict ``about`` has, claim by claim, the seqs
    of those who say that; of one that is forgotten there are none.
    """

    status: str
    by: str | None
    about: list[list[int]]


@dataclass(frozen=True, slots=True)
class StandingCommand:
    """An accepted command, with what it made, if that is still there, and what it did, as far as that is kept."""

    id: str
    seq: int
    type: str
    node: StandingNode | None
    act: StandingAct | None


@dataclass(frozen=True, slots=True)
class Standings(OfAMoment):
    """How commands stand, in the order in which they were asked for; what was never accepted is not among them."""

    commands: list[StandingCommand]
    as_of: int


@dataclass(frozen=True, slots=True)
class AskStanding(Timed[Standings]):
    """Return how ``commands`` stand, at most 64 ids: which status what they made or did has, and which verdict says so.

    Raises InvalidAskError.
    """

    commands: Annotated[Sequence[str], OnTheWire(_IDS), Field(description="Ids of commands.")]

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        if isinstance(self.commands, str):
            raise InvalidAskError(f"commands is a list of ids, and not the text {self.commands[:40]!r}")
        object.__setattr__(self, "commands", tuple(self.commands))
        if not 1 <= len(self.commands) <= JUDGED_MAX:
            raise InvalidAskError(f"commands takes 1 to {JUDGED_MAX} ids, and not {len(self.commands)}")
        for each in self.commands:
            if each.startswith("feature:") or not is_ref(each):
                raise InvalidAskError(f"commands: {each[:40]!r} is no id of a command")

    def read(self, source: Source, /) -> Standings:
        """Answer it, outside of any turn."""
        with source.frozen() as graph:
            found = [each for command in self.commands if (each := _standing(graph, command)) is not None]
            return Standings(found, graph.header.seq)


def _standing(graph: Graph, command_id: str) -> StandingCommand | None:
    identity = accepted(graph, command_id)
    if identity is None:
        return None
    node, act, kind = made(graph, identity), graph.act(identity.seq), BY_NUMBER[identity.kind]
    return StandingCommand(
        command_id,
        identity.seq,
        kind,
        None if node is None else _node(graph, node, command_id if node.number == node_number(identity.seq) else None),
        None if act is None else _act(graph, act, of_verdict=identity.kind == Judge.number),
    )


def _node(graph: Graph, node: Node, command_id: str | None) -> StandingNode:
    ruling = graph.ruling(node)
    return StandingNode(
        command_id or reference_of(graph, node.number),
        seq_of(node.number),
        _named(node.status),
        _by(ruling.by),
        seq_of(ruling.instead) if ruling.instead else 0,
        bool(node.flags & _PINNED),
        _lines(graph, node),
    )


def _act(graph: Graph, act: Act, *, of_verdict: bool) -> StandingAct:
    about = [live_or_heir(graph, number) for number in act.about] if of_verdict else []
    lines = [None if node is None else _lines(graph, node) for node in about]
    return StandingAct(_named(act.status), _by(act.by), [each or [] for each in lines])


def _lines(graph: Graph, node: Node) -> list[int] | None:
    claim = graph.claim(node)
    return None if claim is None else [line.seq for line in claim.lines]


def _named(status: int) -> str:
    return Status(status).name.lower()


def _by(command: bytes) -> str | None:
    return None if command == NOBODY else id_text(command)


STANDING: Final = Read(
    "standing",
    AskStanding,
    Standings,
    "GET /standing",
    "How commands stand (role audit)",
    """Return of up to 64 commands which status what they made or did has, and which verdict gave it that.

It has what is in no answer: the words of one writer for a claim, names, relations, reports of use, vectors.""",
    roles=("audit",),
    recorded="never",
    example={"commands": ["<event>", "<claim>"]},
)
