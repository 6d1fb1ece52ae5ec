"""What a feature has come to mean, as those taught it who are trusted most.

The laws keep one value for all who judge. Who is trusted less may add to it, and may not turn it. Each outcome keeps
what it gave (``Account``): so the value without what those below gave is known while their outcomes are remembered.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Given, Node, NodeKind, is_feature, seq_of
from yggdrasil_schemas.limits import VALUE_MAX

_LINKS_MAX: Final = 1_024  # of what has a feature, to what followed from it: so many are looked at
AGENT: Final = 1
"""The least tier that teaches: of a feature that nobody else had, nothing can have been turned."""
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CARRIED: Final = (int(EdgeKind.CONTAINS), int(EdgeKind.ASSOCIATIVE))  # what an event has, what an episode's have
_OUTCOME: Final = int(NodeKind.OUTCOME)


class Taught(NamedTuple):
    """The outcome that a node foretells, in [-10, 10], how often it was judged well and badly, and by whom.

    ``tier`` is the least trust of those whose judgements are counted, and ``top`` the most, as far as that is known.
    """

    valence: float
    good: int
    bad: int
    tier: int = AGENT
    top: int = AGENT

    def foretells(self, least: float) -> bool:
        """Whether that is of some size, and somebody judged."""
        return bool(self.valence) and abs(self.valence) >= least and self.good + self.bad > 0


NOTHING: Final = Taught(0.0, 0, 0)
"""Of what nobody has judged."""


def taught(graph: Graph, node: Node) -> Taught:
    """Return what a node foretells: what the most trusted taught of it, where that was turned or undone from below.

    These are the first tier for which a value of the size of ``foretell_valence`` is left, without what those below it
    gave. At most 1,024 links are looked at.
    """
    whole = Taught(node.valence, node.good, node.bad)
    if not is_feature(node.number) or node.trust <= AGENT or not node.good + node.bad:
        return whole
    given = list(_given(graph, node))
    tiers = sorted({trust for trust, _ in given}, reverse=True)
    if tiers:
        whole = whole._replace(tier=tiers[-1], top=tiers[0])
    least = graph.header.policy.foretell_valence
    for tier in tiers[:-1]:
        above = _without(whole, [each for trust, each in given if trust < tier])._replace(tier=tier, top=tiers[0])
        if above.foretells(least):
            return whole if whole.foretells(least) and above.valence * whole.valence > 0 else above
    return whole


def _without(whole: Taught, given: list[Given]) -> Taught:
    """Return what is left when some of what outcomes gave is taken back, as the laws take back what was rejected."""
    valence = whole.valence - sum(each.valence for each in given)
    good, bad = whole.good - sum(each.good for each in given), whole.bad - sum(each.bad for each in given)
    return Taught(max(-VALUE_MAX, min(valence, VALUE_MAX)), max(0, good), max(0, bad))


def _given(graph: Graph, feature: Node) -> Iterator[tuple[int, Given]]:
    """Yield what each outcome that is remembered gave to a feature, with its trust, those of the latest first."""
    for number in islice(_caused(graph, feature), _LINKS_MAX):
        node = graph.expect(number)
        account = graph.account(seq_of(number)) if node.kind == _OUTCOME else None
        if account is not None and not account.out:
            yield from ((node.trust, each) for each in account.given if each.number == feature.number)


def _caused(graph: Graph, feature: Node) -> Iterator[int]:
    """Yield what followed from what has a feature and was judged, the latest of these first."""
    for source, kind, target in sorted(graph.links(feature.number), reverse=True):
        if target != feature.number or kind not in _CARRIED or is_feature(source):
            continue
        node = graph.expect(source)
        if node.kind != _OUTCOME and node.good + node.bad:
            yield from (key[2] for key in sorted(graph.links(source)) if key[1] == _CAUSAL and key[0] == source)
