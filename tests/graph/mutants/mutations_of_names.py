"""Ways to break the laws of names, predicates and relations, and of what a claim is to other laws."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

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
        "        reinforce(policy, edge, policy.association_weight)\n",
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
