"""Ways to break the laws of claims that contend, of both of two things, and of what is seen again."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_CLAIMING: Final = "laws/knowledge/claiming.py"
_CONTENTION: Final = "laws/knowledge/contention.py"
_LINES: Final = "laws/knowledge/lines.py"
_SLOTS: Final = "laws/knowledge/slots.py"
_CONFIRMING: Final = "laws/knowledge/confirming.py"
_EPISODE: Final = "laws/decisions/episode.py"
_NODES: Final = "laws/knowledge/nodes.py"
_WITHDRAWING: Final = "laws/knowledge/withdrawing.py"
_PLACES: Final = "laws/places/test_places.py"
_BY_HAND: Final = "laws/knowledge/test_contention.py"

CONTENTION: Final = (
    Mutation(
        _CONTENTION,
        "what is over makes no room",
        "(claim is None or claim.ends == OPEN_TO)",
        "True",
        by_hand="laws/knowledge/test_room.py",
    ),
    Mutation(
        _CONTENTION,
        "what is established makes room when it is over",
        "each.status == _PRIOR or (",
        "(",
        by_hand="laws/knowledge/test_room.py",
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
        by_hand="laws/knowledge/test_contention.py",
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
        "what is said from below is weighed",
        "    if trust < counts:\n        return _CONTESTED\n",
        "",
    ),
    Mutation(
        _CONTENTION,
        "agents decide too",
        "return arrival.speaker.person",
        "return True",
        by_hand="laws/knowledge/test_contention.py",
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
    Mutation(
        _CONTENTION,
        "history is closed by the last",
        "min(place.closed, claim.begins)\n",
        "claim.begins\n",
        by_hand="laws/knowledge/test_room.py",
    ),
    Mutation(
        _CONTENTION,
        "history is never the same",
        "place.same = before.number\n                return",
        "pass",
        by_hand="laws/knowledge/test_contention.py",
    ),
    Mutation(
        _CONTENTION,
        "nothing stands against history",
        "_stands_against(graph, definition, arrival, before) if held else None",
        "None",
        by_hand="laws/knowledge/test_contention.py",
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
        by_hand="laws/knowledge/test_room.py",
    ),
    Mutation(
        _CONTENTION,
        "what came before outlives",
        "return later if is_later((after.begins, seq_of(later.number)), began) else None",
        "return later",
    ),
    Mutation(_CONTENTION, "an operator's is one word", " or arrival.speaker.operator or rival", " or rival"),
    Mutation(
        _CONTENTION,
        "one word hides nothing, whatever the resolution",
        'if definition.resolution != "confidence" or arrival',
        "if arrival",
    ),
    Mutation(
        _CONTENTION,
        "what waits is disputed",
        "speaker.operator or rival.status == _QUARANTINED:",
        "speaker.operator:",
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
        _LINES, "what is concluded is a word of its own", "(root if command.origin in _CONCLUDING else voice)", "voice"
    ),
    Mutation(
        _LINES,
        "the youngest evidence speaks",
        "min(evidence, key=lambda each: each.number)",
        "max(evidence, key=lambda each: each.number)",
    ),
    Mutation("laws/authority.py", "keys do not speak", "if key is None else", "if True else"),
    Mutation(_LINES, "a source speaks many times", "for each in lines if each.who != line.who]", "for each in lines]"),
    Mutation(_LINES, "nine lines are kept", "if len(kept) > LINES_MAX:", "if len(kept) > LINES_MAX + 1:"),
    Mutation(
        _LINES,
        "the oldest line goes",
        "(each.trust, each.weight, each.seq)",
        "(each.seq,)",
        by_hand="laws/knowledge/test_room.py",
    ),
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
    Mutation(
        _SLOTS,
        "objects share a slot",
        'if definition.cardinality != "one" else [((), TRUST_MAX)]',
        "if False else [((), TRUST_MAX)]",
    ),
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
        '_hashed(b"yggdrasil-value", (*each, *qualifiers))',
        '_hashed(b"yggdrasil-value", each)',
    ),
    Mutation(_SLOTS, "units do not matter", 'said.unit or "")', '"")'),
    Mutation(
        _SLOTS,
        "what ends then overlaps",
        "claim.begins < ends and begins < min(claim.ends, claim.closed)",
        "claim.begins <= ends and begins < min(claim.ends, claim.closed)",
    ),
    Mutation(
        _SLOTS,
        "what was closed overlaps",
        "begins < min(claim.ends, claim.closed)",
        "begins < claim.ends",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(_SLOTS, "what is over contradicts the present", "over and not other_over and claim.begins", "False and 1"),
    Mutation(
        _SLOTS, "the present contradicts what is over", "(other_over and not over and begins == OPEN_FROM)", "False"
    ),
)

PLACES: Final = (
    Mutation(_SLOTS, "all anchors are one", '("anchor", said.anchor)', '("anchor",)'),
    Mutation(_SLOTS, "a way is of one direction", "*sorted((subject, other)))", "*(subject, other))"),
    Mutation(_SLOTS, "what is one-way is of both directions", ' and body.qualifiers.get(ONE_WAY) != "yes"', ""),
    Mutation(
        _SLOTS, "all that is symmetric is of one direction", "return definition.symmetric and", "return False and"
    ),
    Mutation(_SLOTS, "a name from below joins a way", "min(link, of_other))", "max(link, of_other))"),
    Mutation(
        _SLOTS,
        "of a pair the last order counts",
        "max(found.get(pair, 0), min(link, of_other))",
        "min(link, of_other)",
        by_hand=_PLACES,
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
        by_hand=_PLACES,
    ),
    Mutation(_EPISODE, "an episode of no other ones", "(body.episodes, _EPISODES)", "([], _EPISODES)"),
    Mutation(
        "laws/experience/event.py",
        "who teaches nothing is loud",
        "100 if trust >= policy.teach_trust_min else 50",
        "100",
    ),
    Mutation("laws/experience/event.py", "all are as loud", "(50 + min(body.prominence, most)) / 100.0", "1.0"),
    Mutation(
        "laws/experience/event.py",
        "what stands out is above all bounds",
        "min(event.salience * _prominence(policy, body, trust), policy.salience_max)",
        "event.salience * _prominence(policy, body, trust)",
        by_hand="laws/experience/test_prominence.py",
    ),
)
