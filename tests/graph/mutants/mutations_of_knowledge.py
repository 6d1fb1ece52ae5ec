"""Ways to break the laws of what stands."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_SUCCESSION: Final = "laws/standing/succession.py"
_JUDGING: Final = "laws/knowledge/judging.py"
_VECTOR: Final = "laws/decisions/vector.py"
_RULING: Final = "laws/standing/ruling.py"

KNOWLEDGE: Final = (
    Mutation(
        "laws/authority.py",
        "what is stamped counts for nothing",
        "return tier if stamped",
        "return tier if 1 or stamped",
    ),
    Mutation("laws/authority.py", "what is stamped counts, and is more", " or stamped > tier", ""),
    Mutation(
        "laws/authority.py", "a tool is trusted as a user is", "TIERS[origin]", 'TIERS[origin] - (origin == "tool")'
    ),
    Mutation(
        "laws/authority.py",
        "a thinker is trusted as a user is",
        "TIERS[origin]",
        'TIERS[origin] + (origin == "thinker")',
    ),
    Mutation(
        _VECTOR,
        "anybody attaches a vector to anything",
        "if trust < (TRUST_MAX if node.kind == NodeKind.FEATURE else node.trust):",
        "if False:",
    ),
    Mutation(
        _VECTOR,
        "a vector takes more trust than the node has",
        "if trust < (TRUST_MAX if node.kind == NodeKind.FEATURE else node.trust):",
        "if trust <= (TRUST_MAX if node.kind == NodeKind.FEATURE else node.trust):",
    ),
    Mutation(_VECTOR, "the last vector to come wins", "if trust < trusted:", "if False:"),
    Mutation(_VECTOR, "a vector is never attached anew", "if trust < trusted:", "if trust <= trusted:"),
    Mutation(_VECTOR, "of three the first goes", "(trust_of(each), seq, other)", "(seq, trust_of(each), other)"),
    Mutation(
        "laws/learning/outcome.py",
        "an outcome is trusted more than what it is of",
        "min(trust, target.trust)",
        "trust",
    ),
    Mutation(_RULING, "a stranger's note stands", "if trust < policy.notes_trust_min else", "if False else"),
    Mutation(
        _RULING, "what is concluded from a stranger stands", "conclusion.status = first_status(policy, trust)", ""
    ),
    Mutation(_RULING, "what is concluded is trusted as who concludes it", "trust = min(trust, member.trust)", "pass"),
    Mutation(
        _SUCCESSION,
        "the slot of what is corrected goes before the key",
        "slot = slot_of_key(body.key)",
        "slot = slot or slot_of_key(body.key)",
    ),
    Mutation(_SUCCESSION, "each correction begins a slot", "    if slot:\n        return slot\n", ""),
    Mutation(
        _SUCCESSION,
        "what is corrected is its correction's rival",
        "if member is not old and member.status in _HELD]",
        "if member.status in _HELD]",
        by_hand="laws/knowledge/test_succession.py",
    ),
    Mutation(_SUCCESSION, "what waits is above somebody", "if each.status in _WAITING:", "if False:"),
    Mutation(
        _SUCCESSION,
        "candidates are above somebody",
        "_WAITING: Final = (Status.CANDIDATE, _QUARANTINED)",
        "_WAITING: Final = (_QUARANTINED,)",
        by_hand="laws/knowledge/test_contention.py",
    ),
    Mutation(
        _SUCCESSION,
        "what was rejected is a rival",
        "if member is not old and member.status in _HELD]",
        "if member is not old]",
        by_hand="laws/knowledge/test_contention.py",
    ),
    Mutation(
        _SUCCESSION,
        "a pin holds against operators",
        "bool(each.flags & _PINNED) and not operator",
        "bool(each.flags & _PINNED)",
    ),
    Mutation(_SUCCESSION, "a pin holds nothing", "bool(each.flags & _PINNED) and not operator", "False"),
    Mutation(_SUCCESSION, "one tier below is as far as two", "trust < counts - 1", "trust < counts"),
    Mutation(_SUCCESSION, "two tiers below are as near as one", "trust < counts - 1", "trust < counts - 2"),
    Mutation(_SUCCESSION, "a pin contests", "pinned or trust < counts - 1", "trust < counts - 1"),
    Mutation(
        _SUCCESSION,
        "what stands better gives way",
        "if each.status >= status and ",
        "if ",
        by_hand="laws/knowledge/test_succession.py",
    ),
    Mutation(_SUCCESSION, "only what stands worse gives way", "each.status >= status", "each.status > status"),
    Mutation(_SUCCESSION, "what is trusted more gives way", "authority(graph, each) <= trust and ", ""),
    Mutation(
        _SUCCESSION,
        "what is trusted as much stays",
        "authority(graph, each) <= trust",
        "authority(graph, each) < trust",
    ),
    Mutation(_SUCCESSION, "what is pinned gives way", "(operator or not each.flags & _PINNED)", "True"),
    Mutation(
        _SUCCESSION,
        "what is pinned stays in an operator's way",
        "(operator or not each.flags & _PINNED)",
        "not each.flags & _PINNED",
    ),
    Mutation(_SUCCESSION, "a slot has room for nine", ">= SLOT_MAX", "> SLOT_MAX"),
    Mutation(
        _SUCCESSION,
        "a correction takes the place of what had none",
        "if old is not None and old.status in _HELD:",
        "if old is not None:",
    ),
    Mutation(
        _SUCCESSION,
        "what is corrected stays",
        "if old is not None and old.status in _HELD:",
        "if False and old is not None:",
    ),
    Mutation(_SUCCESSION, "a claim is of no command", "by if instead else NOBODY", "NOBODY"),
    Mutation(
        _SUCCESSION, "a claim says of nothing what it is against", "else NOBODY, 0, instead))", "else NOBODY, 0, 0))"
    ),
    Mutation(_SUCCESSION, "a claim is a judgement", "else NOBODY, 0, instead))", "else NOBODY, trust, instead))"),
    Mutation(
        _SUCCESSION,
        "whoever corrects something counts for nothing",
        "Ruling(slot, by, trust, event.number)",
        "Ruling(slot, by, 0, event.number)",
    ),
    Mutation(_SUCCESSION, "what gives way changes its slot", "kept or ruling.slot", "ruling.slot"),
    Mutation(_SUCCESSION, "what gives way gets no slot", "kept or ruling.slot", "kept"),
    Mutation(
        _SUCCESSION,
        "a catastrophe is corrected like anything",
        "if node.flags & _PROTECTED and",
        "if node.flags & _PINNED and",
        by_hand="laws/knowledge/test_succession.py",
    ),
    Mutation(
        _SUCCESSION,
        "what is pinned is corrected like anything",
        "if node.flags & _PROTECTED and",
        "if node.flags & (_PROTECTED ^ _PINNED) and",
    ),
    Mutation(
        _SUCCESSION,
        "whoever is trusted less may change it",
        "if trust < authority(graph, node) else None",
        "if False else None",
    ),
    Mutation(
        _SUCCESSION,
        "whoever is trusted as much may not change it",
        "if trust < authority(graph, node) else None",
        "if trust <= authority(graph, node) else None",
    ),
    Mutation(
        _RULING, "who has judged it counts for nothing", "max(node.trust, graph.ruling(node).trust)", "node.trust"
    ),
    Mutation(_RULING, "anything can be judged", "if identity.kind not in _MAKERS:", "if False:"),
    Mutation(_RULING, "concepts cannot be judged", "    FormConcept.number,\n", ""),
    Mutation(_RULING, "claims cannot be judged", "    AssertClaim.number,\n", ""),
    Mutation(_RULING, "what waits has not fallen", "(Status.QUARANTINED, Status.SUPERSEDED", "(Status.SUPERSEDED"),
    Mutation(_RULING, "what is resolved has fallen", "Status.REJECTED)", "Status.REJECTED, Status.RESOLVED)"),
    Mutation(_RULING, "what is stale stays so", "if before != fallen(node):", "if fallen(node) and not before:"),
    Mutation(_RULING, "nothing gets stale later", "if before != fallen(node):", "if before and not fallen(node):"),
    Mutation(
        _RULING,
        "what contains something is looked at with each verdict",
        "if before != fallen(node):",
        "if True:",
        by_hand="laws/knowledge/test_trust.py",
    ),
    Mutation(
        _RULING, "one part that stands again is enough", "any(map(fallen, contained))", "all(map(fallen, contained))"
    ),
    Mutation(_RULING, "one that falls is enough", "len(gone) == len(others) and any", "any"),
    Mutation(_RULING, "whoever is below carries off", ">= enough for each", ">= 0 for each"),
    Mutation(_RULING, "nobody as high carries off", ">= enough for each", "> enough for each"),
    Mutation(_RULING, "all have to be as high", "and any(authority(", "and others and all(authority("),
    Mutation(
        _RULING,
        "what was judged high is carried off from below",
        "enough = authority(graph, node)",
        "enough = node.trust",
    ),
    Mutation(
        _RULING,
        "what is concluded is never looked at",
        "elif kind == _EVIDENCE:\n                review",
        "elif False:\n                review",
    ),
    Mutation(_RULING, "all that was rejected is remembered", "sorted(rejected)[:-SLOT_MAX]", "rejected[:0]"),
    Mutation(
        _RULING, "the first that were rejected are remembered", "sorted(rejected)[:-SLOT_MAX]", "rejected[SLOT_MAX:]"
    ),
    Mutation(
        _RULING,
        "the last that were rejected are remembered",
        "sorted(rejected)[:",
        "sorted(rejected, key=lambda each: each[1])[:",
    ),
    Mutation(_RULING, "nothing is made stale", "if fallen(member):", "if False:"),
    Mutation(_JUDGING, "claimants are not asked", 'or verdict != "release" or', "or True or"),
    Mutation(
        _JUDGING,
        "what one may not judge is left out",
        "            return refused\n        if isinstance(judged, Judged)",
        "            continue\n        if isinstance(judged, Judged)",
    ),
    Mutation(_JUDGING, "anything is evidence", "if accepted(graph, each) is None:", "if False:"),
    Mutation(_JUDGING, "what is forgotten is judged", "if not found:", "if False:"),
    Mutation(_JUDGING, "a thinker judges from anywhere", "stale = refuse(graph, body)", "stale = None"),
    Mutation(_JUDGING, "a thinker judges again and again", "    advance(graph, body)\n", ""),
    Mutation(
        _JUDGING,
        "what is out already is put in quarantine",
        'elif verdict != "quarantine" or node.status in _WAITING_OR_STANDING:',
        "else:",
    ),
    Mutation(
        _JUDGING,
        "what is out comes back whatever waits",
        ">= SLOT_MAX",
        ">= 99",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation(
        _JUDGING,
        "what waits is kept out by others",
        "if not slot or node.status in _WAITING_OR_STANDING:",
        "if not slot:",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation(
        _JUDGING,
        "what is judged loses its slot",
        "Ruling(graph.ruling(node).slot, id_bytes(command.id),",
        'Ruling(b"", id_bytes(command.id),',
    ),
    Mutation(
        _JUDGING,
        "whoever judges counts for nothing",
        "id_bytes(command.id), trust, 0, command.body.reason)",
        "id_bytes(command.id), 0, 0, command.body.reason)",
    ),
    Mutation(
        _JUDGING,
        "what stood in its place still does",
        "trust, 0, command.body.reason)",
        "trust, graph.ruling(node).instead, command.body.reason)",
    ),
    Mutation(
        _JUDGING,
        "what is released asks its slot alone",
        "if ruling.instead:",
        "if False:",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation(
        _JUDGING,
        "what is released asks what is in its place alone",
        "graph.slot(ruling.slot) if ruling.slot else ()",
        "()",
    ),
    Mutation(_JUDGING, "what waits gives way to what is released", "and each.status in _STANDING and", "and"),
    Mutation(
        _JUDGING,
        "a prior one does not give way",
        "_STANDING: Final = (*_ESTABLISHED, Status.CONTESTED)",
        "_STANDING: Final = (Status.ACTIVE, Status.CONTESTED)",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(_JUDGING, "what holds at other times gives way", "and _contradicts(graph, node, each)]", "]"),
    Mutation(
        _JUDGING,
        "claimants count among those that keep out",
        "in _WAITING_OR_STANDING and each not in rivals]",
        "in _WAITING_OR_STANDING]",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation(
        _JUDGING,
        "what is released stays closed",
        "claim._replace(closed=OPEN_TO)",
        "claim",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(
        _JUDGING,
        "what is active is released",
        "if node.status == _ACTIVE:\n        return",
        "if False:\n        return",
    ),
    Mutation(
        _JUDGING,
        "anything is verified",
        "Refused(Refusal.NOT_A_CLAIM) if graph.claim(node) is None else None",
        "None",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(_JUDGING, "anything is promoted", "(graph.claim(node) is None or node.status != _ACTIVE)", "False"),
    Mutation(_JUDGING, "agents promote", 'return verdict == "promote"', "return False"),
    Mutation(
        _JUDGING,
        "what a verdict undid is promoted",
        "if node.status == _ACTIVE:  # still",
        "if True:  # still",
        by_hand="laws/knowledge/test_judging_claims.py",
    ),
    Mutation(_JUDGING, "a verdict is half as sure", "100 * graph.header", "50 * graph.header"),
    Mutation(_JUDGING, "a verdict confirms alone", "node, line, members)", "node, line, [])"),
    Mutation(
        _JUDGING,
        "nothing gives way to what is released",
        "supersede(graph, rival, given._replace(instead=node.number, self_approved=False))",
        "pass",
    ),
    Mutation(_JUDGING, "what gave way does not say to what", "instead=node.number, self_approved", "self_approved"),
    Mutation(
        _JUDGING,
        "what is released is not settled",
        "    graph.settle(node.number)\n    revive(graph, node)\n    if status in",
        "    revive(graph, node)\n    if status in",
    ),
    Mutation(
        _JUDGING,
        "what is released stays in the archive",
        "    revive(graph, node)\n    if status in",
        "    if status in",
        by_hand="laws/knowledge/test_judging.py",
    ),
    Mutation("laws/bounds/rank.py", "what has fallen is kept as long", "-1.0 / (1.0 + rank)", "rank"),
    Mutation("laws/bounds/rank.py", "what was rejected is kept as long", ' | (rows["status"] == _REJECTED)', ""),
    Mutation("working_set.py", "what is out of a slot stays in it", "if status < _OUT_FROM or", "if True or"),
    Mutation(
        "working_set.py",
        "no slot remembers what was rejected",
        "if status < _OUT_FROM or (status == _REJECTED and node.kind == _CLAIM):",
        "if status < _OUT_FROM:",
    ),
    Mutation("working_set.py", "what moves stays in its slot too", "if slot and slot != ruling.slot:", "if False:"),
    Mutation(
        "working_set.py",
        "what is forgotten stays in its slot",
        "            if slot:\n                self.leave(",
        "            if False:\n                self.leave(",
    ),
    Mutation(
        "working_set.py", "a ruling outlives its node", "            self.changed_rulings[node.number] = None\n", ""
    ),
)

_NAMING: Final = "laws/knowledge/naming.py"
_PREDICATES: Final = "laws/knowledge/predicates.py"
_RELATING: Final = "laws/knowledge/relating.py"
NAMES: Final = (
    Mutation(_NAMING, "strangers give names", "    if not trust:\n", "    if False:\n"),
    Mutation(_NAMING, "what is pinned gets other names", "if is_operator(command):", "if True:"),
    Mutation(_NAMING, "anything is evidence of a name", "if accepted(graph, each) is None:", "if False:"),
    Mutation(_NAMING, "whoever is trusted less takes a name back", "if trust < given else", "if False else"),
    Mutation(_NAMING, "a thing is its own alias", "if body.name == to.canonical:", "if False:"),
    Mutation(_NAMING, "its own names stay", "        said += of.said\n", ""),
    Mutation(_NAMING, "a thing has ten names", "1 + len(names.aliases) > NAMES_MAX", "len(names.aliases) > NAMES_MAX"),
    Mutation(
        _NAMING,
        "a memory has any number of names",
        "(grown and graph.header.aliases >= ALIASES_MAX)",
        "False",
        by_hand="laws/knowledge/test_names.py",
    ),
    Mutation(_PREDICATES, "predicates have no bound", "graph.header.predicates >= PREDICATES_MAX", "False"),
    Mutation(_PREDICATES, "nothing is known without being defined", "or KNOWN.get(predicate) or", "or"),
    Mutation(
        _PREDICATES, "a thing has any number of numbers", "(_UNKNOWN_OF_ONE if unknown else _UNKNOWN)", "_UNKNOWN"
    ),
    Mutation(_RELATING, "a thing has to do with itself", "if source is target:", "if False:"),
    Mutation(
        _RELATING,
        "what is said again is not reinforced",
        "        reinforce(graph, edge, policy.association_weight)\n",
        "        pass\n",
    ),
    Mutation(
        _RELATING,
        "nobody said how they are related",
        "    graph.changed_relations[key] = Relation(tuple(said[-SAYERS_MAX:]))\n",
        "",
    ),
    Mutation("working_set.py", "relations count among the kinds", "bit = KIND_BITS[kind]", "bit = 1 << kind"),
    Mutation("working_set.py", "a relation outlives its edge", "if key[1] >= _RELATIONS_FROM:", "if False:"),
    Mutation(
        "working_set.py",
        "a claim outlives its node",
        "            self.changed_claims[node.number] = None\n",
        "            pass\n",
    ),
    Mutation(
        "laws/reference.py",
        "what confirmed a claim names nothing",
        "if identity.kind == AssertClaim.number else",
        "if False else",
    ),
    Mutation(
        "laws/decisions/reflection.py",
        "what confirmed a claim is no evidence",
        "witness = made(graph, identity)",
        "witness = graph.node(identity.seq << 6)",
        by_hand="laws/decisions/test_reflection.py",
    ),
)
