"""An agent that walks through a world, tells its memory what it sees, and keeps a book of its own to be judged by.

It sees only what is in sight. It deals with some of what it finds: sleeps in a bed, opens a chest, trades. Where it
comes from one place to another it has learnt a path. The book is what a perfect memory of the same steps would hold.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import log2
from random import Random
from typing import Any, Final

from yggdrasil import Leg, Memory

from .world import Cell, Grid, Thing, Trader

Edge = tuple[str, str]
REALM: Final = "grid"
_DEALS: Final = {"bed": "sleep", "chest": "build", "workstation": "build", "ore": "build", "portal": "build"}
_DANGER: Final = 0.7
_TRADES, _DEALS_WITH = 0.12, 0.45  # how often it goes to trade, or to something else that it has seen
_GAP: Final = 5  # commands between two sightings that count: what the predicate seen_as asks for
_PERISHES: Final = 500  # events after which what offers and contains say is half as sure
_SURE: Final = (0.70 * 0.75 + 0.125) / (0.70 * 0.75 + 0.25)  # of an agent's word that is 70 % sure: docs/claims.md
SPAN: Final = int(_PERISHES * log2(_SURE / 0.5))
"""So many events later what it said of a trade, or of a chest, is less sure than a half: it has perished."""


@dataclass(slots=True)
class Book:
    """What happened, exactly: sightings by seq, what was dealt with, paths with their latest ticks and their cells.

    ``tick`` counts the events of the memory, and ``told`` has the one at which the agent said last what somebody offers
    (by ``npc:`` and a name) or what a place holds (by ``place:`` and its name).
    """

    sighted: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    dealt: set[str] = field(default_factory=set[str])
    types: dict[str, str] = field(default_factory=dict[str, str])
    holds: dict[str, str] = field(default_factory=dict[str, str])
    offers: dict[str, tuple[str, str, int, str]] = field(default_factory=dict[str, tuple[str, str, int, str]])
    ticks: dict[Edge, int] = field(default_factory=dict[Edge, int])
    cells: dict[Edge, frozenset[Cell]] = field(default_factory=dict[Edge, frozenset[Cell]])
    blocked: set[Edge] = field(default_factory=set[Edge])
    tick: int = 0
    told: dict[str, int] = field(default_factory=dict[str, int])
    replaced: int = 0
    """How often a place held another thing than before."""
    seen: list[str] = field(default_factory=list[str])
    """What was seen, in order."""
    events: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Key events: the id and what it was."""

    def sure(self, name: str) -> bool:
        """Whether a place was dealt with, or seen twice with enough between."""
        counted, last = 0, -_GAP
        for seq in self.sighted[name]:
            if seq - last >= _GAP or not counted:
                counted, last = counted + 1, seq
        return name in self.dealt or counted > 1

    def fresh(self, thing: str) -> bool:
        """Whether what was said of a thing has not perished: that is to be found by whoever asks for nothing stale."""
        return self.tick - self.told[thing] <= SPAN

    def costs(self, start: str) -> dict[str, int]:
        """Return what it takes to each place over the paths that are known and open: plain Dijkstra (1959)."""
        ways: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for (one, other), ticks in self.ticks.items():
            if (one, other) not in self.blocked:
                ways[one].append((other, ticks))
                ways[other].append((one, ticks))
        found, queue = {start: 0}, [(0, start)]
        while queue:
            cost, here = heappop(queue)
            if cost > found[here]:
                continue
            for there, ticks in ways[here]:
                if cost + ticks < found.get(there, 1 << 60):
                    found[there] = cost + ticks
                    heappush(queue, (cost + ticks, there))
        return found


