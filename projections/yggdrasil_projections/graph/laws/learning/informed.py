"""Credit that reaches what informed an act: what it was told, and really used (003, section 3.6, impact-based)."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Node

from .account import Giving
from .appraisal import encourage, sway
from .use import expect


def credit_informed(
    graph: Graph, target: Node, taught: set[int], magnitude: float, value: float, giving: Giving
) -> None:
    """Give a discounted lesson to what was reported as used of the recalls that ``target`` was informed by.

    At most ``credit_events_max`` live nodes, in order of the recalls and of what they returned, without those that
    this outcome has ``taught`` already; that set gains them. A failure gives no salience. What was merely returned
    learns nothing, and nor does what was returned by a recall that is kept no longer.
    """
    policy = graph.header.policy
    credit = policy.credit_share * magnitude
    left = policy.credit_events_max
    for seq in graph.parts(target.number).informed:
        recall = graph.recalls.get(seq)
        if recall is None:
            continue
        for entry in recall.returned:
            number = entry.number
            if not left:
                return
            if not entry.used or number in taught or graph.node(number) is None:
                continue
            left -= 1
            taught.add(number)
            node = giving.to(graph.settle(number))
            if value > 0:
                encourage(policy, node, credit, value)
            else:
                sway(policy, node, -credit)
            expect(policy, node, policy.credit_share, value)
