"""A knowledge graph of entities, observations and relations, as the official memory server has it, over claims.

An entity is a thing with a claim of what it is (``is_a``), an observation a claim in words, a relation a claim whose
object is another thing, by its relation type. What is deleted is withdrawn: it stays in the history, and may come
again. Nothing here is in a file of its own: what other doors claim in one of these forms is in the graph as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_schemas.limits import JUDGED_MAX, OBJECT_CHARS_MAX
from yggdrasil_schemas.names import composed, text_digest

from ...asynchronous import AsyncMemory

IS_A: Final = "is_a"
OBSERVATION: Final = "observation"
_EXACT: Final = "exact"  # a qualifier: two texts that differ in case alone are two observations
_PAGE: Final = 200  # what a read of claims returns at most
_PAGES_MAX: Final = 10
"""So many pages of claims are looked through for one answer: 2,000 claims."""
_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing, what it is, and what was observed of it."""

    name: str
    type: str
    observations: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing has to do with another."""

    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the graph. ``cut``: not all claims were looked through. ``next``: from where to go on, if at all."""

    entities: list[Entity] = field(default_factory=list[Entity])
    relations: list[Relation] = field(default_factory=list[Relation])
    cut: bool = False
    next: int | None = None


class NoEntityError(Exception):
    """An entity that was named is not there."""


