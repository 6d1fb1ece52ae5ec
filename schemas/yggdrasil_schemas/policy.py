"""Every constant of the laws, with its unit, its bounds and where it comes from.

``set_policy`` changes them for one memory from that command on. Sources: ``000``, ``003`` are the documents that the
system comes from (the core paper and the paper on perspectives and use); ``design`` is docs/architecture.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple

import orjson

from .canonical import canonical_json
from .limits import DESK_MAX


class Bounds(NamedTuple):
    """What a constant measures, the least and the greatest value it may take, and its source."""

    unit: str
    low: float
    high: float
    source: str


def _constant(default: Any, unit: str, low: float, high: float, source: str) -> Any:
    return field(default=default, metadata={"bounds": Bounds(unit, low, high, source)})


def _fixed(default: Any, unit: str, low: float, high: float, source: str) -> Any:
    """Declare a constant of the rules themselves; the bounds are those between which the laws hold."""
    return field(default=default, metadata={"bounds": Bounds(unit, low, high, source), "fixed": True})


# A linear loss of 0.01 per step (000, section 7) has the same rate at the start as this half-life: ln 2 / 0.01.
_HALF_LIFE: Final = 69.31471805599453
# The uses of each level, and the loss per task at level 0, 0.5 %, over that at the level: 0.3, 0.2, 0.1, 0.05, 0.02 %
# (003, section 3.6, consolidation levels and decay rates).
_CONSOLIDATION: Final = ((5, 5 / 3), (15, 2.5), (30, 5.0), (60, 10.0), (100, 25.0))


@dataclass(frozen=True, slots=True)
class Policy:
    """The constants of one memory, and those of the rules. Integers are counts; everything else is a float."""

    # Bounds
    nodes_max: int = _constant(50_000, "nodes", 10, 10_000_000, "000 section 7, max_nodes")
    edges_max: int = _constant(250_000, "edges", 10, 50_000_000, "design, bounds")
    degree_max: int = _constant(256, "edges per node", 16, 1_024, "design, bounds")
    features_paired_max: int = _constant(8, "features per event", 0, 32, "design, bounds")
    sessions_open_max: int = _constant(64, "sessions", 1, 1_024, "design, sessions")
    session_idle_ticks: int = _constant(1_000, "ticks", 1, 1_000_000_000, "002 section 5: a registered one closes")
    buffer_events_max: int = _constant(64, "events per session", 1, 1_024, "000 section 6, short-term buffer")
    recalls_kept_max: int = _constant(1_000, "recalls", 1, 100_000, "design, use")
    principles_max: int = _constant(16, "nodes", 0, 64, "003 section 3.5, principles are always in")
    archived_max: int = _constant(25_000, "nodes", 0, 10_000_000, "design, bounds")
    attest_interval_commands: int = _constant(64, "commands", 1, 1_000_000, "design, digests")

    # Values and how they fade
    salience_initial: float = _constant(1.0, "salience", 0.0, 10.0, "000 section 7, Node")
    novelty_max: float = _constant(0.5, "salience", 0.0, 10.0, "000 section 7, record_event")
    node_half_life_ticks: float = _constant(_HALF_LIFE, "ticks", 0.1, 1e6, "000 section 7, decay_rate 0.01")
    edge_half_life_ticks: float = _constant(_HALF_LIFE, "ticks", 0.1, 1e6, "000 section 7, decay_rate 0.01")
    permanence_half_life_ticks: float = _constant(20_000.0, "ticks", 1.0, 1e12, "000 section 4, permanence dynamics")
    outcome_half_life: float = _constant(1.0, "factor of the half-life", 0.01, 100.0, "000 section 4, decay dynamics")
    feature_half_life: float = _constant(2.0, "factor of the half-life", 0.01, 100.0, "000 section 4, decay dynamics")
    episode_half_life: float = _constant(4.0, "factor of the half-life", 0.01, 100.0, "000 section 4, decay dynamics")
    concept_half_life: float = _constant(8.0, "factor of the half-life", 0.01, 100.0, "000 section 4, decay dynamics")
    half_life_per_permanence: float = _constant(0.2, "per permanence", 0.0, 100.0, "000 section 4, decay dynamics")
    half_life_per_density: float = _constant(1.0, "per density", 0.0, 100.0, "000 section 3, edges play two roles")

    # Event
    feature_salience: float = _constant(0.1, "salience per occurrence", 0.0, 10.0, "000 section 7, reinforce(0.1)")
    association_weight: float = _constant(1.0, "weight per co-occurrence", 0.0, 10.0, "000 section 7, Edge.weight")
    edge_reinforce_half_life: float = _constant(1.02, "factor of the half-life", 1.0, 10.0, "000 section 7, Edge")
    transition_share: float = _constant(0.3, "of the novelty", 0.0, 1.0, "000 section 4, handling novelty")
    absorb_jaccard: float = _constant(0.8, "Jaccard index", 0.01, 1.0, "000 section 4, event integration")
    absorbed_half_life: float = _constant(0.5, "factor of the half-life", 0.01, 1.0, "000 section 4, decay dynamics")
    competitors_max: int = _constant(4, "nodes per event", 0, 32, "000 section 4, event integration")
    competitor_loss: float = _constant(0.05, "share of salience", 0.0, 1.0, "000 section 4, event integration")

    # Outcome
    good_salience: float = _constant(0.5, "salience per magnitude", 0.0, 10.0, "000 section 7, reinforce_positive")
    good_permanence: float = _constant(0.1, "permanence per magnitude", 0.0, 10.0, "000 section 7, reinforce_positive")
    bad_salience: float = _constant(1.0, "salience per magnitude", 0.0, 10.0, "000 section 7, reinforce_negative")
    bad_permanence: float = _constant(0.5, "permanence per magnitude", 0.0, 10.0, "000 section 7, reinforce_negative")
    bad_edge_decay: float = _constant(0.7, "factor of the decay rate", 0.1, 1.0, "000 section 7, reinforce_negative")
    neutral_half_life: float = _constant(0.5, "factor of the half-life", 0.01, 1.0, "000 section 4, decay rates adjust")
    catastrophic_half_life: float = _constant(5.0, "factor of the half-life", 1.0, 100.0, "000 section 4, decay")
    credit_events_max: int = _constant(5, "events", 0, 64, "000 section 7, short_term_buffer[-5:]")
    credit_share: float = _constant(0.1, "of the magnitude", 0.0, 1.0, "000 section 7, reinforce(magnitude * 0.1)")
    credit_discount: float = _constant(0.8, "per step", 0.0, 1.0, "000 section 4, influence propagates backward")
    attribution: float = _constant(1.0, "per valence", 0.0, 100.0, "000 section 3, feature nodes")
    foretell_valence: float = _constant(0.5, "valence", 0.0, 10.0, "000 section 3, sub-nodes deepen edges")
    surprise_rate: float = _constant(0.3, "of the surprise", 0.0, 1.0, "Rescorla and Wagner 1972, alpha * beta")
    teach_trust_min: int = _constant(1, "trust", 0, 4, "design, outcomes: a stranger's teaches nobody")
    contradiction_loss: float = _constant(0.1, "share of permanence", 0.0, 1.0, "000 section 4, permanence dynamics")
    guardrail_permanence: float = _constant(8.0, "permanence", 0.0, 1e6, "000 section 8, governance")
    episode_share: float = _constant(0.2, "of the magnitude", 0.0, 1.0, "000 section 6, aging and refinement")
    first_outcome: float = _constant(1.5, "factor of the magnitude", 1.0, 10.0, "000 section 4, novelty")

    # Eight late failures outweigh any number of equal successes: 0.9^8 is less than a half. At 0.92 it would take nine.
    impact_kept: float = _constant(0.9, "of the impact, at size 1", 0.0, 1.0, "design, outcomes: the newest count most")

    # Recall and use
    reads_recorded: int = _constant(0, "which: 0 recalls, 1 all", 0, 1, "design card, every call becomes a command")
    recall_salience: float = _constant(0.1, "salience", 0.0, 10.0, "000 section 7, get_context")
    use_permanence: float = _constant(0.1, "permanence", 0.0, 10.0, "003 section 3.6, finalize_task")
    use_half_life: float = _constant(1.02, "factor of the half-life", 1.0, 10.0, "000 section 7, decay_rate *= 0.98")
    impact_success: float = _constant(1.5, "impact", 0.0, 100.0, "003 section 3.6, update_impact")
    impact_failure: float = _constant(-1.5, "impact", -100.0, 0.0, "design, use: the mirror of a success")
    impact_helpful: float = _constant(2.0, "impact", 0.0, 100.0, "003 section 3.6, update_impact")
    impact_prevented: float = _constant(2.0, "impact", 0.0, 100.0, "003 section 3.6, update_impact")
    impact_permanence: float = _constant(0.2, "permanence per impact", 0.0, 10.0, "003 section 3.6, update_impact")

    regard_initial: float = _constant(1.0, "salience", 0.0, 10.0, "003 section 3.4, strength by perspective")
    regard_use: float = _constant(0.15, "salience", 0.0, 10.0, "003 section 3.6, finalize_task")
    regard_max: float = _constant(10.0, "salience", 1.0, 20.0, "003 section 3.5, a principle's strength")

    # Episodes, concepts, reflection, sleep
    upward_share: float = _constant(0.5, "of the members' values", 0.0, 1.0, "000 section 6, how chunking works")
    key_salience: float = _constant(2.0, "salience", 0.0, 1e6, "000 section 6, retention of key events")
    concept_density: float = _constant(0.6, "density", 0.0, 1.0, "000 section 4, conceptual density")
    dissolve_density: float = _constant(0.4, "density", 0.0, 1.0, "000 section 4, conceptual density")
    concept_usage: int = _constant(8, "occurrences", 1, 1_000_000, "000 section 4, conceptual density")
    concept_beyond_chance: float = _constant(8.0, "standard deviations", 0.0, 1e3, "design, concepts: docs/laws.md")
    new_concept_half_life: float = _constant(0.5, "factor of the half-life", 0.01, 1.0, "000 section 4, novelty")
    adjust_salience_max: float = _constant(0.25, "salience or weight", 0.0, 1.0, "000 section 8, small adjustments")
    adjust_permanence_max: float = _constant(0.25, "permanence", 0.0, 1.0, "000 section 8, small adjustments")
    # In so many ticks a passing node's salience is gone (14 half-lives), and permanence, half of which erodes in
    # 20,000, stays below 0.25 / (1 - 2^-(1,000 / 20,000)) = 7.3, and so below its cap, whoever adjusts it how often.
    adjust_window_ticks: int = _constant(1_000, "ticks", 1, 1_000_000_000, "design, reflection")
    adjust_half_life_max: float = _constant(
        1.1, "factor of the half-life", 1.0, 2.0, "000 section 8, small adjustments"
    )
    archive_salience: float = _constant(0.1, "salience", 0.0, 1e6, "003 section 3.8, archive threshold")
    archive_permanence: float = _constant(0.5, "permanence", 0.0, 1e6, "design, sleep")
    # At the seed's rate of 0.995 a task, of ten events each, a strength of 1 is 0.1 after ln 0.1 / ln 0.995 = 459.4
    # tasks; at a higher level of consolidation it takes so many times as long as its half-life is longer.
    archive_rest_ticks: int = _constant(4_594, "ticks at level 0", 0, 1_000_000_000, "003 section 3.6, decay rates")
    sleep_slice: int = _constant(128, "nodes", 1, 5_000, "design, sleep: of the rest, after each task")
    revived_salience: float = _constant(0.5, "salience", 0.0, 10.0, "003 section 3.8, re-activation")
    # Ten times the seed's: it is meant for one agent's memories, and ``nodes_max`` is ten times as large.
    capacity_weight_max: int = _constant(100_000, "weight", 0, 1_000_000_000, "003 section 3.8, capacity management")
    capacity_weight_0: int = _constant(1, "weight at level 0", 1, 1_000, "003 section 3.8, weight by level")
    capacity_weight_1: int = _constant(2, "weight at level 1", 1, 1_000, "003 section 3.8, weight by level")
    capacity_weight_2: int = _constant(4, "weight at level 2", 1, 1_000, "003 section 3.8, weight by level")
    capacity_weight_3: int = _constant(8, "weight at level 3", 1, 1_000, "003 section 3.8, weight by level")
    capacity_weight_4: int = _constant(16, "weight at level 4", 1, 1_000, "003 section 3.8, weight by level")
    capacity_weight_5: int = _constant(32, "weight at level 5", 1, 1_000, "003 section 3.8, weight by level")

    # Claims: a word of so much trust weighs so many quarters; tools outrank what is only said (001, section 9).
    claim_half_life: float = _constant(8.0, "factor of the half-life", 0.01, 100.0, "design, claims: as a concept's")
    claim_weight_0: int = _constant(0, "quarters of a word", 0, 100, "design, claims: a stranger's")
    claim_weight_1: int = _constant(2, "quarters of a word", 0, 100, "design, claims: an agent's")
    claim_weight_2: int = _constant(4, "quarters of a word", 0, 100, "design, claims: a user's")
    claim_weight_3: int = _constant(8, "quarters of a word", 0, 100, "design, claims: a tool's")
    claim_weight_4: int = _constant(16, "quarters of a word", 0, 100, "design, claims: an operator's")
    claim_margin: int = _constant(280, "percent of a quarter", 0, 10_000, "design, claims: one word against another")
    claims_staged: int = _constant(1, "whose: 0 nobody, 1 thinkers, 2 imports, 3 all", 0, 3, "001 section 4")

    taint_ticks: int = _constant(64, "ticks", 0, 1_024, "001 section 4: as long as a session's buffer")
    notes_trust_min: int = _constant(1, "trust", 0, 4, "001 section 4: what is said with less waits")

    # Pruning
    protect_permanence: float = _constant(5.0, "permanence", 0.0, 1e6, "000 section 4, pruning mechanics")
    foreign_share: float = _constant(0.1, "of each bound", 0.0, 1.0, "design, bounds: strangers' beyond it goes first")
    agents_share: float = _constant(
        0.7, "of nodes and edges", 0.0, 1.0, "design, bounds: what agents and strangers said"
    )
    protected_share: float = _constant(0.2, "of nodes_max", 0.0, 0.5, "design, bounds")

    # Search: when a read refuses. No law reads these; what comes first is the business of a named ranker.
    search_relevance: float = _constant(0.05, "relevance", 0.0, 1.0, "003 section 3.4, relevance threshold")
    search_refusal: float = _constant(0.2, "confidence", 0.0, 1.0, "design, reading: nothing rather than a guess")
    search_gap: float = _constant(-0.2, "share of the question", -1.0, 0.0, "design, reading: known of somebody else")
    search_select: int = _constant(0, "which: 0 fixed, 1 threshold, 2 chance", 0, 2, "003 section 3.5, cliff problem")
    search_select_score: float = _constant(0.4, "score", 0.0, 1.0, "003 section 3.5, threshold")
    search_select_max: int = _constant(20, "memories", 1, 50, "003 section 3.5, extended")
    bias_candidates: int = _constant(50, "offers", 1, 1_000_000, "003 section 3.5, never-used detection")

    # Learned scorers, which a law lets count, and what a recall keeps for those who fit them.
    scorer_samples_min: int = _constant(100, "samples", 1, 1_000_000_000, "003 section 3.5, learning stabilization")
    scorer_adopt: int = _constant(0, "whose: 0 operators, 1 thinkers too", 0, 1, "design, scorers: approval")
    recall_features: int = _constant(1, "which: 0 none, 1 of what is returned", 0, 1, "003 section 3.5, features")

    # Fixed by the rules: caps that keep every value finite, how much is removed at a time, and the weights of the ranks
    # by which that is chosen. A memory's life is no business of these, so ``set_policy`` does not know them.
    # Caps of at least 10, the most that one of the constants above may give at once.
    salience_max: float = _fixed(20.0, "salience", 10.0, 1e6, "design, determinism")
    permanence_max: float = _fixed(10.0, "permanence", 1.0, 1e6, "design, determinism")
    weight_max: float = _fixed(100.0, "weight", 10.0, 1e6, "design, determinism")
    impact_max: float = _fixed(100.0, "impact", 1.0, 1e6, "design, determinism")
    half_life_max_ticks: float = _fixed(1e6, "ticks", 1.0, 1e12, "design, determinism")
    stability_min: float = _fixed(0.01, "factor of the half-life", 1e-6, 1.0, "design, determinism")
    stability_max: float = _fixed(1_000.0, "factor of the half-life", 1.0, 1e6, "design, determinism")
    # At least 1,024: one event may bring 33 nodes and 529 edges, and what comes must be able to go again.
    removals_per_command_max: int = _fixed(5_000, "nodes or edges", 1_024, 20_000, "design, bounds")
    nodes_kept_share: float = _fixed(0.95, "of nodes_max, after pruning", 0.1, 0.98, "design, bounds")
    edges_kept_share: float = _fixed(0.9, "of edges_max, after pruning", 0.1, 0.98, "design, bounds")
    degree_kept_share: float = _fixed(0.75, "of degree_max, after pruning", 0.1, 0.98, "design, bounds")
    rank_permanence: float = _fixed(4.0, "per permanence", 0.0, 1e3, "000 section 7, prune order")
    rank_salience: float = _fixed(2.0, "per salience", 0.0, 1e3, "000 section 7, prune order")
    rank_usage: float = _fixed(1.0, "at much usage", 0.0, 1e3, "000 section 7, prune order")
    rank_connectivity: float = _fixed(1.0, "at full density", 0.0, 1e3, "000 section 4, conceptual density")
    rank_impact: float = _fixed(0.5, "per unit of impact", 0.0, 1e3, "000 section 4, contribution to trajectories")

    def conflict(self) -> bool:
        """Whether two constants contradict each other.

        The buffers of all sessions must fit in a tenth of the nodes, the chains of all sessions among the edges.
        """
        if self.nodes_max < 10 * self.sessions_open_max or self.edges_max < self.nodes_max:
            return True
        return self.dissolve_density > self.concept_density

    @property
    def consolidation(self) -> tuple[tuple[int, float], ...]:
        """The uses that each level from 1 on takes, and its factor of the half-life."""
        return _CONSOLIDATION

    @property
    def capacity_weights(self) -> tuple[int, ...]:
        """What an experience weighs that is not archived, by its level from 0 on."""
        return (
            self.capacity_weight_0,
            self.capacity_weight_1,
            self.capacity_weight_2,
            self.capacity_weight_3,
            self.capacity_weight_4,
            self.capacity_weight_5,
        )

    @property
    def claim_weights(self) -> tuple[int, ...]:
        """What a word weighs, in quarters, by its trust from 0 on."""
        return (
            self.claim_weight_0,
            self.claim_weight_1,
            self.claim_weight_2,
            self.claim_weight_3,
            self.claim_weight_4,
        )

    @property
    def session_buffer_max(self) -> int:
        """How many events one session's buffer holds: all buffers together hold at most a tenth of ``nodes_max``."""
        return min(self.buffer_events_max, self.nodes_max // (10 * self.sessions_open_max))

    @property
    def session_desk_max(self) -> int:
        """How many notes the desk of one session has: those of all together are at most a tenth of ``nodes_max``."""
        return min(DESK_MAX, self.nodes_max // (10 * self.sessions_open_max))


DEFAULT: Final = Policy()
_NOTHING: Final = b"{}"
_BOUNDS: Final[Mapping[str, Bounds]] = {entry.name: entry.metadata["bounds"] for entry in fields(Policy)}
FIXED: Final[Mapping[str, Bounds]] = {
    entry.name: _BOUNDS[entry.name] for entry in fields(Policy) if "fixed" in entry.metadata
}
"""The constants that belong to the rules: another value of one of them is another version of the rules."""
CONSTANTS: Final[Mapping[str, Bounds]] = {name: bounds for name, bounds in _BOUNDS.items() if name not in FIXED}
"""The constants that a memory may change."""
INTEGERS: Final = frozenset(entry.name for entry in fields(Policy) if isinstance(entry.default, int))


def check_changes(changes: Mapping[str, int | float]) -> dict[str, int | float]:
    """Return ``changes`` with every value in the type of its constant.

    Raises ValueError for an unknown name, a fraction where a count is due, or a value out of its bounds.
    """
    checked: dict[str, int | float] = {}
    for name, value in changes.items():
        bounds = CONSTANTS.get(name)
        if bounds is None:
            raise ValueError("not a constant of the policy")
        if name in INTEGERS and not isinstance(value, int):
            raise ValueError(f"{name} is a count of {bounds.unit}")
        if not bounds.low <= value <= bounds.high:
            raise ValueError(f"{name} must lie in [{bounds.low:g}, {bounds.high:g}] {bounds.unit}")
        checked[name] = value if name in INTEGERS else float(value)
    return checked


def changed(policy: Policy, changes: Mapping[str, int | float]) -> Policy:
    """Return ``policy`` with checked ``changes``."""
    values: dict[str, Any] = dict(changes)
    return replace(policy, **values)


def encode_policy(policy: Policy) -> bytes:
    """Return the canonical bytes of a policy: sorted JSON of what differs from the defaults."""
    if policy is DEFAULT:  # as most are, and it is asked for with every batch of every memory
        return _NOTHING
    differing = {name: getattr(policy, name) for name in CONSTANTS if getattr(policy, name) != getattr(DEFAULT, name)}
    return canonical_json(differing)


def decode_policy(data: bytes) -> Policy:
    """Return the policy that ``encode_policy`` wrote."""
    if data == _NOTHING:
        return DEFAULT
    return replace(DEFAULT, **orjson.loads(data))
