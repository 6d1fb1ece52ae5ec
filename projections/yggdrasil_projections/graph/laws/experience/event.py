"""The law of events: something happened, and it joins the graph."""

from itertools import combinations
from operator import attrgetter
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import RecordEvent
from yggdrasil_schemas.commands.experience import RecordEventBody
from yggdrasil_schemas.graph.records import Edge, EdgeKind, Node, NodeKind, Parts, Session, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refused

from ..authority import trust_of, who
from ..derivation import FOREIGN, concluded, derived, taint_of, take_in
from ..edges import new_edge, reinforce
from ..reference import made_by, recall_seq
from ..regard import begin, keys_of
from ..standing.condensing import condense, condensed_by
from ..standing.ruling import first_status
from ..standing.succession import succeed, take_place
from .absorption import absorb
from .feature import occurs
from .session import bound, continue_session, may_bound, session_of

_TRAJECTORY: Final = int(EdgeKind.TRAJECTORY)
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_EVENTS: Final = (RecordEvent.number,)
_number = attrgetter("number")


def record_event(graph: Graph, command: RecordEvent, seq: int, record: bytes) -> Refused | None:
    """Fold a new experience into the structure (000, section 4, event integration; section 7, record_event).

    The tick advances by one. A node begins with ``salience_initial + novelty``, times its prominence. Its features are
    upserted, linked, and associated unless a concept that they repeat absorbs it. A temporal edge joins it to the last
    event of its session, causal edges to what brought it about. What it is made of, and which recalls informed it, is
    kept with it. The events that last held its features, at most ``competitors_max``, lose ``competitor_loss`` of their
    salience. What it supersedes, or had its key, gives way to it (``standing.succession``), and so does what it says in
    fewer words. With a boundary its session begins or ends with it (``session``). Under the perspectives that it names
    it begins with ``regard_initial``.
    """
    body = command.body
    informed = _informed(graph, body) if body.informed_by else ()
    if isinstance(informed, Refused):
        return informed
    causes = _causes(graph, body) if body.caused_by else ()
    if isinstance(causes, Refused):
        return causes
    condensed = condensed_by(graph, body.condenses) if body.condenses else []
    if isinstance(condensed, Refused):
        return condensed
    unbound = may_bound(graph, command) if body.boundary is not None else None
    if unbound is not None:
        return unbound
    own = derived(graph, command, causes, informed) if causes or informed else trust_of(command)
    own = concluded(command, own, condensed) if condensed else own
    trust = own if taint_of(graph, command) is None else FOREIGN
    succession = succeed(graph, command, trust) if body.key is not None or body.supersedes is not None else None
    if isinstance(succession, Refused):
        return succession
    header = graph.header
    policy = header.policy
    header.tick += 1
    if own == FOREIGN:
        take_in(graph, command, who(command))
    number = node_number(seq)
    graph.trust = trust
    header.heeded += trust > FOREIGN
    session = session_of(graph, command.session)
    event = Node(number, NodeKind.EVENT, header.tick, 0.0, policy.node_half_life_ticks, marks=session.mark, trust=trust)
    event.status = first_status(policy, trust)
    graph.add_node(event, record)

    features, rivals, newness = _upsert_features(graph, event, body.features, seq)
    novelty = _novelty(graph, session, features, newness)
    event.salience = min(policy.salience_initial + policy.novelty_max * novelty, policy.salience_max)
    absorbed = absorb(graph, event, features)
    event.salience = min(event.salience * _prominence(policy, body, trust), policy.salience_max)
    if body.perspectives:
        begin(graph, event, keys_of(graph, body.perspectives), trust)
    contains = Edge(header.tick, 1.0, policy.edge_half_life_ticks, shared=True)
    for feature in features:
        graph.tie(event, _CONTAINS, feature, contains)
    if features or informed:
        graph.new_parts[number] = Parts(tuple([feature.number for feature in features]), informed)
    if not absorbed:
        _associate(graph, features[: policy.features_paired_max])
    previous = continue_session(graph, command.session, session, event, seq)
    session.leading = features[0].number if features else 0
    _weaken(graph, [rival for rival in rivals if rival != previous], trust)
    for cause in causes:
        new_edge(graph, cause, _CAUSAL, event)
    if succession is not None:
        take_place(graph, event, succession)
    if condensed:
        condense(graph, event, id_bytes(command.id), trust, condensed)
    if body.boundary is not None:
        bound(graph, command, session, event)
    return None


