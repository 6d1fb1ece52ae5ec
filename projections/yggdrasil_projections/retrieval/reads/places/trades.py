"""Who offers something, for what, how sure that is, and what the way there costs."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field

from yggdrasil_schemas.names import composed, name_in_words

from ...asks import check_count
from ...found import Answered
from ...memories import content_of
from ...parameters import Thing
from ...query import Read, Source
from ...records import fields_in
from .distance import Spot, between
from .look import CostMax, Gated, Lighting, Look, Weighed, check_cost, check_gate, check_overlay, looking, named
from .overlay import overlay_of
from .routing import Walk

OFFERS: Final = "offers"
TRADES_MAX: Final = 50
LOOKED_AT: Final = 1_000
"""So many offers of one thing are looked at, the most trusted and youngest first."""
SCALE: Final = 100_000
"""What costs this much, in thousandths, is worth half of what is at hand: a hundred ticks."""
_THOUSANDTHS: Final = 1_000
_PATHS_TOLD: Final = 20


@dataclass(frozen=True, slots=True)
class Trade:
    """An offer: the ``trader`` gives ``gets`` for ``gives``, at a ``rate``, both None where nobody said them.

    ``cost`` and ``steps`` are those of the way to ``place``, where the trader is; ``distance`` as the crow flies.
    ``score``, in [0, 1], is the confidence, less with what the way costs. ``claims`` are the ids of what says so: the
    offer, where the trader is, and the first 20 paths of the way. ``because`` says it in a sentence.
    """

    trader: str
    gets: str
    gives: str | None
    rate: str | None
    place: str | None
    confidence: float
    cost: int | None
    steps: int | None
    distance: int | None
    score: float
    claims: list[str]
    because: str


@dataclass(frozen=True, slots=True)
class Trades(Answered):
    """Offers, the best first. ``more`` says how many others there are; ``gave_up`` as of ``nearest``."""

    trades: list[Trade]
    more: int
    gave_up: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskTrades(Gated[Trades]):
    """Return who offers what one ``want``s, for what one can ``give`` if that is said, the best offers first.

    Their score is ``confidence / (1 + cost / 100 ticks)`` with the cost of the way ``from_`` somewhere; of who cannot
    be reached by a path the distance counts for ticks, and of whose place nobody knows half of the confidence. Raises
    InvalidAskError.
    """

    want: Annotated[Thing, Field(description="What one wants, by any of its names.")]
    give: Annotated[Thing | None, Field(description="What one gives for it, by any of its names.")] = None
    from_: Annotated[Thing | None, Field(alias="from", description="Where one is: a thing, or an anchor.")] = None
    _: KW_ONLY
    count: Annotated[int, Field(ge=1, le=TRADES_MAX)] = 2
    overlay: Weighed = None
    max_cost: CostMax = None
    require: Lighting | None = None

    def __post_init__(self) -> None:
        check_gate(self)
        for name, called in (("want", "want"), ("give", "give"), ("from_", "from")):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, named(called, getattr(self, name)))
        check_count("count", self.count, TRADES_MAX)
        object.__setattr__(self, "overlay", check_overlay(self.overlay, self.require))
        check_cost(self.max_cost)

    def read(self, source: Source, /) -> Trades:
        """Answer it."""
        with looking(source, self) as look:
            return trades(look, self)


class _Offer(NamedTuple):
    """An offer: its link, the trader's node, what is said of it, and where the trader is, by which link."""

    link: int
    trader: int
    said: Mapping[str, str]
    place: int
    located: int | None


class _Way(NamedTuple):
    """The way to a place: what it costs, in thousandths, and its edges."""

    cost: int
    edges: list[int]


def trades(look: Look, ask: AskTrades) -> Trades:
    """Return who offers what is wanted."""
    offers, left_out = _offers(look, ask)
    begin, origin = ([], None) if ask.from_ is None else look.origin(ask.from_)
    walk = Walk(look, overlay_of(ask.overlay, lit=ask.require == "lit"), begin, ask.max_cost)
    ways = _ways(walk, {each.place for each in offers})
    found: list[Trade] = []
    for each in offers:
        way = ways.get(each.place)
        if ask.max_cost is not None and ask.from_ is not None and way is None:
            continue
        found.append(_trade(look, ask, each, way, origin))
    found.sort(key=lambda one: (-one.score, -one.confidence, one.trader, one.claims))
    more = max(0, len(found) - ask.count) + left_out
    return Trades(found[: ask.count], more, walk.gave_up, look.graph.header.seq)


