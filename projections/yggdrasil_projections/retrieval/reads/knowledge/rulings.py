"""What people decided where claims contradict each other, and which rule would have decided the same: the arbiter.

It looks at the verdicts of users and operators that are kept, and changes nothing: an operator may ``define`` another
resolution. It also reports where what stands goes to and fro, which is for a person to end.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yggdrasil_projections.graph.laws.knowledge.lines import is_later, support
from yggdrasil_projections.graph.laws.knowledge.predicates import definition_of
from yggdrasil_projections.graph.laws.knowledge.slots import contradict
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_schemas.commands import AssertClaim, Judge
from yggdrasil_schemas.graph.knowledge import Claim
from yggdrasil_schemas.graph.records import NOBODY, Node, NodeKind, Status, seq_of

from ...found import Answered
from ...memories import content_of, reference_of
from ...query import Read, Source, Timed
from ...records import fields_in
from ..ranked.shares import wilson

LOOKED_AT_MAX: Final = 5_000
"""The latest claims that are looked at."""
SWITCHES: Final = 3
"""So often in a row one value must have taken the place of the other, and that again of it."""
FLAPS_TICKS: Final = 64
"""Within so many events, as far as they are kept."""
_PERSONS: Final = (2, 4)  # the trust of a user and of an operator; a tool, between them, is no person
_PERSONAL: Final = ("user", "operator")
_STANDS: Final = (Status.ACTIVE, Status.PRIOR)
_OPPOSED: Final = (Status.CONTESTED, Status.QUARANTINED)
_EVIDENCE_MAX: Final = 32
_REPORTS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of ``of`` decisions a rule would have taken ``agreed`` alike; with 95 % the share lies from ``low`` to ``high``.

    Where a rule sees no difference it takes no decision.
    """

    agreed: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PredicateRulings:
    """How people decided about one predicate, of which ``resolution`` is the rule in force.

    ``suggests`` is another rule if the figures tell it from that, else None. ``evidence`` are the latest claims for
    which people decided, the latest first: at most 32 ids.
    """

    predicate: str
    resolution: str
    decisions: int
    recency: Agreement
    weight: Agreement
    suggests: str | None
    sentence: str
    evidence: list[str]


@dataclass(frozen=True, slots=True)
class Flapping:
    """A thing of which one value took the place of another ``switches`` times, to and fro, within ``ticks`` events."""

    subject: str
    predicate: str
    switches: int
    ticks: int
    sentence: str
    evidence: list[str]


@dataclass(frozen=True, slots=True)
class Rulings(Answered):
    """What people decided, by predicate, and what goes to and fro. ``left_out``: older claims not looked at."""

    predicates: list[PredicateRulings]
    flapping: list[Flapping]
    claims: int
    left_out: int
    as_of: int


class _Decided(NamedTuple):
    """A person decided, at ``seq``, for one claim against another; ``until`` is the seq of the latest word before."""

    winner: Node
    loser: Node
    seq: int
    until: int


def rulings(graph: Graph) -> Rulings:
    """Return what people decided of what is still kept, and where what stands goes to and fro."""
    table = graph.node_table()
    kinds = table.rows["kind"]
    numbers: list[int] = table.keys[kinds == NodeKind.CLAIM].tolist()
    latest = [graph.expect(number) for number in numbers[-LOOKED_AT_MAX:]]
    events = np.array([seq_of(number) for number in table.keys[kinds == NodeKind.EVENT].tolist()], dtype=np.int64)
    by_predicate: defaultdict[str, dict[tuple[int, int], list[_Decided]]] = defaultdict(lambda: defaultdict(list))
    for node in latest:
        for decided in _decided(graph, node):
            predicate = _claim(graph, decided.winner).predicate
            by_predicate[predicate][decided.seq, decided.winner.number].append(decided)
    reports = [_report(graph, predicate, list(found.values())) for predicate, found in sorted(by_predicate.items())]
    reports.sort(key=lambda each: -each.decisions)
    slots = dict.fromkeys(graph.ruling(node).slot for node in latest if node.status == Status.SUPERSEDED)
    flapping = [found for slot in slots if (found := _flapping(graph, slot, events)) is not None]
    left_out = len(numbers) - len(latest)
    return Rulings(reports[:_REPORTS_MAX], flapping[:_REPORTS_MAX], len(latest), left_out, graph.header.seq)