class Agent:
    """Walks ``grid`` and tells ``memory``; what it does is drawn from ``seed``."""

    def __init__(self, grid: Grid, memory: Memory[Any], seed: int) -> None:
        self.grid, self.memory, self.book = grid, memory, Book()
        self.chance, self.tick = Random(f"agent {seed}"), 0
        self.at = {thing.cell: thing for thing in grid.things}
        self.traders = {trader.cell: trader for trader in grid.traders}
        self.here: Cell = self._start()
        self.known: set[Cell] = {self.here}
        self._in_sight: set[str] = set()
        self._last: str | None = None
        self._since, self._danger, self._dark = 0, 0.0, False
        self._walked = set[Cell]()
        self._closed = set[Cell]()
        self._seq = 0
        self._held: dict[str, str] = {}  # by place the claim that says what it holds
        self._look()

    def live(self, ticks: int) -> None:
        """Walk for so long."""
        until = self.tick + ticks
        while self.tick < until:
            for cell in self._chosen():
                if self.tick >= until or not self._step(cell):
                    break
            self._deal()

    def go(self, end: Cell) -> int | None:
        """Go somewhere over what is known; return how many ticks it took, None where no way is known."""
        begun = self.tick
        way = self.grid.way(self.here, end, self.tick, self.known)
        if way is None or not all(self._step(cell) for cell in way):
            return None
        return self.tick - begun

    def _start(self) -> Cell:
        free = sorted(self.grid.distances(self.grid.traders[0].cell, 0))
        return free[self.chance.randrange(len(free))]

    def _chosen(self) -> list[Cell]:
        """Return the way to something known that is worth dealing with, or to where the unknown begins."""
        seen = [cell for cell, thing in self.at.items() if cell in self.known and thing.name in self.book.sighted]
        trading = [cell for cell in self.traders if cell in self.known]
        border = [
            cell for cell in self.known if any(each not in self.known for each in self.grid.around(cell, self.tick))
        ]
        drawn = self.chance.random()
        goals = trading if drawn < _TRADES else seen if drawn < _DEALS_WITH else border
        goals = goals or border or sorted(self.known)
        goal = sorted(goals)[self.chance.randrange(len(goals))]
        return self.grid.way(self.here, goal, self.tick, self.known) or []

    def _step(self, cell: Cell) -> bool:
        self.tick += 1
        if not self.grid.passable(cell, self.tick):
            return False
        if self.tick % 600 == 0:
            self.grid.drift(self.tick // 600)
        self.here, self._since = cell, self._since + 1
        self._walked.add(cell)
        if self.grid.is_night(self.tick):
            self._dark |= cell not in self.grid.lit
            self._danger = max(self._danger, _DANGER if cell in self.grid.hazards else 0.0)
        self._look()
        return True

    def _look(self) -> None:
        x, y = self.here
        near = {(x + dx, y + dy) for dx in range(-6, 7) for dy in range(-6, 7)}
        seen = {cell for cell in near if self.grid.passable(cell, self.tick) and self.grid.sees(self.here, cell)}
        self.known |= seen
        in_sight = {self.at[cell].name: self.at[cell] for cell in sorted(seen & self.at.keys())}
        for name, thing in in_sight.items():
            if name not in self._in_sight:
                self._sight(thing)
        self._in_sight = set(in_sight)
        for gate, tick in self.grid.gates.items():
            if tick <= self.tick and gate not in self._closed and gate in near and self.grid.sees(self.here, gate):
                self._closed.add(gate)
                for edge in [edge for edge, cells in self.book.cells.items() if gate in cells]:
                    self.block(*edge)
        if self.here in self.at:
            self._arrive(self.at[self.here].name)
        elif self.here in self.traders:
            self._arrive(f"stand of {self.traders[self.here].name}")

    def _sight(self, thing: Thing) -> None:
        anchor = f"{REALM}/{thing.cell[0]}/0/{thing.cell[1]}"
        seen = self.memory.observe(
            f"Saw a {thing.type}", place=thing.name, place_type=thing.type, anchor=anchor, kind="discovery"
        )
        self.book.sighted[thing.name].append(self._said(1 + len(seen.facts)))
        self.book.types[thing.name] = thing.type
        self.book.seen.append(thing.name)

    def _arrive(self, place: str) -> None:
        if self._last is not None and self._last != place and self._since:
            leg = Leg(place, self._since, lit=not self._dark, danger=self._danger)
            walked = self.memory.walk(self._last, [leg])
            self._said(len(walked.events) + len(walked.paths) + len(walked.outcomes), len(walked.events))
            one, other = sorted((self._last, place))
            self.book.ticks[one, other] = self._since
            self.book.cells[one, other] = frozenset(self._walked)
            self.book.blocked.discard((one, other))
            if self._danger:
                self.book.events.append((walked.events[0], f"danger on the way to {place}"))
        self._last, self._since, self._danger, self._dark = place, 0, 0.0, False
        self._walked = set()

    def _deal(self) -> None:
        if (trader := self.traders.get(self.here)) is not None:
            self._trade(trader)
        elif (thing := self.at.get(self.here)) is not None:
            kind: Any = _DEALS[thing.type]
            done = self.memory.observe(
                f"Dealt with the {thing.type}", place=thing.name, place_type=thing.type, kind=kind
            )
            self._said(1 + len(done.facts))
            self.book.dealt.add(thing.name)
            self.book.events.append((done.event, f"{kind} at {thing.name}"))
            if thing.holds:
                self._hold(thing.name, thing.holds, done.event)

    def _hold(self, place: str, item: str, event: str) -> None:
        """Say what a place holds, instead of what it held if that is another thing."""
        moved = self.book.holds.get(place, item) != item
        self._held[place] = self.memory.assert_claim(
            f"place:{place}",
            "contains",
            f"item:{item}",
            evidence=[event],
            supersedes=self._held[place] if moved else None,
        )
        self._said(1, 0)
        self.book.replaced += moved
        self.book.holds[place] = item
        self.book.told[f"place:{place}"] = self.book.tick

    def _trade(self, trader: Trader) -> None:
        place = f"stand of {trader.name}"
        offer = {
            "subject": f"npc:{trader.name}",
            "predicate": "offers",
            "object": f"item:{trader.gives}",
            "qualifiers": {"for": f"item:{trader.takes}", "rate": str(trader.rate)},
        }
        anchor = f"{REALM}/{trader.cell[0]}/0/{trader.cell[1]}"
        done = self.memory.observe(
            f"Traded with {trader.name}",
            [offer],
            place=place,
            place_type="stand",
            anchor=anchor,
            actor=f"npc:{trader.name}",
            kind="trade",
        )
        self._said(1 + len(done.facts))
        self.book.dealt.add(place)
        self.book.types[place] = "stand"
        self.book.offers[trader.name] = (trader.gives, trader.takes, trader.rate, place)
        self.book.told[f"npc:{trader.name}"] = self.book.tick
        self.book.events.append((done.event, f"trade at {place}"))

    def block(self, one: str, other: str) -> None:
        """Say that a path leads nowhere any more: it was tried, and is closed."""
        fact = {
            "subject": f"place:{one}",
            "predicate": "path",
            "object": f"place:{other}",
            "qualifiers": {"blocked": "yes"},
        }
        self._said(1 + len(self.memory.observe(f"The way from {one} to {other} is closed", [fact]).facts))
        self.book.blocked.add((min(one, other), max(one, other)))

    def _said(self, commands: int, events: int = 1) -> int:
        """Count commands, and which of them are events; return the seq of the first of them."""
        self._seq += commands
        self.book.tick += events
        return self._seq - commands + 1
