"""Ways to break the laws of what a verdict takes out beside a node, and of what stands again then."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_JUDGING: Final = "laws/knowledge/judging.py"
_WITHDRAWING: Final = "laws/knowledge/withdrawing.py"
_REINSTATING: Final = "laws/knowledge/reinstating.py"
_CONFIRMING: Final = "laws/knowledge/confirming.py"
_RULING: Final = "laws/standing/ruling.py"
_ACCOUNT: Final = "laws/learning/account.py"
_CLAIMS_JUDGED: Final = "laws/knowledge/test_judging_claims.py"

_ACCOUNTS: Final = (
    Mutation(
        _JUDGING,
        "what an outcome gave stays",
        "    if node.kind == NodeKind.OUTCOME:\n        take_back(",
        "    if False:\n        take_back(",
    ),
    Mutation(
        _JUDGING,
        "what an outcome gave is not given again",
        "        give_again(graph, seq_of(node.number))\n",
        "",
    ),
    Mutation(_ACCOUNT, "it is taken back twice", "if account is None or account.out == out:", "if account is None:"),
    Mutation(_ACCOUNT, "outcomes are still counted", "    if account.kind:\n", "    if False:\n"),
    Mutation(
        _ACCOUNT,
        "salience is taken back as if none had faded",
        "way * decayed(given.salience, elapsed, node.half_life)",
        "way * given.salience",
    ),
    Mutation(
        _ACCOUNT,
        "permanence is taken back as if none had faded",
        "way * decayed(given.permanence, elapsed, policy.permanence_half_life_ticks)",
        "way * given.permanence",
    ),
    Mutation(_ACCOUNT, "impact stays", "node.impact + way * given.impact,", "node.impact,"),
    Mutation(_ACCOUNT, "valence stays", "node.valence + way * given.valence,", "node.valence,"),
    Mutation(_ACCOUNT, "good outcomes stay", "node.good + way * given.good", "node.good"),
    Mutation(_ACCOUNT, "successes stay", "node.served + way * given.served", "node.served"),
    Mutation(_ACCOUNT, "usage stays", "node.usage + way * given.usage", "node.usage"),
    Mutation(_ACCOUNT, "stability stays", "stabilize(policy, node, 1.0 / given.stability)", "pass"),
    Mutation(_ACCOUNT, "stability is not given again", "stabilize(policy, node, given.stability)", "pass"),
    Mutation(
        _ACCOUNT,
        "what is given again fades as it would without it",
        "        stabilize(policy, node, given.stability)\n        steady(policy, node)\n    salience",
        "        stabilize(policy, node, given.stability)\n    salience",
    ),
    Mutation(
        _ACCOUNT,
        "what was taken is not kept",
        "    return _between(before, node, way, given)\n",
        "    return given\n",
    ),
    Mutation(_ACCOUNT, "when it was taken is not kept", "_replace(tick=header.tick, moved", "_replace(moved"),
    Mutation(
        _ACCOUNT,
        "an edge made since is not told from the one before",
        "if edge is None or edge.made > account.moved:",
        "if edge is None:",
    ),
    Mutation(
        _ACCOUNT,
        "what came to foretell it since is not told from what did before",
        "edge is None or edge.made > account.moved)):",
        "edge is None)):",
        by_hand="laws/learning/test_account.py",
    ),
    Mutation(_ACCOUNT, "the seq of a verdict is not kept", ", moved=graph.said)", ")"),
    Mutation(_ACCOUNT, "half-lives stay", "given.stability)\n    steady(policy, node)\n", "given.stability)\n"),
    Mutation(_ACCOUNT, "what foretold goes on to", "way)) if given.told else moved", "way)) if False else moved"),
    Mutation(
        _ACCOUNT,
        "an edge of no weight stays",
        "        if edge is not None:\n            graph.unlink(key)\n",
        "        pass\n",
    ),
    Mutation(
        _ACCOUNT,
        "of any number of nodes it is kept",
        " and len(self.before) < GIVEN_MAX:",
        ":",
        by_hand="laws/learning/test_account.py",
    ),
    Mutation("laws/learning/outcome.py", "what the target was given is not kept", "    giving.to(target)\n", ""),
    Mutation(
        "laws/learning/attribution.py",
        "by how much a feature foretells is not kept",
        "            giving.told[node.number] = _foretell(graph, node, kind, size, gained)\n",
        "            _foretell(graph, node, kind, size, gained)\n",
    ),
    Mutation(
        "laws/learning/attribution.py",
        "what a bound cut off of what foretells is kept too",
        "    return edge.weight - before\n",
        "    return size\n",
        by_hand="laws/learning/test_account.py",
    ),
    Mutation(
        "laws/learning/use.py",
        "what a report gave is not kept",
        "node = giving.to(graph.settle(number))",
        "node = graph.settle(number)",
    ),
    Mutation(
        "laws/learning/recall.py",
        "what a report gave is kept longer than the recall",
        "        if recalls[seq].reported:\n",
        "        if False:\n",
        by_hand="laws/learning/test_account.py",
    ),
)

_AS_IT_WAS: Final = (
    Mutation(
        _RULING,
        "what falls forgets what it was",
        "        ruling = ruling._replace(was=kept.was if is_out(node.status, kept) else node.status)\n",
        "",
    ),
    Mutation(
        _RULING,
        "what falls again was fallen",
        "was=kept.was if is_out(node.status, kept) else node.status",
        "was=node.status",
    ),
    Mutation(
        _JUDGING,
        "out of a quarantine everything stands",
        "return Status(ruling.was) if node.status == Status.QUARANTINED and ruling.reason else _ACTIVE",
        "return _ACTIVE",
    ),
    Mutation(
        _JUDGING,
        "once judged, anybody lets it stand",
        "before = ruling.was if is_out(node.status, ruling) else node.status",
        "before = node.status",
    ),
    Mutation(
        _JUDGING,
        "two verdicts of one command approve",
        "_release(graph, node, judged.status, approving)",
        "_release(graph, node, _comes_back_as(graph, node), approving)",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(_JUDGING, "who approves their own does not say so", "self_approved=by_self)", "self_approved=False)"),
    Mutation(
        _JUDGING,
        "what gives way was approved by itself",
        "instead=node.number, self_approved=False",
        "instead=node.number",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _REINSTATING,
        "what was contested for nothing stays so",
        "status = status if instead else first_status(graph.header.policy, node.trust)",
        "pass",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation(
        _REINSTATING,
        "what was contested stands",
        "status = status if instead else first_status",
        "status = first_status",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation(
        _REINSTATING,
        "a claim comes back without a contest",
        "    if status != _CANDIDATE:\n        contend_again(graph, node, by)\n",
        "",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
)

_ACTS: Final = (
    Mutation(
        _WITHDRAWING,
        "what is out is taken out again",
        "if before is None or before.status == Status.ACTIVE:",
        "if True:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "what was never out is put back",
        "if before is not None and before.status != Status.ACTIVE:",
        "if before is not None:",
    ),
    Mutation(
        _JUDGING, "whoever is trusted less takes out", "if trust < max(act.trust, act.ruled) else", "if False else"
    ),
    Mutation(_JUDGING, "whoever has ruled counts for nothing", "max(act.trust, act.ruled)", "act.trust"),
    Mutation(
        _JUDGING,
        "what is out is put in quarantine",
        'given != "quarantine" or act.status == _ACTIVE',
        "True",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _JUDGING,
        "whoever verified is not remembered",
        "        graph.changed_acts[seq] = Act(trust, tuple(verified))\n",
        "        pass\n",
    ),
    Mutation(
        _JUDGING,
        "a word is the claim",
        "if node is None or claim is None or item.verdict not in _OF_ACTS or not (item.word or confirmed):",
        "if True:",
    ),
    Mutation(_JUDGING, "what confirmed a claim is the claim", "not (item.word or confirmed)", "not item.word"),
    Mutation(
        _JUDGING, "the only word is taken out", "line is not None and len(claim.lines) > 1 and", "line is not None and"
    ),
    Mutation(
        _WITHDRAWING,
        "a claim is left without a word",
        "        if len(claim.lines) > 1:\n            left",
        "        if True:\n            left",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "the last word of a claim takes nothing with it",
        "Status(act.status), Ruling(graph.ruling(node).slot, verdict.by, act.ruled, 0, act.reason)",
        "Status(node.status), Ruling(graph.ruling(node).slot, verdict.by, act.ruled, 0, act.reason)",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "what waits for a word waits on",
        "if verdict.taken != NOBODY and ruling.by == verdict.taken:",
        "if False:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "an older name stays",
        "if since and max(since) < verdict.seq:",
        "if False:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "a word stays",
        "            _hold_by(graph, verdict, node, left, (line.trust, act.ruled))\n",
        "",
    ),
    Mutation(
        _WITHDRAWING,
        "a word is not put back",
        "LINES_MAX and all(each.who != line.who for each in claim.lines):\n",
        "LINES_MAX and False:\n",
    ),
    Mutation(
        _WITHDRAWING,
        "a source has two words",
        "LINES_MAX and all(each.who != line.who for each in claim.lines):\n",
        "LINES_MAX:\n",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "a claim is trusted as who spoke for it",
        "    node.trust = max([line.trust for line in claim.lines])\n",
        "",
    ),
    Mutation(
        _WITHDRAWING,
        "what a word displaced stays out",
        "        return\n    reinstate(graph, node, verdict.by, verdict.of)\n",
        "        return\n",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(_WITHDRAWING, "what only strangers say stands", "if not node.trust or ruling.by", "if ruling.by"),
    Mutation(
        _WITHDRAWING,
        "what a word let stand stands",
        "if not node.trust or ruling.by == verdict.of:",
        "if not node.trust:",
    ),
    Mutation(
        _WITHDRAWING,
        "what lost a word does not contend",
        "    elif node.status != _CANDIDATE and said >= node.trust:\n        contend_again(graph, node, verdict.by)\n",
        "",
    ),
    Mutation(_WITHDRAWING, "a name stays", "        call(graph, [left], name)\n    if before", "    if before"),
    Mutation(
        _WITHDRAWING,
        "a name that was taken stays taken",
        "    if before is not None:\n",
        "    if False:\n",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "a name is not put back",
        "        _name(graph, name, known, [(name, act.trust, verdict.seq)])\n",
        "        pass\n",
    ),
    Mutation(
        _WITHDRAWING,
        "what stands for something else by now is renamed",
        "if to.canonical == name or (names.canonical != to.canonical and names.aliases):",
        "if to.canonical == name:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(_WITHDRAWING, "a relation stays", "        graph.unlink(key)\n    return", "        pass\n    return"),
    Mutation(_WITHDRAWING, "what others say of a relation goes", "    if left:\n", "    if False:\n"),
    Mutation(_WITHDRAWING, "a relation is not put back", "    said_by(graph, key, verdict.seq, act.trust)\n", ""),
    Mutation(_WITHDRAWING, "what a report gave stays", "    take_back(graph, verdict.seq)\n", ""),
    Mutation(_WITHDRAWING, "what was used stays used", "        entry.used = False\n", "        pass\n"),
    Mutation(_WITHDRAWING, "nobody reports instead", "    recall.reported = 0\n", ""),
    Mutation(_WITHDRAWING, "a report is not given again", "    give_again(graph, verdict.seq)\n", ""),
    Mutation(_WITHDRAWING, "another's report gives way", "if recall is None or recall.reported:", "if recall is None:"),
    Mutation(
        _WITHDRAWING,
        "a vector stays",
        "    graph.changed_vectors.setdefault(number, {})[model] = None\n    if",
        "    if",
    ),
    Mutation(
        _WITHDRAWING,
        "another's vector goes",
        "if node is None or seq != verdict.seq:",
        "if node is None or not seq:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "a vector is put back over another",
        "and act.record and model not in vectors and len(",
        "and act.record and len(",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _WITHDRAWING,
        "a vector is put back beside as many",
        "model not in vectors and len(vectors) < VECTORS_PER_NODE_MAX:",
        "model not in vectors:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
)

_AGAIN: Final = (
    Mutation(
        _JUDGING,
        "what gave way to a rejected note stands again",
        'verdict == "quarantine" or (verdict == "reject" and graph.claim(node) is not None)',
        'verdict != "resolve"',
    ),
    Mutation(
        _JUDGING,
        "what gave way to a rejected claim does not stand again",
        'verdict == "quarantine" or (verdict == "reject" and graph.claim(node) is not None)',
        'verdict == "quarantine"',
    ),
    Mutation(_JUDGING, "nothing stands again", "        reinstate(graph, node, given.by)\n", "        pass\n"),
    Mutation(
        _REINSTATING,
        "what waited stands",
        "if waited or not each.trust or takes_person(definition_of(graph, claim.predicate), claim):",
        "if False:",
    ),
    Mutation(
        _REINSTATING,
        "a rule stands again",
        "if waited or not each.trust or takes_person(definition_of(graph, claim.predicate), claim):",
        "if waited or not each.trust:",
    ),
    Mutation(
        _REINSTATING,
        "a candidate that gave way stands",
        "waited = graph.ruling(each).was == _CANDIDATE",
        "waited = False",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _REINSTATING, "what gave way to others stands again", "ruling.instead == node.number if word", "True if word"
    ),
    Mutation(
        _REINSTATING,
        "whatever gave way to a claim goes by its word",
        "else ruling.by == word",
        "else ruling.instead == node.number",
    ),
    Mutation(
        _REINSTATING,
        "the oldest stands again",
        "in reversed(graph.ruled(slot)[-_LOOKED_AT:]):",
        "in graph.ruled(slot)[-_LOOKED_AT:]:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(_REINSTATING, "what stands again holds until then", "claim._replace(closed=OPEN_TO)", "claim"),
    Mutation(
        _REINSTATING,
        "an event stands beside another",
        "if not any(rival.status in _ESTABLISHED for rival in rivals):",
        "if True:",
    ),
    Mutation(
        _REINSTATING,
        "a stranger's event stands",
        "first_status(graph.header.policy, each.trust)",
        "Status.ACTIVE",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _REINSTATING,
        "what is full gets one more",
        "if each.status == Status.SUPERSEDED and len(held) >= SLOT_MAX:",
        "if False:",
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _REINSTATING,
        "what is out is asked",
        "contend_again(graph, each, by, without=gone)",
        "contend_again(graph, each, by)",
    ),
    Mutation(_CONFIRMING, "who contends anew is an operator", "Speaker(False, False)", "Speaker(True, True)"),
    Mutation(
        _JUDGING,
        "a thinker puts away what was said by nobody above it",
        'if verdict == "archive" and command.origin == "thinker":',
        "if False:",
        by_hand="laws/knowledge/test_desk.py",
    ),
    Mutation(
        _JUDGING,
        "whoever puts something away is a thinker",
        'if verdict == "archive" and command.origin == "thinker":',
        'if verdict == "archive":',
        by_hand="laws/knowledge/test_desk.py",
    ),
    Mutation(
        _JUDGING, "a thinker is a witness", 'if command.origin == "thinker":', "if False:", by_hand=_CLAIMS_JUDGED
    ),
    Mutation(
        _CONFIRMING,
        "a thinker lets a stranger's word pass",
        "not 1 <= node.trust <= trust or",
        "not node.trust <= trust or",
        by_hand=_CLAIMS_JUDGED,
    ),
    Mutation(
        _CONFIRMING,
        "a thinker lets pass what is trusted more",
        "not 1 <= node.trust <= trust or",
        "not 1 <= node.trust or",
        by_hand=_CLAIMS_JUDGED,
    ),
    Mutation(
        _CONFIRMING,
        "a thinker lets pass what a verdict let wait",
        " or graph.ruling(node).by != NOBODY:",
        ":",
        by_hand=_CLAIMS_JUDGED,
    ),
    Mutation(
        _CONFIRMING,
        "a thinker is the second source",
        "len(heard) >= definition.confirmations:",
        "len(heard) + 1 >= definition.confirmations:",
        by_hand=_CLAIMS_JUDGED,
    ),
    Mutation(
        _WITHDRAWING,
        "what a thinker let pass stays",
        "if graph.ruling(node).by == verdict.of and node.status in _HELD:",
        "if False:",
        by_hand=_CLAIMS_JUDGED,
    ),
    Mutation(
        _WITHDRAWING,
        "why two things are related is lost",
        'ruled.record if kind == Relate.number else b""',
        'b""',
        by_hand="laws/knowledge/test_withdrawing.py",
    ),
    Mutation(
        _CONFIRMING,
        "what is promoted falls back",
        "if node.status != Status.PRIOR or place.status != Status.ACTIVE:",
        "if True:",
    ),
)

VERDICTS: Final = (*_ACCOUNTS, *_AS_IT_WAS, *_ACTS, *_AGAIN)