def _decided(graph: Graph, node: Node) -> Iterator[_Decided]:
    """Yield what a person decided, as far as the ruling of a claim tells."""
    ruling = graph.ruling(node)
    command = graph.identity(ruling.by) if ruling.by != NOBODY else None
    if command is None or command.result:
        return
    if node.status == Status.SUPERSEDED:
        winner = graph.node(ruling.instead) if ruling.instead else None
        if winner is not None and graph.claim(winner) is not None:
            if command.kind == Judge.number and _is_personal(graph, winner, ruling.trust, command.seq, ruling.reason):
                yield _Decided(winner, node, command.seq, command.seq - 1)
            elif command.kind == AssertClaim.number and _corrects(graph, winner, node, command.seq):
                yield _Decided(winner, node, command.seq, command.seq)
    elif command.kind == Judge.number and ruling.reason and ruling.trust in _PERSONS:
        others = list(_others(graph, node, ruling.slot, command.seq))
        if node.status == Status.REJECTED and (winner := _left_by(graph, others)) is not None:
            yield _Decided(winner, node, command.seq, command.seq - 1)
        elif node.status == Status.PRIOR:
            for other in others:
                if other.status in _OPPOSED:
                    yield _Decided(node, other, command.seq, command.seq - 1)


def _is_personal(graph: Graph, winner: Node, trust: int, seq: int, reason: str) -> bool:
    """Return whether a verdict was a person's: that which released a claim, or verified it (which gives no reason)."""
    if reason:
        return trust in _PERSONS
    return any(line.seq == seq and line.trust in _PERSONS for line in _claim(graph, winner).lines)


def _corrects(graph: Graph, winner: Node, loser: Node, seq: int) -> bool:
    """Return whether a person said a claim in place of another by name."""
    if seq_of(winner.number) != seq:
        return False  # it was there before; what confirmed it is not kept
    record = fields_in(content_of(graph, winner.number))
    supersedes = record["body"].get("supersedes")
    return supersedes == reference_of(graph, loser.number) and record["origin"] in _PERSONAL


def _others(graph: Graph, node: Node, slot: bytes, seq: int) -> Iterable[Node]:
    """Return the claims in a slot that were there when a person decided, and contradict a claim."""
    claim = _claim(graph, node)
    for number in graph.slot(slot) if slot else ():
        other = graph.expect(number)
        said = graph.claim(other)
        if said is None or other is node or seq_of(number) >= seq or said.value == claim.value:
            continue
        if contradict(said, claim.begins, claim.ends):
            yield other


def _left_by(graph: Graph, others: list[Node]) -> Node | None:
    """Return the claim for which a rejection of another was: what stands, or the only one that is contested."""
    standing = [each for each in others if each.status in _STANDS]
    contested = [each for each in others if each.status == Status.CONTESTED]
    return next(iter(standing), contested[0] if len(contested) == 1 else None)


def _report(graph: Graph, predicate: str, decisions: list[list[_Decided]]) -> PredicateRulings:
    recency = _agreement([_alike([_recency(graph, each) for each in decided]) for decided in decisions])
    weight = _agreement([_alike([_weight(graph, each) for each in decided]) for decided in decisions])
    resolution = definition_of(graph, predicate).resolution
    suggests = _suggested(resolution, {"recency": recency, "confidence": weight})
    sentence = (
        f"People decided {len(decisions)} times about {predicate}: recency would have agreed {_told(recency)}, "
        f"the weight of words {_told(weight)}; in force is {resolution}"
    )
    winners = sorted({each.winner.number for decided in decisions for each in decided}, reverse=True)
    evidence = [reference_of(graph, number) for number in winners[:_EVIDENCE_MAX]]
    return PredicateRulings(predicate, resolution, len(decisions), recency, weight, suggests, sentence, evidence)


def _recency(graph: Graph, decided: _Decided) -> bool | None:
    return is_later(_began(graph, decided.winner, decided.until), _began(graph, decided.loser, decided.until))


def _began(graph: Graph, node: Node, until: int) -> tuple[int, int]:
    claim = _claim(graph, node)
    return claim.begins, max((line.seq for line in claim.lines if line.seq <= until), default=seq_of(node.number))


def _weight(graph: Graph, decided: _Decided) -> bool | None:
    winner, loser = (
        support(line for line in _claim(graph, node).lines if line.seq <= decided.until)
        for node in (decided.winner, decided.loser)
    )
    return None if winner == loser else winner > loser


def _alike(answers: list[bool | None]) -> bool | None:
    """Return whether a rule would have let one claim stand against all of the others; None if it sees no difference."""
    if False in answers:
        return False
    return None if None in answers else True


