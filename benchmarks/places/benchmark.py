"""A world of cells, walked through by an agent that sees little of it: does its memory know what is where, and the way?

Figures are of what the agent has seen: its book holds exactly that (``agent``). *Nearest*: of each type from each
place, the first answer right, of what was seen twice or dealt with. *Facts*: where one gets a thing, over traders and
where they are, and over what chests hold, by three reads. *Routes*: what a way costs beside the least over known paths,
and whether any goes over one that is closed. Baselines: the last 32 places seen, nearest as the crow flies
(dictionary), and the words of a question (``get_context``). *Map* says how often the answer is what a perfect map says.
``halls`` was left out while anything was chosen. ``--world FILE --seed N`` plays another; docs/places.md has figures.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter
from typing import Any, Final, NamedTuple

from yggdrasil import Memory, UnknownNodeError

from ..measure import Bar, Report, Size, say
from .agent import Agent
from .world import GENERATORS, SIGHT, Cell, Grid, made, read

UNTIMED: Final = True
_SEED: Final = 1
_DICTIONARY: Final = 32
_WORDS_ASKED: Final = 40  # questions that are put in words as well
_NAIVE_TICKS: Final = 4_000
_TRIPS: Final = 8


class Counted(NamedTuple):
    """Of what was answered: right, wrong, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def f1(self) -> float:
        """F1 of all answers together, in percent."""
        return 200 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = _SEED) -> Report:
    """Play a world of each generator, or that in the file ``world``, in so many draws."""
    report = Report("grid")
    for kind in GENERATORS if world is None else (world.stem,):
        played: list[dict[str, float]] = []
        for draw in range(seed, seed + size.pick(1, 1, 3)):
            grid = made(kind, draw, size.pick(32, 40, 64)) if world is None else read(world)
            folder = scratch / f"{kind}-{draw}"
            folder.mkdir(parents=True)
            played.append(play(grid, folder, draw, size))
        figures = {name: mean(each[name] for each in played) for name in played[0]}
        say("  " + ", ".join(f"{name} {value:.2f}" for name, value in figures.items()))
        report.figures |= {f"{kind}: {name}": value for name, value in figures.items()}
        report.bars += [
            Bar(f"{kind}: nearest of a type, right first, %", figures["nearest, %"], 95.0),
            Bar(f"{kind}: promoted after one glance", figures["promoted after one glance"], 0.0, at_most=True),
            Bar(f"{kind}: facts over several claims, F1 in %", figures["facts, F1 %"], 90.0),
            Bar(
                f"{kind}: cost of a way beside the least over known paths", figures["way, x least"], 1.15, at_most=True
            ),
            Bar(f"{kind}: ways over closed paths", figures["ways over closed paths"], 0.0, at_most=True),
        ]
    return report


def play(grid: Grid, folder: Path, seed: int, size: Size) -> dict[str, float]:
    """Let an agent live in a world, then ask its memory, and return the figures."""
    with Memory.open(folder / "memory", "bench/grid", embedder="off", partitions=1) as memory:
        agent = Agent(grid, memory, seed)
        agent.live(size.pick(300, 1_200, 6_000))
        asked = size.pick(40, 80, 200)
        chance, figures = Random(f"asked {seed}"), dict[str, float]()
        figures |= _nearest(agent, chance, asked)
        figures["promoted after one glance"] = _promoted(agent)
        figures |= _facts(agent, chance)
        figures |= _routes(agent, chance, asked)
        figures |= _trips(agent, seed)
        kept = sum(_is_there(memory, event) for event, _ in agent.book.events)
        figures["key events kept, %"] = 100 * kept / max(1, len(agent.book.events))
        figures["commands"] = memory.timeline(count=1).as_of
        figures["places"] = len(agent.book.types)
        figures["paths"] = len(agent.book.ticks)
        return figures


