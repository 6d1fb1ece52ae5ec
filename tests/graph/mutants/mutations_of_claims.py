"""Ways to break the laws of claims."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_CLAIMING: Final = "laws/knowledge/claiming.py"
_CONFIRMING: Final = "laws/knowledge/confirming.py"
_CONTENTION: Final = "laws/knowledge/contention.py"
_NODES: Final = "laws/knowledge/nodes.py"
_BY_HAND: Final = "laws/knowledge/test_contention.py"

CLAIMS: Final = (
    Mutation(_NODES, "a thinker needs no evidence", "command.body.thinker is not None and not found:", "False:"),
    Mutation(_NODES, "anything is evidence of a claim", "if identity is None:", "if False:"),
    Mutation(_CLAIMING, "evidence counts for nothing", "min([trust, *[each.trust for each in evidence]])", "trust"),
    Mutation(
        _CLAIMING,
        "nobody is an authority",
        "if definition.authority == command.origin and trust >= WITNESS:",
        "if False:",
    ),
    Mutation(_CLAIMING, "an authority counts as a user", "_MEASURED: Final = 3", "_MEASURED: Final = 2"),
    Mutation(_CLAIMING, "what is superseded is asked", "going = [old, *[", "going = [*["),
    Mutation(
        _CLAIMING,
        "whoever is trusted less supersedes",
        "    if refused is not None:\n        return refused\n    definition",
        "    definition",
    ),
    Mutation(
        _CLAIMING,
        "what is rejected comes back",
        "if not is_rejected(graph, each, arrival.trust):",
        "if each.status != _REJECTED:",
    ),
    Mutation(
        _CLAIMING, "the same is the same at any time", " or not overlap(claim, arrival.begins, arrival.ends):", ":"
    ),
    Mutation(_CLAIMING, "strangers are believed", "if not trust or body.candidate", "if body.candidate"),
    Mutation(_CLAIMING, "a rule stands at once", ' or body.claim_class == "rule"', ""),
    Mutation(_CLAIMING, "what is tentative stands at once", "if not trust or body.candidate or", "if not trust or"),
    Mutation(_CLAIMING, "no claim is reviewed", ' == "rule" or definition.review', ' == "rule"'),
    Mutation(_CLAIMING, "one source is always enough", " or definition.confirmations > 1:", ":"),
    Mutation(_CLAIMING, "imports are staged as thinkers are", '"import": 2}', '"import": 1}'),
    Mutation(
        _CONFIRMING,
        "one line makes a candidate stand",
        "max(2, definition.confirmations)",
        "max(1, definition.confirmations)",
    ),
    Mutation(_CONFIRMING, "two lines are always enough", "max(2, definition.confirmations)", "2"),
    Mutation(
        _CONFIRMING,
        "a rule stands when it is said twice",
        "return claim.sort == _RULE or definition.review",
        "return definition.review",
    ),
    Mutation(_CONFIRMING, "a stranger's word is said twice", "line.trust >= max(1, tier)", "line.trust >= tier"),
    Mutation(_CONFIRMING, "words from below make a candidate stand", "line.trust >= max(1, tier)", "line.trust >= 1"),
    Mutation(
        _CONFIRMING,
        "who proposes approves",
        "is_person(command) and not is_only_source(command, claim)",
        "is_person(command)",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(_CONFIRMING, "an agent under a person's name is that person", " and line.trust >= trust for", " for"),
    Mutation(
        _CONFIRMING,
        "no verdict makes a candidate stand",
        "isinstance(command, Judge) and is_person(command) and (",
        "False and (",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _CONFIRMING,
        "anybody's verdict does",
        "isinstance(command, Judge) and is_person(command) and (",
        "isinstance(command, Judge) and (",
    ),
    Mutation(
        _CONFIRMING,
        "who verifies their own does not say so",
        "self_approved=self_approved))",
        "self_approved=False))",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _CONFIRMING,
        "what nobody has to review is approved by itself",
        "approved and reviewed and is_only_source",
        "approved and is_only_source",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _CONFIRMING,
        "what is said again is noticed no more",
        "min(node.salience + policy.feature_salience, policy.salience_max)",
        "node.salience",
    ),
    Mutation(_CONFIRMING, "what is said again is not used", "    node.usage += 1\n", ""),
    Mutation(_CONFIRMING, "what is said again is no mention", "    node.mentions += 1\n", ""),
    Mutation(_CONFIRMING, "who says it again counts for nothing", "max(node.trust, line.trust)\n", "node.trust\n"),
    Mutation(_CONFIRMING, "who says it last counts", "max(node.trust, line.trust)\n", "line.trust\n"),
    Mutation(_CONFIRMING, "nothing is confirmed", "line), confirmed=graph.header.tick)", "line))"),
    Mutation(
        _CONFIRMING,
        "what was put in quarantine comes out by itself",
        "or (node.status == _QUARANTINED and ruling.reason)",
        "",
    ),
    Mutation(
        _CONFIRMING,
        "candidates stand when they are said again",
        "if node.status == _CANDIDATE and not approved and not _ready(definition, claim, tier):",
        "if False:",
    ),
    Mutation(
        _CONFIRMING,
        "what contends anew is open",
        "ends = claim.ends if node.status == _QUARANTINED else min(claim.ends, claim.closed)",
        "ends = claim.ends",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(_CONFIRMING, "what is contested never rises", "rises = place.status < node.status or", "rises = False or"),
    Mutation(
        _CONFIRMING,
        "what is contested sinks",
        "rises = place.status < node.status or",
        "rises = place.status != node.status or",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _CONFIRMING, "nothing gives way to what stands", "    elif node.status in _ESTABLISHED:", "    elif False:"
    ),
    Mutation(_CLAIMING, "a claim is no heir", "        name_heir(graph, node_number(seq), same.number)\n", ""),
    Mutation(
        _CLAIMING, "nothing is concluded from what is said again", "        conclude(graph, same, said.evidence)\n", ""
    ),
    Mutation(_CLAIMING, "nothing moves to the known name", "        _move(graph, said)\n", ""),
    Mutation(_CLAIMING, "what moves is all remembered", "    let_go(graph, said.slot)\n", "", by_hand=_BY_HAND),
    Mutation(_CLAIMING, "a name from below is followed by what is trusted more", "if link >= most)", "if True)"),
    Mutation(
        _CLAIMING, "what is trusted more than the names is not met", "    slots |= {slot: TRUST_MAX}", "    slots |= {}"
    ),
    Mutation(_CLAIMING, "a part of a slot moves", "or any(each.trust > link for each in held):", "and held:"),
    Mutation(_CLAIMING, "what is superseded by name stays", "said.old.status in _HELD:", "False:"),
    Mutation(_NODES, "a claim is as new among others", "policy.novelty_max / (1.0 + others)", "policy.novelty_max"),
    Mutation(_NODES, "a thing about itself is said twice", "if other != about:", "if True:"),
    Mutation(
        _NODES,
        "things are not associated",
        "        connect(graph, first, _ASSOCIATIVE, second, policy.association_weight)\n",
        "",
    ),
    Mutation(_NODES, "a claim has its first half-life", "    steady(policy, node)\n    return node", "    return node"),
    Mutation(_NODES, "what was said first is not stale", "    if evidence:\n        review(graph, node)\n", ""),
    Mutation(
        _CLAIMING, "evidence is not looked at", "    for each in said.evidence:\n        review(graph, each)\n", ""
    ),
    Mutation(_NODES, "a claim is evidence of itself", "if each is not node and graph.edge", "if graph.edge"),
    Mutation(
        _CONFIRMING,
        "anybody says that it held longer",
        "if claim is None or line.trust < node.trust:",
        "if claim is None:",
    ),
    Mutation(
        _CONFIRMING,
        "what was before is not closed earlier",
        "longer, cut = claim._replace(begins=begins), before",
        "longer = claim._replace(begins=begins)",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONFIRMING,
        "what was before does not matter",
        "held.closed != claim.begins:",
        "True:",
        by_hand="laws/knowledge/test_contention.py",
    ),
    Mutation(
        _CONFIRMING,
        "nobody says when it ends",
        "if valid_to is not None and valid_to > max([longer.begins, *[each.begins for each in claim.lines]]):",
        "if False:",
    ),
    Mutation(
        _CONFIRMING,
        "what holds longer contradicts others",
        "and _at_odds(other, longer) and not _at_odds(other, claim):",
        "and False:",
    ),
    Mutation(
        _CONFIRMING,
        "what contradicts others anyway does not hold longer",
        " and not _at_odds(other, claim):",
        ":",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONFIRMING,
        "what is closed is opened",
        "if claim is not None and place.closed < claim.closed:",
        "if claim is not None:",
        by_hand="laws/knowledge/test_contention.py",
    ),
    Mutation(_CONFIRMING, "history has no after", "    _change(graph, after, before=node.number)\n", ""),
    Mutation(_CONFIRMING, "history has no before", "    _change(graph, node, before=place.before)\n", ""),
    Mutation(
        _CONFIRMING,
        "history closes nothing",
        "if place.cut and claim is not None:",
        "if False:",
        by_hand="laws/knowledge/test_contention.py",
    ),
    Mutation(
        _CONFIRMING, "what gives way is never closed", "if held.begins < claim.begins < held.closed:", "if False:"
    ),
    Mutation(
        _CONFIRMING,
        "what was closed is closed later",
        "if held.begins < claim.begins < held.closed:",
        "if held.begins < claim.begins:",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONFIRMING,
        "what was contested comes before",
        "to if node.status in _ESTABLISHED else outlived(graph, node)",
        "to",
    ),
    Mutation(
        _CONFIRMING,
        "what is outlived is never closed",
        "to if node.status in _ESTABLISHED else outlived(graph, node)",
        "to if node.status in _ESTABLISHED else None",
    ),
    Mutation(
        _CONFIRMING,
        "what is confirmed disputes nothing",
        "        for each in place.disputed:\n            _dispute(graph, each, node, by)\n",
        "",
    ),
    Mutation(
        _CONFIRMING,
        "what is new disputes nothing",
        "    for each in place.disputed:\n        _dispute(graph, each, node, by)\n    claim",
        "    claim",
    ),
    Mutation(_CONFIRMING, "what is outlived comes before nothing", "not claim.before and", "False and"),
    Mutation(
        _CONFIRMING,
        "what is disputed always comes before",
        "not claim.before and outlived(graph, node) is not None:",
        "not claim.before:",
    ),
    Mutation(_CONFIRMING, "the last that gave way is before", "if not claim.before:", "if True:"),
    Mutation(
        _CONTENTION,
        "nothing holds later",
        "return rival.status in _ESTABLISHED and OPEN_FROM != arrival.begins < begins",
        "return False",
    ),
    Mutation(
        _CONTENTION,
        "what is contested holds later",
        "return rival.status in _ESTABLISHED and OPEN_FROM",
        "return OPEN_FROM",
    ),
    Mutation(
        _CONTENTION, "what nobody dated was before", "OPEN_FROM != arrival.begins < begins", "arrival.begins < begins"
    ),
    Mutation(
        _CONTENTION,
        "the last later one closes it",
        "place.after = min(later,",
        "place.after = max(later,",
        by_hand="laws/knowledge/test_room.py",
    ),
    Mutation(_CONTENTION, "its end does not count", "ends = min(arrival.ends, place.closed)", "ends = place.closed"),
    Mutation(_CONTENTION, "candidates contend", " or each.status == _CANDIDATE:", ":"),
    Mutation(
        _CONTENTION,
        "what waits never gives way",
        "if _yields(graph, arrival, each):\n                beaten.append(each)",
        "pass",
    ),
    Mutation(_CONTENTION, "the last one against it counts", "if authority(graph, each) > most:", "if True:"),
    Mutation(
        _CONTENTION,
        "what is contested displaces all",
        "beaten = [each for each in beaten if each.status == place.status == _CONTESTED]",
        "pass",
    ),
    Mutation(
        _CONTENTION, "what is contested displaces nothing", "if each.status == place.status == _CONTESTED]", "if False]"
    ),
    Mutation(
        _CONTENTION,
        "a slot of claims has room for nine",
        "going = sorted(left, key=rank)[: len(left) - SLOT_MAX + 1]",
        "going = sorted(left, key=rank)[: len(left) - SLOT_MAX]",
    ),
    Mutation(
        _CONTENTION,
        "the most trusted goes first",
        "holds(each), authority(graph, each), said",
        "holds(each), -authority(graph, each), said",
    ),
    Mutation(
        _CONTENTION,
        "who waits and who stands go alike",
        "return _GOES_FIRST[Status(each.status)], holds",
        "return 0, holds",
    ),
    Mutation(
        _CONTENTION,
        "what holds makes room",
        "holds(each) or not _yields",
        "not _yields",
        by_hand="laws/knowledge/test_room.py",
    ),
)
