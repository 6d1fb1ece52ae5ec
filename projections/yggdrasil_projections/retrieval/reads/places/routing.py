"""The ways that lead from somewhere: Dijkstra over paths, in order of cost, and of names where costs are the same."""

from collections.abc import Generator, Iterable
from heapq import heappop, heappush
from typing import Final

from .look import Look
from .overlay import Overlay

EXPANSIONS_MAX: Final = 20_000
"""From so many places one looks on at most; an answer says if that was not enough."""


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
        self._unsure = bool(self._edges.unsure.any())
        self._max_cost = max_cost
        self._by: dict[int, tuple[int, int]] = {}  # the edge by which a node is reached, and the node before it

    def reached(self) -> Generator[tuple[int, int]]:
        """Yield what is reached, each node with its cost, the nearest first, and of equal ones by name."""
        name, edges, costs, by = self._look.atlas.name, self._edges, self._costs, self._by
        best: dict[int, int] = dict.fromkeys(self._begin, 0)
        heap = [(0, name(node), node) for node in self._begin]
        heap.sort()
        done = set[int]()
        most = self._max_cost
        while heap:
            cost, _, node = heappop(heap)
            if node in done:
                continue
            if len(done) >= EXPANSIONS_MAX:
                self.gave_up = True
                return
            done.add(node)
            yield cost, node
            first, end = edges.begin[node : node + 2].tolist()
            found: Iterable[tuple[int, int, int]] = zip(
                edges.target[first:end].tolist(), costs[first:end].tolist(), range(first, end), strict=True
            )
            if self._unsure and edges.unsure[first:end].any():
                found = self._counting(first, end)
            for other, more, edge in found:
                if more < 0 or other in done:
                    continue
                total = cost + more
                if (most is None or total <= most) and total < best.get(other, total + 1):
                    best[other] = total
                    by[other] = edge, node
                    heappush(heap, (total, name(other), other))

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