def _nearest(agent: Agent, chance: Random, most: int) -> dict[str, float]:
    book, memory, grid = agent.book, agent.memory, agent.grid
    recent = list(dict.fromkeys(reversed(book.seen)))[:_DICTIONARY]
    cells = {thing.name: thing.cell for thing in grid.things}
    cells |= {f"stand of {trader.name}": trader.cell for trader in grid.traders}
    starts = sorted({place for edge in book.ticks for place in edge})
    asked = [(start, kind) for start in starts for kind in sorted(set(book.types.values()))]
    chance.shuffle(asked)
    right = by_map = by_dictionary = by_words = total = 0
    took, least = list[float](), list[float]()
    for start, kind in asked[:most]:
        costs, seconds = _timed(partial(book.costs, start))
        least.append(seconds)
        known = {name: costs[name] for name in book.types if book.types[name] == kind and name in costs}
        known = {name: cost for name, cost in known.items() if book.sure(name)}
        if not known:
            continue
        total += 1
        best = min(known.values())
        answer, seconds = _timed(partial(memory.nearest, kind, f"place:{start}"))
        took.append(seconds)
        first = answer.found[0].place.name.removeprefix("place:") if answer.found else ""
        right += known.get(first) == best
        truth = grid.distances(cells[start], agent.tick)
        of_kind = [name for name, cell in cells.items() if _kind_of(grid, name) == kind and cell in truth]
        by_map += first in of_kind and truth[cells[first]] == min(truth[cells[name]] for name in of_kind)
        dictionary = [name for name in recent if book.types[name] == kind]
        guess = min(dictionary, key=lambda name: (_crow(cells[name], cells[start]), name), default="")
        by_dictionary += known.get(guess) == best
        if total > _WORDS_ASKED:
            continue
        words = memory.get_context(f"Where is the nearest {kind} to {start}?", k=1, record=False)
        named = [name for each in words.found for name in each.memory.features if name.startswith("place:")]
        by_words += bool(named) and known.get(named[0].removeprefix("place:")) == best
    return {
        "nearest, %": 100 * right / max(1, total),
        "nearest asked": total,
        "nearest, dictionary, %": 100 * by_dictionary / max(1, total),
        "nearest, words, %": 100 * by_words / max(1, min(total, _WORDS_ASKED)),
        "nearest as on a perfect map, %": 100 * by_map / max(1, total),
        "nearest, x plain Dijkstra": median(took) / median(least) if took else 0.0,
    }


def _promoted(agent: Agent) -> int:
    """Return how many places stand as what a single glance said."""
    found = 0
    for name in agent.book.sighted:
        if not agent.book.sure(name):
            found += bool(agent.memory.claims(f"place:{name}", "seen_as").claims)
    return found


def _facts(agent: Agent, chance: Random) -> dict[str, float]:
    book, memory = agent.book, agent.memory
    items = sorted({gives for gives, *_ in book.offers.values()} | set(book.holds.values()))
    at = sorted({place for edge in book.ticks for place in edge})
    trades, held, whole = list[Counted](), list[Counted](), list[Counted]()
    for item in items:
        sold = {place for gives, _, _, place in book.offers.values() if gives == item}
        stored = {name for name, holds in book.holds.items() if holds == item}
        start = f"place:{chance.choice(at)}" if at else None
        said = memory.trades(f"item:{item}", from_=start, count=50).trades
        trades.append(_counted(sold, {_bare(each.place) for each in said if each.place}))
        near = memory.neighbours_of(f"item:{item}", relation="contains").neighbours
        held.append(_counted(stored, {_bare(each.name) for each in near}))
        facts = memory.graph(f"Where can I get {item}?", tokens_max=2_000).facts
        follow = {_bare(str(each.object)) for each in facts if each.predicate == "last_seen_at"}
        follow = {place for place in follow if _sells(facts, place, item)}
        follow |= {
            _bare(each.subject) for each in facts if each.predicate == "contains" and each.object == f"item:{item}"
        }
        whole.append(_counted(sold | stored, follow))
    return {
        "facts, F1 %": _sum([*trades, *held, *whole]).f1,
        "trades, F1 %": _sum(trades).f1,
        "what holds it, F1 %": _sum(held).f1,
        "graph, F1 %": _sum(whole).f1,
        "facts asked": 3 * len(items),
    }