class KnowledgeGraph:
    """The graph of one memory."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    async def create(self, entities: Iterable[Entity]) -> list[Entity]:
        """Make the entities that are not there yet, with their observations, and return them."""
        first: dict[str, Entity] = {}
        for each in entities:
            first.setdefault(composed(each.name), each)
        types = await _gathered([self._type_of(name) for name in first])
        made = [each for each, known in zip(first.values(), types, strict=True) if known is None]
        for each in made:  # one after the other, so that they stand in order
            await self._memory.assert_claim(each.name, IS_A, each.type, text=f"{each.name} is a {each.type}")
        await _gathered([self._observe(each.name, each.observations, new=True) for each in made])
        return made

    async def relate(self, relations: Iterable[Relation]) -> list[Relation]:
        """Make the relations that are not there yet, and return them."""
        wanted = list(dict.fromkeys(relations))
        standing = await _gathered([self._standing(each) for each in wanted])
        made = [each for each, known in zip(wanted, standing, strict=True) if not known]
        for each in made:
            await self._memory.assert_claim(each.source, each.type, {"entity": composed(each.target)})
        return made

    async def observe(self, observed: Sequence[tuple[str, Sequence[str]]]) -> list[tuple[str, list[str]]]:
        """Add observations to entities, and return those that are new. Raises NoEntityError before any is added."""
        for name, _ in observed:
            if await self._type_of(name) is None:
                raise NoEntityError(name)
        return [(name, await self._observe(name, contents)) for name, contents in observed]

    async def delete(self, names: Iterable[str]) -> None:
        """Withdraw entities, with their observations and all relations from and to them."""
        for name in dict.fromkeys(names):
            await self._withdraw([each async for each in self._about(name) if _of_graph(each)])

    async def forget(self, deletions: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Withdraw observations of entities."""
        for name, contents in deletions:
            gone = set(contents)
            found = [each async for each in self._claims(subject=name, predicate=OBSERVATION)]
            await self._withdraw([each for each in found if _said(each) in gone])

    async def part(self, relations: Iterable[Relation]) -> None:
        """Withdraw relations."""
        for each in relations:
            await self._withdraw(await self._standing(each))

    async def opened(self, names: Sequence[str]) -> Part:
        """Return entities by name, with all relations from and to them."""
        found = await _gathered([self._all_about(name) for name in dict.fromkeys(names)])
        claims = [each for some in found for each in some]
        return _narrowed(_graph_of(claims), {composed(name) for name in names}, cut=False)

    async def searched(self, query: str) -> Part:
        """Return the entities whose name, type or observations contain ``query``, with their relations.

        In a graph of more claims than are looked through, what a recall finds is there beside them.
        """
        wanted, cut = query.casefold(), False
        names: dict[str, None] = {}
        for predicate in (IS_A, OBSERVATION):
            seen = 0
            async for each in self._claims(predicate=predicate):
                seen += 1
                if each.claim is not None and wanted in f"{each.claim.subject}\n{_said(each)}".casefold():
                    names[each.claim.subject] = None
            cut = cut or seen >= _PAGE * _PAGES_MAX
        if cut:
            context = await self._memory.get_context(query, k=50, similar=True, full=True, record=False)
            claimed = (each.memory.claim for each in context.found)
            names |= {each.subject: None for each in claimed if each is not None}
        shown = list(names)[:_PAGE]
        part = await self.opened(shown)
        return Part(part.entities, part.relations, cut or len(shown) < len(names))

    async def read(self, begin: int) -> Part:
        """Return the graph: all of it where it is small, or else the entities from ``begin`` on, a few at a time."""
        first = await self._page(skip=0)
        if first is not None and not first.left_out:
            whole = _graph_of(first.claims)
            return Part(whole.entities[begin:], whole.relations if begin == 0 else [], next=None)
        page = await self._page(predicate=IS_A, skip=begin, count=_PAGE // 4)
        if page is None:
            return Part()
        order = [each.claim.subject for each in page.claims if each.claim is not None]
        part = await self.opened(order)
        entities = sorted(part.entities, key=lambda each: order.index(each.name))  # or a cut would leave some out
        return Part(entities, part.relations, next=begin + len(page.claims) if page.left_out else None)

    async def _observe(self, name: str, contents: Sequence[str], *, new: bool = False) -> list[str]:
        known: set[str | None] = set()
        if not new:
            known = {_said(each) async for each in self._claims(subject=name, predicate=OBSERVATION)}
        added = [each for each in dict.fromkeys(contents) if each not in known]
        for content in added:
            exact = {_EXACT: blake2b(content.encode(), digest_size=16).hexdigest()}
            # The digest alone, where the text is too long to be an object: it stands in the claim's own text.
            value: Any = {"digest": text_digest(content)} if len(content) > OBJECT_CHARS_MAX else content
            value = {"digest": text_digest(content)} if ":" in content else value  # or it might be taken for a thing
            await self._memory.assert_claim(name, OBSERVATION, value, text=f"{name}: {content}", qualifiers=exact)
        return added

    async def _type_of(self, name: str) -> str | None:
        page = await self._page(subject=name, predicate=IS_A, count=1)
        return _said(page.claims[0]) if page is not None and page.claims else None

    async def _standing(self, relation: Relation) -> list[MemoryObject]:
        page = await self._page(subject=relation.source, predicate=relation.type, object=relation.target, count=_PAGE)
        return [] if page is None else [each for each in page.claims if _relation_of(each) is not None]

    async def _withdraw(self, claims: Sequence[MemoryObject]) -> None:
        refs = [each.ref for each in claims]
        for begin in range(0, len(refs), JUDGED_MAX):
            await self._memory.judge(dict.fromkeys(refs[begin : begin + JUDGED_MAX], "reject"), reason="deleted")

    async def _all_about(self, name: str) -> list[MemoryObject]:
        return [each async for each in self._about(name)]

    def _about(self, name: str) -> AsyncGenerator[MemoryObject]:
        return self._claims(thing=name)

    async def _claims(self, **asked: Any) -> AsyncGenerator[MemoryObject]:
        """Yield claims, page by page, as many pages as are looked through."""
        seen = 0
        for _ in range(_PAGES_MAX):
            page = await self._page(**asked, skip=seen)
            if page is None:
                return
            for each in page.claims:
                yield each
            seen += len(page.claims)
            if not page.left_out or not page.claims:
                return

    async def _page(self, *, count: int = _PAGE, **asked: Any) -> Any:
        """Return one page of claims; None where there is no memory yet."""
        try:
            return await self._memory.claims(**asked, count=count)
        except UnknownMemoryError:
            return None


async def _gathered(calls: Sequence[Any]) -> list[Any]:
    """Await a few at a time, and return what they return, in order."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(call: Any) -> Any:
        async with places:
            return await call

    return list(await asyncio.gather(*(one(each) for each in calls)))


def _graph_of(claims: Sequence[MemoryObject]) -> Part:
    """Return what claims say as a graph, the oldest first: they come youngest first."""
    types: dict[str, str] = {}
    observations: dict[str, dict[str, None]] = {}
    relations: dict[Relation, None] = {}
    for each in {each.ref: each for each in reversed(claims)}.values():
        said, relation = _said(each), _relation_of(each)
        if each.claim is None:
            continue
        if each.claim.predicate == IS_A:
            types.setdefault(each.claim.subject, said)
        elif each.claim.predicate == OBSERVATION:
            observations.setdefault(each.claim.subject, {})[said] = None
        elif relation is not None:
            relations[relation] = None
    entities = [Entity(name, kind, list(observations.get(name, ()))) for name, kind in types.items()]
    return Part(entities, list(relations))


def _narrowed(part: Part, names: set[str], *, cut: bool) -> Part:
    """Return the entities with these names, and the relations that have one of them at an end."""
    entities = [each for each in part.entities if each.name in names]
    there = {each.name for each in entities}
    relations = [each for each in part.relations if each.source in there or each.target in there]
    return Part(entities, relations, cut)


def _of_graph(memory: MemoryObject) -> bool:
    """Whether a claim is a part of a graph; what else is known of a thing stays when its entity is deleted."""
    claim = memory.claim
    return claim is not None and (claim.predicate in (IS_A, OBSERVATION) or claim.object_kind == "entity")


def _said(memory: MemoryObject) -> str:
    """Return the value of a claim as it was given, to the letter."""
    claim = memory.claim
    if claim is not None and _EXACT in claim.qualifiers:
        return (memory.text or "").removeprefix(f"{claim.subject}: ")
    return (memory.text or "") if claim is None or claim.object is None else str(claim.object)


def _relation_of(memory: MemoryObject) -> Relation | None:
    claim = memory.claim
    if claim is None or claim.object_kind != "entity" or claim.predicate in (IS_A, OBSERVATION):
        return None
    return Relation(claim.subject, str(claim.object), claim.predicate)
