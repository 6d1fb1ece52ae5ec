"""Under which perspectives a question is asked, and what is looked for beside its words (003, sections 3.2 and 3.5)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.perspectives import Perspective

from ...asks import Ask
from ...errors import InvalidAskError
from ...ranking.rankers import Recipe
from ...text.tokenizers import TOKENIZERS


class Seeing(NamedTuple):
    """An ask with the names of the perspectives that it is asked under, and a ranker that looks under these."""

    ask: Ask
    recipe: Recipe


def seen_under(graph: Graph, ask: Ask, recipe: Recipe) -> Seeing:
    """Return under which perspectives is asked, and how it is ranked then.

    Of a role these are the ones that the question speaks of, by their names and keywords, and all of its own where it
    speaks of none. Raises InvalidAskError for a role, or a perspective, that the memory does not define.
    """
    if ask.role is None and not ask.perspectives:
        return Seeing(ask, recipe)
    chosen = _chosen(graph, ask)
    if not ask.perspectives:
        words = _words(recipe, [ask.query])
        chosen = [each for each in chosen if words & _words(recipe, (each.name, *each.keywords))] or chosen
    keys = tuple(sorted(each.key for each in chosen))
    keywords = tuple(dict.fromkeys(word for each in chosen for word in each.keywords))
    seen = replace(ask, perspectives=tuple(each.name for each in chosen))
    return Seeing(seen, replace(recipe, under=keys, keywords=keywords))


def _chosen(graph: Graph, ask: Ask) -> list[Perspective]:
    roles = graph.roles
    if ask.role is not None and ask.role not in roles:
        raise InvalidAskError(f"role: this memory has no role {ask.role!r}; {_known('define one', roles)}")
    if ask.role is not None:
        of = {each.name: each for each in roles[ask.role].perspectives}
    else:
        of = dict[str, Perspective]()
        for each in (each for name in sorted(roles) for each in roles[name].perspectives):
            words = of[each.name].keywords if each.name in of else ()
            of[each.name] = each._replace(keywords=tuple(dict.fromkeys((*words, *each.keywords))))
    for name in ask.perspectives:
        if name not in of:
            whose = "this memory" if ask.role is None else f"the role {ask.role}"
            raise InvalidAskError(
                f"perspectives: {whose} has no perspective {name!r}; {_known('define a role with it', of)}"
            )
    return [of[name] for name in ask.perspectives or of]


def _known(remedy: str, known: Iterable[str]) -> str:
    there = ", ".join(sorted(known))
    return f"there are: {there}" if there else f"{remedy} first"


def _words(recipe: Recipe, texts: Iterable[str]) -> frozenset[str]:
    terms = TOKENIZERS[recipe.tokenizer]
    return frozenset(term for text in texts for term in terms.terms(text))