def _sells(facts: Iterable[Any], place: str, item: str) -> bool:
    """Whether facts say that somebody who was last seen there offers a thing."""
    here = {each.subject for each in facts if each.predicate == "last_seen_at" and _bare(str(each.object)) == place}
    return any(each.subject in here and each.predicate == "offers" and each.object == f"item:{item}" for each in facts)


def _routes(agent: Agent, chance: Random, most: int) -> dict[str, float]:
    book, memory = agent.book, agent.memory
    places = sorted({place for edge in book.ticks for place in edge})
    pairs = [(one, other) for one in places for other in places if one != other]
    chance.shuffle(pairs)
    ratios, closed, invented, took, least = list[float](), 0, 0, list[float](), list[float]()
    for start, end in pairs[:most]:
        costs, seconds = _timed(partial(book.costs, start))
        least.append(seconds)
        route, seconds = _timed(partial(memory.route, f"place:{start}", f"place:{end}"))
        took.append(seconds)
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
        "ways over closed paths": closed,
        "ways where none is known": invented,
        "way, x plain Dijkstra": median(took) / median(least) if took else 0.0,
    }


def _trips(agent: Agent, seed: int) -> dict[str, float]:
    """Return how long it takes to reach a trader by memory, beside looking for one from the same place."""
    book, memory, grid = agent.book, agent.memory, agent.grid
    chance, reached, shares = Random(f"trips {seed}"), 0, list[float]()
    cells = {trader.name: trader.cell for trader in grid.traders}
    items = sorted({gives for gives, *_ in book.offers.values()})
    places = {thing.name: thing.cell for thing in grid.things if thing.name in book.dealt}
    trips = [(place, item) for place in sorted(places) for item in items]
    for place, item in chance.sample(trips, min(len(trips), _TRIPS)):
        said = memory.trades(f"item:{item}", from_=f"place:{place}").trades
        goal = cells.get(_bare(said[0].trader)) if said else None
        way = None if goal is None else grid.way(places[place], goal, agent.tick, agent.known)
        reached += way is not None
        sought = _sought(grid, places[place], {each.cell for each in grid.traders if each.gives == item}, agent, chance)
        if way is not None:
            shares.append(len(way) / max(1, sought))
    total = min(len(trips), _TRIPS)
    return {
        "trades reached, %": 100 * reached / max(1, total),
        "ticks to a trade, x looking for one": median(shares) if shares else 0.0,
    }


def _sought(grid: Grid, start: Cell, goals: set[Cell], agent: Agent, chance: Random) -> int:
    """Return how many ticks somebody needs who knows nothing, and goes where the unknown begins."""
    here, known, ticks = start, set[Cell](), 0
    while ticks < _NAIVE_TICKS:
        x, y = here
        square = range(-SIGHT, SIGHT + 1)
        known |= {
            cell
            for cell in ((x + dx, y + dy) for dx in square for dy in square)
            if grid.passable(cell, agent.tick) and grid.sees(here, cell)
        }
        seen = goals & known
        border = [cell for cell in known if any(each not in known for each in grid.around(cell, agent.tick))]
        targets = sorted(seen) or sorted(border)
        if not targets:
            return _NAIVE_TICKS
        target = targets[0] if seen else chance.choice(targets)
        way = grid.way(here, target, agent.tick, known) or []
        ticks += max(1, len(way))
        if target in seen:
            return ticks
        here = target
    return _NAIVE_TICKS


def _is_there(memory: Memory[Any], event: str) -> bool:
    try:
        return bool(memory.describe(event))
    except UnknownNodeError:
        return False


def _counted(expected: set[str], said: set[str]) -> Counted:
    return Counted(len(expected & said), len(said - expected), len(expected - said))


def _sum(each: Iterable[Counted]) -> Counted:
    return Counted(*(sum(column) for column in zip(*each, strict=True)))


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begin = perf_counter()
    return work(), perf_counter() - begin


def _bare(name: str | None) -> str:
    return (name or "").partition(":")[2] or (name or "")


def _crow(one: Cell, other: Cell) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def _kind_of(grid: Grid, name: str) -> str:
    return next((thing.type for thing in grid.things if thing.name == name), "stand")
