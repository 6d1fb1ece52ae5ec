"""How often what has a feature ends well or badly, beside what has it not: the evidence behind what is foretold.

A valence is learnt from what was judged alone. Where most events are never judged, as in a git history, it says little:
what stands on every event takes the blame for all, and a file that broke twice in twenty changes takes almost none. The
counts tell them apart.
"""

from itertools import islice
from typing import Final, NamedTuple

from yggdrasil_projections.graph.laws.authority import WITNESS
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, Node

from .shares import wilson
from .taught import AGENT, Taught

AGREEING_MIN: Final = 2
"""Outcomes that say so before counts foretell anything, so that chance is not taken for a rule."""
_EVERYWHERE: Final = 0.9  # of all events: what stands on more of them tells nothing apart
_FEW: Final = 8  # events with a feature, with which that is not yet to be seen
_LOOKED_AT: Final = 256  # events with a feature, the youngest: how many of them are trusted enough
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_CONTAINS: Final = int(EdgeKind.CONTAINS)


class Evidence(NamedTuple):
    """What outcomes say of the events with a feature, and of the others.

    ``events`` is how many events had it, and ``others`` how many had it not. ``agreeing`` is how many outcomes of those
    with it had the sign that it foretells, ``opposing`` the other; the others had ``elsewhere`` of that sign.
    """

    events: int
    others: int
    agreeing: int
    opposing: int
    elsewhere: int

    @property
    def base_rate(self) -> float:
        """How many outcomes of that sign each of the others has, in [0, 1]; 0 where there are none."""
        return min(1.0, self.elsewhere / self.others) if self.others else 0.0

    @property
    def _cases(self) -> int:
        """Of how many the agreeing outcomes are a part: of the events, or of all outcomes where events had several."""
        return max(self.events, self.agreeing + self.opposing)

    @property
    def is_everywhere(self) -> bool:
        """Whether it stands on nearly every event, and most of them did not end so: then it tells nothing apart."""
        most = self.events > _EVERYWHERE * (self.events + self.others)
        return self.events >= _FEW and most and 2 * self.agreeing < self._cases

    @property
    def excess(self) -> float:
        """How much more often what has it ends so than what has it not, at the least, in [0, 1]; 0 within chance.

        That is how far Wilson's intervals at 95 % of the two shares lie apart. It is 0 unless two outcomes or more say
        so, and more than say the opposite.
        """
        if self.agreeing < AGREEING_MIN or self.agreeing <= self.opposing:
            return 0.0
        here = wilson(self.agreeing, self._cases)
        return max(0.0, here.low - wilson(min(self.elsewhere, self.others), self.others).high)


def evidence(graph: Graph, node: Node, of: Taught, *, bad: bool) -> Evidence:
    """Return the evidence that a feature foretells bad outcomes, or else good ones."""
    header = graph.header
    agreeing, opposing = (of.bad, of.good) if bad else (of.good, of.bad)
    told, here = (header.bad, node.bad) if bad else (header.good, node.good)
    events = _occurred(graph, node, of.tier) or agreeing + opposing  # strangers' events are counted nowhere
    return Evidence(events, max(0, header.heeded - node.heeded), agreeing, opposing, max(0, told - here))


def _occurred(graph: Graph, feature: Node, tier: int) -> int:
    """Return how many events had a feature, of those that are trusted as far as what was judged by ``tier`` and above.

    So nobody drowns what a feature foretells in events of less trust: no stranger, whose outcomes teach nothing, and no
    agent where users judged what users said. Those of each are counted, whichever edges are cut.
    Of the youngest 256 of an agent or above, or of a user or above, the part is known, and taken for that of all.
    """
    links = sorted(graph.links(feature.number), reverse=True)
    having = (source for source, kind, target in links if kind == _CONTAINS and target == feature.number)
    known = list(islice((each for each in map(graph.expect, having) if each.trust >= AGENT), _LOOKED_AT))
    if not known:
        return feature.heeded
    least = min([tier, *[each.trust for each in known if each.trust < tier and _is_judged(graph, each, tier)]])
    counted, all_of_them = (feature.witnessed, WITNESS) if least >= WITNESS else (feature.heeded, AGENT)
    holders = [each for each in known if each.trust >= all_of_them]
    trusted = sum(each.trust >= least for each in holders)
    return round(counted * trusted / len(holders)) if holders else counted


def _is_judged(graph: Graph, event: Node, tier: int) -> bool:
    """Whether an outcome of a ``tier`` or above judged an event."""
    if not event.good + event.bad:
        return False
    caused = (key[2] for key in graph.links(event.number) if key[1] == _CAUSAL and key[0] == event.number)
    return any(graph.expect(number).trust >= tier for number in caused)
