"""The law of recall: to be returned is to be noticed a little, and to be remembered as a candidate."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import RecordRead, RecordRecall
from yggdrasil_schemas.graph.records import Node, Recall, Recalled
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import WITNESS, who
from ..derivation import FOREIGN, take_in, trust_here
from ..edges import edges_among, strengthen
from ..reference import resolve
from ..regard import keys_of
from .appraisal import revive


def record_recall(graph: Graph, command: RecordRecall, seq: int, _record: bytes) -> Refused | None:
    """Fold what a read returned (000, section 4, retrieval-based reinforcement; 003, section 3.6, stage 1).

    Each returned node that still lives gains ``recall_salience * (1 - salience / salience_max)`` and one candidate
    count, at most once per node and tick; nothing more, since only use strengthens. The edges among those that gain
    gain weight by the same rule. The values that they had are kept with the recall, as the evidence of a later
    explanation; the oldest recalls above ``recalls_kept_max`` are dropped.
    What is trusted less than ``teach_trust_min`` strengthens nothing. What is foreign has come into the session of
    whoever asked.
    """
    header = graph.header
    policy = header.policy
    found = [resolve(graph, reference) for reference in command.body.returned]
    for number in found:
        if isinstance(number, Refused):
            return number
    if command.body.as_of > header.seq:
        return Refused(Refusal.AS_OF_AHEAD)
    trust = trust_here(graph, command)
    kept: list[Recalled] = []
    least: Node | None = None
    noticed: list[Node] = []
    for number in found:
        node = graph.settled(number) if isinstance(number, int) else None
        if node is None:
            continue
        kept.append(Recalled(node.number, node.salience, node.permanence))
        if least is None or node.trust < least.trust:
            least = node
        if trust >= policy.teach_trust_min and _notice(graph, node):
            noticed.append(node)
    _join(graph, noticed)
    shown = TRUST_MAX if least is None else least.trust
    if least is not None and shown == FOREIGN:
        maker = graph.maker(least.number)
        take_in(graph, command, who(maker or command))
    recalls = graph.recalls
    under = keys_of(graph, command.body.perspectives)
    recall = Recall(command.body.as_of, 0, kept, who(command), trust, shown, under)
    recalls[seq] = graph.changed_recalls[seq] = recall
    drop_old_recalls(graph, trust)
    return None


def _notice(graph: Graph, node: Node) -> bool:
    """Let a settled node be noticed, at most once in a tick; whether it was."""
    header = graph.header
    policy = header.policy
    revive(graph, node)
    if node.recalled_tick == header.tick:
        return False
    gain = policy.recall_salience * max(0.0, 1.0 - node.salience / policy.salience_max)
    node.salience = min(node.salience + gain, policy.salience_max)
    node.candidates += 1
    node.recalled_tick = header.tick
    return True


def _join(graph: Graph, noticed: list[Node]) -> None:
    """Let the edges among what one recall noticed gain weight, as the nodes gain salience."""
    policy = graph.header.policy
    for key in edges_among(graph, noticed):
        edge = graph.settled_edge(key)
        if edge is not None:
            strengthen(policy, edge, policy.recall_salience * max(0.0, 1.0 - edge.weight / policy.weight_max))


def record_read(graph: Graph, command: RecordRead, _seq: int, _record: bytes) -> Refused | None:
    """Fold that something was read: the seq goes on, and nothing else changes. To be looked at is no use."""
    return Refused(Refusal.AS_OF_AHEAD) if command.body.as_of > graph.header.seq else None


def drop_old_recalls(graph: Graph, trust: int = TRUST_MAX) -> None:
    """Forget the oldest recalls above the policy's bound, as many as one command may remove.

    After one of a stranger, or an agent, those that are trusted no more go first, as many as they have beyond their
    share: so nobody makes others forget by asking much what they asked, or what it takes to take a report back.
    """
    recalls = graph.recalls
    policy = graph.header.policy
    excess = min(len(recalls) - policy.recalls_kept_max, policy.removals_per_command_max)
    if excess <= 0:
        return
    going = list(recalls)[:excess]
    if trust < WITNESS:
        theirs = [seq for seq, recall in recalls.items() if recall.trust <= trust]
        share = policy.foreign_share if trust == FOREIGN else policy.agents_share
        beyond = theirs[: min(excess, max(0, len(theirs) - int(share * policy.recalls_kept_max)))]
        going = [*beyond, *[seq for seq in going if seq not in beyond]][:excess]
    for seq in going:
        if recalls[seq].reported:
            graph.changed_accounts[recalls[seq].reported] = None
        del recalls[seq]
        graph.changed_recalls[seq] = None
