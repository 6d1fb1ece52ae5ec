"""What a sleep looks at: the whole memory, or after a task what was touched since, and its turn of the rest."""

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.table import Table
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.codec import NODE_ROWS, encode_node

Numbers = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.void]
Flags = npt.NDArray[np.bool_]


def all_of(graph: Graph) -> tuple[Numbers, Rows]:
    """Return all live nodes: their numbers, in order, and their scalars (layout NODE_ROWS)."""
    table = graph.node_table()
    return table.keys.astype(np.uint64), table.rows


def turn_of(graph: Graph) -> Numbers:
    """Return the nodes that are looked at after a task, in order of number, and move the cursor over the rest.

    They are those that were touched since the last sleep (in its own tick too), and the next ``sleep_slice`` after the
    last one that had its turn, of all that live; after the youngest comes the oldest.
    """
    header, table = graph.header, graph.stored_nodes()
    keys, unchanged = table.keys.astype(np.uint64), _unchanged(graph, table)
    changed = graph.changed_nodes.items()
    fresh = np.array(sorted([number for number, node in changed if node is not None]), np.uint64)
    awake = [number for number, node in changed if node is not None and node.tick >= header.slept]  # any order: sorted
    touched = keys[unchanged & (table.rows["tick"] >= header.slept)]

    count = header.policy.sleep_slice
    after, fresh_after = (int(np.searchsorted(each, np.uint64(header.looked), "right")) for each in (keys, fresh))
    turn = _first(count, keys[after:], unchanged[after:], fresh[fresh_after:])
    again = _first(count - len(turn), keys[:after], unchanged[:after], fresh[:fresh_after])
    last = again if len(again) else turn
    header.looked = int(last[-1]) if len(last) else 0
    return np.unique(np.concatenate([touched, np.array(awake, np.uint64), turn, again]))


def rows_of(graph: Graph, numbers: Numbers) -> tuple[Numbers, Rows]:
    """Return those of ``numbers`` that live, and their scalars, as ``all_of`` does; ``numbers`` ascend."""
    table, changed = graph.stored_nodes(), graph.changed_nodes
    alive = [each for each in numbers.tolist() if changed.get(each, True) is not None]
    live = np.array(alive, np.uint64)
    rows = np.empty(len(live), NODE_ROWS)
    encoded = {at: encode_node(node) for at, each in enumerate(alive) if (node := changed.get(each)) is not None}
    of_table = np.ones(len(live), np.bool_)
    of_table[list(encoded)] = False
    rows[of_table] = table.rows[np.searchsorted(table.keys.astype(np.uint64), live[of_table])]
    rows[~of_table] = np.frombuffer(b"".join(encoded.values()), NODE_ROWS)
    return live, rows


def _unchanged(graph: Graph, table: Table) -> Flags:
    """Return which rows of a table show a node as it is."""
    keys = table.keys.astype(np.uint64)
    changed = np.array(sorted(graph.changed_nodes), np.uint64)
    at = np.searchsorted(keys, changed)
    there = at < len(keys)
    there[there] = keys[at[there]] == changed[there]
    unchanged = np.ones(len(keys), np.bool_)
    unchanged[at[there]] = False
    return unchanged


def _first(count: int, keys: Numbers, unchanged: Flags, fresh: Numbers) -> Numbers:
    """Return the ``count`` lowest of those keys that are unchanged and of what is fresh."""
    stored = keys[np.flatnonzero(unchanged)[:count]]
    return np.sort(np.concatenate([stored, fresh[:count]]))[:count]
