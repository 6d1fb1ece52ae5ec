"""Ways to break the laws, each by one replacement in the fold's source: ``tests.graph.mutants`` shows which are caught.

``old`` occurs exactly once in its file, which a test holds. When a law is written anew, so is its mutation.
"""

from typing import Final

from tests.graph.mutants.mutation import PACKAGE, Mutation
from tests.graph.mutants.mutations_of_claims import CLAIMS
from tests.graph.mutants.mutations_of_contention import CONTENTION, PLACES
from tests.graph.mutants.mutations_of_knowledge import KNOWLEDGE, NAMES
from tests.graph.mutants.mutations_of_learning import LEARNING
from tests.graph.mutants.mutations_of_regards import REGARDS
from tests.graph.mutants.mutations_of_sessions import SESSIONS
from tests.graph.mutants.mutations_of_trust import TRUST
from tests.graph.mutants.mutations_of_verdicts import VERDICTS

__all__ = ["MUTATIONS", "PACKAGE", "Mutation"]

MUTATIONS: Final = (
    Mutation(
        "arithmetic.py",
        "decay without the second power of its series",
        "_SECOND: Final = 1.4318615612930102e-08",
        "_SECOND: Final = 0.0",
    ),
    Mutation("working_set.py", "permanence of a node never erodes", "if node.permanence:", "if False:"),
    Mutation("laws/half_life.py", "permanence does not lengthen the half-life", "if node.permanence:", "if False:"),
    Mutation("laws/half_life.py", "pinned nodes fade", "if node.flags & _PINNED:", "if False:"),
    Mutation(
        "laws/density.py", "density: 17 edges instead of 16", "_MANY_EDGES: Final = 16.0", "_MANY_EDGES: Final = 17.0"
    ),
    Mutation(
        "laws/experience/event.py",
        "newness 1 / (1 + usage)",
        "newness += 1.0 / feature.usage",
        "newness += 1.0 / (1.0 + feature.usage)",
    ),
    Mutation("laws/experience/event.py", "a step becomes a trajectory at once", "if again:", "if True:"),
    Mutation(
        "laws/experience/event.py",
        "an event's salience has no cap",
        "min(policy.salience_initial + policy.novelty_max * novelty, policy.salience_max)",
        "policy.salience_initial + policy.novelty_max * novelty",
    ),
    Mutation(
        "laws/experience/event.py",
        "the event before is a rival too",
        "[rival for rival in rivals if rival != previous]",
        "rivals",
    ),
    Mutation(
        "laws/experience/event.py",
        "rivals gain",
        "rival.salience *= 1.0 - policy.competitor_loss",
        "rival.salience *= 1.0 + policy.competitor_loss",
    ),
    Mutation("laws/experience/feature.py", "an occurrence is no mention", "        node.mentions += 1\n", ""),
    Mutation("laws/experience/absorption.py", "what is absorbed is no mention", "    concept.mentions += 1\n", ""),
    Mutation(
        "laws/experience/feature.py",
        "features are looked at at every occurrence",
        "if node.usage == 1 or not node.usage & _SELDOM:",
        "if True:",
    ),
    Mutation(
        "laws/experience/promotion.py",
        "promotion without hysteresis",
        "if density(feature) < policy.dissolve_density:",
        "if density(feature) < policy.concept_density:",
        by_hand="laws/experience/test_promotion.py",
    ),
    Mutation(
        "laws/experience/promotion.py",
        "whether a feature matters is asked at every eighth occurrence",
        "or usage & usage - 1:",
        "or False:",
    ),
    Mutation(
        "laws/experience/promotion.py",
        "company counts once, not twice",
        "_IN_STRETCHES: Final = 2.0",
        "_IN_STRETCHES: Final = 1.0",
    ),
    Mutation(
        "laws/experience/promotion.py",
        "chance explains no company",
        "feature.usage * graph.expect(other).usage / header.tick",
        "0.0",
    ),
    Mutation(
        "laws/experience/promotion.py",
        "chance explains no outcomes",
        "_beyond(feature.bad, told * header.bad / whole, beyond)",
        "_beyond(feature.bad, 0.0, beyond)",
    ),
    Mutation(
        "laws/experience/session.py",
        "sessions are joined, but the flag opening is not set",
        "event.flags |= _OPENING",
        "event.flags |= 0",
    ),
    Mutation(
        "laws/experience/session.py", "a session follows the one touched longest ago", "latest = max(", "latest = min("
    ),
    Mutation(
        "laws/experience/absorption.py",
        "absorption only above the threshold",
        "fit < policy.absorb_jaccard",
        "fit <= policy.absorb_jaccard",
    ),
    Mutation(
        "laws/experience/absorption.py", "of equal concepts the last absorbs", "if index > fit:", "if index >= fit:"
    ),
    Mutation(
        "laws/decisions/episode.py",
        "an episode takes up what its events still have edges to",
        "if graph.node(number) is not None]",
        "if graph.edge((event, _CONTAINS, number)) is not None]",
    ),
    Mutation(
        "laws/decisions/episode.py",
        "an episode takes the sum of permanences upward",
        "permanence = max(permanence, event.permanence)",
        "permanence += event.permanence",
    ),
    Mutation(
        "laws/decisions/episode.py",
        "clear takes what was not named",
        "else:\n        leaving = set(buffered)",
        "else:\n        leaving = set(session.buffer)",
    ),
    Mutation(
        "laws/experience/absorption.py",
        "a concept does not keep its features",
        "reinforce(graph, edge, policy.association_weight)",
        "pass",
    ),
    Mutation(
        "laws/decisions/concept.py", "what is pinned can be dissolved", "if concept.flags & _PROTECTED:", "if False:"
    ),
    Mutation(
        "laws/decisions/concept.py", "members do not bear the concept's mark", "node.marks |= mark", "node.marks |= 0"
    ),
    Mutation(
        "laws/decisions/pin.py",
        "what a pin gave stays",
        "node.pin_permanence = 0.0",
        "pass",
    ),
    Mutation(
        "laws/bounds/edges.py",
        "a busy node lets go of what is pinned",
        "np.array([other.flags & _PINNED != 0 for other in others], np.bool_)",
        "np.zeros(len(others), np.bool_)",
    ),
    Mutation(
        "laws/bounds/edges.py",
        "a full memory lets go of what is pinned",
        "pinned = (flags[ends[0]] | flags[ends[1]]) & _PINNED != 0",
        "pinned = np.zeros(len(candidates), np.bool_)",
    ),
    Mutation(
        "laws/decisions/pin.py",
        "a principle cannot be pinned again when there are many",
        "full and not node.flags & _PRINCIPLE",
        "full",
    ),
    Mutation(
        "laws/decisions/pin.py", "outcomes may be principles", "NodeKind.EVENT, ", "NodeKind.EVENT, NodeKind.OUTCOME, "
    ),
    Mutation(
        "working_set.py",
        "the newest principle comes first",
        "self.header.principles.append(node.number)",
        "self.header.principles.insert(0, node.number)",
    ),
    Mutation("working_set.py", "what is forgotten stays a principle", "if node.flags & _ATTACHED:", "if False:"),
    Mutation("laws/decisions/vector.py", "a third model is not kept", "min((trust_of", "max((trust_of"),
    Mutation(
        "laws/decisions/reflection.py", "adjust lowers what is protected", "if node.flags & _PROTECTED:", "if False:"
    ),
    Mutation(
        "laws/half_life.py",
        "a new level forgets the factor of the old one",
        "_of_level(policy, level) / _of_level(policy, node.level)",
        "_of_level(policy, level)",
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "what is in a buffer is archived",
        "free = ~np.isin(numbers, held(graph)) & (",
        "free = (",
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "what ended well and badly is archived",
        'np.isin(rows["kind"], _ARCHIVABLE) & ~contested &',
        'np.isin(rows["kind"], _ARCHIVABLE) &',
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "of equal levels what was touched last makes room first",
        'np.lexsort((rows["tick"][active], levels, trusted))',
        'np.lexsort((-rows["tick"][active].astype(np.int64), levels, trusted))',
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "what is in a buffer makes room",
        " & ~np.isin(numbers[active], held(graph))",
        "",
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "sleep without a bound",
        "np.flatnonzero(chosen)[: policy.removals_per_command_max]",
        "np.flatnonzero(chosen)",
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "a night dissolves as much as it archives",
        "policy.removals_per_command_max // _EDGES_OF_A_CONCEPT",
        "policy.removals_per_command_max",
    ),
    Mutation(
        "laws/decisions/episode.py",
        "an episode without a session is of the default one",
        'if "session" not in command.model_fields_set:',
        "if False:",
    ),
    Mutation(
        "laws/decisions/episode.py",
        "an episode is of all sessions that hold its events, whichever is named",
        'if "session" not in command.model_fields_set:',
        "if True:",
    ),
    Mutation(
        "laws/decisions/thinker.py",
        "a thinker may stand still",
        "cursor_from < thinker.cursor_to",
        "cursor_from <= thinker.cursor_to",
    ),
    Mutation("laws/decisions/thinker.py", "a thinker must lag behind", "<= header.seq", "< header.seq"),
    Mutation(
        "laws/authority.py",
        "all but agents are operators",
        'command.origin == "operator" and',
        'command.origin != "agent" and',
    ),
    Mutation(
        "laws/decisions/lifting.py",
        "what another catastrophe led to is lifted too",
        "if not _flagged_beside(graph, other):",
        "if True:",
        by_hand="laws/decisions/test_lifting.py",
    ),
    Mutation(
        "laws/decisions/lifting.py",
        "what is lifted stays as long",
        "stabilize(policy, node, 1.0 / policy.catastrophic_half_life)",
        "stabilize(policy, node, 1.0)",
    ),
    Mutation(
        "laws/decisions/reflection.py",
        "a window is one tick longer",
        ">= policy.adjust_window_ticks",
        "> policy.adjust_window_ticks",
        by_hand="laws/decisions/test_reflection.py",
    ),
    Mutation(
        "laws/decisions/reflection.py",
        "each command has the whole bound of salience",
        "policy.adjust_salience_max - used.salience",
        "policy.adjust_salience_max",
    ),
    Mutation(
        "laws/decisions/reflection.py",
        "each command has the whole bound of the half-life",
        "policy.adjust_half_life_max / used.half_life",
        "policy.adjust_half_life_max",
    ),
    Mutation(
        "laws/decisions/reflection.py",
        "evidence of anything",
        "if not _touched(graph, trajectory, witnesses):",
        "if False:",
    ),
    Mutation(
        "laws/decisions/reflection.py",
        "an edge follows its first end",
        "_nearer(of_first.salience, of_second.salience, 0.0)",
        "of_first.salience",
    ),
    Mutation("working_set.py", "what was used up outlives its node", "if what & _ADJUSTED:", "if False:"),
    Mutation(
        "laws/decisions/thinker.py",
        "a part may come twice",
        "Refused(Refusal.PART_STALE) if window.taken >> thinker.part & 1 else None",
        "None",
    ),
    Mutation(
        "laws/decisions/thinker.py",
        "a part of another decision completes this one",
        "thinker.cursor_to != window.cursor_to or thinker.parts != window.parts",
        "thinker.parts != window.parts",
    ),
    Mutation(
        "laws/decisions/thinker.py",
        "the parts of a retired thinker stay",
        "    header.windows.pop(name, None)\n",
        "",
    ),
    Mutation("laws/reference.py", "no heirs", "_HEIRS_MAX: Final = 8", "_HEIRS_MAX: Final = 0"),
    Mutation(
        "laws/bounds/heirs.py",
        "the heir is the oldest container, not the episode",
        "return episodes + [container for container in containing if container not in episodes]",
        "return containing",
        by_hand="laws/test_heirs.py",
    ),
    Mutation(
        "laws/bounds/heirs.py",
        "an heir may go in the same sweep",
        "if container not in gone]",
        "if container]",
        by_hand="laws/test_heirs.py",
    ),
    Mutation(
        "laws/bounds/heirs.py",
        "what goes inherits whether or not it passes on",
        "(passed_on[number] or waiting[number])[0]",
        "waiting[number][0]",
        by_hand="laws/test_heirs.py",
    ),
    Mutation(
        "laws/bounds/heirs.py",
        "a concept leaves no heir",
        "(NodeKind.EVENT, NodeKind.EPISODE, NodeKind.CONCEPT)",
        "(NodeKind.EVENT, NodeKind.EPISODE)",
    ),
    Mutation(
        "laws/bounds/nodes.py", "the pinned are protected like the lasting", "_PINNED != 0, 4,", "_PINNED != 0, 2,"
    ),
    Mutation(
        "laws/bounds/nodes.py",
        "the last event of a session is not held",
        "(*each.buffer, each.last, ",
        "(*each.buffer, ",
    ),
    Mutation(
        "laws/bounds/nodes.py",
        "one node more is kept",
        "int(policy.nodes_max * policy.nodes_kept_share)",
        "int(policy.nodes_max * policy.nodes_kept_share) + 1",
    ),
    Mutation(
        "laws/bounds/rank.py",
        "the rank does not know impact",
        "rank = rank + policy.rank_impact * np.abs(",
        "rank = rank + 0.0 * np.abs(",
    ),
    Mutation(
        "laws/bounds/joining.py",
        "the joint takes the greater weight",
        "min(first.weight, second.weight, policy.weight_max)",
        "max(first.weight, second.weight)",
    ),
    Mutation(
        "laws/bounds/joining.py",
        "the flag opening is not inherited",
        "later.flags |= joint.opening",
        "later.flags |= 0",
    ),
    Mutation(
        "laws/bounds/edges.py",
        "a crowded node loses its chain",
        "sorted([key for key in graph.links(number) if key[1] != _TEMPORAL])",
        "sorted(graph.links(number))",
    ),
    Mutation(
        "laws/decisions/operations.py",
        "attests may come one command earlier",
        "seq - last < header.policy.attest_interval_commands",
        "seq - last + 1 < header.policy.attest_interval_commands",
    ),
    Mutation(
        "laws/decisions/operations.py", "a drop of what is not there is taken", "if name not in kept:", "if False:"
    ),
    Mutation("laws/decisions/operations.py", "a name moves on", "if name in kept:", "if False:"),
    Mutation("laws/decisions/operations.py", "a dropped name stays", "graph.changed_snapshots[name] = None", "pass"),
    Mutation(
        "laws/decisions/operations.py",
        "one more snapshot than may be",
        "len(kept) >= SNAPSHOTS_MAX",
        "len(kept) > SNAPSHOTS_MAX",
        by_hand="laws/decisions/test_operations.py",
    ),
    *LEARNING,
    *REGARDS,
    *KNOWLEDGE,
    *CLAIMS,
    *CONTENTION,
    *NAMES,
    *PLACES,
    *SESSIONS,
    *TRUST,
    *VERDICTS,
)