def _informed(graph: Graph, body: RecordEventBody) -> tuple[int, ...] | Refused:
    """Return the seqs of the recalls that led to this event, each once, or why the command is refused."""
    seqs: dict[int, None] = {}
    for recall in body.informed_by:
        found = recall_seq(graph, recall)
        if isinstance(found, Refused):
            return found
        seqs[found] = None
    return tuple(seqs)


def _causes(graph: Graph, body: RecordEventBody) -> list[Node] | Refused:
    """Return the live events that brought this one about, each once, or why the command is refused."""
    causes: dict[int, Node] = {}
    for cause in body.caused_by:
        made = made_by(graph, cause, _EVENTS)
        if isinstance(made, Refused):
            return made
        node = graph.node(made)
        if node is not None:
            causes[made] = node
    return list(causes.values())


def _upsert_features(graph: Graph, event: Node, names: list[str], seq: int) -> tuple[list[Node], list[int], float]:
    """Return the features, the events that last held them, and the sum of their newness.

    A feature's newness is 1 / (1 + its earlier occurrences), so a feature never seen counts 1.
    """
    features: list[Node] = []
    rivals: list[int] = []
    newness = 0.0
    for name in names:
        feature = occurs(graph, name, node_number(seq, len(features) + 1), event)
        newness += 1.0 / feature.usage
        if feature.latest and feature.latest not in rivals:
            rivals.append(feature.latest)
        feature.latest = event.number
        features.append(feature)
    return features, rivals, newness


def _prominence(policy: Policy, body: RecordEventBody, trust: int) -> float:
    """Return by what the first salience of an event is multiplied: 0.5 to 1.5, who teaches nothing at most 1."""
    most = 100 if trust >= policy.teach_trust_min else 50
    return (50 + min(body.prominence, most)) / 100.0


def _novelty(graph: Graph, session: Session, features: list[Node], newness: float) -> float:
    """Return how new an event is, from 0 to 1: its features, and the step to it from the event before."""
    if not features:
        return 1.0  # it resembles nothing that is known, as every event in 000
    novelty = newness / len(features)
    before = graph.node(session.leading) if session.leading else None
    if before is None:
        return novelty
    share = graph.header.policy.transition_share
    return (1.0 - share) * novelty + share * _transition(graph, before, features[0])


def _transition(graph: Graph, before: Node, now: Node) -> float:
    """Return how new the step from one leading feature to the next is; it is one step more common now.

    What happens once may be chance, and leaves only a note. The second time in a row makes it a trajectory.
    """
    number = now.number
    if before is now:
        return 0.0
    edge = graph.settled_edge((before.number, _TRAJECTORY, number))
    again = before.follower == number
    before.follower = number
    graph.changed_nodes[before.number] = before
    policy = graph.header.policy
    if edge is not None:
        newness = 1.0 / (1.0 + edge.usage)
        reinforce(graph, edge, policy.association_weight)
        return newness
    if again:
        new = Edge(graph.header.tick, policy.association_weight, policy.edge_half_life_ticks, usage=2)
        graph.link(before, _TRAJECTORY, now, new)
        return 0.5
    return 1.0


def _associate(graph: Graph, features: list[Node]) -> None:
    """Strengthen the edge between every two features that occur together (000, section 3, associative edges)."""
    policy = graph.header.policy
    tick, weight = graph.header.tick, policy.association_weight
    weight_max, factor, half_life_max = policy.weight_max, policy.edge_reinforce_half_life, policy.half_life_max_ticks
    new = Edge(tick, weight, policy.edge_half_life_ticks, usage=1, shared=True)
    settled, trust = graph.settled_edge, graph.trust
    heeded = trust if trust < policy.teach_trust_min else TRUST_MAX
    for first, second in combinations(sorted(features, key=_number), 2):
        edge = settled((first.number, _ASSOCIATIVE, second.number))
        if edge is None:
            graph.tie(first, _ASSOCIATIVE, second, new)
            continue
        # ``reinforce``, written out: most of the edges that a memory ever touches are touched here.
        if edge.trust < trust:
            edge.trust = trust
        elif edge.trust > heeded:
            continue
        edge.weight = min(edge.weight + weight, weight_max)
        edge.usage += 1
        edge.half_life = min(edge.half_life * factor, half_life_max)


def _weaken(graph: Graph, rivals: list[int], trust: int) -> None:
    """Let related but unused memories lose a little, so that relevance moves on (000, section 4).

    What is trusted more than ``trust`` loses nothing.
    """
    policy = graph.header.policy
    for number in rivals[: policy.competitors_max]:
        rival = graph.node(number)
        if rival is not None and rival.trust <= trust:
            graph.settled(number)
            rival.salience *= 1.0 - policy.competitor_loss
