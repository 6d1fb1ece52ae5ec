"""The search for context, in two stages: what is relevant at all, then what comes first (003, section 3.4)."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKind, NodeKind, Status
from yggdrasil_schemas.limits import RETURNED_MAX

from ...answers import Context, Found, More, Nothing, Scores
from ...asks import Ask, Where
from ...cursor import cursor_after, told_before
from ...errors import InvalidAskError
from ...found import Drawn
from ...index.index import INDEX, MemoryIndex
from ...index.visible import Shown
from ...index.vocabulary import NAME_TERM
from ...lens import admits, holds, seen_by
from ...questions.understood import Understood
from ...ranking.ending import falls_off, reaches
from ...ranking.fusion import Fusion
from ...ranking.own.ranker import OwnRanker
from ...ranking.rankers import (
    RANKER,
    RANKERS,
    Distinguishing,
    Fused,
    Parting,
    Recipe,
    Tiered,
    base_of,
    named_with,
    shown_chars,
)
from ...ranking.relevance import Hit, Relevance, like
from ...ranking.repeating import Repeated
from ...ranking.scoring.adopted import ranker_in
from ...ranking.selection import Candidate, Distinct, Limits, selected
from ...text.tokenizers import TOKENIZER
from ..knowledge.conflicts import conflicts_of
from ..knowledge.withdrawn import withdrawn
from ..ranked.following import FOLLOWING, Seed, followed
from ..ranked.ordered import limits_of, ranked
from ..ranked.scored import described
from ..ranked.seeing import seen_under
from ..ranked.selecting import Lots, Selection, drawn, enough, marked, selection_of
from .excerpts import SHOWN, in_part
from .foretold import foretold
from .mentioned import mentioned
from .paragraphs import with_next
from .searching import (
    Asked,
    answering,
    as_asked,
    as_one,
    near_enough,
    recipe_of,
    searches,
    served,
    too_low,
)
from .shown import found_at, found_in
from .tiers import Placed, joined, leading, led, placed, settled

VERSIONS: Final = {"ranker": RANKER, "tokenizer": TOKENIZER.name, "index": INDEX}
"""What answers now, recorded with every recall so that the answer can be proved later."""
LENS: Final = "trust/1"
"""What hides what a filter trusts too little, with what hangs on it; recalls from before say nothing of it."""
_EVIDENCE: Final = int(EdgeKind.EVIDENCE)
_CLAIM: Final = int(NodeKind.CLAIM)
_STANDS: Final = (Status.ACTIVE, Status.PRIOR)
_RANKED_MIN: Final = 64  # strength decides between what is about equally relevant, so few more than are wanted
_RANKED_PER_PLACE: Final = 4
_NAMES_MAX: Final = 16
_AGAIN_FROM: Final = 3
_AGAIN_SHARE: Final = 0.5
_AGAIN_MIN: Final = 0.25

_ALWAYS: Final = Scores(0.0, 0.0, 0.0, 0.0, 0.0)  # of a principle, which is compared with nothing


def search_context(
    graph: Graph,
    index: MemoryIndex,
    ask: Ask,
    partition: int,
    ranker: str | None = None,
    *,
    own: OwnRanker | None = None,
    lens: bool = True,
    follows: bool = True,
) -> Context:
    """Return the memories of ``graph`` that matter most to what is asked; what is archived only if it is asked deep.

    ``index`` stands at the position of ``graph``. Principles come first whatever is asked; they take of the budget,
    and are never left out. An ask that goes on (``more``) is told what is left, and nothing again. What hangs on what a
    filter trusts too little is not there either, but for recalls from before there was that ``lens``; no claim is
    followed for recalls by which none was (``follows``). Without a ``ranker`` it is the present one: by ``own``, that
    of somebody else, or the scorer in force. Raises UnknownRankerError, RankerFailedError, and InvalidAskError.
    """
    ranker = ranker or (ranker_in(graph, RANKER) if own is None else named_with(own))
    graph, recipe = seen_by(graph, ask.where) if lens else graph, recipe_of(ranker, index, graph, own)
    ask, recipe = seen_under(graph, ask, recipe)
    told = _told(ask, recipe, ranker, graph.header.seq)
    recipe = as_asked(_beside(told, recipe), ask, ranker)
    shown = joined(index.shown(deep=ask.deep, where=ask.where), ask, recipe)
    pinned = [number for number in graph.header.principles if _is_there(graph, ask.where, number)]
    first = [number for number in pinned if number not in told]
    principles = [found_at(graph, number, _ALWAYS, partition) for number in first]
    lessons = [] if ask.more else foretold(graph, index.feature_names, ask.query, ask.features)
    how = selection_of(ask, recipe, graph.header.policy).within(RETURNED_MAX - len(first))
    context = Context(ask.query, [], graph.header.seq, principles, lessons, perspectives=ask.perspectives)
    left = None if ask.tokens_max is None else max(0, ask.tokens_max - context.tokens)
    asked = Asked(ask.min_confidence, left, partition)
    each = searches(graph, shown, ask, recipe, asked)
    whole, searched = each[0], as_one(able := answering(graph, shown, recipe, each, asked))
    leaders = leading(graph, index, ask, recipe, asked, left=partial(_was_told, told))
    context = replace(
        context,
        confidence=max([searched.confidence, *(each.searched.confidence for each in leaders)]),
        gap=searched.gap,
        tokens_max=ask.tokens_max,
        versions=versions_of(ask, ranker) | how.version,
        understood=_understood(ask, searched),
    )
    nothing = refused(graph, shown, searched, recipe, asked)
    showing = in_part(graph, shown, ask, recipe, whole)
    if nothing is not None and not leaders:
        nothing = replace(nothing, nearest=list(map(showing, nothing.nearest)))
        return replace(context, nothing=nothing, withdrawn=_withdrawn(graph, index, shown, ask, whole, recipe, []))
    able, searched = (able, searched) if nothing is None else ([], replace(searched, hits=[]))  # but what leads
    limits = limits_of(recipe, how.sure, left)
    near = near_enough(graph, shown, ask, recipe, able, searched)
    of = _Search(graph, shown, ask, recipe, whole, searched, near)
    choice = _choice(of, how, limits, pinned, told)
    order, lots = _order(of, choice, how, limits, leaders)
    steps = _with_steps(of, index, order, how.places, limits, pinned) if follows else []
    order, versions = steps or order, dict(context.versions) | ({"followed": FOLLOWING} if steps else {})
    chosen = [each.candidate for each in order]
    if choice.pages is not None:
        returned = [*first, *(each.number for each in chosen)]
        left_over = choice.may_be.union(each.number for each in leaders).difference(returned)
        more = _more(choice.pages, searched, ask, ranker, returned, len(left_over))
        context = replace(context, more=more, withdrawn=_withdrawn(graph, index, shown, ask, whole, recipe, near))
    conflicts = conflicts_of(graph, [graph.expect(each.number) for each in chosen], shown.shows)
    found = [showing(found_in(each.graph, each.shown, each.candidate, each.searched, partition)) for each in order]
    found = marked(found, chosen, lots)
    left_out = sum(entry.repeats for entry in found) + _evidence_left_out(chosen, near, shown, _repeated(searched))
    of_it = mentioned(graph, shown, ask, sorted(searched.named)) if isinstance(recipe, Parting) else []
    found = described(graph, chosen, found, recipe)
    return replace(context, found=found, conflicts=conflicts, left_out=left_out, mentioned=of_it, versions=versions)


def _was_told(told: frozenset[int], each: Candidate, searched: Relevance) -> bool:
    """Return whether a candidate, or one that says the same, was told before."""
    repeated = _repeated(searched).get(each.hit.row)
    return each.number in told or (repeated is not None and not told.isdisjoint(repeated.numbers))


def _understood(ask: Ask, searched: Relevance) -> Understood | None:
    """Return what was read of a question, with what of this memory it names."""
    if ask.understood is None:
        return None
    names = sorted(name.removeprefix(NAME_TERM) for name in searched.named)
    return replace(ask.understood, names=tuple(names[:_NAMES_MAX]))


class _Near(NamedTuple):
    """What may be an answer, the most relevant first, the rows of it that are near ``enough``; ``told`` are the nodes
    that were told before.
    """

    graph: Graph
    shown: Shown
    recipe: Distinguishing
    hits: Sequence[Hit]
    enough: frozenset[int]
    pinned: Sequence[int]
    told: frozenset[int]
    repeated: Mapping[int, Repeated]

    def was_told(self, hit: Hit, number: int) -> bool:
        """Return whether a node, or one that says the same, was told before."""
        if number in self.told:
            return True
        repeated = self.repeated.get(hit.row) if self.told else None
        return repeated is not None and not self.told.isdisjoint(repeated.numbers)


def _told(ask: Ask, recipe: Recipe, ranker: str, as_of: int) -> frozenset[int]:
    """Return the nodes that were told before. Raises InvalidAskError for a cursor that is of something else."""
    if ask.more is not None and not isinstance(recipe, Distinguishing):
        raise InvalidAskError(f"more: {ranker} gives no cursors; ask anew without it")
    return told_before(ask, ranker, as_of)


def _beside(told: frozenset[int], recipe: Recipe) -> Recipe:
    """Return the numbers of a ranker where so much has been told before, which takes no candidate's place."""
    if not told or not isinstance(recipe, Distinguishing):
        return recipe
    return replace(recipe, candidates_max=recipe.candidates_max + len(told))


