"""A memory's scalars as rows, for the scans that rank them: what is stored, overlaid with what has changed since."""

from yggdrasil_schemas.graph_codec import EDGE_KEY, NUMBER, encode_edge, encode_node

from .working_set import Graph

Rows = tuple[list[bytes], list[bytes]]


def node_rows(graph: Graph) -> Rows:
    """Return the 8-byte keys and the encoded scalars of all live nodes, in key order."""
    changed = graph.changed_nodes.items()
    fresh = {NUMBER.pack(number): encode_node(node) if node else None for number, node in changed}
    return _overlaid(graph.source.node_rows(), fresh)


def edge_rows(graph: Graph) -> Rows:
    """Return the 17-byte keys and the encoded scalars of all live edges, in key order."""
    changed = graph.changed_edges.items()
    fresh = {EDGE_KEY.pack(*key): encode_edge(edge) if edge else None for key, edge in changed}
    return _overlaid(graph.source.edge_rows(), fresh)


def _overlaid(stored: list[tuple[bytes, bytes]], fresh: dict[bytes, bytes | None]) -> Rows:
    rows = [row for row in stored if row[0] not in fresh]
    rows += [(key, value) for key, value in fresh.items() if value is not None]
    rows.sort()  # nearly sorted already, which is what Python's sort is best at
    return [key for key, _ in rows], [value for _, value in rows]
