"""A feature becomes a concept when it is dense, occurs often, and matters beyond chance (000, section 4).

What recurs is no concept yet: of forty features that a memory meets at random, each recurs. So a feature must also keep
company that chance does not explain, or turn out otherwise than the memory does as a whole. Both are one test, of a
count against what is expected of it: under chance its variance is about what is expected (a Poisson count).
"""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, is_feature

from ..density import density

_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_CONCEPTUAL: Final = int(NodeFlag.CONCEPTUAL)
_COUNTED_MIN: Final = 8  # below, a count says nothing
_IN_STRETCHES: Final = 2.0  # features come in stretches, a conversation about this or that, so company is no fair dice


def reconsider(graph: Graph, feature: Node) -> None:
    """Let a settled feature count as a concept, or no longer, with hysteresis between; for every eighth occurrence.

    A sparse one is let go at once. Whether one matters is asked when its usage is a power of two, and so rarely enough
    to walk over its edges.
    """
    policy = graph.header.policy
    if feature.flags & _CONCEPTUAL:
        if density(feature) < policy.dissolve_density:
            feature.flags &= ~_CONCEPTUAL
        return
    usage = feature.usage
    if usage < max(policy.concept_usage, _COUNTED_MIN) or usage & usage - 1:
        return
    if density(feature) >= policy.concept_density and _matters(graph, feature):
        feature.flags |= _CONCEPTUAL


def _matters(graph: Graph, feature: Node) -> bool:
    """Whether a feature is more than what recurs; everything is where the policy asks for nothing beyond chance."""
    if not graph.header.policy.concept_beyond_chance:
        return True
    return _turns_out(graph, feature) or _keeps_company(graph, feature)


def _turns_out(graph: Graph, feature: Node) -> bool:
    """Whether the outcomes that the feature had a part in are bad, or good, beyond the share in the whole memory."""
    header = graph.header
    whole = header.good + header.bad
    if not whole:
        return False
    beyond = header.policy.concept_beyond_chance
    told = feature.good + feature.bad
    return _beyond(feature.bad, told * header.bad / whole, beyond) or _beyond(
        feature.good, told * header.good / whole, beyond
    )


def _keeps_company(graph: Graph, feature: Node) -> bool:
    """Whether some other feature has met this one beyond what the occurrences of both explain.

    The usage of an associative edge counts the meetings, up to the event before this one.
    """
    header = graph.header
    beyond = _IN_STRETCHES * header.policy.concept_beyond_chance
    number = feature.number
    for key in graph.links(number):  # any order: one is enough
        other = key[0] if key[2] == number else key[2]
        if key[1] == _ASSOCIATIVE and is_feature(other):
            meetings = graph.expect_edge(key).usage
            if meetings >= _COUNTED_MIN:
                expected = feature.usage * graph.expect(other).usage / header.tick
                if _beyond(meetings, expected, beyond):
                    return True
    return False


def _beyond(count: int, expected: float, beyond: float) -> bool:
    """Whether a count exceeds what is expected by ``beyond`` standard deviations."""
    excess = count - expected
    return count >= _COUNTED_MIN and excess > 0.0 and excess * excess >= beyond * beyond * expected
