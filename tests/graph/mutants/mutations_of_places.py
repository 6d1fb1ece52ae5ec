"""Ways to break the laws of places: anchors, what is said of both, and what is seen again."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_SLOTS: Final = "laws/knowledge/slots.py"
_LINES: Final = "laws/knowledge/lines.py"
_CONFIRMING: Final = "laws/knowledge/confirming.py"
_NODES: Final = "laws/knowledge/nodes.py"
_WITHDRAWING: Final = "laws/knowledge/withdrawing.py"
_BY_HAND: Final = "laws/places/test_places.py"

PLACES: Final = (
    Mutation(_SLOTS, "all anchors are one", '("anchor", said.anchor)', '("anchor",)'),
    Mutation(_SLOTS, "a way is of one direction", "*sorted((subject, other)))", "*(subject, other))"),
    Mutation(_SLOTS, "what is one-way is of both directions", " and ONE_WAY not in body.qualifiers", ""),
    Mutation(
        _SLOTS, "all that is symmetric is of one direction", "return definition.symmetric and", "return False and"
    ),
    Mutation(_SLOTS, "a name from below joins a way", "min(link, of_other))", "max(link, of_other))"),
    Mutation(
        _SLOTS,
        "of a pair the last order counts",
        "max(found.get(pair, 0), min(link, of_other))",
        "min(link, of_other)",
        by_hand=_BY_HAND,
    ),
    Mutation(_SLOTS, "qualifiers of a way are no value", "(*pair, *qualifiers)", "(*pair,)"),
    Mutation(_LINES, "what is said again was seen", " and newest > 0", ""),
    Mutation(_LINES, "a glance from below counts", "line.trust >= max(1, tier)\n", "line.trust >= 1\n"),
    Mutation(_LINES, "strangers see", "line.trust >= max(1, tier)\n", "line.trust >= tier\n"),
    Mutation(_LINES, "a glance at once counts", "claim.sighted + definition.confirm_gap", "claim.sighted"),
    Mutation(
        _LINES, "what was seen from below counts", "seen = 0 if line.trust > tier else claim.seen", "seen = claim.seen"
    ),
    Mutation(_LINES, "every claim counts what was seen", 'definition.confirm_by == "evidence" and newest', "newest"),
    Mutation(
        _CONFIRMING,
        "to be seen again lets nothing stand",
        'definition.confirm_by == "evidence" and claim.seen >= enough',
        "False",
    ),
    Mutation(_CONFIRMING, "to be seen once is enough", "claim.seen >= enough", "claim.seen >= 1"),
    Mutation(_NODES, "fallen evidence is a sighting", " and not fallen(each)]", "]"),
    Mutation(_NODES, "claims are sightings", "if each.kind == NodeKind.EVENT and", "if"),
    Mutation(_NODES, "the oldest event counts", "return max(\n", "return min(\n"),
    Mutation(
        _WITHDRAWING,
        "what is taken out was seen all the same",
        "(verdict.taken == NOBODY and said == node.trust)",
        "False",
    ),
    Mutation(
        _WITHDRAWING,
        "what comes back from above counts what was seen below",
        "if said > node.trust or (",
        "if (",
        by_hand=_BY_HAND,
    ),
)
