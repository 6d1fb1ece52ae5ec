"""Ways to break the laws of roles and regards; many are cheaper to catch by hand than by random lives."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_REGARD: Final = "laws/regard.py"
_ROLES: Final = "laws/knowledge/predicates.py"
_USE: Final = "laws/learning/use.py"
_ACCOUNT: Final = "laws/learning/account.py"
_HAND: Final = "laws/learning/test_regards.py"
_ROLES_HAND: Final = "laws/learning/test_roles.py"

REGARDS: Final = (
    Mutation(_REGARD, "all perspectives are meant", " if each.name in wanted}", "}"),
    Mutation(_REGARD, "as strong as under the weakest", "return max([_now", "return min([_now", by_hand=_HAND),
    Mutation(
        _REGARD,
        "under several: nothing is kept unless something is kept of each",
        "if not any(key in kept for key in keys):",
        "if not keys or not all(key in kept for key in keys):",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "what is new does not begin with its salience",
        "max(graph.header.policy.regard_initial, node.salience)",
        "graph.header.policy.regard_initial",
    ),
    Mutation(
        _REGARD,
        "what is new begins with its salience alone",
        "max(graph.header.policy.regard_initial, node.salience)",
        "node.salience",
    ),
    Mutation(_REGARD, "to be said again begins anew", "if all(each.key != key for each in kept):", "if True:"),
    Mutation(
        _REGARD, "the first use begins with nothing", "node.salience if old is None else", "0.0 if old is None else"
    ),
    Mutation(_REGARD, "a use adds to what was there before it faded", "else _now(old, tick)\n", "else old.value\n"),
    Mutation(
        _REGARD,
        "strength under a perspective has no bound",
        "min(before + gain, max(before, policy.regard_max))",
        "before + gain",
    ),
    Mutation(_REGARD, "a use brings down to the bound", "max(before, policy.regard_max)", "policy.regard_max"),
    Mutation(
        _REGARD,
        "strength under a perspective falls below nothing",
        "max(0.0, min(before + gain",
        "max(-9.0, min(before + gain",
        by_hand=_HAND,
    ),
    Mutation(_REGARD, "who used it last is trusted", "max(old.trust, trust)", "trust", by_hand=_HAND),
    Mutation(
        _REGARD, "uses are counted anew each time", "(0 if old is None else old.uses) + uses", "uses", by_hand=_HAND
    ),
    Mutation(
        _REGARD,
        "under a perspective it fades as before the use",
        "tick, value, node.half_life, used",
        "tick, value, node.half_life if old is None else old.half_life, used",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "what was given is taken back whole",
        "else decayed(gain, elapsed, old.half_life)",
        "else gain",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "what was given has faded as the node",
        "elapsed, old.half_life)",
        "elapsed, node.half_life)",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "what is given again is the word of an operator",
        "left, old.trust, uses",
        "left, 4, uses",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "to settle is to be as strong as before",
        "value=_now(each, tick), half_life",
        "value=each.value, half_life",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD, "a settled one fades as before", ", half_life=node.half_life) for each", ") for each", by_hand=_HAND
    ),
    Mutation(_REGARD, "it has faded under one", "return all(_now", "return any(_now", by_hand=_HAND),
    Mutation(
        _REGARD,
        "room for nine",
        "_KEPT_MAX: Final = PERSPECTIVES_MAX",
        "_KEPT_MAX: Final = PERSPECTIVES_MAX + 1",
        by_hand=_HAND,
    ),
    Mutation(_REGARD, "what is trusted more gives way", "if each.trust <= new.trust]", "]", by_hand=_HAND),
    Mutation(
        _REGARD,
        "what is trusted as much does not give way",
        "each.trust <= new.trust",
        "each.trust < new.trust",
        by_hand=_HAND,
    ),
    Mutation(_REGARD, "the strongest gives way", "others.remove(min(", "others.remove(max(", by_hand=_HAND),
    Mutation(
        _REGARD,
        "the one that was strongest once gives way last",
        "(_now(each, tick), each.key)))",
        "(each.value, each.key)))",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "they are kept in the order of the uses",
        "tuple(sorted([*others, new]))",
        "(*others, new)",
        by_hand=_HAND,
    ),
    Mutation(
        _ROLES,
        "everybody says what a role is",
        "    if refused is not None:\n        return refused\n    body",
        "    if refused is not None and command.body.role is None:\n        return refused\n    body",
        by_hand=_ROLES_HAND,
    ),
    Mutation(
        _ROLES,
        "a role that is said anew needs room",
        "if before is None and len(graph.roles) >= ROLES_MAX:",
        "if len(graph.roles) >= ROLES_MAX:",
        by_hand=_ROLES_HAND,
    ),
    Mutation(
        _ROLES,
        "room for seventeen roles",
        "len(graph.roles) >= ROLES_MAX",
        "len(graph.roles) > ROLES_MAX",
        by_hand=_ROLES_HAND,
    ),
    Mutation(
        _ROLES, "a role that has ended stays", "        graph.define_role(said.name, None)\n", "", by_hand=_ROLES_HAND
    ),
    Mutation(
        _ROLES, "what is renamed is a new one", "own.get(each.formerly or each.name) or ", "", by_hand=_ROLES_HAND
    ),
    Mutation(
        _ROLES,
        "a name that is said to be new is no longer its own",
        " or own.get(each.name) or known",
        " or known",
        by_hand=_ROLES_HAND,
    ),
    Mutation(_ROLES, "no other role has the same perspective", " or known.get(each.name)\n", "\n", by_hand=_ROLES_HAND),
    Mutation(
        _ROLES,
        "what is renamed comes in its turn",
        "(one.formerly not in own, one.name not in own)",
        "one.name not in own",
        by_hand=_ROLES_HAND,
    ),
    Mutation(
        _ROLES,
        "what stays comes in its turn",
        "(one.formerly not in own, one.name not in own)",
        "one.formerly not in own",
        by_hand=_ROLES_HAND,
    ),
    Mutation(_ROLES, "two that got one old name are one", '\\0{seq}")', '\\0")', by_hand=_ROLES_HAND),
    Mutation(_ROLES, "keywords are forgotten", "each.name, tuple(each.keywords))", "each.name)", by_hand=_ROLES_HAND),
    Mutation(
        _USE,
        "a report names no perspectives of its own",
        "keys_of(graph, named) if named else recall.perspectives",
        "recall.perspectives",
        by_hand=_HAND,
    ),
    Mutation(
        _USE,
        "nobody asked under perspectives",
        "keys_of(graph, named) if named else recall.perspectives",
        "keys_of(graph, named)",
        by_hand=_HAND,
    ),
    Mutation(
        _USE,
        "what misled gains under its perspectives",
        "policy.regard_use if impact >= 0 else -policy.regard_use",
        "policy.regard_use",
        by_hand=_HAND,
    ),
    Mutation(
        _USE, "what misled was used under its perspectives", "trust, int(impact >= 0))", "trust, 1)", by_hand=_HAND
    ),
    Mutation(
        _USE,
        "a use without an effect misled",
        "gain = policy.regard_use if impact >= 0",
        "gain = policy.regard_use if impact > 0",
        by_hand=_HAND,
    ),
    Mutation(_USE, "a use is nobody's word", "under, gain, trust, int(", "under, gain, 0, int(", by_hand=_HAND),
    Mutation(
        _ACCOUNT,
        "what was given under perspectives stays",
        "    if account.perspectives:\n",
        "    if False:\n",
        by_hand=_HAND,
    ),
    Mutation(
        _ACCOUNT,
        "what was taken back is given again",
        "[way * each for each in given.regards]",
        "[each for each in given.regards]",
        by_hand=_HAND,
    ),
    Mutation(
        _REGARD,
        "what a bound cut off of a regard is kept too",
        "gained.append(value - before if is_kept else 0.0)",
        "gained.append(gain if is_kept else 0.0)",
        by_hand=_HAND,
    ),
    Mutation(_ACCOUNT, "uses under perspectives stay", "elapsed, way * given.usage)", "elapsed, 0)", by_hand=_HAND),
    Mutation(
        _ACCOUNT,
        "nothing is kept of what was given under perspectives",
        "giving.regards.get(number, (0.0,)",
        "dict.fromkeys((0,), ()).get(number, (0.0,)",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/learning/appraisal.py",
        "what comes back fades under its perspectives as before",
        "        settle_regards(graph, node)\n",
        "",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/learning/recall.py",
        "a recall is under no perspectives",
        "under = keys_of(graph, command.body.perspectives)",
        "under = keys_of(graph, [])",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/decisions/sleep.py",
        "what is consolidated fades under its perspectives as before",
        "        settle_regards(graph, node)\n",
        "",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/decisions/pin.py",
        "what is pinned fades under its perspectives",
        "    settle_regards(graph, node)\n",
        "",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/experience/event.py",
        "an event begins under no perspectives",
        "    if body.perspectives:\n",
        "    if False:\n",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/experience/event.py",
        "an event begins by its writer's trust",
        "begin(graph, event, keys_of(graph, body.perspectives), trust)",
        "begin(graph, event, keys_of(graph, body.perspectives), own)",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/knowledge/claiming.py",
        "a stranger says under which perspectives a claim matters",
        "if same is None or said.line.trust >= graph.header.policy.teach_trust_min:",
        "if True:",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/knowledge/claiming.py",
        "what is said again matters under no more perspectives",
        "if same is None or said.line.trust >= graph.header.policy.teach_trust_min:",
        "if same is None:",
        by_hand=_HAND,
    ),
    Mutation(
        "laws/knowledge/claiming.py",
        "a claim begins by its writer's trust",
        "perspectives), said.line.trust)",
        "perspectives), trust_of(command))",
    ),
    Mutation(
        "laws/knowledge/desk.py",
        "a note begins under no perspectives",
        "    begin(graph, node, keys_of(graph, body.perspectives), trust)\n",
        "",
        by_hand=_HAND,
    ),
    Mutation(
        "working_set.py",
        "what is forgotten leaves how it was regarded",
        "        if what & _REGARDED:\n",
        "        if False:\n",
        by_hand=_HAND,
    ),
    Mutation(
        "working_set.py",
        "a node is not marked as regarded",
        "node.flags | _REGARDED if regards else",
        "node.flags if regards else",
        by_hand=_HAND,
    ),
)
