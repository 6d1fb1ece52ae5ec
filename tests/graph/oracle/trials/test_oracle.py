"""An independent oracle predicts every answer and every value (tests/graph/oracle says how it differs from the fold).

A near-tie is a choice between ranks, or against a threshold, that lie less than 1e-9 apart: rounding decides it, and
the two may decide otherwise. Such a history ends there; how many do is counted, and bounded.
"""

from collections import Counter

from hypothesis import event as note
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.mutants.hunting import LIVES_MAX
from tests.graph.oracle.model import LAWS
from tests.graph.oracle.trials.crowds import (
    BEYOND_CHANCE,
    FEATURES_FADE,
    FEWER_EDGES,
    FEWER_NODES,
    FROM_BELOW,
    FULL_OF_CLAIMS,
    FULL_SLOT,
    HEIRS_OF_HEIRS,
    MADE_ANEW,
    MANY_CONCEPTS,
    MANY_NAMES,
    MANY_TAINTS,
    MANY_VIEWS,
    MUCH_SLEEP,
    TO_AND_FRO,
)
from tests.graph.oracle.trials.trial import COUNTED, sampled, told, tried
from tests.size import turns
from yggdrasil_schemas.refusals import Refusal

EXAMPLES = turns(100, 30_000)
SAMPLE = turns(LIVES_MAX, 300)  # the lives that catch every mutation in tests/graph/mutants/mutations.py
OFTEN = turns(3, 20)
RULES = set(COUNTED)
BEFORE_THE_LAWS = {reason for reason in Refusal if reason < Refusal.ID_REUSED}


@settings(max_examples=EXAMPLES, deadline=None, print_blob=True)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 2**32), min_size=30, max_size=150))
def test_an_independent_oracle_predicts_the_memory(start: int, seeds: list[int]) -> None:
    trial = tried(start, seeds)
    assert not trial.failure, trial.failure
    if trial.near_tie:
        note("a near-tie was decided otherwise")


def test_the_histories_exercise_every_rule() -> None:
    """A fixed sample agrees, and holds every command, every refusal of the laws and every rule often."""
    counts, near_ties = Counter[str](), 0
    for start in range(SAMPLE):
        trial = sampled(start)
        assert not trial.failure, f"life {start}: {trial.failure}"
        counts += trial.counts
        near_ties += trial.near_tie
    expected = {*LAWS, *RULES, *(reason.code for reason in Refusal if reason not in BEFORE_THE_LAWS), "duplicate"}
    expected -= {
        "predicates_full",
        "aliases_full",
        "roles_full",
        "scorers_full",
        "snapshots_full",
    }  # which take very many: see below
    expected -= {"regards given again"}  # which takes a report, and two verdicts on it: see below
    expected -= {"an edge was another"}  # which takes two relations, a report, and two verdicts: see below
    expected -= {"an edge was given it again"}  # which takes a report, and two verdicts on it: see below
    assert {name: counts[name] for name in expected if counts[name] < OFTEN} == {}
    assert near_ties <= SAMPLE // 10  # else near-ties would hide too much


def test_a_lowered_cap_is_reached_in_bounded_steps() -> None:
    trial = told(FEWER_NODES)
    assert not trial.failure, trial.failure
    assert trial.counts["node pruned"] == 1_024 + 123


def test_a_lowered_number_of_edges_is_reached_in_bounded_steps() -> None:
    trial = told(FEWER_EDGES)
    assert not trial.failure, trial.failure
    assert trial.counts["edges pruned"] == 1


def test_an_edge_that_was_made_anew_loses_nothing() -> None:
    trial = told(MADE_ANEW)
    assert not trial.failure, trial.failure
    assert trial.counts["an edge was another"] == 1


def test_verdicts_to_and_fro_move_what_is_left() -> None:
    trial = told(TO_AND_FRO)
    assert not trial.failure, trial.failure
    assert trial.counts["an edge was given it again"] == 3


def test_sleep_changes_a_bounded_number() -> None:
    trial = told(MUCH_SLEEP)
    assert not trial.failure, trial.failure
    assert trial.counts["consolidated"] == 37 * 31


def test_sleep_dissolves_fewer() -> None:
    trial = told(MANY_CONCEPTS)
    assert not trial.failure, trial.failure
    assert trial.counts["concept dissolved"] == 40


def test_what_matters_is_told_from_chance() -> None:
    trial = told(BEYOND_CHANCE)
    assert not trial.failure, trial.failure
    assert (trial.counts["promoted by company"], trial.counts["promoted by outcomes"]) == (2, 1)


def test_features_fade() -> None:
    trial = told(FEATURES_FADE)
    assert not trial.failure, trial.failure
    assert trial.counts["feature dissolved"] == 4


def test_from_below_nothing_is_joined_and_nothing_stands() -> None:
    trial = told(FROM_BELOW)
    assert not trial.failure, trial.failure
    expected = {"its own thing by more trust": 1, "not_trusted": 1, "waits again": 1, "a claim stands again": 1}
    expected |= {"an event stands again": 1}
    assert {name: trial.counts[name] for name in expected} == expected


def test_more_sessions_take_in_a_word_than_are_kept() -> None:
    trial = told(MANY_TAINTS)
    assert not trial.failure, trial.failure
    assert (trial.counts["tainted"], trial.counts["a taint forgotten"]) == (1_030, 6)


def test_heirs_have_heirs() -> None:
    trial = told(HEIRS_OF_HEIRS)
    assert not trial.failure, trial.failure
    assert {name: trial.counts[name] for name in ("inherited", "node_protected", "event_forgotten")} == {
        "inherited": 1,
        "node_protected": 1,
        "event_forgotten": 1,
    }


def test_a_slot_is_full() -> None:
    trial = told(FULL_SLOT)
    assert not trial.failure, trial.failure
    assert trial.counts["slot_full"] == 4


def test_slots_of_claims_are_full() -> None:
    trial = told(FULL_OF_CLAIMS)
    assert not trial.failure, trial.failure
    expected = {"slot_full": 1, "gave way for want of room": 14, "rejection let go": 9, "line dropped": 6}
    assert {name: trial.counts[name] for name in expected} == expected


def test_roles_are_full_and_a_node_is_regarded_under_eight() -> None:
    trial = told(MANY_VIEWS)
    assert not trial.failure, trial.failure
    expected = {"roles_full": 1, "no room for a regard": 1, "a regard gave way": 2, "a role ended": 1}
    assert {name: trial.counts[name] for name in expected} == expected
    assert (trial.counts["regards taken back"], trial.counts["regards given again"]) == (2, 2)


def test_names_and_predicates_are_full() -> None:
    trial = told(MANY_NAMES)
    assert not trial.failure, trial.failure
    assert (trial.counts["aliases_full"], trial.counts["predicates_full"]) == (2, 1)
