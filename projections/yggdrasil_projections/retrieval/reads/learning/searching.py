"""A question and its clauses, each searched for, and put together.

The searches of several clauses are interleaved: from each in turn the best that is not there yet, as in team-draft
interleaving (Radlinski and others, 2008). What any of them found is given the relevances of all in the order that this
makes, so that strength and budgets weigh as in a single search.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from yggdrasil_projections.graph.laws.reference import live_or_heir
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph.records import NodeKind, Status

from ...answers import Measure
from ...asks import Ask, Clause, QueryVector
from ...claimed import faded
from ...errors import InvalidAskError
from ...index.index import MemoryIndex
from ...index.neighbours import Places
from ...index.visible import Shown
from ...memories import content_of
from ...questions.understood import Time
from ...ranking.ending import ended
from ...ranking.fusion import Fusion, fused
from ...ranking.own.ranker import OwnRanker
from ...ranking.question import Question, begins_with
from ...ranking.rankers import (
    RANKERS,
    Answering,
    Distinguishing,
    Fused,
    Parting,
    Reading,
    Recipe,
    Tiered,
    base_of,
    own_of,
)
from ...ranking.relevance import Hit, Relevance, relevant
from ...ranking.repeating import said_once
from ...ranking.scoring.adopted import JOINT, network_for
from ...ranking.scoring.features import overlaps
from ...ranking.spreading import spread
from ...records import fields_in
from ...text.said import called_in, names_in, prose_in, value_of
from ..knowledge.rejected import rejected_again
from ..ranked.updated import Updates

NEAREST_MAX: Final = 3
_OUTCOME: Final = int(NodeKind.OUTCOME)
_CLAIM: Final = int(NodeKind.CLAIM)
_READ_MAX: Final = 64


class Asked(NamedTuple):
    """What a refusal depends on beside the search: the confidence that is asked for if any, the tokens that are left if
    they are bounded, and the partition that places are in.
    """

    min_confidence: float | None
    tokens: int | None
    partition: int


class UnknownRankerError(YggdrasilError):
    """No ranker of that name is known to this release, or not with that tokenizer."""


def recipe_of(ranker: str, index: MemoryIndex, graph: Graph, own: OwnRanker | None = None) -> Recipe:
    """Return the numbers of a ranker that can ask ``index``, with what its name says that it orders by.

    That is a scorer, which ``graph`` keeps, or the ranker of somebody else's, which is ``own``. Raises
    UnknownRankerError.
    """
    recipe = RANKERS.get(base_of(ranker))
    if recipe is None:
        raise UnknownRankerError(f"this release does not know the ranker {ranker}; it knows {', '.join(RANKERS)}")
    if recipe.tokenizer != index.tokenizer.name:
        asked = f"{ranker} asks for the words of {recipe.tokenizer}, and this index has those of {index.tokenizer.name}"
        raise UnknownRankerError(f"{asked}; give it one that is made with TOKENIZERS[{recipe.tokenizer!r}]")
    _, _, by = ranker.partition(JOINT)
    if not by:
        return recipe
    if (wanted := own_of(ranker)) is not None:
        if own is None or own.name != wanted or not isinstance(recipe, Tiered):
            there = "" if own is None else f", and what was named here is {own.name}"
            raise UnknownRankerError(
                f"it was ranked by {wanted}, which is no ranker of ours{there}: install the distribution that has it, "
                f"in that version, and name it (--ranker {wanted})"
            )
        return replace(recipe, own=own)
    network = network_for(graph, by)
    if network is None or not isinstance(recipe, Tiered):
        base = base_of(ranker)
        raise UnknownRankerError(f"this memory keeps no scorer {by} that {base} could rank by; read its `scorers`")
    return replace(recipe, scorer=network)


def as_asked(recipe: Recipe, ask: Ask, ranker: str) -> Recipe:
    """Return the numbers of a ranker for an ask of all that says the same (``similar``), or of whole texts (``full``).

    Raises InvalidAskError.
    """
    if ask.full and isinstance(recipe, Parting):
        recipe = replace(recipe, shown_chars=None)
    if not ask.similar:
        return recipe
    if not isinstance(recipe, Distinguishing):
        raise InvalidAskError(f"similar: {ranker} cannot be asked for what says the same; leave it out")
    return replace(recipe, once=False)


def searches(graph: Graph, shown: Shown, ask: Ask, recipe: Recipe, asked: Asked) -> list[Relevance]:
    """Return what is relevant to the whole of a question, and then to each of its clauses.

    Of what is asked ``otherwise`` only where the whole is not known of at all: what is known of somebody else alone is
    no more an answer for having a part of it asked.
    """

    def found(clause: Clause) -> Relevance:
        return searched_for(
            graph,
            shown,
            clause.text,
            clause.vector,
            recipe,
            closely=ask.k is None,
            times=ask.understood.times if ask.understood is not None else (),
            whatever=ask.where is not None and bool(ask.where.history or ask.where.statuses),
        )

    whole = found(Clause(ask.query, ask.vector))
    if recipe.keywords and too_low(graph, shown, whole, asked) is None:
        expanded = " ".join((ask.query, *recipe.keywords))
        whole = widened(whole, found(Clause(expanded, ask.vector)), recipe.expansion)
    parts = ask.clauses or () if isinstance(recipe, Reading) else ()
    low = too_low(graph, shown, whole, asked) if parts else None
    unknown = low is not None and low[1] != "gap"
    return [whole, *(found(each) for each in parts if unknown or not each.otherwise)]


def answering(graph: Graph, shown: Shown, recipe: Recipe, searches: list[Relevance], asked: Asked) -> list[Relevance]:
    """Return those searches that have an answer, the surest first, or else the surest alone.

    The first of ``searches``, that of the whole question, comes first unless that of a clause is clearly surer.
    """
    if len(searches) == 1:
        return searches
    able = [one for one in searches if too_low(graph, shown, one, asked) is None]
    surest = sorted(able or searches, key=lambda one: -one.confidence)
    if not able:
        return surest[:1]
    whole = next((at for at, one in enumerate(surest) if one is searches[0]), None)
    margin = recipe.clause_surer if isinstance(recipe, Reading) else 0.0
    if whole and surest[0].confidence < surest[whole].confidence + margin:
        surest.insert(0, surest.pop(whole))
    return surest


def too_low(graph: Graph, index: Shown, searched: Relevance, asked: Asked) -> tuple[str, Measure, float, float] | None:
    """Return why there is no answer: the reason, what was too low, its value and the threshold; None if there is."""
    policy, least = graph.header.policy, asked.min_confidence
    nearest, filtered = searched.nearest, index.standing.filtered
    acted: Measure
    if not searched.hits:
        reason = f"nothing {'that the filter admits' if filtered else 'in this memory'} is relevant to the question"
        if filtered and not index.standing.documents:
            reason = "the filter admits nothing that this memory holds"
        acted, value, threshold = "relevance", nearest[0].relevance if nearest else 0.0, policy.search_relevance
    elif searched.confidence < (asked_for := policy.search_refusal if least is None else least):
        reason = "what is nearest is not near enough to be an answer"
        acted, value, threshold = "confidence", searched.confidence, asked_for
    elif searched.gap < policy.search_gap and least != 0.0:
        reason = "what is asked is known of somebody else, and not of whom the question names"
        acted, value, threshold = "gap", searched.gap, policy.search_gap
    else:
        return None
    return reason, acted, value, threshold


def widened(whole: Relevance, expanded: Relevance, share: float) -> Relevance:
    """Return what a question finds, with what it finds together with keywords: a ``share`` of its relevance counts.

    What keywords alone find comes after all that the question finds by itself.

    How sure the answer is stays with the question itself: keywords make nothing known that is not.
    """
    own = {hit.row: hit for hit in whole.hits}
    least = min([hit.relevance for hit in whole.hits], default=0.0)
    for hit in expanded.hits:
        if hit.row not in own:
            own[hit.row] = hit._replace(relevance=min(share * hit.relevance, share * least))
    hits = sorted(own.values(), key=lambda hit: (-hit.relevance, hit.row))
    if isinstance(whole, Fusion) and isinstance(expanded, Fusion):
        return replace(whole, hits=hits, repeated={**expanded.repeated, **whole.repeated})
    return replace(whole, hits=hits)


def as_one(searches: list[Relevance]) -> Relevance:
    """Return searches of one index as one; they are in the order in which they take their turns."""
    fusions = [one for one in searches if isinstance(one, Fusion)]
    return interleaved(fusions) if fusions else searches[0]


def interleaved(searches: Sequence[Fusion]) -> Fusion:
    """Return searches of one index as one, as sure as the surest, with the gap of the first."""
    first = searches[0]
    if len(searches) == 1:
        return first
    matching = first.matching
    for other in searches[1:]:
        matching = matching | other.matching
    return replace(
        first,
        hits=in_turn([one.hits for one in searches]),
        nearest=in_turn([one.nearest for one in searches]),
        confidence=max(one.confidence for one in searches),
        matching=matching,
        named=frozenset[str]().union(*(one.named for one in searches)),
        again=frozenset[int]().union(*(one.again for one in searches)),
        least=max(one.least for one in searches),
        repeated={row: each for one in searches[::-1] for row, each in one.repeated.items()},
    )


def in_turn(lists: Sequence[Sequence[Hit]]) -> list[Hit]:
    """Return the hits of several lists, each in order and each row once, from one list after the other."""
    if len(lists) == 1:
        return list(lists[0])
    best: dict[int, Hit] = {}
    for hits in lists:
        for hit in hits:
            known = best.get(hit.row)
            if known is None or hit.relevance > known.relevance:
                best[hit.row] = hit
    order: dict[int, None] = {}
    left = [iter(hits) for hits in lists]
    while left:
        for rest in list(left):
            row = next((hit.row for hit in rest if hit.row not in order), None)
            if row is None:
                left.remove(rest)
            else:
                order[row] = None
    ranked = sorted((hit.relevance for hit in best.values()), reverse=True)
    return [best[row]._replace(relevance=relevance) for row, relevance in zip(order, ranked, strict=True)]


def likely(searched: Relevance, ask: Ask, recipe: Recipe, documents: int) -> list[Hit]:
    """Return what is near enough to be an answer."""
    if not isinstance(recipe, Fused):
        return searched.hits
    earned = searched.earned if isinstance(searched, Fusion) and ask.closely else None
    if isinstance(recipe, Reading) and ask.lists:
        recipe = replace(
            recipe,
            close_falls=min(recipe.close_falls, recipe.list_falls),
            close_falls_late=min(recipe.close_falls_late, recipe.list_falls),
            close_clearly=recipe.list_clearly,
            close_bare=recipe.list_bare,
        )
    return ended(searched.hits, earned, recipe, documents, searched.reliable)


def served(ask: Ask, recipe: Recipe, near: list[Hit], searched: Relevance) -> list[Hit]:
    """Return what may be returned: what is ``near`` enough, and where somebody says how many are wanted, what is not.

    But what is not relevant at all: that has no word of the question, and is farther by meaning than chance brings.
    """
    if ask.k is None or not isinstance(recipe, Reading):
        return near
    enough = {hit.row for hit in near}
    least = min((hit.relevance for hit in near), default=1.0)
    others = (hit for hit in searched.hits if hit.row not in enough and (hit.lexical > 0.0 or hit.vector > 0.0))
    return [*near, *(hit._replace(relevance=min(hit.relevance, least)) for hit in others)]


def near_enough(
    graph: Graph, shown: Shown, ask: Ask, recipe: Recipe, able: Sequence[Relevance], searched: Relevance
) -> list[Hit]:
    """Return what is near enough to be an answer, of the searches that have one, which are ``searched`` as one."""
    near = in_turn([likely(one, ask, recipe, shown.standing.documents) for one in able])
    if isinstance(recipe, Fused) and ask.similar:
        near = _each(graph, shown, near, searched.hits)
    if isinstance(recipe, Reading):
        near = _with_questions(shown, near, searched.hits)
        near = _with_rivals(graph, shown, ask, near, searched.hits)
        if isinstance(searched, Fusion) and ask.k is None and not of_then(ask):
            near = Updates(graph, shown, ask.query, searched.earned.question).beside(near, searched.hits)
    return near


def of_then(ask: Ask) -> bool:
    """Whether a question is about a time, or the first, so that what came later is not what it asks for."""
    read = ask.understood
    return read is not None and (bool(read.times) or read.order in ("first", "sequence"))


def _each(graph: Graph, shown: Shown, near: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return what is near enough, and of ``hits`` whatever says the same as some of that."""
    stands = said_once(graph, shown, hits).row_of
    said = {stands.get(hit.row, hit.row) for hit in near}
    return [hit for hit in hits if stands.get(hit.row, hit.row) in said]


