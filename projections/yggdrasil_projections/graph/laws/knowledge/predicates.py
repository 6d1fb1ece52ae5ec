"""What predicates mean: those that every memory knows, and those that it defines."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Define
from yggdrasil_schemas.commands.knowledge import ClaimObject
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.limits import PREDICATES_MAX
from yggdrasil_schemas.predicates import KNOWN
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import refuse_unless_operator

_UNKNOWN: Final = Definition()
_UNKNOWN_OF_ONE: Final = Definition("one")


def define(graph: Graph, command: Define, _seq: int, _record: bytes) -> Refused | None:
    """Let a predicate mean something from now on; what was claimed with it stays in the slot that it is in."""
    refused = refuse_unless_operator(command)
    if refused is not None:
        return refused
    body = command.body
    if graph.definition(body.predicate) is None and graph.header.predicates >= PREDICATES_MAX:
        return Refused(Refusal.PREDICATES_FULL)
    definition = Definition(
        body.cardinality,
        body.resolution,
        body.review,
        body.confirmations,
        body.perish_ticks,
        body.authority or "",
    )
    graph.define(body.predicate, definition)
    return None


def definition_of(graph: Graph, predicate: str, said: ClaimObject | None = None) -> Definition:
    """Return what a predicate means here: what the memory defines, else what every memory knows.

    Of any other a thing has one value if that is a number, or a yes or no (``said``), and else any number of them.
    """
    unknown = said is not None and (said.decimal is not None or said.flag is not None)
    return graph.definition(predicate) or KNOWN.get(predicate) or (_UNKNOWN_OF_ONE if unknown else _UNKNOWN)
