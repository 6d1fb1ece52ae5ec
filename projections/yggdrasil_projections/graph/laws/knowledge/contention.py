"""What becomes of a claim in its slot: which status it has there, and what gives way to it."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Envelope
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim, Definition, Line
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status, seq_of
from yggdrasil_schemas.limits import SLOT_MAX

from ..authority import is_operator, is_person
from ..standing.ruling import authority
from .lines import is_later, last_words, outweighs, support
from .slots import Linked, contradict, overlap

_PINNED: Final = int(NodeFlag.PINNED)
_ACTIVE, _PRIOR, _CONTESTED = Status.ACTIVE, Status.PRIOR, Status.CONTESTED
_CANDIDATE, _QUARANTINED, _SUPERSEDED = Status.CANDIDATE, Status.QUARANTINED, Status.SUPERSEDED
_ESTABLISHED: Final = (_ACTIVE, _PRIOR)
_STANDING: Final = (_ACTIVE, _PRIOR, _CONTESTED)
_HAS_HELD: Final = (*_STANDING, _SUPERSEDED)
_GOES_FIRST: Final = {_QUARANTINED: 0, _CANDIDATE: 1, _CONTESTED: 2, _ACTIVE: 3, _PRIOR: 3}
_STEPS_BACK: Final = 8  # along the values that held before, as many as a slot holds


class Speaker(NamedTuple):
    """What whoever speaks is taken for: a person, and an operator."""

    person: bool
    operator: bool

    @classmethod
    def of(cls, command: Envelope) -> "Speaker":
        """Return what the writer of a command is."""
        return cls(is_person(command), is_operator(command))


@dataclass(slots=True)
class Arrival:
    """A claim that comes into a slot, or of which somebody says something more; ``speaker`` is who does now.

    ``values`` are what stands for its value, under each name of it, with the trust of what joins these; ``seq`` is
    that of the command that made it.
    """

    trust: int
    speaker: Speaker
    values: Linked
    begins: int
    ends: int
    lines: tuple[Line, ...]
    seq: int

    def says(self, node: Node, claim: Claim) -> bool:
        """Whether a claim in the slot has the same value, by names that were given with enough trust."""
        return self.values.get(claim.value, -1) >= node.trust


@dataclass(slots=True)
class Place:
    """What becomes of it: its status, the node above it or that came after it, when it is over, and who gives way.

    ``disputed`` are those that become contested in its favour.
    ``before`` and ``after`` are the claims between which it held, where it is history, and ``cut`` says whether the one
    before ends where it begins; ``same`` is one that says the same of that time.
    """

    status: Status = Status.ACTIVE
    instead: int = 0
    closed: int = OPEN_TO
    displaced: list[Node] = field(default_factory=list[Node])
    disputed: list[Node] = field(default_factory=list[Node])
    before: int = 0
    after: int = 0
    cut: bool = False
    same: int = 0


def contend(
    graph: Graph, definition: Definition, arrival: Arrival, rivals: list[Node], *, contested: bool = False
) -> Place:
    """Return the place of a claim among the others in its slot, which say something else (knowledge, claim).

    What holds later than it leaves it the time before. Of the rest, one that is trusted more, pinned, or established
    and trusted as much stands above it: it is contested, or from further below in quarantine. An equal or lesser one
    gives way by the predicate's resolution, or the claim is contested. But the word of one source alone takes nothing
    away that something else is said for: what it beats is contested from then on, and gives way when it is beaten once
    more. ``contested``: the claim is that already, so that nothing leaves it the time before.
    """
    place = Place()
    overlapping = [each for each in rivals if _meets(graph, each, arrival.begins, arrival.ends)]
    later = [] if contested else [each for each in overlapping if _holds_later(graph, each, arrival)]
    if later:
        place.after = min(later, key=lambda each: (_claim(graph, each).begins, each.number)).number
        place.closed = _claim(graph, graph.expect(place.after)).begins
    ends = min(arrival.ends, place.closed)
    most = -1
    beaten: list[Node] = []
    for each in overlapping:
        if each in later or not _meets(graph, each, arrival.begins, ends) or each.status == _CANDIDATE:
            continue
        if each.status == _QUARANTINED:
            if _yields(graph, arrival, each):
                beaten.append(each)
            continue
        above = _stands_against(graph, definition, arrival, each)
        if above is None:
            beaten.append(each)
        if above is None or outlived(graph, each) is not None:
            continue
        place.status = max(place.status, above)
        if authority(graph, each) > most:
            most, place.instead = authority(graph, each), each.number
    if place.after and place.status == _ACTIVE:
        _go_back(graph, definition, arrival, place)
    if place.status in (_CONTESTED, _QUARANTINED):
        beaten = [each for each in beaten if each.status == place.status == _CONTESTED]
    if place.status != _SUPERSEDED:
        kept = [each for each in beaten if _is_one_word(graph, definition, arrival, each)]
        place.disputed = kept if place.status == _ACTIVE else []
        beaten = [each for each in beaten if each not in kept]
    place.displaced = beaten
    return place


def outlived(graph: Graph, node: Node) -> Node | None:
    """Return what stands and began later than a node, where that is contested in favour of it.

    So it is while one source alone has said that it is over.
    """
    if node.status != _CONTESTED or node.flags & _PINNED:
        return None
    later = graph.node(graph.ruling(node).instead)
    claim, after = graph.claim(node), None if later is None else graph.claim(later)
    if later is None or later.status not in _ESTABLISHED or claim is None or after is None:
        return None
    began = (claim.begins, seq_of(node.number))
    return later if is_later((after.begins, seq_of(later.number)), began) else None


def make_room(graph: Graph, arrival: Arrival, place: Place, rivals: list[Node]) -> bool:
    """Let as many more give way as it takes for one more to have room; False where too many are left that do not.

    That is what waits before what stands, and what is over before what holds; of these the least trusted, then the one
    for which least was said. What is established stays, and what holds. It is more than one where a thing has got
    another name, and two slots become one.
    """
    left = [each for each in rivals if each.status in _GOES_FIRST and each not in place.displaced]
    if len(left) < SLOT_MAX:
        return True
    claims = {each.number: graph.claim(each) for each in left}

    def holds(each: Node) -> bool:
        claim = claims[each.number]
        return each.status == _PRIOR or (each.status == _ACTIVE and (claim is None or claim.ends == OPEN_TO))

    def rank(each: Node) -> tuple[int, bool, int, int, int]:
        claim = claims[each.number]
        said = support(claim.lines) if claim else 0
        return _GOES_FIRST[Status(each.status)], holds(each), authority(graph, each), said, each.number

    going = sorted(left, key=rank)[: len(left) - SLOT_MAX + 1]
    place.displaced += going
    return not any(holds(each) or not _yields(graph, arrival, each) for each in going)


def is_rejected(graph: Graph, node: Node, trust: int) -> bool:
    """Whether something was rejected, and who is trusted so may say it anew."""
    return node.status == Status.REJECTED and authority(graph, node) <= trust


def _claim(graph: Graph, node: Node) -> Claim:
    """Return what a node claims; what is in a slot and claims nothing holds at any time, and says something else."""
    return graph.claim(node) or Claim(0, "", b"", OPEN_FROM, OPEN_TO, OPEN_TO, 0, 0, ())


def _meets(graph: Graph, rival: Node, begins: int, ends: int) -> bool:
    return rival.status in _GOES_FIRST and contradict(_claim(graph, rival), begins, ends)


def _holds_later(graph: Graph, rival: Node, arrival: Arrival) -> bool:
    begins = _claim(graph, rival).begins
    return rival.status in _ESTABLISHED and OPEN_FROM != arrival.begins < begins


def _yields(graph: Graph, arrival: Arrival, rival: Node) -> bool:
    """Whether something may give way to such a claim: it is not pinned, and not of somebody who is trusted more."""
    operator = arrival.speaker.operator
    return authority(graph, rival) <= arrival.trust and (operator or not rival.flags & _PINNED)


def _stands_against(graph: Graph, definition: Definition, arrival: Arrival, rival: Node) -> Status | None:
    """Return the status of a claim beside one that stands: contested, or in quarantine; None if it takes its place.

    What is pinned gives way to an operator, and what is established to who is trusted more. From below nothing is
    replaced, however many say so.
    """
    counts, trust = authority(graph, rival), arrival.trust
    operator = arrival.speaker.operator
    if (rival.flags & _PINNED and not operator) or trust < counts - 1:
        return _QUARANTINED
    if rival.status == _PRIOR and not operator and trust <= counts:
        return _QUARANTINED if trust < counts else _CONTESTED
    if trust < counts:
        return _CONTESTED
    return None if _beats(graph, definition, arrival, rival) else _CONTESTED


def _beats(graph: Graph, definition: Definition, arrival: Arrival, rival: Node) -> bool:
    """Whether a claim takes the place of one that is not above it, by what its predicate goes by."""
    if definition.resolution == "human":
        return arrival.speaker.person
    claim = _claim(graph, rival)
    began = seq_of(rival.number)
    if definition.resolution == "recency":
        said = max([line.seq for line in arrival.lines])
        known = max([line.seq for line in claim.lines], default=began)
        return rival.status == _CONTESTED or is_later((arrival.begins, said), (claim.begins, known))
    start, margin = (arrival.begins, arrival.seq), graph.header.policy.claim_margin
    return outweighs(arrival.lines, start, claim.lines, (claim.begins, began), margin)


def _is_one_word(graph: Graph, definition: Definition, arrival: Arrival, rival: Node) -> bool:
    """Whether what a claim beats is contested rather than gives way: only one source says the one, some the other.

    It is so where words are weighed, but for an operator's; of what waits, and what one source has said is over
    already, it is not.
    """
    if definition.resolution != "confidence" or arrival.speaker.operator or rival.status == _QUARANTINED:
        return False
    lines = _claim(graph, rival).lines
    if not last_words(lines, arrival.lines) or len(last_words(arrival.lines, lines)) > 1:
        return False
    return outlived(graph, rival) is None


def _go_back(graph: Graph, definition: Definition, arrival: Arrival, place: Place) -> None:
    """Find where in what held before a claim belongs that is history: at most eight steps along the chain."""
    place.status, place.instead = _SUPERSEDED, place.after
    for _ in range(_STEPS_BACK):
        place.before = _claim(graph, graph.expect(place.after)).before
        before = graph.node(place.before) if place.before else None
        if before is None:
            place.before = 0
            return
        claim = _claim(graph, before)
        if OPEN_FROM != claim.begins > arrival.begins:
            place.after, place.closed = before.number, min(place.closed, claim.begins)
            continue
        if overlap(claim, arrival.begins, place.closed):
            if arrival.says(before, claim) and not is_rejected(graph, before, arrival.trust):
                place.same = before.number
                return
            held = before.status in _HAS_HELD
            above = _stands_against(graph, definition, arrival, before) if held else None
            if above is not None:
                place.status, place.instead = above, before.number
            place.cut = place.status == _SUPERSEDED
        return
    place.before = place.after = 0
