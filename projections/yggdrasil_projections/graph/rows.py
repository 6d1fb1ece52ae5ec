"""A memory's scalars as rows, for the scans that rank them: what is stored, overlaid with what has changed since."""

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.codec import (
    EDGE_KEY,
    EDGE_KEYS,
    EDGE_ROWS,
    NODE_KEYS,
    NODE_ROWS,
    NUMBER,
    encode_edge,
    encode_node,
)
from yggdrasil_schemas.graph.records import EdgeKey

from .table import Table
from .working_set import Graph


def node_table(graph: Graph) -> Table:
    """Return the numbers (layout NODE_KEYS) and the scalars (NODE_ROWS) of all live nodes, in order of number."""
    table = graph.tables.nodes
    if table is None:
        table = graph.tables.nodes = Table(graph.source.node_rows(), NODE_KEYS, NODE_ROWS)
    table.refresh(_fresh_nodes(graph))
    return table


def edge_table(graph: Graph) -> Table:
    """Return the keys (layout EDGE_KEYS) and the scalars (EDGE_ROWS) of all live edges, in key order."""
    table = graph.tables.edges
    if table is None:
        table = graph.tables.edges = Table(graph.source.edge_rows(), EDGE_KEYS, EDGE_ROWS)
    table.refresh(_fresh_edges(graph))
    return table


def edge_rows(graph: Graph, keys: list[EdgeKey]) -> npt.NDArray[np.void]:
    """Return the scalars (layout EDGE_ROWS) of the edges that ``keys`` name, in their order; all must be live."""
    return np.frombuffer(b"".join([encode_edge(graph.expect_edge(key)) for key in keys]), EDGE_ROWS)


def _fresh_nodes(graph: Graph) -> dict[bytes, bytes | None]:
    changed = graph.changed_nodes.items()
    return {NUMBER.pack(number): encode_node(node) if node else None for number, node in changed}  # any order


def _fresh_edges(graph: Graph) -> dict[bytes, bytes | None]:
    changed = graph.changed_edges.items()
    return {EDGE_KEY.pack(*key): encode_edge(edge) if edge else None for key, edge in changed}  # any order