def _with_questions(shown: Shown, near: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return what is near enough, and of ``hits`` the questions of what is so for the question before it alone."""
    by_row = {hit.row: hit for hit in hits}
    kept = {hit.row for hit in near}
    found: list[Hit] = []
    for hit in near:
        found.append(hit)
        before = int(shown.standing.before[hit.row])
        asked = by_row.get(before)
        if asked is not None and hit.lexical == 0.0 and before not in kept and shown.standing.asks[before]:
            kept.add(before)
            found.append(asked._replace(relevance=min(asked.relevance, hit.relevance)))
    return found


def _with_rivals(graph: Graph, shown: Shown, ask: Ask, near: list[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return what is near enough, and of ``hits`` the claims that contest one of these.

    Whoever asks about a span asks for all values that held in it, one after the other: then these are there too.
    """
    columns = shown.documents.columns
    in_span = ask.where is not None and ask.where.valid_since is not None
    kept = {hit.row for hit in near}
    claims = [hit for hit in hits if columns.kind[hit.row] == _CLAIM]
    nodes = {hit.row: graph.expect(int(columns.number[hit.row])) for hit in claims}
    slots = {row: graph.ruling(node).slot for row, node in nodes.items()}  # any order
    wanted = {slots[row] for row in kept & slots.keys() if in_span or nodes[row].status == Status.CONTESTED} - {b""}
    return [*near, *(hit for hit in claims if slots[hit.row] in wanted and hit.row not in kept)]


def searched_for(
    graph: Graph,
    index: Shown,
    question: str,
    vector: QueryVector | None,
    recipe: Recipe,
    *,
    closely: bool = True,
    times: Sequence[Time] = (),
    whatever: bool = True,
) -> Relevance:
    """Return what is relevant to a question: by itself, and by what the graph knows of the best of that.

    Unless it is asked ``closely`` ``hybrid/4`` goes on to what is hardly relevant, where something is. Unless
    ``whatever`` was said is asked for, a claim that has faded is not there.
    """
    searched: Relevance
    if isinstance(recipe, Fused):
        only_asks = partial(_only_asks, graph, index)
        searched = fused(index, question, vector, recipe, only_asks, closely=closely, times=times)
    else:
        searched = relevant(index, question, vector, recipe)
    again = searched.again if isinstance(searched, Fusion) else frozenset[int]()
    kinds = index.documents.columns.kind[np.array([hit.row for hit in searched.hits], np.int64)].tolist()
    standing = [
        _standing_for(graph, index, hit) if kind == _OUTCOME else hit
        for hit, kind in zip(searched.hits, kinds, strict=True)
    ]
    hits = {hit.row: hit for hit in standing[::-1]}  # of two for one row, the better
    own = {} if not isinstance(recipe, Fused) or recipe.lifts_above else {hit.row: hit.relevance for hit in standing}
    for row, reached in spread(graph, index, standing).items():
        if row in again:
            continue
        gained = recipe.spread * reached.activation
        hit = hits.get(row)
        if hit is None:
            hits[row] = Hit(row, 0.0, 0.0, reached.activation, gained, (reached.seed,), reached.linked)
        else:
            relevance = hit.relevance + gained * (1.0 - hit.relevance)
            if reached.seed in own:
                relevance = max(hit.relevance, min(relevance, own[reached.seed]))
            hits[row] = hit._replace(relevance=relevance, spread=max(hit.spread, reached.activation))
    ordered = _named_in(sorted(hits.values(), key=lambda hit: (-hit.relevance, hit.row)), searched)
    if isinstance(searched, Fusion) and isinstance(recipe, Fused) and recipe.once:
        once, bare = said_once(graph, index, ordered), searched.earned.bare
        for hit in ordered:
            if hit.row in once.row_of and hit.row in bare:
                bare.setdefault(once.row_of[hit.row], bare[hit.row])
        ordered, searched = once.hits, replace(searched, repeated=once.by_row)
    if isinstance(recipe, Reading) and not whatever:
        columns = index.documents.columns
        claims = (hit for hit in ordered if columns.kind[hit.row] == _CLAIM)
        gone = {hit.row for hit in claims if faded(graph, graph.expect(int(columns.number[hit.row])))}
        if isinstance(recipe, Answering):
            gone |= rejected_again(graph, index, [hit.row for hit in ordered])
        ordered = [hit for hit in ordered if hit.row not in gone] if gone else ordered
    found = [hit for hit in ordered if hit.relevance >= graph.header.policy.search_relevance]
    if found and isinstance(recipe, Reading) and not closely:
        by_itself = {hit.row for hit in standing} | {hit.row for hit in found}
        found = [hit for hit in ordered if hit.row in by_itself]
    return replace(searched, hits=found, nearest=ordered[:NEAREST_MAX])


def _named_in(hits: list[Hit], searched: Relevance) -> list[Hit]:
    """Return hits, each with how many of the things that the question names it has."""
    named = searched.earned.question.named if isinstance(searched, Fusion) else []
    if not named:
        return hits
    having = overlaps([one.rows for one in named], np.array([hit.row for hit in hits], np.int64))
    return [hit._replace(named=count) if count else hit for hit, count in zip(hits, having, strict=True)]


def _standing_for(graph: Graph, index: Shown, hit: Hit) -> Hit:
    """Let an outcome whose event was forgotten lead to what contained that."""
    heir = live_or_heir(graph, int(index.documents.columns.judged[hit.row]))
    row = index.documents.row(heir.number) if heir is not None else None
    return hit if row is None or index.standing.for_row[row] != row else hit._replace(row=row)


def _only_asks(graph: Graph, index: Shown, rows: Places, question: Question | None) -> Places:
    """Return which of ``rows``, that ask what is asked, are nothing else: neither a document under a key nor named.

    Of rows that say a ``question`` again it is those that say no more, whatever they are called. Of more than 64 the
    rest is taken to be like that: so often the same is only asked.
    """
    numbers: list[int] = index.documents.columns.number[rows[:_READ_MAX]].tolist()
    kept = np.ones(len(rows), np.bool_)
    if question is None:
        kept[: len(numbers)] = [_is_said_in_passing(graph, number) for number in numbers]
    else:
        asked = {index.postings.lexicon[term.number] for term in question.terms}
        kept[: len(numbers)] = [_only_repeats(graph, index, number, question.asking, asked) for number in numbers]
    return rows[kept]


def _only_repeats(graph: Graph, index: Shown, number: int, asking: str, asked: set[str]) -> bool:
    """Return whether a document says a question again, that begins with ``asking``, and no word more.

    Not in its text, its names, its features and its payload; one of these begins as the question does.
    """
    fields, tokenizer = fields_in(content_of(graph, number)), index.tokenizer
    content: dict[str, Any] = fields.get("content") or {}
    features = [value_of(name) for name in names_in(fields)]
    parts = [content.get("text") or "", *called_in(content), *features, *prose_in(content.get("payload"))]
    if all(begins_with(tokenizer.words(part)) != asking for part in parts):
        return False
    return asked.issuperset(term for part in parts for term in tokenizer.terms(part))


def _is_said_in_passing(graph: Graph, number: int) -> bool:
    fields = fields_in(content_of(graph, number))
    return not fields["body"].get("key") and not called_in(fields.get("content") or {})
