"""The policy: every constant with its bounds, changes that are checked, and a form that keeps every bit."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_schemas import limits
from yggdrasil_schemas.policy import (
    CONSTANTS,
    DEFAULT,
    FIXED,
    INTEGERS,
    changed,
    check_changes,
    decode_policy,
    encode_policy,
)


def values_of(name: str) -> st.SearchStrategy[int | float]:
    bounds = CONSTANTS[name]
    if name in INTEGERS:
        return st.integers(int(bounds.low), int(bounds.high))
    edges = [bounds.low, bounds.high, *([-0.0] if bounds.low <= 0 <= bounds.high else [])]
    return st.floats(bounds.low, bounds.high) | st.sampled_from(edges)


SOURCES = {
    "000",
    "001",
    "002",
    "003",
    "design",
    "Rescorla",
}  # the documents, our own design, and the one paper that a law comes from
CHANGES = st.fixed_dictionaries({}, optional={name: values_of(name) for name in CONSTANTS})


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_default_is_a_change_that_changes_nothing(name: str) -> None:
    default = getattr(DEFAULT, name)
    checked = check_changes({name: default})
    assert checked == {name: default}
    assert type(checked[name]) is type(default)
    assert changed(DEFAULT, checked) == DEFAULT


@pytest.mark.parametrize("name", CONSTANTS)
def test_bounds_are_inclusive_and_hold(name: str) -> None:
    low, high = CONSTANTS[name].low, CONSTANTS[name].high
    for edge in (low, high):
        assert check_changes({name: int(edge) if name in INTEGERS else edge})
    for beyond in (int(low) - 1, int(high) + 1):
        with pytest.raises(ValueError, match=f"^{name} must lie in "):
            check_changes({name: beyond})


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_constant_says_its_unit_and_its_source(name: str) -> None:
    bounds = CONSTANTS[name]
    assert bounds.unit
    assert bounds.source.split(" ")[0].rstrip(",") in SOURCES
    assert bounds.low < bounds.high
    assert len(name) <= limits.NAME_CHARS_MAX


def test_counts_are_integers_and_all_else_is_not() -> None:
    assert {name for name in {**CONSTANTS, **FIXED} if type(getattr(DEFAULT, name)) is int} == INTEGERS
    assert {type(getattr(DEFAULT, name)) for name in CONSTANTS} == {int, float}
    assert all(bounds.low == int(bounds.low) for name, bounds in {**CONSTANTS, **FIXED}.items() if name in INTEGERS)
    with pytest.raises(ValueError, match="nodes_max is a count of nodes"):
        check_changes({"nodes_max": 1_000.0})
    assert type(check_changes({"novelty_max": 5})["novelty_max"]) is float


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_lies_in_no_bounds(value: float) -> None:
    with pytest.raises(ValueError, match="must lie in"):
        check_changes({"novelty_max": value})


def test_an_unknown_name_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match=r"^not a constant of the policy$"):
        check_changes({"novelty_max": 5.0, "secret": 1})


def test_every_constant_can_be_changed_in_one_command() -> None:
    assert len(CONSTANTS) <= limits.POLICY_CHANGES_MAX


@given(CHANGES)
def test_a_stored_policy_comes_back_bit_for_bit(changes: dict[str, Any]) -> None:
    policy = changed(DEFAULT, check_changes(changes))
    again = decode_policy(encode_policy(policy))
    assert repr(again) == repr(policy)  # repr tells -0.0 from 0.0 and 1 from 1.0
    assert encode_policy(again) == encode_policy(policy)


def test_the_stored_form_is_canonical() -> None:
    assert encode_policy(DEFAULT) == b"{}"
    one = changed(changed(DEFAULT, {"association_weight": 5.0}), {"nodes_max": 900})
    other = changed(changed(DEFAULT, {"nodes_max": 900}), {"association_weight": 5.0})
    assert encode_policy(one) == encode_policy(other) == b'{"association_weight":5.0,"nodes_max":900}'
    assert encode_policy(changed(one, {"association_weight": DEFAULT.association_weight})) == b'{"nodes_max":900}'
    small = changed(DEFAULT, {"feature_salience": 0.00001})
    assert encode_policy(small) == b'{"feature_salience":1e-05}'  # as Python writes it, not as a JSON writer may
    assert orjson.loads(encode_policy(one)).keys() == {"nodes_max", "association_weight"}


@pytest.mark.parametrize(
    ("changes", "conflict"),
    [
        ({}, False),
        ({"nodes_max": 640, "sessions_open_max": 64}, False),
        ({"nodes_max": 639, "sessions_open_max": 64}, True),
        ({"nodes_max": 10, "sessions_open_max": 1}, False),
        ({"edges_max": 50_000}, False),
        ({"edges_max": 49_999}, True),
        ({"nodes_max": 250_001}, True),
        ({"concept_density": 0.4}, False),
        ({"concept_density": 0.39}, True),
        ({"dissolve_density": 0.61}, True),
    ],
)
def test_constants_that_contradict_each_other_are_found(changes: dict[str, float], conflict: bool) -> None:
    assert changed(DEFAULT, check_changes(changes)).conflict() is conflict


@given(CHANGES)
def test_without_a_conflict_every_session_has_a_buffer_and_all_fit_in_a_tenth(changes: dict[str, Any]) -> None:
    policy = changed(DEFAULT, check_changes(changes))
    if not policy.conflict():
        assert 1 <= policy.session_buffer_max <= policy.buffer_events_max
        assert policy.session_buffer_max * policy.sessions_open_max * 10 <= policy.nodes_max


def test_each_level_of_consolidation_takes_its_uses_and_gives_its_factor() -> None:
    assert DEFAULT.consolidation == ((5, 5 / 3), (15, 2.5), (30, 5.0), (60, 10.0), (100, 25.0))


@pytest.mark.parametrize("name", FIXED)
def test_what_the_rules_fix_is_no_business_of_a_memory(name: str) -> None:
    assert FIXED[name].low <= getattr(DEFAULT, name) <= FIXED[name].high
    with pytest.raises(ValueError, match=r"^not a constant of the policy$"):
        check_changes({name: getattr(DEFAULT, name)})


def test_no_half_life_can_be_set_above_the_cap() -> None:
    assert CONSTANTS["node_half_life_ticks"].high == CONSTANTS["edge_half_life_ticks"].high
    assert CONSTANTS["node_half_life_ticks"].high == DEFAULT.half_life_max_ticks
