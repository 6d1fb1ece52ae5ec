"""In what lives differ: what is said more often, and the constants that go with it."""

from typing import Final

# Some lives are unusual: many thinkers and scorers; many episodes and outcomes; much sleep; low caps and great gains;
# many pins; few keys, and many who know better; much that is taken out again; sessions that begin and end, with notes.
STYLES: Final[dict[str, dict[str, int]]] = {
    "usual": {},
    "crowd": {"sleep": 55, "adjust": 10, "scorer": 30},
    "episodic": {"episode": 22, "outcome": 25},
    "sleepy": {"event": 60, "sleep": 24, "outcome": 8},
    "saturated": {"outcome": 30, "use": 12, "recall": 12},
    "devoted": {"pin": 40, "event": 55, "vector": 16},
    "contested": {"event": 60, "judge": 25, "pin": 30, "episode": 12, "concept": 8, "outcome": 8},
    "withdrawn": {"claim": 70, "judge": 90, "alias": 25, "relate": 20, "recall": 14, "use": 26, "vector": 20},
    "claiming": {"claim": 150, "judge": 35, "define": 4, "alias": 12, "relate": 16, "pin": 10},
    "noting": {"note": 60, "event": 60, "claim": 40, "judge": 30, "pin": 10, "alias": 4, "sleep": 6},
}
STYLE_CONSTANTS: Final[dict[str, dict[str, float]]] = {
    "sleepy": {"archive_salience": 4.0, "archive_permanence": 3.0, "capacity_weight_max": 6, "dissolve_density": 0.213},
    "devoted": {"protected_share": 0.05, "nodes_kept_share": 0.3, "rank_permanence": 0.0, "principles_max": 3},
    "contested": {"nodes_max": 150, "edges_max": 450},
    "withdrawn": {"nodes_max": 150, "edges_max": 450, "claims_staged": 0, "claim_margin": 100, "taint_ticks": 1},
    "claiming": {"nodes_max": 150, "edges_max": 450, "claims_staged": 0, "claim_margin": 100, "taint_ticks": 1},
    "noting": {"nodes_max": 150, "edges_max": 450, "claims_staged": 0, "session_idle_ticks": 8},
    "saturated": {
        "salience_initial": 9.0,
        "novelty_max": 4.0,
        "feature_salience": 3.0,
        "recall_salience": 8.0,
        "salience_max": 10.0,
        "use_permanence": 0.5,
        "permanence_max": 2.0,
        "association_weight": 4.0,
        "weight_max": 10.0,
        "impact_max": 5.0,
        "stability_max": 2.0,
        "edge_reinforce_half_life": 3.0,
        "half_life_max_ticks": 50.0,
    },
}
