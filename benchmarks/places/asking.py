"""What a memory of a world is asked, and how its answers compare with the book of what it was told.

*Nearest*: of each type from each place, the first answer right, of what was seen twice or dealt with. *Facts*: where
one gets a thing, over traders and where they are, and over what chests hold, by three reads. Twice: as anybody asks, of
what has not perished, and with ``stale``, of all that was told. *Routes*: what a way costs beside the least over known
paths, and whether any goes over one that is closed. *Trips*: how long it takes to get something by what the memory
says.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from statistics import mean, median
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeVar

from yggdrasil import Memory, UnknownNodeError

from .agent import Agent
from .world import SIGHT, Cell

_DICTIONARY: Final = 32
_WORDS_ASKED: Final = 40  # questions that are put in words as well
_NAIVE_TICKS: Final = 4_000
_TRIPS: Final = 8
_DIJKSTRA: Final = "plain Dijkstra"

T = TypeVar("T")


class Counted(NamedTuple):
    """Of what was answered: right, wrong, and missed; and ``perished``, what was right once and not asked for."""

    right: int
    wrong: int
    missed: int
    perished: int = 0

    @property
    def f1(self) -> float:
        """F1 of all answers together, in percent."""
        return 200 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


class Asking:
    """Asks the memory of an agent; what it asks is drawn from ``seed``, and how long each kind takes is kept."""

    def __init__(self, agent: Agent, seed: int) -> None:
        self.agent, self.book, self.memory, self.grid = agent, agent.book, agent.memory, agent.grid
        self._chance, self._trips_chance = Random(f"asked {seed}"), Random(f"trips {seed}")
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._cells = {thing.name: thing.cell for thing in self.grid.things}
        self._cells |= {f"stand of {trader.name}": trader.cell for trader in self.grid.traders}
        self._agree = self._compared = 0

    def figures(self, most: int) -> dict[str, float]:
        """Ask everything, at most so many questions of a kind, and return the figures."""
        figures = self._nearest(most) | {"promoted after one glance": self._promoted()} | self._facts()
        figures |= self._routes(most)
        figures["answers that use stale edges"] = (
            figures["facts perished in answers"] + figures["ways over closed paths"]
        )
        figures |= self._trips()
        kept = sum(_is_there(self.memory, event) for event, _ in self.book.events)
        figures["key events kept, %"] = 100 * kept / max(1, len(self.book.events))
        figures["answers that agree, %"] = 100 * self._agree / max(1, self._compared)
        figures["answers compared"] = self._compared
        return figures | self._evicted() | self._latencies()

    def _nearest(self, most: int) -> dict[str, float]:
        book = self.book
        recent = list(dict.fromkeys(reversed(book.seen)))[:_DICTIONARY]
        starts = sorted({place for edge in book.ticks for place in edge})
        asked = [(start, kind) for start in starts for kind in sorted(set(book.types.values()))]
        self._chance.shuffle(asked)
        right = by_map = by_dictionary = by_words = total = 0
        for start, kind in asked[:most]:
            costs = self._timed(_DIJKSTRA, partial(book.costs, start))
            known = {name: costs[name] for name in book.types if book.types[name] == kind and name in costs}
            known = {name: cost for name, cost in known.items() if book.sure(name)}
            if not known:
                continue
            total += 1
            best = min(known.values())
            answer = self._timed("nearest", partial(self.memory.nearest, kind, f"place:{start}"))
            first = _bare(answer.found[0].place.name) if answer.found else ""
            right += known.get(first) == best
            if answer.found and answer.found[0].by == "path":
                self._compare(answer.found[0].cost, self.memory.route(f"place:{start}", f"place:{first}").cost)
            truth = self.grid.distances(self._cells[start], self.agent.tick)
            of_kind = [name for name, cell in self._cells.items() if self._kind(name) == kind and cell in truth]
            by_map += first in of_kind and truth[self._cells[first]] == min(
                truth[self._cells[name]] for name in of_kind
            )
            dictionary = [name for name in recent if book.types[name] == kind]
            guess = min(dictionary, key=lambda name: (_crow(self._cells[name], self._cells[start]), name), default="")
            by_dictionary += known.get(guess) == best
            if total > _WORDS_ASKED:
                continue
            question = f"Where is the nearest {kind} to {start}?"
            words = self._timed("words", partial(self.memory.get_context, question, k=1, record=False))
            named = [name for each in words.found for name in each.memory.features if name.startswith("place:")]
            by_words += bool(named) and known.get(_bare(named[0])) == best
        return {
            "nearest, %": 100 * right / max(1, total),
            "nearest asked": total,
            "nearest, dictionary, %": 100 * by_dictionary / max(1, total),
            "nearest, words, %": 100 * by_words / max(1, min(total, _WORDS_ASKED)),
            "nearest as on a perfect map, %": 100 * by_map / max(1, total),
        }

    def _promoted(self) -> int:
        """Return how many places stand as what a single glance said."""
        glanced = [name for name in self.book.sighted if not self.book.sure(name)]
        return sum(bool(self.memory.claims(f"place:{name}", "seen_as").claims) for name in glanced)

    def _facts(self) -> dict[str, float]:
        book = self.book
        items = sorted({gives for gives, *_ in book.offers.values()} | set(book.holds.values()))
        at = sorted({place for edge in book.ticks for place in edge})
        starts = {item: f"place:{self._chance.choice(at)}" if at else None for item in items}
        fresh, stale = ([self._where(item, starts[item], stale=stale) for item in items] for stale in (False, True))
        figures: dict[str, float] = {}
        for called, counted in (("facts", fresh), ("facts with what is stale", stale)):
            by_read = list(zip(*counted, strict=True))
            for name, each in zip(("trades", "what holds it", "graph"), by_read, strict=True):
                figures[f"{called}, {name}, F1 %"] = _sum(each).f1
            whole = _sum(each for row in counted for each in row)
            figures |= {f"{called}, F1 %": whole.f1, f"{called} missed": whole.missed, f"{called} wrong": whole.wrong}
        figures["facts perished in answers"] = _sum(each for row in fresh for each in row).perished
        figures["facts asked"] = 3 * len(items)
        figures |= {"offers and contents": len(book.told), "contents replaced": book.replaced}
        figures["of these perished"] = sum(not book.fresh(thing) for thing in book.told)
        return figures

    def _where(self, item: str, start: str | None, *, stale: bool) -> tuple[Counted, Counted, Counted]:
        """Ask three reads where one gets a thing; of what has perished only with ``stale``."""
        book, memory = self.book, self.memory
        sold = {name: place for name, (gives, _, _, place) in book.offers.items() if gives == item}
        stored = {name for name, holds in book.holds.items() if holds == item}
        due_sold = {place for name, place in sold.items() if stale or book.fresh(f"npc:{name}")}
        due_stored = {name for name in stored if stale or book.fresh(f"place:{name}")}
        known = set(sold.values()), stored
        asked = partial(memory.trades, f"item:{item}", from_=start, count=50, stale=stale)
        said = self._timed("trades", asked).trades
        for each in said if start is not None else ():
            last = self._timed("last seen", partial(memory.last_seen, each.trader)).last
            self._compare(each.place, None if last is None else last.place)
            if each.place is not None and each.cost is not None:
                self._compare(each.cost, memory.route(start or "", each.place).cost)
        joined = partial(memory.neighbours_of, f"item:{item}", relation="contains", stale=stale)
        near = self._timed("neighbours", joined).neighbours
        question = partial(memory.graph, f"Where can I get {item}?", tokens_max=2_000, stale=stale)
        facts = self._timed("graph", question).facts
        follow = {_bare(str(each.object)) for each in facts if each.predicate == "last_seen_at"}
        follow = {place for place in follow if _sells(facts, place, item)}
        holding = [each for each in facts if each.predicate == "contains" and each.object == f"item:{item}"]
        follow |= {_bare(each.subject) for each in holding}
        return (
            _counted(due_sold, {_bare(each.place) for each in said if each.place}, known[0]),
            _counted(due_stored, {_bare(each.name) for each in near}, known[1]),
            _counted(due_sold | due_stored, follow, known[0] | known[1]),
        )

    def _routes(self, most: int) -> dict[str, float]:
        book = self.book
        places = sorted({place for edge in book.ticks for place in edge})
        pairs = [(one, other) for one in places for other in places if one != other]
        self._chance.shuffle(pairs)
        ratios, closed, invented = list[float](), 0, 0
        for start, end in pairs[:most]:
            costs = self._timed(_DIJKSTRA, partial(book.costs, start))
            route = self._timed("route", partial(self.memory.route, f"place:{start}", f"place:{end}"))
            steps = [tuple(sorted((_bare(step.begin), _bare(step.end)))) for step in route.steps]
            closed += any(step in book.blocked for step in steps)
            if end in costs and route.cost is not None:
                ratios.append(route.cost / 1_000 / max(1, costs[end]))
            elif end in costs:
                ratios.append(10.0)  # no way was found where there is one
            else:
                invented += route.by == "path"
        return {
            "way, x least": mean(ratios) if ratios else 0.0,
            "ways asked": len(pairs[:most]),
            "paths closed": len(book.blocked),
            "ways over closed paths": closed,
            "ways where none is known": invented,
        }

    def _trips(self) -> dict[str, float]:
        """Return how long it takes to reach a trader by memory, beside looking for one from the same place.

        Where nobody is known to offer it any more, one goes where somebody did.
        """
        book, grid, chance = self.book, self.grid, self._trips_chance
        reached, faded, shares = 0, 0, list[float]()
        cells = {trader.name: trader.cell for trader in grid.traders}
        items = sorted({gives for gives, *_ in book.offers.values()})
        places = {thing.name: thing.cell for thing in grid.things if thing.name in book.dealt}
        trips = [(place, item) for place in sorted(places) for item in items]
        for place, item in chance.sample(trips, min(len(trips), _TRIPS)):
            asked = partial(self.memory.trades, f"item:{item}", from_=f"place:{place}")
            fresh = asked().trades
            said = fresh or asked(stale=True).trades
            goal = cells.get(_bare(said[0].trader)) if said else None
            way = None if goal is None else grid.way(places[place], goal, self.agent.tick, self.agent.known)
            reached += way is not None
            faded += way is not None and not fresh
            sought = self._sought(places[place], {each.cell for each in grid.traders if each.gives == item})
            if way is not None:
                shares.append(len(way) / max(1, sought))
        total = max(1, min(len(trips), _TRIPS))
        return {
            "trades reached, %": 100 * reached / total,
            "of these by what has perished, %": 100 * faded / max(1, reached),
            "ticks to a trade, x looking for one": median(shares) if shares else 0.0,
        }

    def _sought(self, start: Cell, goals: set[Cell]) -> int:
        """Return how many ticks somebody needs who knows nothing, and goes where the unknown begins."""
        grid, tick = self.grid, self.agent.tick
        here, known, ticks = start, set[Cell](), 0
        while ticks < _NAIVE_TICKS:
            x, y = here
            square = range(-SIGHT, SIGHT + 1)
            known |= {
                cell
                for cell in ((x + dx, y + dy) for dx in square for dy in square)
                if grid.passable(cell, tick) and grid.sees(here, cell)
            }
            seen = goals & known
            border = [cell for cell in known if any(each not in known for each in grid.around(cell, tick))]
            targets = sorted(seen) or sorted(border)
            if not targets:
                return _NAIVE_TICKS
            target = targets[0] if seen else self._trips_chance.choice(targets)
            way = grid.way(here, target, tick, known) or []
            ticks += max(1, len(way))
            if target in seen:
                return ticks
            here = target
        return _NAIVE_TICKS

    def _evicted(self) -> dict[str, float]:
        """Return what the bounds of the memory have taken: events that were forgotten, and what is archived."""
        found = self.memory.overview()
        return {
            "commands": found.seq,
            "events": found.tick,
            "events forgotten": found.tick - found.nodes.get("event", 0),
            "archived": found.bounds["archived"].used,
            "nodes": found.bounds["nodes"].used,
            "claims": found.nodes.get("claim", 0),
        }

    def _latencies(self) -> dict[str, float]:
        """Return what half and what 95 in 100 of each kind of question take, in plain Dijkstras over the same paths."""
        least = median(self._seconds.pop(_DIJKSTRA, [1.0]))
        figures = {"plain Dijkstra, us": 1e6 * least}
        for kind, took in self._seconds.items():
            figures[f"{kind}, p50, x plain Dijkstra"] = median(took) / least
            figures[f"{kind}, p95, x plain Dijkstra"] = sorted(took)[len(took) * 95 // 100] / least
        return figures

    def _compare(self, one: object, other: object) -> None:
        """Note whether two reads say the same."""
        self._compared += 1
        self._agree += one == other

    def _kind(self, name: str) -> str:
        return next((thing.type for thing in self.grid.things if thing.name == name), "stand")

    def _timed(self, kind: str, work: Callable[[], T]) -> T:
        begin = perf_counter()
        found = work()
        self._seconds[kind].append(perf_counter() - begin)
        return found


def _sells(facts: Iterable[Any], place: str, item: str) -> bool:
    """Whether facts say that somebody who was last seen there offers a thing."""
    here = {each.subject for each in facts if each.predicate == "last_seen_at" and _bare(str(each.object)) == place}
    return any(each.subject in here and each.predicate == "offers" and each.object == f"item:{item}" for each in facts)


def _is_there(memory: Memory[Any], event: str) -> bool:
    try:
        return bool(memory.describe(event))
    except UnknownNodeError:
        return False


def _counted(due: set[str], said: set[str], known: set[str]) -> Counted:
    """Count an answer: what is ``due`` and was said; of what was said beside that, what was ``known`` once."""
    return Counted(len(due & said), len(said - known), len(due - said), len(said & known - due))


def _sum(each: Iterable[Counted]) -> Counted:
    return Counted(*(sum(column) for column in zip(*each, strict=True)))


def _bare(name: str | None) -> str:
    return (name or "").partition(":")[2] or (name or "")


def _crow(one: Cell, other: Cell) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
