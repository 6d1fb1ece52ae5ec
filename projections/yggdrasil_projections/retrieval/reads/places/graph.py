"""What a question needs to know, followed over claims: facts with their evidence, and over which claims they follow.

GraphRAG over what is claimed (Edge and others, 2024, without their summaries; the best comes first as in Yasunaga and
others, 2021): the search finds what the question is about, and from there claims are followed, the most relevant, sure
and trusted first.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from heapq import heappop, heappush
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
from pydantic import Field

from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_schemas.limits import TEXT_CHARS_MAX, TRUST_MAX
from yggdrasil_schemas.names import claim_in_words, name_in_words, object_in_words

from ...answers import Context
from ...asks import TOKENS_MAX, Ask, Where, check_count, check_text
from ...claimed import claim_seen
from ...errors import InvalidAskError
from ...found import Answered
from ...index.columns.links import UNKNOWN
from ...index.columns.moments import at_present
from ...index.index import MemoryIndex
from ...lens import narrowed
from ...memories import content_of
from ...query import Read, Source
from ...ranking.selection import tokens_of
from ...records import fields_in
from ...text.tokenizers import Tokenizer
from ..experience.described import node_called
from ..learning.context import search_context
from ..learning.searched import read as understood
from .look import Gated, Look, check_gate, looking_at

DEPTH_MAX: Final = 2
LOOKED_AT: Final = 500
"""So many claims are looked at at most."""
SEEDS: Final = 10
TOKENS: Final = 800
_PER_THING: Final = 100  # claims about one thing that are looked at, the most trusted and youngest first
_EVENTS_TOLD: Final = 8
_UNSAID: Final = 0.5  # of what has no word of the question beside the thing that led to it
_WEIGHTS: Final = (1, 3, 4, 5, 6)  # of each trust, as in a claim's confidence


@dataclass(frozen=True, slots=True)
class GraphFact:
    """A fact: what a ``claim`` says, in words, and the ids of the ``events`` that it was made from, at most eight.

    ``depth`` is how many claims it is away from what the search found, and ``path`` are the ids of these, this one the
    last. ``score``, in [0, 1], is how relevant what it follows from is, times how sure and how trusted each claim is.
    """

    claim: str
    text: str
    subject: str
    predicate: str
    object: str | bool | None
    qualifiers: dict[str, str]
    confidence: float
    trust: int
    score: float
    depth: int
    path: list[str]
    events: list[str]
    tokens: int


@dataclass(frozen=True, slots=True)
class GraphFacts(Answered):
    """Facts, the best first, within a budget of tokens: ``tokens`` is what their texts take.

    ``seeds`` are the references of what the search found, and the names of what the question names. ``looked_at``
    counts claims, and ``cut`` says whether there were more than are looked at, or than there was room for.
    """

    query: str
    facts: list[GraphFact]
    seeds: list[str]
    looked_at: int
    tokens: int
    cut: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskGraph(Gated[GraphFacts]):
    """Return facts that bear on a question, also those that only other facts lead to: up to ``depth`` (1 or 2) claims
    away from what the search finds.

    At most 500 claims are looked at, and at most 100 about one thing, the most trusted and youngest. Raises
    InvalidAskError.
    """

    query: Annotated[str, Field(min_length=1, max_length=TEXT_CHARS_MAX)]
    _: KW_ONLY
    depth: Annotated[int, Field(ge=1, le=DEPTH_MAX)] = DEPTH_MAX
    tokens_max: Annotated[int, Field(ge=1, le=TOKENS_MAX)] = TOKENS

    def __post_init__(self) -> None:
        check_gate(self)
        if not 1 <= len(check_text("query", self.query).strip()) <= TEXT_CHARS_MAX:
            raise InvalidAskError(f"a query has 1 to {TEXT_CHARS_MAX:,} characters")
        check_count("depth", self.depth, DEPTH_MAX)
        check_count("tokens_max", self.tokens_max, TOKENS_MAX)

    def read(self, source: Source, /) -> GraphFacts:
        """Answer it."""
        now = source.now_ms()

        def search(graph: Graph, index: MemoryIndex) -> tuple[Context, frozenset[str], Callable[[str], frozenset[str]]]:
            where = narrowed(None if self.valid_at is None else Where(valid_at=self.valid_at), trust_min_of(graph))
            ask = at_present(index.moments, understood(Ask(source.memory, self.query, SEEDS, where=where), now), now)
            said = partial(_said, index.tokenizer)
            return search_context(graph, index, ask, source.partition, follows=False), said(self.query), said

        with looking_at(source, self, search) as (look, (found, words, said)):
            return _Follow(look, self, words, said).facts(found)


def _said(tokenizer: Tokenizer, text: str) -> frozenset[str]:
    """Return the words of a text that say something, as they count."""
    return frozenset(counted for word in tokenizer.split(text) if (counted := tokenizer.counted_as(word)))


class _Next(NamedTuple):
    """A claim that may be told next: by its score, the best first, then by number; over which links it was found."""

    less: float
    number: int
    link: int
    path: tuple[int, ...]


class _Follow:
    """Follows claims from what was found."""

    def __init__(self, look: Look, ask: AskGraph, words: frozenset[str], said: Callable[[str], frozenset[str]]) -> None:
        self._look, self._ask, self._words, self._said = look, ask, words, said
        self._heap: list[_Next] = []
        self._met = set[int]()  # things
        self._told, self._found = set[int](), set[int]()  # links
        self._predicates = list(look.atlas.words)
        self._cut = False

    def facts(self, found: Context) -> GraphFacts:
        """Return the facts that follow from what was found."""
        seeds = self._sow(found)
        facts: list[GraphFact] = []
        left, looked_at = self._ask.tokens_max, 0
        while self._heap:
            if looked_at >= LOOKED_AT:
                self._cut = True
                break
            each = heappop(self._heap)
            if each.link in self._told:
                continue
            self._told.add(each.link)
            looked_at += 1
            if not self._look.admits(each.link):
                continue
            fact = self._fact(each)
            if fact.tokens <= left:
                facts.append(fact)
                left -= fact.tokens
            else:
                self._cut = True
            if len(each.path) <= self._ask.depth:
                atlas = self._look.atlas
                for end in (int(atlas.subject[each.link]), int(atlas.object[each.link])):
                    if end != UNKNOWN:
                        self._follow(end, -each.less, each.path)
        as_of, tokens = self._look.graph.header.seq, self._ask.tokens_max - left
        return GraphFacts(self._ask.query, facts, seeds, looked_at, tokens, self._cut, as_of)

    def _sow(self, found: Context) -> list[str]:
        """Begin with what was found, and with what the question names."""
        look, atlas = self._look, self._look.atlas
        seeds: dict[str, None] = {}
        things: dict[int, float] = {}
        for each in found.found:
            seeds[each.memory.ref] = None
            relevance = each.scores.relevance
            if each.memory.claim is not None:
                node = node_called(look.graph, each.memory.ref)
                at = int(np.searchsorted(atlas.number, node.number))
                if at < len(atlas.number) and atlas.number[at] == node.number:
                    self._found.add(at)
                    self._put(at, relevance, ())
            else:
                for name in each.memory.features:
                    things |= {node: max(relevance, things.get(node, 0.0)) for node in look.nodes(name)}
        for name in () if found.understood is None else found.understood.names:
            seeds[name] = None
            things |= dict.fromkeys(look.nodes(name), 1.0)
        for thing, relevance in sorted(things.items(), key=lambda one: (-one[1], atlas.name(one[0]))):
            self._follow(thing, relevance, (UNKNOWN,))
        return list(seeds)

    def _follow(self, node: int, score: float, path: tuple[int, ...]) -> None:
        """Let what is claimed of a thing, and of what else it is the object, be told next."""
        if node in self._met:
            return
        self._met.add(node)
        atlas = self._look.atlas
        links = sorted({*atlas.about(node), *atlas.leading_to(node)} - self._told)
        links.sort(key=lambda link: (-int(atlas.trust[link]), -int(atlas.number[link])))
        self._cut = self._cut or len(links) > _PER_THING
        for link in links[:_PER_THING]:
            other = int(atlas.object[link] if atlas.subject[link] == node else atlas.subject[link])
            words = self._predicates[int(atlas.links.predicate[link])].replace("_", " ")
            if other != UNKNOWN:
                words += f" {name_in_words(atlas.name(other))}"
            near = 1.0 if self._words.intersection(self._said(words)) else _UNSAID
            self._put(link, score * near, path)

    def _put(self, link: int, relevance: float, path: tuple[int, ...]) -> None:
        look = self._look
        trust = int(look.atlas.trust[link])
        score = relevance * look.sure(link) * _WEIGHTS[trust] / _WEIGHTS[TRUST_MAX]
        path = (link,) if link in self._found else (*path, link)
        heappush(self._heap, _Next(-score, int(look.atlas.number[link]), link, path))

    def _fact(self, each: _Next) -> GraphFact:
        look = self._look
        node = look.graph.expect(each.number)
        record: dict[str, Any] = fields_in(content_of(look.graph, each.number))
        seen = claim_seen(look.graph, node, record)
        if seen is None:
            raise BrokenInvariantError(f"node {each.number} is a link, and no claim")
        value = seen.object
        if value is None or isinstance(value, bool):
            value = "?" if value is None else "yes" if value else "no"
        text = claim_in_words(seen.subject, seen.predicate, object_in_words(seen.object_kind, value))
        text += "".join(f", {name} {name_in_words(said)}" for name, said in sorted(seen.qualifiers.items()))
        events: list[str] = record["body"].get("evidence") or []
        path = [look.claim(link) for link in each.path if link != UNKNOWN]
        return GraphFact(
            record["id"],
            text,
            seen.subject,
            seen.predicate,
            seen.object,
            seen.qualifiers,
            seen.confidence,
            node.trust,
            -each.less,
            len(each.path) - 1,
            path,
            list(events[:_EVENTS_TOLD]),
            tokens_of(len(text)),
        )


GRAPH: Final = Read(
    "graph",
    AskGraph,
    GraphFacts,
    "POST /graph",
    "Facts that follow from facts",
    """Return facts that bear on a question, also those that only other facts lead to, within a budget of tokens.

Each comes with the events that it was made from, and with the ids of the claims that lead to it.""",
    example={"query": "Who offers an emerald near the well?"},
)