class _Search(NamedTuple):
    """What was asked and found: ``whole`` by the whole question, ``searched`` by all of it, what is ``near`` enough."""

    graph: Graph
    shown: Shown
    ask: Ask
    recipe: Recipe
    whole: Relevance
    searched: Relevance
    near: list[Hit]


class _Choice(NamedTuple):
    """What is chosen, the page that it was chosen from if the ranker has pages, the nodes of all that is near enough,
    and all that was chosen from, by rank.
    """

    chosen: list[Candidate]
    pages: _Near | None
    may_be: set[int]
    distinct: list[Candidate]


def _choice(of: _Search, how: Selection, limits: Limits, pinned: Sequence[int], told: frozenset[int]) -> _Choice:
    """Return what is chosen of a search, but for what leads and what chance adds."""
    graph, shown, ask, recipe, whole, searched, near = of
    ranked_first = max(_RANKED_MIN, _RANKED_PER_PLACE * how.places)
    pages, may_be, distinct = None, set[int](), list[Candidate]()
    if isinstance(recipe, Distinguishing):
        may, enough = served(ask, recipe, near, searched), frozenset(hit.row for hit in near)
        pages = _Near(graph, shown, recipe, may, enough, pinned, told, _repeated(searched))
        asking = whole.asking if isinstance(whole, Fusion) else 0.0
        ordered = partial(with_next, shown, ask, recipe, asking)
        chosen, may_be, distinct = _page(pages, limits, ranked_first, ordered, how)
    else:
        chosen = selected(shown, ranked(graph, shown, recipe, near[:ranked_first], pinned), limits)
    if isinstance(recipe, Fused):
        chosen = settled(graph, shown, ask, recipe, whole, chosen)
    elif len(chosen) < limits.places:
        chosen = _again(graph, shown, recipe, searched, chosen, limits)
    return _Choice(chosen, pages, may_be, distinct)


