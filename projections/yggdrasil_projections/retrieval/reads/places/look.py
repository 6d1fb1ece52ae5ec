"""What reads of places have in common: the atlas of what is seen, and how sure, where and of what type things are."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field

from yggdrasil_projections.graph.laws.knowledge.predicates import definition_of
from yggdrasil_projections.graph.lensed import trust_min_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.moments import Moment, MomentSent
from yggdrasil_schemas.names import composed

from ...asks import asked_moment, check_text
from ...claimed import SURE_ENOUGH, confidence
from ...errors import InvalidAskError
from ...index.columns.links import ANCHORED, FLAT, LOCATED, PATH, TYPES, UNKNOWN, Made, type_named
from ...index.index import MemoryIndex
from ...memories import reference_of
from ...query import A_co, OnTheWire, Query, Source, T
from .atlas import ANCHORS, Atlas, Gate, Seen, seen_of, state_of
from .distance import Spot, between
from .overlay import CONTEXTS, TEXT_MAX, Overlaid, overlay_of

COST_MAX: Final = 10**15
CostMax = Annotated[
    int | None, Field(ge=0, le=COST_MAX, description="What costs more is not reached; in thousandths of a tick.")
]
Lighting = Literal["lit"]
Weighed = Annotated[
    Overlaid | None,
    OnTheWire(str | None),
    Field(
        max_length=TEXT_MAX,
        description="What a way costs: `night`, `hurry`, `load`, `safe`, or weights such as `dark:1,risk:2.5`.",
    ),
]
PLACE: Final = "place:"
"""What the name of a place begins with."""
_AT_IT: Final = 64  # whole blocks, or metres, from the anchor of a place within which what is at it may be


@dataclass(frozen=True, slots=True)
class TypeSeen:
    """Of what type a thing is: the ``predicate`` that says so, its ``claim`` with its status, and how sure that is."""

    type: str
    predicate: str
    status: str
    confidence: float
    claim: str


@dataclass(frozen=True, slots=True)
class PlaceSeen:
    """A place: its ``types``, the surest first, and its ``anchor`` with the claim that says so, where one is known.

    ``confidence`` is that of the surest of these claims, and ``distance`` how far away it is, in whole blocks (earth:
    metres), where one asks from somewhere in the same realm.
    """

    name: str
    types: list[TypeSeen]
    anchor: str | None
    anchor_claim: str | None
    confidence: float
    distance: int | None = None


class Anchored(NamedTuple):
    """Where a thing is, and the link that says so; there is none where one asks from an anchor."""

    spot: Spot
    link: int


class Look:
    """One look at what is seen: ``graph`` through a lens, and the ``atlas`` of the same position."""

    def __init__(self, graph: Graph, atlas: Atlas, *, stale: bool = False) -> None:
        self.graph, self.atlas = graph, atlas
        self._stale = stale
        self._sure: dict[int, float] = {}
        self._anchors: dict[int, Anchored | None] = {}
        self._words: list[str] = []

    def sure(self, link: int) -> float:
        """Return how sure the claim of a link is, in [0, 1]."""
        found = self._sure.get(link)
        if found is None:
            node = self.graph.node(int(self.atlas.number[link]))
            claim = None if node is None else self.graph.claim(node)
            found = self._sure[link] = 0.0 if node is None or claim is None else confidence(self.graph, node, claim)
        return found

    def admits(self, link: int) -> bool:
        """Whether a link is sure enough, or what is stale is asked for as well."""
        sure = self.sure(link)
        return sure > 0.0 and (self._stale or sure >= SURE_ENOUGH)

    def best(self, links: Iterable[int]) -> int | None:
        """Return the link that counts: the most trusted, of these the surest, of these the youngest; None for none."""
        trust, number = self.atlas.trust, self.atlas.number
        admitted = [link for link in links if self.admits(link)]
        return max(admitted, key=lambda each: (trust[each], self.sure(each), number[each])) if admitted else None

    def counting(self, edges: Sequence[int]) -> int | None:
        """Return which counts of the edges from one node to another, which are sorted by trust; None for none."""
        of = self.atlas.edges.link
        link = self.best(int(of[each]) for each in edges)
        return next((each for each in edges if of[each] == link), None)

    def claim(self, link: int) -> str:
        """Return the id of the claim of a link."""
        return reference_of(self.graph, int(self.atlas.number[link]))

    def status(self, link: int) -> str:
        """Return the status of the claim of a link."""
        return Status(self.graph.expect(int(self.atlas.number[link])).status).name.lower()

    def nodes(self, name: str) -> list[int]:
        """Return the nodes of a thing, by any of its names: two where not all claims join these."""
        said = composed(name)
        return self.atlas.nodes_of(said, self.graph.called(said)[0])

    def nodes_named(self, name: str) -> list[int]:
        """Return the node of a thing by a name, at most one: its own, where what joins names is trusted less."""
        return self.nodes(name)[:1]

    def anchor(self, node: int) -> Anchored | None:
        """Return where a thing is, or was last, by its own anchor."""
        if node not in self._anchors:
            link = self._foremost(node, ANCHORS, lambda link: bool(self.atlas.links.flags[link] & ANCHORED))
            self._anchors[node] = None if link is None else Anchored(self.spot(link), link)
        return self._anchors[node]

    def _foremost(self, node: int, predicates: Sequence[str], told: Callable[[int], bool]) -> int | None:
        """Return the link about a node that says one of some predicates and counts.

        That is the most trusted, of these the first predicate, of these the surest, of these the youngest.
        """
        atlas = self.atlas
        ranks = {atlas.named(predicate): -rank for rank, predicate in enumerate(predicates)}
        links = [each for each in atlas.about(node) if int(atlas.links.predicate[each]) in ranks and told(each)]
        admitted = [each for each in links if self.admits(each)]
        trust, said, number = atlas.trust, atlas.links.predicate, atlas.number
        return max(
            admitted,
            key=lambda each: (trust[each], ranks[int(said[each])], self.sure(each), number[each]),
            default=None,
        )

    def stands_at(self, node: int) -> Anchored | None:
        """Return where a thing is, by its own anchor, or else by that of the place at which it is."""
        return self.anchor(node) or self.anchor(self.where(node))

    def spot(self, link: int) -> Spot:
        """Return where a link says that its subject is."""
        links = self.atlas.links
        flat = bool(links.flags[link] & FLAT)
        return Spot(
            self._word(int(links.value[link])), int(links.x[link]), int(links.y[link]), int(links.z[link]), flat
        )

    def _word(self, number: int) -> str:
        if not self._words:
            self._words = list(self.atlas.words)
        return self._words[number]

    def where(self, node: int) -> int:
        """Return the place at which a thing is: itself, if paths lead from or to it, or nobody said at which it is.

        Who is trusted less makes no place of what is said to be at another one, and says of none that has an anchor
        from above that it is at another, unless the anchor of that is near to it.
        """
        place = self.located(node)
        if place is None or (self.on_a_path(node) and self._paths_trust(node) >= self.atlas.trust[place]):
            return node
        at, other = self.anchor(node), int(self.atlas.object[place])
        if at is None or self.atlas.trust[at.link] <= self.atlas.trust[place]:
            return other
        there = self.anchor(other)
        away = None if there is None else between(at.spot, there.spot)
        return other if away is not None and away <= _AT_IT else node

    def _paths_trust(self, node: int) -> int:
        """Return how far the most trusted path of a node is trusted."""
        atlas, path = self.atlas, self.atlas.named(PATH)
        links = [*atlas.about(node), *atlas.leading_to(node)]
        return max((int(atlas.trust[each]) for each in links if atlas.links.predicate[each] == path), default=-1)

    def elsewhere(self) -> npt.NDArray[np.bool_]:
        """Return of which things it may be said at which other they are."""
        atlas = self.atlas
        found = np.zeros(len(atlas.nodes), np.bool_)
        found[atlas.subject[atlas.saying(*LOCATED) & (atlas.object != UNKNOWN)]] = True
        return found

    def located(self, node: int) -> int | None:
        """Return the link that says at which other thing a thing is."""
        return self._foremost(node, LOCATED, lambda link: self.atlas.object[link] not in (UNKNOWN, node))

    def on_a_path(self, node: int) -> bool:
        """Whether a path leads from a node, or to it."""
        return bool(self.atlas.on_paths[node])

    def types(self, node: int) -> list[TypeSeen]:
        """Return of what types a thing is, the surest first."""
        atlas, found = self.atlas, list[TypeSeen]()
        words = {atlas.named(predicate): predicate for predicate in TYPES}
        for link in atlas.about(node):
            predicate = words.get(int(atlas.links.predicate[link]))
            if predicate is not None and atlas.links.value[link] != UNKNOWN and self.admits(link):
                kind = self._word(int(atlas.links.value[link]))
                found.append(TypeSeen(kind, predicate, self.status(link), self.sure(link), self.claim(link)))
        return sorted(found, key=lambda each: (-each.confidence, each.type, each.predicate, each.claim))

    def of_type(self, kind: str) -> dict[int, list[int]]:
        """Return the things that are said to be of a type, each with the links that say so."""
        atlas = self.atlas
        wanted = atlas.named(type_named(kind))
        rows = np.flatnonzero(atlas.saying(*TYPES) & (atlas.links.value == wanted))
        found: dict[int, list[int]] = {}
        for link, node in zip(rows.tolist(), atlas.subject[rows].tolist(), strict=True):
            found.setdefault(node, []).append(link)
        return found

    def place(self, node: int, origin: Spot | None = None) -> PlaceSeen:
        """Return a place as it is told, with its distance from ``origin``."""
        types, at = self.types(node), self.anchor(node)
        sure = [each.confidence for each in types] + ([] if at is None else [self.sure(at.link)])
        away = None if at is None or origin is None else between(origin, at.spot)
        text, claim = (None, None) if at is None else (at.spot.text, self.claim(at.link))
        return PlaceSeen(self.atlas.name(node), types, text, claim, max(sure, default=0.0), away)

    def origin(self, given: str) -> tuple[list[int], Spot | None]:
        """Return the nodes from which one goes who is somewhere, and where that is: at a thing, or at an anchor."""
        spot = spot_in(given)
        if spot is not None:
            return [], spot
        nodes = self.nodes_named(given)
        spots = [found for node in nodes if (found := self.stands_at(node)) is not None]
        return [self.where(node) for node in nodes], spots[0].spot if spots else None


def spot_in(text: str) -> Spot | None:
    """Return the spot that a text says if it is an anchor, else None."""
    try:
        return Spot.of(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated(Query[A_co]):
    """A query of what claims join, as it holds now, or at ``valid_at``.

    With ``candidates`` what waits to be confirmed is there too, and with ``stale`` what has faded, or has no evidence
    any more.
    """

    candidates: bool = False
    stale: bool = False
    valid_at: Annotated[
        Moment | None, OnTheWire(MomentSent | None), Field(description="As it held at this moment; without it, now.")
    ] = None


def check_gate(query: Gated[Any]) -> None:
    """Raise InvalidAskError for what cannot be meant, and let a moment be one in Unix ms."""
    for name in ("candidates", "stale"):
        if not isinstance(getattr(query, name), bool):
            raise InvalidAskError(f"{name} is true or false, not {str(getattr(query, name))[:40]!r}")
    if query.valid_at is not None:
        object.__setattr__(query, "valid_at", asked_moment("valid_at", query.valid_at, before_1970=True))


def _nothing(_graph: Graph, _index: MemoryIndex) -> None:
    return None


@contextmanager
def looking(source: Source, query: Gated[Any]) -> Generator[Look]:
    """Look at what a query sees. What is seen is taken in a turn, and joined outside of it where nothing is kept."""
    with looking_at(source, query, _nothing) as (look, _):
        yield look


@contextmanager
def looking_at(
    source: Source, query: Gated[Any], beside: Callable[[Graph, MemoryIndex], T]
) -> Generator[tuple[Look, T]]:
    """Look at what a query sees, with what is asked of the index ``beside`` in the same turn."""
    moment = source.now_ms() if query.valid_at is None else asked_moment("valid_at", query.valid_at, before_1970=True)
    source.resolved(replace(query, valid_at=moment))

    def find(graph: Graph, index: MemoryIndex) -> tuple[_Taken, T]:
        held = index.held
        gate = Gate(trust_min_of(graph), index.moments.turn(moment), query.candidates, query.stale)
        state, key = state_of(held), (gate, definition_of(graph, PATH))
        kept: Atlas | None = held.links.made.get(state, key)
        taken = _Taken(held.links.made, state, key, kept, None if kept is not None else seen_of(held, gate))
        return taken, beside(graph, index)

    with source.found(find) as (graph, (taken, found)):
        yield Look(graph, taken.atlas(graph), stale=query.stale), found


class _Taken(NamedTuple):
    """What was taken in a turn: an atlas that was kept, or what one is made of."""

    made: Made
    state: tuple[int, ...]
    key: tuple[Any, ...]
    kept: Atlas | None
    seen: Seen | None

    def atlas(self, graph: Graph) -> Atlas:
        """Return the atlas, and keep it if it is new."""
        if self.seen is None:
            return cast(Atlas, self.kept)
        atlas = Atlas(self.seen, graph)
        self.made.put(self.state, self.key, atlas, atlas.nbytes)
        return atlas


def named(what: str, given: object) -> str:
    """Return the name of a thing, or an anchor. Raises InvalidAskError."""
    text = check_text(what, given).strip()
    if not text:
        raise InvalidAskError(
            f"{what} is empty: name a thing such as place:home, or an anchor such as overworld/1/64/2"
        )
    return text


def check_overlay(given: Overlaid | None, require: object = None) -> str | None:
    """Return an overlay as a text, None for the usual one. Raises InvalidAskError."""
    if require not in (None, "lit"):
        raise InvalidAskError(f"require: {str(require)[:40]!r} is not known; it takes lit, or nothing")
    if given is None or given == "":
        return None
    if isinstance(given, str) and given in CONTEXTS:
        return given
    return overlay_of(given).text or None


def check_cost(given: object) -> None:
    """Raise InvalidAskError for what is no cost in whole thousandths."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= COST_MAX):
        raise InvalidAskError(f"max_cost is a whole number of thousandths, 0 to {COST_MAX:,}, not {str(given)[:40]!r}")
