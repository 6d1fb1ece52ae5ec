"""What predicates mean, those that every memory knows and those that it defines, and what roles its agents have."""

from typing import Final

from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_schemas.commands import Define
from yggdrasil_schemas.commands.knowledge import ClaimObject, RoleDefined
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.graph.perspectives import Perspective, Role, perspective_key
from yggdrasil_schemas.graph.predicates import KNOWN
from yggdrasil_schemas.limits import PREDICATES_MAX, ROLES_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import refuse_unless_operator

_UNKNOWN: Final = Definition()
_UNKNOWN_OF_ONE: Final = Definition("one")


def define(graph: Graph, command: Define, seq: int, _record: bytes) -> Refused | None:
    """Let a predicate mean something from now on; what was claimed with it stays in the slot that it is in.

    Or let a role be something.
    """
    refused = refuse_unless_operator(command)
    if refused is not None:
        return refused
    body = command.body
    if body.role is not None:
        return _define_role(graph, body.role, seq)
    if body.predicate is None:  # one of both is there
        raise BrokenInvariantError("a definition defines nothing")
    if graph.definition(body.predicate) is None and graph.header.predicates >= PREDICATES_MAX:
        return Refused(Refusal.PREDICATES_FULL)
    definition = Definition(
        body.cardinality,
        body.resolution,
        body.review,
        body.confirmations,
        body.perish_ticks,
        body.authority or "",
        body.symmetric,
        body.confirm_by,
        body.confirm_gap,
    )
    graph.define(body.predicate, definition)
    return None


def definition_of(graph: Graph, predicate: str, said: ClaimObject | None = None) -> Definition:
    """Return what a predicate means here: what the memory defines, else what every memory knows.

    Of any other a thing has one value if that is a number, or a yes or no (``said``), and else any number of them.
    """
    unknown = said is not None and (said.decimal is not None or said.flag is not None)
    return graph.definition(predicate) or KNOWN.get(predicate) or (_UNKNOWN_OF_ONE if unknown else _UNKNOWN)


def _define_role(graph: Graph, said: RoleDefined, seq: int) -> Refused | None:
    """Let a role have these perspectives from now on, and no others; without any it is there no longer.

    A perspective that is in another role too is the same one. One that was renamed keeps what is strong under it; if
    something else gets its old name, in this role or another, that is a new one.
    """
    if not said.perspectives:
        graph.define_role(said.name, None)
        return None
    before = graph.roles.get(said.name)
    if before is None and len(graph.roles) >= ROLES_MAX:
        return Refused(Refusal.ROLES_FULL)
    own = {} if before is None else {each.name: each.key for each in before.perspectives}
    everyone = [each for name in sorted(graph.roles) for each in graph.roles[name].perspectives]
    known, held = {each.name: each.key for each in everyone}, {each.key: each.name for each in everyone}
    taken: dict[bytes, str] = {}  # first by what was renamed, then by what stays
    for each in sorted(said.perspectives, key=lambda one: (one.formerly not in own, one.name not in own)):
        key = own.get(each.formerly or each.name) or own.get(each.name) or known.get(each.name)
        first = perspective_key(each.name)
        renamed_since = key is None and held.get(first, each.name) != each.name
        key = key or first
        taken[perspective_key(f"{each.name}\0{seq}") if renamed_since or key in taken else key] = each.name
    keys = {name: key for key, name in taken.items()}
    found = [Perspective(keys[each.name], each.name, tuple(each.keywords)) for each in said.perspectives]
    graph.define_role(said.name, Role(tuple(found)))
    return None
