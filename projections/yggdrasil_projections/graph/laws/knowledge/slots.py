"""What is said in one place: the slot that a claim is in, and what stands for its value."""

from collections.abc import Iterable
from hashlib import blake2b
from itertools import product

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.knowledge import AssertClaimBody
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim, Definition
from yggdrasil_schemas.graph.records import SLOT_BYTES, Node


def slots_of(graph: Graph, body: AssertClaimBody, definition: Definition) -> list[bytes]:
    """Return the slot of a claim, and those under other names of what it is about, which are joined with it.

    With one value the slot is that of subject and predicate; with one for each object also of that; with many also of
    the qualifiers, so that all in it is the same.
    """
    objects = _objects(graph, body) if definition.cardinality != "one" else [()]
    qualifiers = _qualifiers(body) if definition.cardinality == "many" else ()
    places = product(graph.called(body.subject), objects)
    return [_hashed(b"yggdrasil-slot", (subject, body.predicate, *each, *qualifiers)) for subject, each in places]


def values_of(graph: Graph, body: AssertClaimBody) -> list[bytes]:
    """Return what stands for a claim's object and qualifiers, under each name of an object that is a thing."""
    qualifiers = _qualifiers(body)
    return [_hashed(b"yggdrasil-value", (*each, *qualifiers)) for each in _objects(graph, body)]


def members_of(graph: Graph, slots: Iterable[bytes]) -> list[Node]:
    """Return the live nodes that slots hold, each once, in order of number."""
    numbers = {number for slot in slots for number in graph.slot(slot)}
    return [graph.expect(number) for number in sorted(numbers)]


def overlap(claim: Claim, begins: int, ends: int) -> bool:
    """Whether a claim holds at a moment from ``begins`` until before ``ends``."""
    return claim.begins < ends and begins < min(claim.ends, claim.closed)


def contradict(claim: Claim, begins: int, ends: int) -> bool:
    """Whether a claim of another value, that holds from ``begins`` until before ``ends``, cannot be true beside this.

    What is known to be over leaves the present to what holds, and nobody said since when.
    """
    over, other_over = ends != OPEN_TO, claim.ends != OPEN_TO
    if (over and not other_over and claim.begins == OPEN_FROM) or (other_over and not over and begins == OPEN_FROM):
        return False
    return overlap(claim, begins, ends)


def _objects(graph: Graph, body: AssertClaimBody) -> list[tuple[str, ...]]:
    said = body.object
    if said.entity is not None:
        return [("entity", name) for name in graph.called(said.entity)]
    if said.decimal is not None:
        return [("decimal", said.decimal, said.unit or "")]
    if said.flag is not None:
        return [("flag", "yes" if said.flag else "no")]
    return [("digest", said.digest or "")]


def _qualifiers(body: AssertClaimBody) -> tuple[str, ...]:
    return tuple([part for name in sorted(body.qualifiers) for part in (name, body.qualifiers[name])])


def _hashed(what: bytes, parts: Iterable[str]) -> bytes:
    """Return 16 bytes that stand for parts in this order; no name holds the character that is put between them."""
    return blake2b("\0".join(parts).encode(), digest_size=SLOT_BYTES, person=what).digest()
