"""The ways that lead from somewhere: Dijkstra over paths, in order of cost, and of names where costs are the same."""

from collections.abc import Callable, Generator, Iterable
from heapq import heapify, heappop, heappush
from typing import Final

from .look import COST_MAX, Look
from .overlay import Overlay

EXPANSIONS_MAX: Final = 20_000
"""From so many places one looks on at most; an answer says if that was not enough."""


class _Queue:
    """What is to be looked at next: by cost, and of equal ones by name. Names are compared where costs are equal."""

    def __init__(self, name: Callable[[int], str], begin: Iterable[int]) -> None:
        self._name = name
        self._heap: list[tuple[int, int]] = []
        self._cost = 0
        self._alike = [(name(node), node) for node in begin]  # all that costs this much
        heapify(self._alike)

    def push(self, cost: int, node: int) -> None:
        """Take in a node."""
        if cost == self._cost:
            heappush(self._alike, (self._name(node), node))
        else:
            heappush(self._heap, (cost, node))

    def pop(self) -> tuple[int, int] | None:
        """Return the next node with its cost; None when there is none."""
        heap, alike = self._heap, self._alike
        if not alike:
            if not heap:
                return None
            self._cost, node = heappop(heap)
            if not heap or heap[0][0] != self._cost:
                return self._cost, node
            alike.append((self._name(node), node))
            while heap and heap[0][0] == self._cost:
                node = heappop(heap)[1]
                heappush(alike, (self._name(node), node))
        return self._cost, heappop(alike)[1]


class Walk:
    """A walk from some nodes. ``gave_up`` says whether it ended before it had been everywhere.

    Of several edges between two nodes the one counts that ``Look.counting`` tells, whatever it costs: if that is
    blocked, no other leads there.
    """

    def __init__(self, look: Look, overlay: Overlay, begin: Iterable[int], max_cost: int | None = None) -> None:
        """Begin at some nodes. What costs more than ``max_cost``, in thousandths, is not reached."""
        self.gave_up = False
        self._look, self._begin = look, sorted(set(begin))
        self._edges, self._costs = look.atlas.edges, look.atlas.costs(overlay)
        self._max_cost = max_cost
        self._by: dict[int, tuple[int, int]] = {}  # the edge by which a node is reached, and the node before it
        self._unsure = look.atlas.unsure
        self._begins, self._targets = self._edges.begin.data, self._edges.target.data
        self._costs_at = self._costs.data  # views of which to take a few takes half the time

    def reached(self) -> Generator[tuple[int, int]]:
        """Yield what is reached, each node with its cost, the nearest first, and of equal ones by name."""
        by, begins, targets, costs = self._by, self._begins, self._targets, self._costs_at
        best: dict[int, int] = dict.fromkeys(self._begin, 0)
        queue = _Queue(self._look.atlas.name, self._begin)
        done = set[int]()
        most = COST_MAX if self._max_cost is None else self._max_cost
        while (popped := queue.pop()) is not None:
            cost, node = popped
            if node in done:
                continue
            if len(done) >= EXPANSIONS_MAX:
                self.gave_up = True
                return
            done.add(node)
            yield cost, node
            first, end = begins[node], begins[node + 1]
            found: Iterable[tuple[int, int, int]]
            if self._unsure[node]:
                found = self._counting(first, end)
            else:
                found = zip(targets[first:end].tolist(), costs[first:end].tolist(), range(first, end), strict=True)
            for other, more, edge in found:
                if more < 0 or other in done:
                    continue
                total = cost + more
                if total <= most and (other not in best or total < best[other]):
                    best[other] = total
                    by[other] = edge, node
                    queue.push(total, other)

    def way(self, node: int) -> list[int]:
        """Return the edges that lead to a node that was reached, the first first."""
        found: list[int] = []
        while node in self._by:
            edge, node = self._by[node]
            found.append(edge)
        return found[::-1]

    def cost(self, edge: int) -> int:
        """Return what an edge costs, in thousandths."""
        return int(self._costs[edge])

    def _counting(self, first: int, end: int) -> Generator[tuple[int, int, int]]:
        targets, unsure = self._edges.target[first:end].tolist(), self._edges.unsure[first:end].tolist()
        at = 0
        while at < len(targets):
            after = at + 1
            while after < len(targets) and targets[after] == targets[at]:
                after += 1
            edge = self._look.counting(range(first + at, first + after)) if unsure[at] else first + at
            if edge is not None:
                yield targets[at], int(self._costs[edge]), edge
            at = after
