"""Ways to break the laws of how far what is derived is trusted, and of what those who are trusted little may have."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_DERIVATION: Final = "laws/derivation.py"
_EVENT: Final = "laws/experience/event.py"
_FEATURE: Final = "laws/experience/feature.py"
_SESSION: Final = "laws/experience/session.py"
_OUTCOME: Final = "laws/learning/outcome.py"
_RECALL: Final = "laws/learning/recall.py"
_USE: Final = "laws/learning/use.py"
_CLAIMING: Final = "laws/knowledge/claiming.py"
_CONFIRMING: Final = "laws/knowledge/confirming.py"
_LINES: Final = "laws/knowledge/lines.py"
_SLOTS: Final = "laws/knowledge/slots.py"
_NAMING: Final = "laws/knowledge/naming.py"
_RANK: Final = "laws/bounds/rank.py"
_NODES: Final = "laws/bounds/nodes.py"
_EDGES: Final = "laws/bounds/edges.py"
_SLEEP: Final = "laws/decisions/sleep.py"
_SWAYED: Final = "from ..derivation import trust_here\n"
_NOT_SWAYED: Final = (
    "from ..authority import trust_of as _own\n\n\ndef trust_here(_: object, command: object) -> int:\n"
    "    return _own(command)\n\n\n"
)

_TAINT: Final = (
    Mutation(
        _DERIVATION, "what came in sways for ever", "header.tick - taint.tick >= header.policy.taint_ticks", "False"
    ),
    Mutation(
        _DERIVATION,
        "what came in sways one tick longer",
        "header.tick - taint.tick >= header",
        "header.tick - taint.tick > header",
    ),
    Mutation(
        _DERIVATION,
        "what came in sways nobody",
        "return trust_of(command) if taint_of(graph, command) is None else FOREIGN",
        "return trust_of(command)",
    ),
    Mutation(_DERIVATION, "what came in sways everybody", 'if command.origin != "agent" or not', "if not"),
    Mutation(
        _DERIVATION,
        "a memory without taint notes it",
        "if not header.policy.taint_ticks:",
        "if False:",
        by_hand="laws/knowledge/test_taint.py",
    ),
    Mutation(_DERIVATION, "of any number of sessions it is known", "if len(taints) > TAINTS_MAX:", "if False:"),
    Mutation(
        _DERIVATION, "the last session is forgotten first", "(taints[each].tick, each))", "(-taints[each].tick, each))"
    ),
    Mutation(
        _DERIVATION,
        "who names no session shares one",
        'f"session\\0{command.session}" if command.session != SESSION_DEFAULT else voice_of(command)',
        'f"session\\0{command.session}"',
    ),
    Mutation(
        _DERIVATION,
        "who speaks is a session",
        'f"session\\0{command.session}" if command.session != SESSION_DEFAULT else voice_of(command)',
        "voice_of(command)",
    ),
    Mutation(_EVENT, "a stranger's event comes into no session", "    if own == FOREIGN:\n", "    if False:\n"),
    Mutation(_EVENT, "what came in comes in again", "    if own == FOREIGN:\n", "    if trust == FOREIGN:\n"),
    Mutation(_EVENT, "an event is not swayed", "own if taint_of(graph, command) is None else FOREIGN", "own"),
    Mutation(
        _CLAIMING,
        "a stranger's claim comes into no session",
        "if trust_of(command) == FOREIGN:",
        "if False:",
    ),
    Mutation(
        _CLAIMING,
        "a claim is not swayed",
        "concluded(command, trust_here(graph, command), condensed)",
        "concluded(command, trust_of(command), condensed)",
    ),
    Mutation(_OUTCOME, "a stranger's outcome comes into no session", "if trust_of(command) == FOREIGN:", "if False:"),
    Mutation(
        _OUTCOME,
        "an outcome is not swayed",
        "graph.header.policy, trust_here(graph, command)",
        "graph.header.policy, trust_of(command)",
    ),
    Mutation(
        _RECALL,
        "what was recalled comes into no session",
        "if least is not None and shown == FOREIGN:",
        "if False and least is not None:",
    ),
    Mutation(_RECALL, "whoever asks is whom it comes from", "who(maker or command)", "who(command)"),
    Mutation(
        _RECALL, "the last of what strangers said comes in", "node.trust < least.trust", "node.trust <= least.trust"
    ),
    Mutation(
        _RECALL,
        "a recall is not swayed",
        "from ..derivation import FOREIGN, take_in, trust_here\n",
        "from ..derivation import FOREIGN, take_in\n" + _NOT_SWAYED,
    ),
    Mutation(_USE, "a report is not swayed", _SWAYED, _NOT_SWAYED),
    Mutation(_NAMING, "a name is not swayed", _SWAYED, _NOT_SWAYED),
    Mutation("laws/knowledge/relating.py", "a relation is not swayed", _SWAYED, _NOT_SWAYED),
    Mutation("laws/knowledge/judging.py", "a verdict is not swayed", _SWAYED, _NOT_SWAYED),
    Mutation("laws/decisions/episode.py", "an episode is not swayed", _SWAYED, _NOT_SWAYED),
    Mutation("laws/decisions/concept.py", "a concept is not swayed", _SWAYED, _NOT_SWAYED),
    Mutation("laws/decisions/vector.py", "a vector is not swayed", _SWAYED, _NOT_SWAYED),
)

_DERIVED: Final = (
    Mutation(_DERIVATION, "causes count for nothing", "*[cause.trust for cause in causes], *least", "*least"),
    Mutation(
        _DERIVATION,
        "what recalls showed counts for nothing",
        "*[cause.trust for cause in causes], *least",
        "*[cause.trust for cause in causes]",
    ),
    Mutation(_DERIVATION, "what a person says is concluded", "if command.origin not in _CONCLUDING:", "if False:"),
    Mutation(_DERIVATION, "an import concludes nothing", '"thinker", "import")', '"thinker")'),
    Mutation(_RECALL, "a recall has shown nothing foreign", "trust, shown, under)", "trust, TRUST_MAX, under)"),
    Mutation(_FEATURE, "a feature is trusted as its least", "max(node.trust, by.trust)", "min(node.trust, by.trust)"),
    Mutation(_FEATURE, "a feature is trusted as at first", "max(node.trust, by.trust)", "node.trust"),
    Mutation(
        _LINES,
        "who repeats another is a second source",
        "line.who != each.who and line.root != each.root",
        "line.who != each.who",
    ),
    Mutation(
        _LINES,
        "what came in is a word of one's own",
        "voice if taint is None else taint.root",
        "voice",
        by_hand="laws/knowledge/test_taint.py",
    ),
    Mutation(
        _CONFIRMING,
        "a claim keeps the names of who said it first",
        "if line.trust > tier and isinstance(command, AssertClaim) and",
        "if False and",
    ),
    Mutation(
        _CONFIRMING,
        "a claim has the names of who said it last",
        "if line.trust > tier and isinstance",
        "if isinstance",
    ),
    Mutation(
        _EVENT,
        "a stranger's event weakens what is trusted more",
        "rival is not None and rival.trust <= trust",
        "rival is not None",
    ),
    Mutation(
        _EVENT,
        "an event weakens only what is trusted less",
        "rival is not None and rival.trust <= trust",
        "rival is not None and rival.trust < trust",
    ),
    Mutation(
        _USE,
        "anybody reports of another's recall",
        "if trust < recall.trust and who(command) != recall.who:",
        "if False:",
        by_hand="laws/knowledge/test_taint.py",
    ),
    Mutation(
        _USE,
        "nobody reports of another's recall",
        "if trust < recall.trust and who(",
        "if who(",
        by_hand="laws/knowledge/test_taint.py",
    ),
    Mutation(_USE, "a stranger reports to effect", "    if trust < policy.teach_trust_min:\n        used = []\n", ""),
    Mutation(_RECALL, "a stranger's recall is noticed", "if trust >= policy.teach_trust_min and ", "if "),
    Mutation(_SLOTS, "names from below join", " if each[1] >= trust]", "]"),
    Mutation(_SLOTS, "what is trusted more is met by names from below", " if node.trust <= link]", "]"),
    Mutation(
        "laws/knowledge/contention.py",
        "a value is the same by names from below",
        "self.values.get(claim.value, -1) >= node.trust",
        "claim.value in self.values",
        by_hand="laws/knowledge/test_names.py",
    ),
    Mutation(
        _NAMING,
        "a thing with a user's names is joined to another by an agent",
        "if any(each > trust for _, each in of.aliases):",
        "if False:",
    ),
    Mutation(_NAMING, "a user's name is moved by an agent", "if trust < dict(of.aliases)[body.name]:", "if False:"),
    Mutation(_NAMING, "a name that moves stays where it was", "is not of], of.without(body.name)]", "is not of], of]"),
    Mutation(
        _NAMING,
        "a user tells nothing apart from what an agent called it",
        "if dict(to.aliases).get(known, trust) < trust:",
        "if False:",
    ),
)

_SHARES: Final = (
    Mutation(_RANK, "strangers have as much as agents", "((_FOREIGN, policy.foreign_share), (_AGENTS", "((_AGENTS"),
    Mutation(_RANK, "agents have all that there is", ", (_AGENTS, policy.agents_share)):", ",):"),
    Mutation(
        _RANK,
        "what agents said goes as what strangers said does",
        "np.lexsort((rank[of_these], trust[of_these]))",
        "np.argsort(rank[of_these])",
    ),
    Mutation(_RANK, "one more is beyond a share", "int(cap * share)", "int(cap * share) + 1"),
    Mutation(
        _NODES,
        "nobody has a share of the nodes",
        'beyond_share(policy, rows["trust"], rank, policy.nodes_max)',
        "np.zeros(len(rows), np.bool_)",
    ),
    Mutation(
        _NODES,
        "what lasts of a stranger's is protected",
        'np.minimum(rows["trust"], _WITNESS)',
        'np.clip(rows["trust"], 1, _WITNESS)',
        by_hand="laws/test_shares.py",
    ),
    Mutation(
        _NODES,
        "an agent's is protected as a user's",
        "_WITNESS: Final = 2",
        "_WITNESS: Final = 1",
        by_hand="laws/test_shares.py",
    ),
    Mutation(_RECALL, "agents have all recalls", "== FOREIGN else policy.agents_share", "== FOREIGN else 1.0"),
    Mutation(_SLEEP, "strangers' is not put away first", 'rows["trust"][active] > 0', 'rows["trust"][active] >= 0'),
    Mutation(
        _SLEEP,
        "nobody has a share of the archive",
        'beyond_share(policy, rows["trust"][archived], rank, policy.archived_max)',
        "np.zeros(len(archived), np.bool_)",
    ),
    Mutation(_SESSION, "strangers have all sessions", "foreign if theirs else sessions", "sessions"),
    Mutation(
        _SESSION,
        "strangers have no session",
        "len(foreign) > int(policy.foreign_share * policy.sessions_open_max)",
        "len(foreign) > 0",
        by_hand="laws/test_shares.py",
    ),
    Mutation(
        _SESSION,
        "a session is trusted as its last event",
        "max(session.trust, event.trust)",
        "event.trust",
    ),
    Mutation(_RECALL, "strangers have all recalls", "    if trust < WITNESS:\n", "    if False:\n"),
    Mutation(
        _RECALL,
        "strangers have no recall",
        "len(theirs) - int(share * policy.recalls_kept_max)",
        "len(theirs)",
        by_hand="laws/test_shares.py",
    ),
    Mutation(
        _EDGES,
        "strangers' edges are cut as others are",
        "    turn[trust == 0] = 0\n",
        "",
    ),
    Mutation(
        _EDGES,
        "what a stranger tied among others' is as theirs, in a full memory",
        'np.minimum(table.rows["trust"][candidates], np.minimum(*[trust[end] for end in ends]))',
        "np.minimum(*[trust[end] for end in ends])",
    ),
    Mutation(
        _EDGES,
        "what a stranger tied among others' is as theirs, at a busy node",
        'np.minimum(rows["trust"], np.array([other.trust for other in others], np.uint8))',
        "np.array([other.trust for other in others], np.uint8)",
    ),
    Mutation(
        _EDGES,
        "only who made an edge counts",
        'np.minimum(table.rows["trust"][candidates], np.minimum(*[trust[end] for end in ends]))',
        'table.rows["trust"][candidates]',
        by_hand="laws/test_shares.py",
    ),
    Mutation(
        _EDGES,
        "agents have all edges",
        "np.where(beyond_share(policy, trust, rank, target), 1, 2)",
        "np.where(trust < 0, 1, 2)",
        by_hand="laws/test_shares.py",
    ),
    Mutation(
        _EDGES,
        "agents have their share of the bound of all edges",
        "rank[candidates], target)",
        "rank[candidates], policy.edges_max)",
    ),
    Mutation(
        _EDGES,
        "agents have their share of the bound of a node",
        "np.bool_), rank, target)",
        "np.bool_), rank, policy.degree_max)",
    ),
)

TRUST: Final = (*_TAINT, *_DERIVED, *_SHARES)