def _order(
    of: _Search, choice: _Choice, how: Selection, limits: Limits, leaders: list[Placed]
) -> tuple[list[Placed], list[tuple[Candidate, Drawn]]]:
    """Return what is chosen with what leads, and behind that what chance adds, with its lots."""
    graph, shown, ask, recipe, whole, searched, _ = of
    sure = limits._replace(places=max(limits.places, min(len(leaders), how.places)))
    order = led(placed(graph, shown, searched, choice.chosen), leaders, recipe, sure)
    among = Lots(shown, limits, [each.candidate for each in order], choice.distinct)
    lots = drawn(graph, ask, recipe, how, among)
    if lots:
        order += placed(graph, shown, searched, settled(graph, shown, ask, recipe, whole, [each for each, _ in lots]))
    return order, lots


def _with_steps(
    of: _Search, index: MemoryIndex, order: list[Placed], places: int, limits: Limits, pinned: Sequence[int]
) -> list[Placed]:
    """Return an answer with the claims that its claims lead to, behind all others; nothing where there are none."""
    graph, shown, ask, recipe, whole, searched, near = of
    if not isinstance(recipe, Tiered) or not isinstance(whole, Fusion) or ask.more is not None:
        return []
    columns = shown.documents.columns
    hits = [each.candidate.hit for each in order]
    seeds = [Seed(hit.row, hit.relevance) for hit in hits if columns.kind[hit.row] == _CLAIM]
    steps = followed(graph, shown, index.held.links, ask, whole.earned, recipe, seeds) if seeds else []
    if not steps:
        return []
    known = {hit.row: hit for hit in searched.hits}
    steps = [known.get(hit.row, hit)._replace(relevance=hit.relevance, via=hit.via) for hit in steps]
    of_row = {each.hit.row: each for each in ranked(graph, shown, recipe, [*hits, *steps], pinned)}
    likely = [of_row[hit.row] for hit in steps if hit.row in of_row]  # a principle is there anyway
    stay = {hit.row for hit in near}.union(*((hit.row, *hit.via) for hit in steps))
    found = order
    for each in likely:
        if each.hit.via[0] not in {one.candidate.hit.row for one in found}:
            continue  # what led there gave way to a step before
        trust = min(each.trust, int(columns.trust[each.hit.via[0]]))
        room = _with_room(found, each, trust, stay, limits._replace(places=places))
        if room is not None and _says_else(shown, [one.candidate for one in room], each, limits):
            last = min(one.candidate.priority for one in room)
            found = [*room, *placed(graph, shown, searched, [each._replace(priority=min(each.priority, last))])]
    return [] if found is order else found