def _agreement(answers: list[bool | None]) -> Agreement:
    told = [answer for answer in answers if answer is not None]
    agreed = sum(told)
    return Agreement(agreed, len(told), *wilson(agreed, len(told)))


def _suggested(resolution: str, rules: dict[str, Agreement]) -> str | None:
    """Return a rule with which people agree more often than with that in force, beyond chance; "human": with none."""
    now = rules.get(resolution)
    if now is None:
        return None  # people decide already
    other = next(name for name in rules if name != resolution)
    if rules[other].low > max(now.high, 0.5):
        return other
    return "human" if all(each.high < 0.5 for each in rules.values()) else None


def _told(agreement: Agreement) -> str:
    return f"{agreement.agreed} of {agreement.of} times ({agreement.low:.0%} to {agreement.high:.0%})"


def _flapping(graph: Graph, slot: bytes, events: NDArray[np.int64]) -> Flapping | None:
    """Return how often in a row two values took turns in a slot, within few events; None if seldom."""
    held = _held(graph, slot) if slot else []
    best: list[tuple[int, Node]] = []
    for first in range(len(held) - SWITCHES):
        last = first + 2
        while (
            last < len(held)
            and not _differ(graph, held[last - 2][1], held[last][1])
            and _ticks(events, held[first + 1][0], held[last][0]) <= FLAPS_TICKS
        ):
            last += 1
        if last - first > max(SWITCHES, len(best)):
            best = held[first:last]
    if not best:
        return None
    record: dict[str, Any] = fields_in(content_of(graph, best[-1][1].number))
    subject, predicate = record["body"]["subject"], record["body"]["predicate"]
    switches, ticks = len(best) - 1, _ticks(events, best[1][0], best[-1][0])
    sentence = (
        f"{predicate} of {subject} went to and fro {switches} times within {ticks} events: somebody should decide"
    )
    evidence = [reference_of(graph, node.number) for _, node in best[-_EVIDENCE_MAX:]]
    return Flapping(subject, predicate, switches, ticks, sentence, evidence)


def _held(graph: Graph, slot: bytes) -> list[tuple[int, Node]]:
    """Return the claims that stood in a slot one after another, with the seq since which each did (the first: 0)."""
    nodes = [node for number in graph.ruled(slot) if graph.claim(node := graph.expect(number)) is not None]
    left: list[tuple[int, Node]] = []
    for node in nodes:
        command = graph.identity(graph.ruling(node).by) if node.status == Status.SUPERSEDED else None
        if command is not None and command.seq > seq_of(node.number):  # else it was history when it came
            left.append((command.seq, node))
    left.sort(key=lambda each: (each[0], each[1].number))
    stands = next((node for node in nodes if node.status in _STANDS), None)
    standing = [*(node for _, node in left), *([] if stands is None else [stands])]
    since = [0, *(seq for seq, _ in left)]
    found = list(zip(since, standing, strict=False))
    return [each for place, each in enumerate(found) if place == 0 or _differ(graph, found[place - 1][1], each[1])]


def _differ(graph: Graph, node: Node, other: Node) -> bool:
    return _claim(graph, node).value != _claim(graph, other).value


def _ticks(events: NDArray[np.int64], first: int, last: int) -> int:
    """Return how many events there were after one seq and up to another."""
    found = np.searchsorted(events, [first, last], side="right")
    return int(found[1] - found[0])


def _claim(graph: Graph, node: Node) -> Claim:
    claim = graph.claim(node)
    if claim is None:
        raise BrokenInvariantError(f"node {node.number} is no claim")
    return claim


@dataclass(frozen=True, slots=True)
class AskRulings(Timed[Rulings]):
    """Return what users and operators decided between claims, by predicate, and which rule would have done so.

    For each there is how often recency, and how often the weight of words, would have decided the same, with
    bounds at 95 %, and another resolution where the figures tell that people agree with it more often: `define` is
    an operator's. Also where one value took the place of another to and fro, three times within 64 events: there
    a person should decide. It looks at the latest 5,000 claims that are kept. It is no recall.
    """

    def read(self, source: Source, /) -> Rulings:
        """Answer it."""
        with source.frozen() as graph:
            return rulings(graph)


RULINGS: Final = Read(
    "rulings",
    AskRulings,
    Rulings,
    "GET /rulings",
    "What people decided between claims",
    """Return what users and operators decided between claims, by predicate: how often recency, and how often the
weight of words, would have decided the same, with bounds at 95 %. `suggests` is another resolution where the
figures tell it from the one in force. `flapping`: one value took the place of another to and fro.""",
)
