"""Claims as agents see them: what is said of what, how sure that is, and when it holds."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from yggdrasil_projections.graph.laws.authority import trust_in
from yggdrasil_projections.graph.laws.knowledge.confirming import takes_person
from yggdrasil_projections.graph.laws.knowledge.lines import is_later
from yggdrasil_projections.graph.laws.knowledge.predicates import definition_of
from yggdrasil_projections.graph.laws.knowledge.slots import contradict, names_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.knowledge import ClaimClass
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status
from yggdrasil_schemas.names import text_digest

from .records import fields_in
from .text.sentences import own_words

_KINDS: Final = ("entity", "decimal", "flag", "anchor", "digest")
_SORTS: Final = ("", *get_args(ClaimClass))
_RIVALS: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)
# How far the words of each trust count, in quarters. Trust decides what stands; of what stands it says less: with the
# weights of the policy, twice as much with each tier, one source alone was far less sure of itself than it was right.
_QUARTERS: Final = (1, 3, 4, 5, 6)
# In percent of a quarter of a user's word: an eighth of a word speaks for and against a claim before anybody has said
# anything. These numbers were chosen over worlds of other sources, whole worlds and seeds left out (docs/ledger.md).
_PRIOR_WEIGHT: Final = 50
SURE_ENOUGH: Final = 0.5
"""What is less sure, and contested by nothing, is shown only if it is asked for."""
_SIGHTINGS_MIN: Final = 2  # however few confirmations a predicate asks for
# What began later is more often so than what it contradicts: how its words count, and those of what began earlier.
_LATER, _EARLIER = 2.0, 0.25


@dataclass(frozen=True, slots=True)
class ClaimSeen:
    """What a claim says: ``subject`` has, by a ``predicate``, an ``object``: a thing, number, flag, place, or text.

    ``object_kind`` says which: "entity", "decimal" (with its ``unit`` if it has one), "flag", "anchor" (such as
    "overworld/120/64/-33") or "text"; the object is None where a text is sealed, or is not the one that was claimed.
    ``confidence``, in [0, 1], is how sure the memory is, by what its ``sources`` (how many independent ones are kept)
    and those of its rivals weigh, and by how long ago it was said where the predicate perishes; 0 once all of its
    evidence has fallen, by whose word it could fall. It holds from
    ``valid_from`` until before ``valid_to``, in Unix ms, None where that is not known.
    ``sort`` is "fact", "lesson", "rule", or "desk": a note of a session.

    ``seen`` is how often it was seen, where its predicate counts that (``confirm_by="evidence"``), and ``sighted`` the
    seq of the newest event of the last sighting that counted, None where none did. One that waits (status "candidate")
    is confirmed by ``seen_enough`` sightings, of which the next has to be of an event at ``seen_again_from`` or later,
    which is a seq; both are None where that does not confirm it.
    """

    sort: str
    subject: str
    predicate: str
    object: str | bool | None
    object_kind: str
    confidence: float
    sources: int
    unit: str | None = None
    qualifiers: dict[str, str] = field(default_factory=dict[str, str])
    valid_from: int | None = None
    valid_to: int | None = None
    seen: int = 0
    sighted: int | None = None
    seen_again_from: int | None = None
    seen_enough: int | None = None


def claim_seen(graph: Graph, node: Node, record: dict[str, Any]) -> ClaimSeen | None:
    """Return what a live node claims, given the fields of the record that made it; None for one that is no claim."""
    claim = graph.claim(node)
    if claim is None:
        return None
    found = claim_in(claim, record, confidence(graph, node, claim))
    definition = definition_of(graph, claim.predicate)
    waits = node.status == Status.CANDIDATE and not takes_person(definition, claim)
    if not (waits and definition.confirm_by == "evidence" and node.trust > 0):
        return found
    again = claim.sighted + definition.confirm_gap if claim.seen else 0
    return replace(found, seen_again_from=again, seen_enough=max(_SIGHTINGS_MIN, definition.confirmations))


def claim_in(claim: Claim, record: dict[str, Any], sure: float = 0.0) -> ClaimSeen:
    """Return what a claim says, given the fields of the record that made it, and how ``sure`` that is."""
    body: dict[str, Any] = record["body"]
    said: dict[str, Any] = body["object"]
    content: dict[str, Any] = record.get("content") or {}
    kind = next(name for name in _KINDS if said.get(name) is not None)
    until = min(claim.ends, claim.closed)
    subject, other = claim.named  # as the most trusted who said so named them
    said = said | ({"entity": other} if other and kind == "entity" else {})
    return ClaimSeen(
        _SORTS[claim.sort],
        subject or body["subject"],
        claim.predicate,
        _text_of(content, said[kind]) if kind == "digest" else said[kind],
        "text" if kind == "digest" else kind,
        sure,
        len(claim.lines),
        said.get("unit"),
        body.get("qualifiers", {}),
        None if claim.begins == OPEN_FROM else claim.begins,
        None if until == OPEN_TO else until,
        claim.seen,
        claim.sighted if claim.seen else None,
    )


def content_shown(node: Node, record: dict[str, Any], claim: ClaimSeen | None) -> dict[str, Any]:
    """Return the content that a node is shown with, given its claim and the fields of the record that made it.

    What somebody confirms who is trusted more is trusted as far as that one is. But what the first one wrote beside it
    was confirmed by nobody: the claim is then shown in its own words, and with nothing else.
    """
    said: dict[str, Any] = record.get("content") or {}
    if claim is None or node.trust <= trust_in(record["origin"], record.get("trust")):
        return said
    return {} if said.get("text") is None else {"text": own_words(claim)}


def _text_of(content: dict[str, Any], digest: str) -> str | None:
    """Return the text that is the value; None without one, and for another: the laws know but its digest."""
    text: str | None = content.get("object")
    return text if text is not None and text_digest(text) == digest else None


def confidence(graph: Graph, node: Node, claim: Claim) -> float:
    """Return how sure a claim is: ``(s + p) / (s + d + 2 p)``, halved with every ``perish_ticks`` since it was said.

    s is what its lines count, d what those of its standing rivals do that are about the same time: twice if a rival
    began later, a quarter if it began earlier; and p an eighth of a user's word (docs/claims.md). A rival that is
    trusted less takes nothing from it. One that is stale, since all of its evidence has fallen, is not sure at all.
    """
    if node.flags & NodeFlag.STALE:
        return 0.0
    said, against, start = _counts(graph, claim), 0.0, (claim.begins, node.number)
    for other, rival in _rivals(graph, node, claim):
        later = is_later((rival.begins, other.number), start)
        against += _counts(graph, rival) * (_LATER if later else _EARLIER)
    sure = (said + _PRIOR_WEIGHT) / (said + against + 2 * _PRIOR_WEIGHT)
    perishes = definition_of(graph, claim.predicate).perish_ticks
    return sure * 0.5 ** ((graph.header.tick - claim.confirmed) / perishes) if perishes else sure


def faded(graph: Graph, node: Node) -> bool:
    """Return whether a node is a claim that nothing contests, and that nobody has said for so long that it is unsure.

    What is said once is surer than a half; it is time alone that takes that away, of what perishes (002, section 13).
    """
    claim = graph.claim(node)
    if claim is None or not definition_of(graph, claim.predicate).perish_ticks:
        return False
    return confidence(graph, node, claim) < SURE_ENOUGH and not any(_rivals(graph, node, claim))


def _counts(graph: Graph, claim: Claim) -> float:
    """Return how much the lines of a claim count: how sure each was, in percent, times the quarters of its trust."""
    weights = graph.header.policy.claim_weights
    counts = 0.0
    for line in claim.lines:
        counts += _QUARTERS[line.trust] * line.weight / max(1, weights[line.trust])
    return counts


def _rivals(graph: Graph, node: Node, claim: Claim) -> Iterable[tuple[Node, Claim]]:
    """Yield what stands in the slot of a claim and says something else of the same time."""
    slot = graph.ruling(node).slot
    for number in graph.slot(slot) if slot else ():
        other = graph.expect(number)
        rival = graph.claim(other)
        if other is node or rival is None or other.status not in _RIVALS or rival.value == claim.value:
            continue
        if other.trust < node.trust or other.flags & NodeFlag.STALE:
            continue
        if contradict(rival, claim.begins, min(claim.ends, claim.closed)) and _of_the_same(graph, node, other):
            yield other, rival


def _of_the_same(graph: Graph, node: Node, other: Node) -> bool:
    """Whether two claims of a slot are of the same things, by names that are trusted as much as the first claim.

    Whoever joined two names had the claims of both come into one slot: from below that is no reason to doubt either.
    """
    ours, theirs = _things(graph, node), _things(graph, other)
    if not ours or not theirs or ours == theirs:
        return True
    names = [{name for name, _ in names_of(graph, each, node.trust)} for each in ours]
    orders = (theirs, theirs[::-1]) if len(ours) > 1 else (theirs,)
    return any(all(each in known for each, known in zip(order, names, strict=True)) for order in orders)


def _things(graph: Graph, node: Node) -> tuple[str, ...]:
    """Return what a claim is about, as the most trusted who said so named it: its subject, and its object where each
    object has a value of its own; nothing where that is not known.
    """
    claim, content = graph.claim(node), graph.content(node.number)
    if claim is None or content is None:
        return ()
    body: dict[str, Any] = fields_in(content)["body"]
    subject, other = claim.named
    things = (subject or body["subject"],)
    said: str | None = other or body["object"].get("entity")
    if said is None or definition_of(graph, claim.predicate).cardinality != "one_per_object":
        return things
    return *things, said