def _with_room(order: list[Placed], step: Candidate, trust: int, stay: Set[int], limits: Limits) -> list[Placed] | None:
    """Return an answer in which there is room for a step, None where there is none.

    The last ones give way that are trusted less, or as much and not among those rows that ``stay``: what is near enough
    to be an answer, steps and what led to them. What leads gives way to nothing.
    """
    found = list(order)
    while True:
        tokens = sum(one.candidate.tokens for one in found) + step.tokens
        if len(found) < limits.places and (limits.tokens is None or tokens <= limits.tokens):
            return found
        for at in range(len(found) - 1, -1, -1):
            one = found[at].candidate
            if not found[at].tier and (one.trust < trust or (one.trust == trust and one.hit.row not in stay)):
                del found[at]
                break
        else:
            return None


def _says_else(shown: Shown, there: Sequence[Candidate], each: Candidate, limits: Limits) -> bool:
    """Whether something says what nothing that is there says."""
    distinct = Distinct(shown, limits)
    for one in there:
        distinct.add(one)
    return distinct.evidence_of(each) is None and not distinct.repeated(each)


def _page(
    near: _Near,
    limits: Limits,
    ranked_first: int,
    ordered: Callable[[list[Candidate]], list[Candidate]],
    how: Selection,
) -> tuple[list[Candidate], set[int], list[Candidate]]:
    """Return what is chosen of what has not been told, the nodes of all that is near enough, were there more room, and
    by rank all that is chosen from.

    What is not is looked at as far as it may be chosen. The first ``ranked_first`` compete by their priority, then the
    rest. What was told before stands first, so that nothing is chosen that says the same again. What is left is
    ``ordered`` once more.
    """
    columns = near.shown.documents.columns
    numbers: list[int] = columns.number[np.array([hit.row for hit in near.hits], np.int64)].tolist()
    each = list(zip(near.hits, numbers, strict=True))
    before = [hit for hit, number in each if near.was_told(hit, number)]
    fresh = [hit for hit, number in each if not near.was_told(hit, number)]
    fresh = [hit for at, hit in enumerate(fresh) if at < ranked_first or hit.row in near.enough]
    candidates = [
        one
        for hits in (fresh[:ranked_first], fresh[ranked_first:])
        for one in ranked(near.graph, near.shown, near.recipe, hits, near.pinned, near.repeated)
    ]
    candidates = enough(near.graph, candidates, near.recipe, how)
    told = ranked(near.graph, near.shown, near.recipe, before, near.pinned, near.repeated)
    said = {one.number for one in told}
    endless = limits._replace(places=len(near.hits), tokens=None)
    distinct = ordered([one for one in selected(near.shown, [*told, *candidates], endless) if one.number not in said])
    chosen = distinct[: limits.places]
    if limits.tokens is not None:
        chosen = selected(near.shown, distinct if told else candidates, limits)
    return chosen, {one.number for one in distinct if one.hit.row in near.enough}, distinct


def _more(
    near: _Near, searched: Relevance, ask: Ask, ranker: str, returned: Sequence[int], left_over: int
) -> More | None:
    """Return what else is near enough, if anything is: ``left_over``, and what was not looked at."""
    exact = True
    if isinstance(searched, Fusion) and searched.least and near.hits:
        falls = falls_off(near.recipe, near.shown.standing.documents, searched.reliable, closely=ask.closely)
        best = max(hit.relevance for hit in near.hits if not hit.linked)
        exact = searched.least < max(near.graph.header.policy.search_relevance, reaches(best, falls))
    if exact and not left_over:
        return None
    cursor = cursor_after(ask, ranker, near.graph.header.seq, near.told.union(returned)) if returned else None
    return More(left_over, exact, cursor)