def _offers(look: Look, ask: AskTrades) -> tuple[list[_Offer], int]:
    """Return the offers of what is wanted, and how many were not looked at."""
    atlas, offers = look.atlas, look.atlas.named(OFFERS)
    links = [
        link
        for node in look.nodes_named(ask.want)
        for link in atlas.leading_to(node)
        if int(atlas.links.predicate[link]) == offers
    ]
    links.sort(key=lambda link: (-int(atlas.trust[link]), -int(atlas.number[link])))
    given = None if ask.give is None else {composed(ask.give), *look.graph.called(composed(ask.give))}
    found: list[_Offer] = []
    for link in links[:LOOKED_AT]:
        if not look.admits(link):
            continue
        record: dict[str, Any] = fields_in(content_of(look.graph, int(atlas.number[link])))
        said: dict[str, str] = record["body"].get("qualifiers") or {}
        if given is None or said.get("for") in given:
            trader = int(atlas.subject[link])
            place = look.where(trader)
            located = None if place == trader else look.located(trader)
            found.append(_Offer(link, trader, said, place, located))
    return found, len(links[LOOKED_AT:])


def _ways(walk: Walk, places: set[int]) -> dict[int, _Way]:
    found: dict[int, _Way] = {}
    for cost, node in walk.reached():
        if node in places:
            found[node] = _Way(cost, walk.way(node))
            if len(found) == len(places):
                break
    return found


def _trade(look: Look, ask: AskTrades, offer: _Offer, way: _Way | None, origin: Spot | None) -> Trade:
    atlas = look.atlas
    sure = look.sure(offer.link)
    spots = [each for each in (look.anchor(offer.place), look.stands_at(offer.trader)) if each is not None]
    at = max(spots, key=lambda each: int(atlas.trust[each.link]), default=None)  # the place's own, of equals
    away = None if at is None or origin is None else between(origin, at.spot)
    score = sure
    if ask.from_ is not None:
        costs = away * _THOUSANDTHS if way is None and away is not None else SCALE if way is None else way.cost
        score = sure * SCALE / (SCALE + costs)
    claims = [look.claim(offer.link)]
    if offer.located is not None:
        claims.append(look.claim(offer.located))
    elif at is not None:
        claims.append(look.claim(at.link))
    if way is not None:
        claims += [look.claim(int(atlas.edges.link[edge])) for edge in way.edges[:_PATHS_TOLD]]
    place = atlas.name(offer.place) if offer.located is not None or look.on_a_path(offer.place) else None
    trade = Trade(
        atlas.name(offer.trader),
        atlas.name(int(atlas.object[offer.link])),
        offer.said.get("for"),
        offer.said.get("rate"),
        place,
        sure,
        None if way is None else way.cost,
        None if way is None else len(way.edges),
        away,
        score,
        claims,
        "",
    )
    return replace(trade, because=_because(trade))


def _because(trade: Trade) -> str:
    """Return why an offer is one, in a sentence."""
    trader, gets = name_in_words(trade.trader), name_in_words(trade.gets)
    said = f"{trader} offers {gets}"
    said += f" for {name_in_words(trade.gives)}" if trade.gives else ""
    said += f" at {trade.rate}" if trade.rate else ""
    said += f", {round(100 * trade.confidence)} % sure"
    if trade.place is not None and trade.place != trade.trader:
        said += f"; {trader} is at {name_in_words(trade.place)}"
    if trade.cost is not None:
        steps = "one path" if trade.steps == 1 else f"{trade.steps} paths"
        said += f", which costs {trade.cost / _THOUSANDTHS:g} by {steps}" if trade.steps else ", which is here"
    elif trade.distance is not None:
        said += f", {trade.distance} away as the crow flies, and no path is known"
    return said


TRADES: Final = Read(
    "trades",
    AskTrades,
    Trades,
    "GET /trades",
    "Who offers what one wants",
    """Return offers by how sure they are and what the way there costs, the best two unless told otherwise.

Each comes with the claims that say so, and with a sentence that says why.""",
    example={"want": "item:emerald", "give": "item:stick", "from_": "place:home"},
)
