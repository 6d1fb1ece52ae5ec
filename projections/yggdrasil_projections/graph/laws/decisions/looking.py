"""What a sleep looks at: the whole memory, or after a task what was touched since, and its turn of the rest."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.working_set import Graph

_PAGE: Final = 256
_LAST: Final = (1 << 64) - 1

Numbers = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.void]
Flags = npt.NDArray[np.bool_]


def all_of(graph: Graph) -> tuple[Numbers, Rows]:
    """Return all live nodes: their numbers, in order, and their scalars (layout NODE_ROWS)."""
    table = graph.node_table()
    return table.keys.astype(np.uint64), table.rows


def turn_of(graph: Graph) -> list[int]:
    """Return the nodes that are looked at after a task, in order of number, and move the cursor over the rest.

    They are those that were touched since the last sleep (in its own tick too), and the next ``sleep_slice`` after the
    last one that had its turn, of all that live; after the youngest comes the oldest.
    """
    header = graph.header
    keys = graph.stored_nodes().keys.astype(np.uint64)
    circle = chain(_living(graph, keys, header.looked, _LAST), _living(graph, keys, 0, header.looked))
    turn = list(islice(circle, header.policy.sleep_slice))
    header.looked = turn[-1] if turn else 0
    return sorted({*turn, *_touched(graph)})


def _touched(graph: Graph) -> list[int]:
    """Return what was touched since the last sleep; where that was not followed, every node is asked for its tick."""
    slept = graph.header.slept
    if graph.awake_known:
        return [each for each in sorted(graph.awake) if (node := graph.node(each)) is not None and node.tick >= slept]
    table, changed = graph.stored_nodes(), graph.changed_nodes
    stored = table.keys[table.rows["tick"] >= slept].tolist()
    awake = [number for number, node in changed.items() if node is not None and node.tick >= slept]  # sorted later
    return [*awake, *[each for each in stored if each not in changed]]


def _living(graph: Graph, keys: Numbers, after: int, until: int) -> Iterator[int]:
    """Yield the live nodes above ``after``, and up to ``until``, in order; ``keys`` are those of the stored table.

    What the table does not show was made after all that it shows.
    """
    changed = graph.changed_nodes
    begin, end = (int(np.searchsorted(keys, np.uint64(each), "right")) for each in (after, until))
    for at in range(begin, end, _PAGE):
        yield from [each for each in keys[at : min(at + _PAGE, end)].tolist() if changed.get(each, True) is not None]
    newest = max(after, int(keys[-1]) if len(keys) else 0)
    if until > newest:
        yield from sorted([each for each, node in changed.items() if node is not None and newest < each <= until])