def _withdrawn(
    graph: Graph, index: MemoryIndex, shown: Shown, ask: Ask, searched: Relevance, recipe: Recipe, near: Sequence[Hit]
) -> int:
    """Return how much that is about the question no longer stands; an answer that goes on does not say it again."""
    if not isinstance(recipe, Distinguishing) or not isinstance(searched, Fusion) or ask.more is not None:
        return 0
    told = [hit.row for hit in near]
    return withdrawn(graph, index, shown, ask, searched.earned.question, recipe, told)


def _is_there(graph: Graph, where: Where | None, number: int) -> bool:
    node = graph.expect(number)
    claim = graph.claim(node)
    return admits(where, node) if claim is None else holds(where, node, claim)


def versions_of(ask: Ask, ranker: str) -> dict[str, str]:
    """Return what answers a question: ranker, tokenizer, index, the model of its vector, and how trust is looked at."""
    recipe = RANKERS[base_of(ranker)]
    versions = {**VERSIONS, "ranker": ranker, "tokenizer": recipe.tokenizer}
    if ask.vector is not None:
        versions["model"] = ask.vector.model
    if ask.where is not None and ask.where.trust_min:
        versions["lens"] = LENS
    if shown_chars(recipe) is not None and not ask.full:
        versions["shown"] = SHOWN
    return versions


def refused(graph: Graph, index: Shown, searched: Relevance, recipe: Recipe, asked: Asked) -> Nothing | None:
    """Return why there is no answer, or None when there is one.

    Whoever asks for no confidence (``min_confidence`` 0) is not refused for the gap either: what is nearest is told.
    """
    low = too_low(graph, index, searched, asked)
    if low is None:
        return None
    handed = _nearest(graph, index, searched, recipe, asked)
    return Nothing(*low, searched.confidence, handed, index.standing.filtered)


def _nearest(graph: Graph, index: Shown, searched: Relevance, recipe: Recipe, asked: Asked) -> list[Found]:
    """Return what came nearest, the most relevant first, as far as it fits into the budget of tokens."""
    found: list[Found] = []
    left = asked.tokens
    near = ranked(graph, index, recipe, searched.nearest, graph.header.principles)
    for each in sorted(near, key=lambda one: (-one.hit.relevance, one.number)):
        if left is None or each.tokens <= left:
            found.append(replace(found_in(graph, index, each, searched, asked.partition), uncertain=True))
            left = None if left is None else left - each.tokens
    return found


def _repeated(searched: Relevance) -> Mapping[int, Repeated]:
    return searched.repeated if isinstance(searched, Fusion) else {}


def _evidence_left_out(
    chosen: Sequence[Candidate], near: Sequence[Hit], shown: Shown, repeated: Mapping[int, Repeated]
) -> int:
    """Return how many memories that are near enough are left out for claims that say the same, with their likes."""
    evidence = frozenset[int]().union(*(each.evidence for each in chosen)).difference(each.number for each in chosen)
    if not evidence:
        return 0
    rows = [hit.row for hit in near]
    numbers: list[int] = shown.documents.columns.number[np.array(rows, np.int64)].tolist()
    left = [row for row, number in zip(rows, numbers, strict=True) if number in evidence]
    return sum(1 + (repeated[row].others if row in repeated else 0) for row in left)


def _again(
    graph: Graph,
    index: Shown,
    recipe: Recipe,
    searched: Relevance,
    chosen: list[Candidate],
    limits: Limits,
) -> list[Candidate]:
    """Search once more, with the words of what was found, for the places that are left (Bates 1989, berrypicking).

    What that brings counts half, and must be much like what it was found by.
    """
    known = {hit.row for hit in searched.hits}
    seeds = [each.hit.row for each in chosen[:_AGAIN_FROM]]
    more = [
        hit._replace(relevance=hit.relevance * _AGAIN_SHARE, via=tuple(seeds))
        for hit in like(index, seeds, recipe)
        if hit.row not in known and hit.relevance * _AGAIN_SHARE >= _AGAIN_MIN
    ]
    pinned = graph.header.principles
    found = selected(index, [*chosen, *ranked(graph, index, recipe, more, pinned)], limits)
    return sorted(found, key=lambda each: (-each.priority, each.number))
