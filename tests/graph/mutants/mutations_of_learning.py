"""Ways to break the laws of learning."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_SCORING: Final = "laws/decisions/scoring.py"
_BY_HAND_OF_SCORERS: Final = "laws/decisions/test_scoring.py"
_BY_HAND_OF_EDGES: Final = "laws/learning/test_edges_of_use.py"

_OUTCOMES: Final = (
    Mutation(
        "laws/learning/attribution.py",
        "valences move by the whole surprise, not by a share",
        "policy.surprise_rate * surprise / len(carriers)",
        "policy.surprise_rate * surprise",
    ),
    Mutation(
        "laws/learning/attribution.py",
        "who has foretold it is not more responsible",
        "1.0 + policy.attribution * max(0.0, sign * valence)",
        "1.0",
    ),
    Mutation(
        "laws/learning/attribution.py",
        "a feature foretells from any valence on",
        "and abs(node.valence) >= policy.foretell_valence",
        "",
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "contradiction asks impact before valence",
        "(node.valence or node.impact)",
        "(node.impact or node.valence)",
    ),
    Mutation(
        "laws/learning/appraisal.py", "a small contradiction takes as much as a great one", " * min(size, 1.0)", ""
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "neutral outcomes take from what is protected",
        "node.bad or node.flags & _PROTECTED):",
        "node.bad):",
        by_hand="laws/learning/test_outcome.py",
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "neutral outcomes take from what was judged",
        "if not (node.good or node.bad or node.flags & _PROTECTED):",
        "if not node.flags & _PROTECTED:",
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "what is contradicted gains permanence all the same",
        "0.0 if contradict(policy, node, size, value) else lasting(policy, size, value)",
        "0.0 * contradict(policy, node, size, value) + lasting(policy, size, value)",
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "impact does not fade",
        "node.impact * (1.0 - (1.0 - policy.impact_kept) * min(abs(impact), 1.0))",
        "node.impact",
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "a small judgement lets impact fade as much as a great one",
        "(1.0 - policy.impact_kept) * min(abs(impact), 1.0)",
        "(1.0 - policy.impact_kept)",
    ),
    Mutation(
        "laws/learning/attribution.py",
        "the edge of a contradicted carrier gains permanence",
        "edge.permanence + gained, policy.permanence_max)\n        foretells",
        "edge.permanence + abs(size), policy.permanence_max)\n        foretells",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "the second outcome of a kind counts more too",
        "if kind.usage == 1 else",
        "if kind.usage <= 2 else",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "bad outcomes shorten the half-lives of edges",
        "edge.half_life / slower",
        "edge.half_life * slower",
    ),
    Mutation(
        "laws/learning/credit.py",
        "credit flows into other sessions",
        "within = node.kind == _EVENT and not node.flags & _OPENING",
        "within = node.kind == _EVENT",
    ),
    Mutation(
        "laws/learning/credit.py",
        "credit is not discounted from step to step",
        "strengthen(policy, edge, credit)\n        credit *= policy.credit_discount",
        "strengthen(policy, edge, credit)",
    ),
    Mutation(
        "laws/learning/credit.py",
        "the oldest members of an episode are credited",
        "youngest = held[::-1]",
        "youngest = held",
    ),
    Mutation(
        "laws/learning/attribution.py",
        "only what an event still has edges to carries its outcome",
        "for each in carriers if graph.node(each) is not None]",
        "for each in carriers if graph.edge((number, kind, each)) is not None]",
    ),
    Mutation("laws/learning/informed.py", "what was merely returned learns too", "not entry.used or ", ""),
    Mutation("laws/learning/informed.py", "a failure that it informed lifts it", "if value > 0:", "if True:"),
    Mutation("laws/learning/informed.py", "one outcome teaches a node twice", "number in taught or ", ""),
    Mutation(
        "laws/learning/informed.py",
        "a lesson of hearsay is as great as one of use",
        "expect(policy, node, policy.credit_share, value)",
        "expect(policy, node, 1.0, value)",
    ),
    Mutation(
        "laws/learning/recall.py",
        "a node gains with every recall of a tick",
        "if node.recalled_tick == header.tick:",
        "if False:",
    ),
    Mutation(
        "laws/learning/recall.py",
        "what a recall has noticed before in a tick is tied again",
        "and _notice(graph, node):",
        "and (_notice(graph, node) or True):",
    ),
    Mutation(
        "laws/learning/recall.py",
        "an edge gains as much however strong it is",
        " * max(0.0, 1.0 - edge.weight / policy.weight_max)",
        "",
    ),
    Mutation(
        "laws/edges.py",
        "what does not stand is tied",
        "for node in nodes if node.status in _STANDING",
        "for node in nodes",
    ),
    Mutation("laws/edges.py", "company says what leads to what", " and key[1] != _CAUSAL", ""),
    Mutation(
        "laws/edges.py",
        "any number of edges gain",
        "sorted(among)[:GIVEN_EDGES_MAX]",
        "sorted(among)",
        by_hand=_BY_HAND_OF_EDGES,
    ),
    Mutation(
        "laws/learning/use.py",
        "what has misled is tied",
        "        else:\n            _served(policy, node, impact)\n",
        "            served.append(node)\n        else:\n            _served(policy, node, impact)\n",
    ),
    Mutation(
        "laws/learning/account.py",
        "edges among what was used last no longer",
        "min(half_life * policy.edge_reinforce_half_life, policy.half_life_max_ticks)",
        "half_life",
    ),
    Mutation(
        "laws/learning/account.py",
        "an edge keeps what is taken back",
        "way) for each in account.edges]",
        "way) for each in account.edges[:0]]",
    ),
    Mutation(
        "laws/learning/account.py",
        "an edge gives back all that it was given",
        "way * decayed(given.weight, graph.header.tick - account.tick, with_it)",
        "way * given.weight",
    ),
    Mutation(
        "laws/learning/account.py",
        "an edge keeps its longer half-life",
        "half_life * given.half_life if way > 0 else half_life / given.half_life",
        "half_life",
    ),
    Mutation(
        "laws/learning/account.py",
        "what is left of an edge's weight is by the half-life after both ways",
        "with_it = edge.half_life if way > 0 else half_life",
        "with_it = edge.half_life",
    ),
    Mutation(
        "laws/learning/account.py",
        "it is kept that an edge gave what it had not",
        "way * (edge.weight - weight), factor)",
        "given.weight, factor)",
    ),
    Mutation(
        "laws/learning/account.py",
        "what an edge was given is not bounded in its account",
        "edge.weight - weight, edge.half_life / half_life",
        "policy.association_weight, edge.half_life / half_life",
        by_hand=_BY_HAND_OF_EDGES,
    ),
    Mutation(
        "laws/edges.py",
        "strangers strengthen what others made",
        "        return False\n",
        "        pass\n",
    ),
    Mutation(
        "laws/edges.py",
        "who makes it again does not vouch for it",
        "    edge.trust = max(edge.trust, graph.trust)\n",
        "",
    ),
    Mutation(
        "laws/edges.py",
        "only who is trusted as much strengthens an edge",
        "min(edge.trust, graph.header.policy.teach_trust_min)",
        "edge.trust",
    ),
    Mutation(
        "laws/experience/event.py",
        "what strangers say together strengthens what others made",
        "        elif edge.trust > heeded:\n            continue\n",
        "",
    ),
    Mutation(
        "laws/experience/event.py",
        "what comes together again is not vouched for",
        "            edge.trust = trust\n",
        "            pass\n",
    ),
    Mutation(
        "laws/experience/event.py",
        "an edge is trusted as the writer of a conclusion",
        "    graph.trust = trust\n",
        "",
    ),
    Mutation(
        "laws/experience/event.py", "strangers' events count", "header.heeded += trust > FOREIGN", "header.heeded += 1"
    ),
    Mutation(
        "laws/experience/feature.py", "strangers' words count", "node.heeded += by.trust > FOREIGN", "node.heeded += 1"
    ),
    Mutation(
        "laws/experience/feature.py",
        "agents are witnesses",
        "node.witnessed += by.trust >= WITNESS",
        "node.witnessed += by.trust > FOREIGN",
    ),
    Mutation(
        "laws/knowledge/nodes.py", "a claim's edge is trusted as its writer", "min(graph.trust, trust)", "graph.trust"
    ),
    Mutation(
        "laws/knowledge/withdrawing.py", "a verdict vouches for a relation", "        graph.trust = act.trust\n", ""
    ),
    Mutation(
        "laws/knowledge/judging.py",
        "a verdict vouches for what foretells",
        "        graph.trust = node.trust\n",
        "",
    ),
    Mutation("laws/learning/use.py", "use without a result gives no permanence", "if impact < 0:", "if impact <= 0:"),
    Mutation(
        "laws/learning/use.py",
        "what has misled was used too",
        "_misled(policy, node, impact)\n        else:",
        "_misled(policy, node, impact)\n            node.usage += 1\n        else:",
    ),
    Mutation(
        "laws/learning/use.py",
        "what has misled was accessed too",
        "        else:\n            _served(policy, node, impact)\n",
        "        if impact >= 0:\n            _served(policy, node, impact)\n        if True:\n",
    ),
    Mutation(
        "laws/learning/use.py",
        "the last use is the first",
        "used_tick = graph",
        "used_tick = node.used_tick if node.usage > 1 else graph",
    ),
    Mutation(
        "laws/learning/use.py",
        "every use went well",
        'return body.result == "success" or',
        'return body.result != "failure" or',
    ),
    Mutation("laws/learning/use.py", "what helped is no success", " or body.helpful or", " or"),
    Mutation(
        "laws/learning/use.py",
        "an error prevented is no success",
        " or body.helpful or body.prevented_error",
        " or body.helpful",
    ),
    Mutation(
        "laws/learning/use.py",
        "what has misled keeps what being returned gave",
        "max(0.0, node.salience - policy.recall_salience)",
        "node.salience",
    ),
    Mutation(
        "laws/learning/use.py",
        "what has misled fades more slowly than before",
        "min(node.half_life, half_life)",
        "node.half_life",
    ),
    Mutation(
        "laws/learning/use.py",
        "a failed use takes impact below 0",
        "if node.impact > 0:",
        "if True:",
        by_hand="laws/learning/test_misled.py",
    ),
    Mutation(
        "laws/learning/use.py",
        "a failed use raises what was worse",
        "min(lesson, 0.0) if value < 0 else lesson",
        "lesson",
        by_hand="laws/learning/test_misled.py",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "strangers teach",
        "    if teaches:\n        _teach(",
        "    if True:\n        _teach(",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "strangers judge what is trusted more",
        "if teaches or target.trust <= trust else (outcome,)",
        "",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "strangers are counted",
        "    if teaches:\n        graph.header.good",
        "    if True:\n        graph.header.good",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "whoever says so makes a catastrophe",
        "if may_declare(command):",
        "if True:",
    ),
    Mutation(
        "laws/learning/outcome.py",
        "a trajectory may lead over what came later",
        "if number > judged and",
        "if False and",
    ),
    Mutation(
        "laws/learning/credit.py",
        "each episode has the whole share of an outcome",
        "policy.episode_share * magnitude / max(1, len(episodes))",
        "policy.episode_share * magnitude",
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "what comes back from the archive keeps its level",
        "max(0, node.level - _LEVELS_LOST)",
        "node.level",
        by_hand="laws/decisions/test_sleep.py",
    ),
)

_SCORERS: Final = (
    Mutation(_SCORING, "anybody proposes", 'command.origin == "thinker" and ', ""),
    Mutation(_SCORING, "thinkers adopt what was proposed", " and command.body.scorer is None\n", "\n"),
    Mutation(
        _SCORING, "a thinker's counts at once", "(not command.body.active or graph.header.policy.scorer_adopt)", "True"
    ),
    Mutation(
        _SCORING,
        "a thinker's counts never",
        "(not command.body.active or graph.header.policy.scorer_adopt)",
        "not command.body.active",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(
        _SCORING,
        "few samples are enough to propose",
        "(command.body.samples or 0) < graph.header.policy.scorer_samples_min",
        "False",
    ),
    Mutation(
        _SCORING,
        "as many samples as are asked for are too few",
        "(command.body.samples or 0) < graph.",
        "(command.body.samples or 0) <= graph.",
    ),
    Mutation(
        _SCORING,
        "few samples are enough to count",
        "if active and scorer.samples < ",
        "if False and 0 < ",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(
        _SCORING,
        "what does not count is gone back from",
        "if not active and not scorer.adopted:",
        "if False:",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(
        _SCORING, "three count", "_COUNTING_MAX: Final = 2", "_COUNTING_MAX: Final = 3", by_hand=_BY_HAND_OF_SCORERS
    ),
    Mutation(
        _SCORING,
        "one alone counts",
        "_COUNTING_MAX: Final = 2",
        "_COUNTING_MAX: Final = 1",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(
        _SCORING,
        "what is adopted anew keeps its place",
        "seq if body.active else 0",
        "named if body.active else 0",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(_SCORING, "thinkers push out operators'", " and each.trust <= trust]", "]", by_hand=_BY_HAND_OF_SCORERS),
    Mutation(
        _SCORING,
        "what counts makes room",
        "if not each.adopted and each.trust",
        "if each.trust",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(_SCORING, "the youngest makes room", "return min([seq", "return max([seq", by_hand=_BY_HAND_OF_SCORERS),
    Mutation(
        _SCORING,
        "nothing makes room",
        "            graph.changed_scorers[least] = None\n",
        "            pass\n",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(
        _SCORING,
        "a late decision counts",
        "        refused = refuse(graph, body)\n",
        "        pass\n",
        by_hand=_BY_HAND_OF_SCORERS,
    ),
    Mutation(_SCORING, "the cursor stays", "    advance(graph, body)\n", "", by_hand=_BY_HAND_OF_SCORERS),
)

LEARNING: Final = (*_OUTCOMES, *_SCORERS)
