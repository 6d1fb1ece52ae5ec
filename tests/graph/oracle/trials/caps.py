"""Which constants a life begins with and changes: caps that a hundred commands reach, and half-lives as short."""

from random import Random
from typing import Final

from yggdrasil_schemas.policy import CONSTANTS, DEFAULT, FIXED, INTEGERS

# What every life begins with, before a few constants are changed at random.
SMALL: Final[dict[str, float]] = {
    "removals_per_command_max": 1_024,
    "archived_max": 4,
    "attest_interval_commands": 5,
    "session_idle_ticks": 25,
    "node_half_life_ticks": 6.0,
    "edge_half_life_ticks": 9.0,
    "permanence_half_life_ticks": 40.0,
    "concept_usage": 2,
    "concept_beyond_chance": 0.0,
    "concept_density": 0.213,
    "dissolve_density": 0.207,
    "absorb_jaccard": 0.5,
    "archive_salience": 0.6,
    "archive_permanence": 0.6,
    "archive_rest_ticks": 0,
    "sleep_slice": 3,
    "adjust_window_ticks": 8,
}
ALL: Final = {**CONSTANTS, **FIXED}  # a life may change what the rules fix (see ``open_rules``)
FLOATS: Final = sorted(ALL.keys() - INTEGERS)
COUNTS: Final[dict[str, tuple[int, ...]]] = {
    "features_paired_max": (0, 1, 3, 8, 32),
    "buffer_events_max": (1, 2, 64),
    "recalls_kept_max": (1, 2, 3),
    "archived_max": (0, 2, 5),
    "archive_rest_ticks": (0, 1, 3, 8),
    "sleep_slice": (1, 2, 7, 40),
    "competitors_max": (0, 1, 4),
    "credit_events_max": (0, 2, 5, 64),
    "concept_usage": (1, 2, 6),
    "adjust_window_ticks": (1, 3, 100),
    "principles_max": (0, 1, 2, 2),
    "session_idle_ticks": (1, 5, 60),
}


def caps(rng: Random) -> dict[str, float]:
    """Bounds that a hundred commands reach."""
    nodes = rng.choice((20, 30, 40, 60, 100))
    return {
        "nodes_max": nodes,
        "sessions_open_max": rng.choice((1, 2, 3)) if nodes >= 30 else 1,
        "edges_max": nodes * rng.choice((1, 2, 3, 6)),
        "degree_max": rng.choice((16, 16, 20, 40)),
        "recalls_kept_max": rng.choice((1, 3, 5)),
    }


def constant(rng: Random, name: str) -> float:
    """A value for a constant: a bound, or something around its default."""
    bounds = ALL[name]
    usual: float = SMALL.get(name) or getattr(DEFAULT, name)
    least = 50.0 if name == "half_life_max_ticks" else bounds.low  # what half-lives begin with is never above it
    drawn = rng.choice((least, min(bounds.high, 50.0), *(usual * 2 ** rng.uniform(-2, 2) for _ in range(8))))
    return min(max(float(f"{drawn:.3g}"), least), bounds.high)


def changes(rng: Random, count: int) -> dict[str, float]:
    return {name: constant(rng, name) for name in rng.sample(FLOATS, count)}
