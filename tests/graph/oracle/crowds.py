"""Three histories with more nodes and edges than one command may take away or change."""

from typing import Final

from tests.graph.commands import Said, event, policy, sleep


def _crowd() -> list[Said]:
    """1,184 nodes and 1,183 edges."""
    wide = policy("wide", removals_per_command_max=1_024, features_paired_max=0, consolidated_uses_1=1)
    return [wide, *(event(f"e{n}", *(f"f{n}-{each}" for each in range(31))) for n in range(37))]


FEWER_NODES: Final = [
    *_crowd(),
    policy("fewer", nodes_max=40, sessions_open_max=2, edges_max=40),
    event("next"),
    event("after"),
]
"""1,024 nodes go with the policy, and 123 with the next event: 160 are left, one comes, 38 of 40 are kept."""

FEWER_EDGES: Final = [
    *_crowd(),
    policy("fewer", nodes_max=1_300, sessions_open_max=2, edges_max=1_300, edges_kept_share=0.1),
    *(event(f"again{n}", *(f"f{n}-{each}" for each in range(31))) for n in range(4)),
]
"""Of 1,311 edges 1,024 go, though only 130 are to be kept."""

MUCH_SLEEP: Final = [*_crowd(), sleep("first"), sleep("second")]
"""1,147 features have been used once, which is enough for a level; 1,024 get it in the first sleep."""
