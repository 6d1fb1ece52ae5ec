"""One memory by its reference, and what became of a command."""

from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_infra.log import Receipt
from yggdrasil_projections.graph.laws.reference import FEATURE_PREFIX, accepted, live_or_heir, resolve
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.problems import UNKNOWN_NODE
from yggdrasil_schemas.refusals import Refusal, Refused

from ...answers import Became, Described, Place
from ...errors import UnknownCommandError, UnknownNodeError
from ...found import Answered
from ...memories import describe, reference_of
from ...parameters import CommandRef, Reference
from ...query import READERS, Read, Source, Timed


def node_called(graph: Graph, ref: str) -> Node:
    """Return the live node that ``ref`` names: a command id, or ``feature:NAME``. Raises UnknownNodeError."""
    memory = graph.header.memory
    ref = composed(ref)
    try:
        number = resolve(graph, ref)
        if isinstance(number, int):
            return graph.expect(number)
        heir = None if ref.startswith(FEATURE_PREFIX) else _heir(graph, ref)
    except ValueError:  # not an id at all
        raise UnknownNodeError(memory, ref) from None
    if isinstance(number, Refused) or heir is None:
        raise UnknownNodeError(memory, ref)
    raise UnknownNodeError(memory, ref, reference_of(graph, heir.number))


def described(graph: Graph, ref: str, partition: int) -> Described:
    """Return one memory as it is now. Raises UnknownNodeError."""
    node = node_called(graph, ref)
    identity = None if ref.startswith(FEATURE_PREFIX) else accepted(graph, ref)
    place = Place(identity.seq, partition, identity.offset) if identity else None
    return Described(describe(graph, node), place, graph.header.seq)


def became(graph: Graph, command_id: str, partition: int) -> Became | None:
    """Return what became of the command ``command_id``; None when the fold has not met it, or when it is no id."""
    try:
        identity = graph.identity(id_bytes(command_id))
    except ValueError:
        return None
    if identity is None:
        return None
    place = Place(identity.seq, partition, identity.offset)
    if not identity.result:
        return Became(command_id, True, place, None, None, graph.header.seq)
    refusal = Refusal(identity.result)
    return Became(command_id, False, place, refusal.code, refusal.sentence, graph.header.seq)


def _heir(graph: Graph, ref: str) -> Node | None:
    """Return what contained the node of a command when it was forgotten, if that is still there."""
    identity = accepted(graph, ref)
    return live_or_heir(graph, node_number(identity.seq)) if identity else None


@dataclass(frozen=True, slots=True)
class AskDescribed(Timed[Described]):
    """Return one memory by its reference: an id, or ``feature:NAME``. Raises UnknownNodeError."""

    ref: Reference

    def read(self, source: Source, /) -> Described:
        """Answer it."""
        with source.graph() as graph:
            return described(graph, self.ref, source.partition)


@dataclass(frozen=True, slots=True)
class CommandSeen(Answered):
    """What became of a command: where it stands, and whether the memory took it."""

    id: str
    receipt: str
    accepted: bool
    seq: int
    reason: str | None
    detail: str | None
    as_of: int

    def became(self) -> Became:
        """Return it with the parts of its receipt."""
        receipt = Receipt.parsed(self.receipt)
        place = Place(self.seq, receipt.partition, receipt.offset)
        return Became(self.id, self.accepted, place, self.reason, self.detail, self.as_of)


@dataclass(frozen=True, slots=True)
class AskBecame(Timed[CommandSeen]):
    """Ask what became of a command of this memory. Raises UnknownCommandError when the fold has not met it."""

    command_id: Annotated[CommandRef, Field(alias="id")]

    def read(self, source: Source, /) -> CommandSeen:
        """Answer it."""
        with source.graph() as graph:
            found = became(graph, self.command_id, source.partition)
        if found is None:
            raise UnknownCommandError(f"{source.memory}: no command {self.command_id} has been folded here")
        place = found.place
        receipt = Receipt(place.partition, place.offset).written
        return CommandSeen(found.id, receipt, found.accepted, place.seq, found.reason, found.detail, found.as_of)


DESCRIBED: Final = Read(
    "describe",
    AskDescribed,
    Described,
    "GET /nodes/{ref:path}",
    "One memory",
    """Return one memory by its reference, as it is now.""",
    (UNKNOWN_NODE,),
    example={"ref": "<event>"},
)
BECAME: Final = Read(
    "became",
    AskBecame,
    CommandSeen,
    "GET /commands/{id}",
    "What became of it",
    """Return what became of a command: accepted, or refused and why.""",
    (UnknownCommandError.kind,),
    ("append", *READERS),
    example={"command_id": "<event>"},
)
