"""What docs/laws.md says of half-lives, written once more for the numbers that tests work out by hand.

``HALVING`` makes every value halve with each tick, whatever its kind, place and past, so that no formula is due.
"""

from hashlib import blake2b

from tests.graph.commands import policy

HALF_LIFE = 69.31471805599453
"""Of a plain event and of an edge, in ticks: ln 2 / 0.01."""

_SAME = dict.fromkeys(("feature_half_life", "episode_half_life", "concept_half_life"), 1)
_PLAIN = dict.fromkeys(("half_life_per_density", "half_life_per_permanence"), 0)
_ONE = dict.fromkeys(("node_half_life_ticks", "edge_half_life_ticks", "permanence_half_life_ticks"), 1)

PLAIN = policy("plain", **_SAME, **_PLAIN)
"""Half-lives are 69.3 ticks times stability."""
HALVING = policy("halving", **_SAME, **_PLAIN, **_ONE)
"""Half-lives are stability, in ticks."""
BARE = policy("bare", half_life_per_density=0)
"""Density counts for nothing in half-lives."""

NO_RANK = {f"rank_{part}": 0 for part in ("permanence", "salience", "usage", "connectivity", "impact")}
"""All nodes are alike, so the oldest go first."""
_NO_SHARES = {"agents_share": 1.0, "foreign_share": 1.0}
TEN = policy("ten", nodes_max=10, sessions_open_max=1, edges_max=1_000, nodes_kept_share=0.9, **NO_RANK, **_NO_SHARES)
"""The eleventh node costs the two oldest, but no pinned ones (of which two are protected) and not the last event."""


def density(degree: int, kinds: int, marks: int) -> float:
    """With so many edges, of so many kinds, and so many bits of sessions and concepts."""
    return degree / (degree + 16) * (1 + kinds / 5 + marks / (marks + 4)) / 3


def half_life(kind: float = 1.0, stability: float = 1.0, permanence: float = 0.0, dense: float = 0.0) -> float:
    """Of a node under the default policy, in ticks; ``dense`` is its density."""
    return HALF_LIFE * kind * stability * (1 + 0.2 * permanence) * (1 + dense)


def faded(value: float, ticks: float, half_life_ticks: float = HALF_LIFE) -> float:
    return float(value * 2.0 ** -(ticks / half_life_ticks))


def judged(*sizes: float) -> float:
    """Impact after outcomes or uses of these sizes, with their signs: each lets a tenth of what was there fade."""
    impact = 0.0
    for size in sizes:
        impact = impact * (1 - 0.1 * min(abs(size), 1)) + size
    return impact


def session_mark(name: str) -> int:
    return 1 << (blake2b(name.encode(), digest_size=1).digest()[0] % 64)
