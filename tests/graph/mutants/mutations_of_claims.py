"""Ways to break the laws of claims."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_CLAIMING: Final = "laws/knowledge/claiming.py"
_CONFIRMING: Final = "laws/knowledge/confirming.py"
_CONTENTION: Final = "laws/knowledge/contention.py"
_LINES: Final = "laws/knowledge/lines.py"
_SLOTS: Final = "laws/knowledge/slots.py"
_BY_HAND: Final = "laws/knowledge/test_contention.py"

CLAIMS: Final = (
    Mutation(_CLAIMING, "a thinker needs no evidence", "command.body.thinker is not None and not found:", "False:"),
    Mutation(_CLAIMING, "anything is evidence of a claim", "if identity is None:", "if False:"),
    Mutation(_CLAIMING, "evidence counts for nothing", "min([trust, *[each.trust for each in evidence]])", "trust"),
    Mutation(_CLAIMING, "nobody is an authority", "if definition.authority == command.origin:", "if False:"),
    Mutation(_CLAIMING, "an authority counts as a user", "_MEASURED: Final = 3", "_MEASURED: Final = 2"),
    Mutation(_CLAIMING, "what is superseded is asked", "if each is not old]", "]"),
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
        "if not node.trust or claim.sort == _RULE or",
        "if not node.trust or",
    ),
    Mutation(_CONFIRMING, "a stranger's word is said twice", "if not node.trust or claim.sort", "if claim.sort"),
    Mutation(
        _CONFIRMING,
        "no verdict makes a candidate stand",
        "isinstance(command, Judge) and command.origin in _PERSONS",
        "False",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _CONFIRMING,
        "anybody's verdict does",
        "isinstance(command, Judge) and command.origin in _PERSONS",
        "isinstance(command, Judge)",
    ),
    Mutation(
        _CONFIRMING,
        "what is said again is noticed no more",
        "min(node.salience + policy.feature_salience, policy.salience_max)",
        "node.salience",
    ),
    Mutation(_CONFIRMING, "what is said again is not used", "    node.usage += 1\n", ""),
    Mutation(_CONFIRMING, "who says it again counts for nothing", "node.trust = max(node.trust, line.trust)", "pass"),
    Mutation(
        _CONFIRMING, "who says it last counts", "node.trust = max(node.trust, line.trust)", "node.trust = line.trust"
    ),
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
        "if node.status == _CANDIDATE and not _ready(command, definition, node, claim):",
        "if False:",
    ),
    Mutation(
        _CONFIRMING,
        "what is confirmed is open",
        "min(claim.ends, claim.closed), claim.lines",
        "claim.ends, claim.lines",
    ),
    Mutation(_CONFIRMING, "what is contested never rises", "rises = place.status < node.status or", "rises = False or"),
    Mutation(
        _CONFIRMING,
        "what is contested sinks",
        "rises = place.status < node.status or",
        "rises = place.status != node.status or",
    ),
    Mutation(
        _CONFIRMING, "nothing gives way to what stands", "    elif node.status in _ESTABLISHED:", "    elif False:"
    ),
    Mutation(_CLAIMING, "a claim is no heir", "        name_heir(graph, node_number(seq), same.number)\n", ""),
    Mutation(
        _CLAIMING, "nothing is concluded from what is said again", "        _conclude(graph, same, said.evidence)\n", ""
    ),
    Mutation(_CLAIMING, "nothing moves to the known name", "        _move(graph, said.members, said.slots[0])\n", ""),
    Mutation(_CLAIMING, "what moves is all remembered", "    let_go(graph, slot)\n", "", by_hand=_BY_HAND),
    Mutation(_CLAIMING, "what is superseded by name stays", "said.old.status in _HELD:", "False:"),
    Mutation(_CLAIMING, "a claim is as new among others", "policy.novelty_max / (1.0 + others)", "policy.novelty_max"),
    Mutation(_CLAIMING, "a thing about itself is said twice", "if other != about:", "if True:"),
    Mutation(
        _CLAIMING,
        "things are not associated",
        "        connect(graph, first, _ASSOCIATIVE, second, policy.association_weight)\n",
        "",
    ),
    Mutation(
        _CLAIMING, "a claim has its first half-life", "    steady(policy, node)\n    return node", "    return node"
    ),
    Mutation(_CLAIMING, "what was said first is not stale", "    if evidence:\n        review(graph, node)\n", ""),
    Mutation(
        _CLAIMING, "evidence is not looked at", "    for each in said.evidence:\n        review(graph, each)\n", ""
    ),
    Mutation(_CLAIMING, "a claim is evidence of itself", "if each is not node and graph.edge", "if graph.edge"),
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
    Mutation(_CONFIRMING, "what was before does not matter", "held.closed != claim.begins:", "True:"),
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
    ),
    Mutation(_CONFIRMING, "history has no after", "    _change(graph, after, before=node.number)\n", ""),
    Mutation(_CONFIRMING, "history has no before", "    _change(graph, node, before=place.before)\n", ""),
    Mutation(_CONFIRMING, "history closes nothing", "if place.cut and claim is not None:", "if False:"),
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
    Mutation(_CONTENTION, "the last later one closes it", "place.after = min(later,", "place.after = max(later,"),
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
    Mutation(_CONTENTION, "what holds makes room", "holds(each) or not _yields", "not _yields"),
    Mutation(
        _CONTENTION,
        "what is over makes no room",
        "(claim is None or claim.ends == OPEN_TO)",
        "True",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "what is established makes room when it is over",
        "each.status == _PRIOR or (",
        "(",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "what is trusted more makes room",
        "authority(graph, rival) <= arrival.trust and (operator",
        "(operator",
    ),
    Mutation(
        _CONTENTION, "what is pinned makes room", "and (operator or not rival.flags & _PINNED)", "", by_hand=_BY_HAND
    ),
    Mutation(
        _CONTENTION,
        "nobody trusted more says anew what was rejected",
        "node.status == Status.REJECTED and authority(graph, node) <= trust",
        "False",
    ),
    Mutation(
        _CONTENTION,
        "what is pinned is contested alone",
        "(rival.flags & _PINNED and not operator) or trust < counts - 1",
        "trust < counts - 1",
    ),
    Mutation(_CONTENTION, "one tier below waits", "trust < counts - 1:", "trust < counts:"),
    Mutation(_CONTENTION, "two tiers below contest", "trust < counts - 1:", "trust < counts - 2:"),
    Mutation(
        _CONTENTION,
        "what is established gives way to equals",
        "and not operator and trust <= counts:",
        "and not operator and trust < counts:",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "what is established is in an operator's way",
        "rival.status == _PRIOR and not operator and",
        "rival.status == _PRIOR and",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "less trust is weighed whatever the resolution",
        'trust < counts and definition.resolution != "confidence"',
        "False",
    ),
    Mutation(
        _CONTENTION,
        "less trust is never weighed",
        'trust < counts and definition.resolution != "confidence"',
        "trust < counts",
    ),
    Mutation(
        _CONTENTION,
        "agents decide too",
        '_PERSONS: Final = ("user", "operator")',
        '_PERSONS: Final = ("user", "operator", "agent")',
    ),
    Mutation(
        _CONTENTION,
        "what is contested must be older",
        "return rival.status == _CONTESTED or is_later",
        "return is_later",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION, "what is later is not looked for far back", "_STEPS_BACK: Final = 8", "_STEPS_BACK: Final = 1"
    ),
    Mutation(_CONTENTION, "history is closed by the last", "min(place.closed, claim.begins)\n", "claim.begins\n"),
    Mutation(_CONTENTION, "history is never the same", "place.same = before.number\n                return", "pass"),
    Mutation(
        _CONTENTION,
        "nothing stands against history",
        "_stands_against(graph, definition, arrival, before) if held else None",
        "None",
    ),
    Mutation(_CONTENTION, "what was rejected stands against history", " if held else None", "", by_hand=_BY_HAND),
    Mutation(_CONTENTION, "one word hides another", "if place.status != _SUPERSEDED:", "if False:"),
    Mutation(_CONTENTION, "one word hides nothing from history", "if place.status != _SUPERSEDED:", "if True:"),
    Mutation(
        _CONTENTION,
        "what is contested disputes others",
        "kept if place.status == _ACTIVE else []",
        "kept",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "what is outlived is in the way",
        "if above is None or outlived(graph, each) is not None:",
        "if above is None:",
    ),
    Mutation(
        _CONTENTION,
        "what is pinned is outlived",
        "node.status != _CONTESTED or node.flags & _PINNED:",
        "node.status != _CONTESTED:",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "what has fallen outlives",
        "later.status not in _ESTABLISHED or claim is None",
        "claim is None",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CONTENTION,
        "what came before outlives",
        "return later if is_later((after.begins, seq_of(later.number)), began) else None",
        "return later",
    ),
    Mutation(_CONTENTION, "an operator's is one word", ' or arrival.origin == "operator" or rival', " or rival"),
    Mutation(
        _CONTENTION,
        "one word hides nothing, whatever the resolution",
        'if definition.resolution != "confidence" or arrival',
        "if arrival",
    ),
    Mutation(
        _CONTENTION,
        "what waits is disputed",
        '"operator" or rival.status == _QUARANTINED:',
        '"operator":',
    ),
    Mutation(
        _CONTENTION,
        "who takes it back hides nothing",
        "if not last_words(lines, arrival.lines) or len(",
        "if len(",
    ),
    Mutation(_CONTENTION, "two words hide nothing", "arrival.lines, lines)) > 1:", "arrival.lines, lines)) > 2:"),
    Mutation(
        _CONTENTION,
        "one word after another hides nothing",
        "return outlived(graph, rival) is None",
        "return True",
    ),
    Mutation(
        _CONTENTION,
        "what is contested becomes history",
        "later = [] if contested else [each",
        "later = [each",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CLAIMING,
        "nothing comes again",
        "if same is not None and _came_again(graph, same, arrival):",
        "if False:",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CLAIMING,
        "what is said late comes again",
        "claim.begins < between.begins < arrival.begins",
        "claim.begins < between.begins",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CLAIMING,
        "what came again is there twice",
        "place.displaced.insert(0, gone)",
        "pass",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _CLAIMING,
        "what waits takes the place of what was",
        "if gone is not None and place.status in (_CANDIDATE, _QUARANTINED):",
        "if False:",
        by_hand=_BY_HAND,
    ),
    Mutation(
        _LINES,
        "what is concluded is a word of its own",
        "if command.origin not in _CONCLUDING or not evidence:",
        "if True:",
    ),
    Mutation(
        _LINES,
        "the youngest evidence speaks",
        "min(each.number for each in evidence)",
        "max(each.number for each in evidence)",
    ),
    Mutation(_LINES, "keys do not speak", "if key is None else", "if True else"),
    Mutation(_LINES, "a source speaks many times", "for each in lines if each.who != line.who]", "for each in lines]"),
    Mutation(_LINES, "nine lines are kept", "if len(kept) > LINES_MAX:", "if len(kept) > LINES_MAX + 1:"),
    Mutation(_LINES, "the oldest line goes", "(each.trust, each.weight, each.seq)", "(each.seq,)", _BY_HAND),
    Mutation(
        _LINES, "one word is enough against another", "support(mine) > margin + support", "support(mine) > support"
    ),
    Mutation(
        _LINES, "as much as the margin is enough", "support(mine) > margin", "support(mine) >= margin", by_hand=_BY_HAND
    ),
    Mutation(_LINES, "old words count against new ones", "support(_since(theirs, start))", "support(theirs)"),
    Mutation(
        _LINES,
        "who changed sides counts for both",
        "line.who not in said or _is_later_word(line, said[line.who])",
        "True",
    ),
    Mutation(
        _LINES, "old words win", "support(_since(mine, began)) > support(theirs)", "support(mine) > support(theirs)"
    ),
    Mutation(
        _LINES,
        "the later word is the greater moment",
        "if OPEN_FROM in (start[0], other[0]) or start[0] == other[0]:",
        "if start[0] == other[0]:",
    ),
    Mutation(_LINES, "what is said of the same moment was said before", " or line.begins == start[0] != OPEN_FROM", ""),
    Mutation(_SLOTS, "objects share a slot", 'if definition.cardinality != "one" else [()]', "if False else [()]"),
    Mutation(
        _SLOTS,
        "qualifiers do not matter where there are many",
        '_qualifiers(body) if definition.cardinality == "many" else ()',
        "()",
    ),
    Mutation(
        _SLOTS,
        "qualifiers always make a slot",
        '_qualifiers(body) if definition.cardinality == "many" else ()',
        "_qualifiers(body)",
    ),
    Mutation(
        _SLOTS,
        "qualifiers are no part of the value",
        "(*each, *qualifiers)) for each in _objects",
        "each) for each in _objects",
    ),
    Mutation(_SLOTS, "units do not matter", 'said.unit or "")', '"")'),
    Mutation(
        _SLOTS,
        "what ends then overlaps",
        "claim.begins < ends and begins < min(claim.ends, claim.closed)",
        "claim.begins <= ends and begins < min(claim.ends, claim.closed)",
    ),
    Mutation(_SLOTS, "what was closed overlaps", "begins < min(claim.ends, claim.closed)", "begins < claim.ends"),
    Mutation(_SLOTS, "what is over contradicts the present", "over and not other_over and claim.begins", "False and 1"),
    Mutation(
        _SLOTS, "the present contradicts what is over", "(other_over and not over and begins == OPEN_FROM)", "False"
    ),
)
