"""What is said in one place: the slot that a claim is in, and what stands for its value."""

from collections.abc import Iterable
from hashlib import blake2b
from itertools import product

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.knowledge import AssertClaimBody
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim, Definition
from yggdrasil_schemas.graph.records import SLOT_BYTES, Node
from yggdrasil_schemas.limits import ONE_WAY, TRUST_MAX

Linked = dict[bytes, int]
"""What stands for a slot, or a value, under each name of it, with the trust of what joins that to the name that is
said; the one under which it is known first."""


def slots_of(graph: Graph, body: AssertClaimBody, definition: Definition, trust: int) -> Linked:
    """Return the slot of a claim, and those under other names of what it is about, which are joined with it.

    Only names that were given with at least as much ``trust`` join anything: from below they are proposals.

    With one value the slot is that of subject and predicate; with one for each object also of that; with many also of
    the qualifiers, so that all in it is the same. What is symmetric is in the slot of the pair.
    """
    if is_of_pair(body, definition):
        pairs = _pairs(graph, body, trust)
        return {_hashed(b"yggdrasil-slot", (body.predicate, *pair)): link for pair, link in pairs.items()}
    objects = _objects(graph, body, trust) if definition.cardinality != "one" else [((), TRUST_MAX)]
    qualifiers = _qualifiers(body) if definition.cardinality == "many" else ()
    found: Linked = {}
    for (subject, link), (each, other) in product(names_of(graph, body.subject, trust), objects):
        found[_hashed(b"yggdrasil-slot", (subject, body.predicate, *each, *qualifiers))] = min(link, other)
    return found


def values_of(graph: Graph, body: AssertClaimBody, definition: Definition, trust: int) -> Linked:
    """Return what stands for a claim's object and qualifiers, under each name of an object that is a thing.

    Of what is symmetric the pair stands in the object's place.
    """
    qualifiers = _qualifiers(body)
    if is_of_pair(body, definition):
        pairs = _pairs(graph, body, trust)
        return {_hashed(b"yggdrasil-value", (*pair, *qualifiers)): link for pair, link in pairs.items()}
    objects = _objects(graph, body, trust)
    return {_hashed(b"yggdrasil-value", (*each, *qualifiers)): link for each, link in objects}


def is_of_pair(body: AssertClaimBody, definition: Definition) -> bool:
    """Whether a claim says of its object too what it says of its subject: both are things, and it is not one-way."""
    return definition.symmetric and body.object.entity is not None and body.qualifiers.get(ONE_WAY) != "yes"


def names_of(graph: Graph, name: str, trust: int) -> list[tuple[str, int]]:
    """Return the names of a thing that were given with at least some trust, the one under which it is known first."""
    return [each for each in graph.names(name).linked(name) if each[1] >= trust]


def members_of(graph: Graph, slots: Linked) -> list[Node]:
    """Return the live nodes that slots hold, each once, in order of number.

    From the slot of another name come those alone that are trusted no more than what joins the names.
    """
    held = {number: link for slot, link in slots.items() for number in graph.slot(slot)}
    nodes = [(graph.expect(number), held[number]) for number in sorted(held)]
    return [node for node, link in nodes if node.trust <= link]


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


def _pairs(graph: Graph, body: AssertClaimBody, trust: int) -> dict[tuple[str, ...], int]:
    """Return a claim's two things in the order of their names, under each pair of names, the known ones first.

    With each the trust of what joins it to what is said: the most, where two names are of one thing.
    """
    found: dict[tuple[str, ...], int] = {}
    others = names_of(graph, body.object.entity or "", trust)
    for (subject, link), (other, of_other) in product(names_of(graph, body.subject, trust), others):
        pair = ("pair", *sorted((subject, other)))
        found[pair] = max(found.get(pair, 0), min(link, of_other))
    return found


def _objects(graph: Graph, body: AssertClaimBody, trust: int) -> list[tuple[tuple[str, ...], int]]:
    said = body.object
    if said.entity is not None:
        return [(("entity", name), link) for name, link in names_of(graph, said.entity, trust)]
    if said.decimal is not None:
        return [(("decimal", said.decimal, said.unit or ""), TRUST_MAX)]
    if said.flag is not None:
        return [(("flag", "yes" if said.flag else "no"), TRUST_MAX)]
    if said.anchor is not None:
        return [(("anchor", said.anchor), TRUST_MAX)]
    return [(("digest", said.digest or ""), TRUST_MAX)]


def _qualifiers(body: AssertClaimBody) -> tuple[str, ...]:
    return tuple([part for name in sorted(body.qualifiers) for part in (name, body.qualifiers[name])])


def _hashed(what: bytes, parts: Iterable[str]) -> bytes:
    """Return 16 bytes that stand for parts in this order; no name holds the character that is put between them."""
    return blake2b("\0".join(parts).encode(), digest_size=SLOT_BYTES, person=what).digest()
