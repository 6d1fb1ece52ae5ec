"""The column families of a partition's store; docs/architecture.md shows their keys and values."""

from typing import Final

META: Final = "meta"
MEMORIES: Final = "memories"
NODES: Final = "nodes"
EDGES: Final = "edges"
ADJACENCY: Final = "adjacency"
CONTENTS: Final = "contents"
VECTORS: Final = "vectors"
FEATURES: Final = "features"
SESSIONS: Final = "sessions"
PARTS: Final = "parts"
HEIRS: Final = "heirs"
ADJUSTED: Final = "adjusted"
RULINGS: Final = "rulings"
SLOTS: Final = "slots"
MEMBERS: Final = "members"
CLAIMS: Final = "claims"
PREDICATES: Final = "predicates"
NAMES: Final = "names"
RELATIONS: Final = "relations"
SCORERS: Final = "scorers"
SNAPSHOTS: Final = "snapshots"
ACCOUNTS: Final = "accounts"
ACTS: Final = "acts"
TAINTS: Final = "taints"
RECALLS: Final = "recalls"
ROLES: Final = "roles"
REGARDS: Final = "regards"
IDENTITY: Final = "identity"
RECORD_HASHES: Final = "record_hashes"
OUTBOX: Final = "outbox"
ATTESTATIONS: Final = "attestations"

ALL: Final = (
    META,
    MEMORIES,
    NODES,
    EDGES,
    ADJACENCY,
    CONTENTS,
    VECTORS,
    FEATURES,
    SESSIONS,
    PARTS,
    HEIRS,
    ADJUSTED,
    RULINGS,
    SLOTS,
    MEMBERS,
    CLAIMS,
    PREDICATES,
    NAMES,
    RELATIONS,
    SCORERS,
    SNAPSHOTS,
    ACCOUNTS,
    ACTS,
    TAINTS,
    RECALLS,
    ROLES,
    REGARDS,
    IDENTITY,
    RECORD_HASHES,
    OUTBOX,
    ATTESTATIONS,
)

OF_GRAPHS: Final = tuple(family for family in ALL if family not in (META, OUTBOX, ATTESTATIONS))
"""What a graph is read from, and what its records are compared with."""
