"""The scorers in whole numbers: the same by numpy and by Python, by whatever weights, and the seed's linear form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_projections.retrieval.ranking.scoring.scorers import (
    ENOUGH,
    HIDDEN,
    INPUTS,
    LOGIT_ONE,
    ONE,
    Linear,
    Network,
    linear,
)
from yggdrasil_schemas.limits import SCORER_WEIGHTS, SCORER_WEIGHTS_CHARS

ROWS = st.lists(st.lists(st.integers(0, ONE), min_size=INPUTS, max_size=INPUTS), min_size=1, max_size=8)


@given(st.binary(min_size=2 * SCORER_WEIGHTS, max_size=2 * SCORER_WEIGHTS), ROWS)
def test_numpy_and_python_give_the_same_logits(weights: bytes, rows: list[list[int]]) -> None:
    network = Network.of(weights)
    assert network.logits(np.array(rows, np.int64)).tolist() == [network.logit(row) for row in rows]


@given(ROWS)
def test_a_row_has_the_same_logit_in_any_company(rows: list[list[int]]) -> None:
    network = Network.of(np.random.default_rng(5).integers(-9_000, 9_000, SCORER_WEIGHTS).astype("<i2").tobytes())
    together = network.logits(np.array(rows, np.int64)).tolist()
    assert together == [int(network.logits(np.array([row], np.int64))[0]) for row in rows]


def test_the_greatest_sums_fit_into_64_bits() -> None:
    network = Network.of(np.full(SCORER_WEIGHTS, 32_767, "<i2").tobytes())
    row = [ONE] * INPUTS
    assert network.logits(np.array([row], np.int64)).tolist() == [network.logit(row)]
    assert network.logit(row) < 2**45


def test_a_network_by_hand() -> None:
    weights = np.zeros(SCORER_WEIGHTS, "<i2")
    weights[0], weights[INPUTS * HIDDEN] = 2 * ONE, -ONE  # the first unit: twice the similarity, less 1
    weights[INPUTS * HIDDEN + HIDDEN], weights[-1] = ONE // 2, -ONE  # half of it, less 1
    network = Network.of(weights.tobytes())
    rows = np.zeros((3, INPUTS), np.int64)
    rows[:, 0] = (ONE, ONE // 2, 0)
    assert network.logits(rows).tolist() == [-LOGIT_ONE // 2, -LOGIT_ONE, -LOGIT_ONE]


def test_a_score_of_four_tenths_is_enough_and_less_is_not() -> None:
    def score(logit: int) -> float:
        return 1.0 / (1.0 + math.exp(-logit / LOGIT_ONE))

    assert score(ENOUGH) >= 0.4 > score(ENOUGH - 1)


def test_the_seed_s_linear_form() -> None:
    rows = np.zeros((4, INPUTS), np.int64)
    rows[1:, 0], rows[2:, 1], rows[3:, 4] = ONE, ONE, ONE
    assert linear(rows).tolist() == [0, 2 * ONE // 5, 4 * ONE // 5, ONE]


def test_a_linear_form_is_on_the_scale_of_a_network() -> None:
    rows = np.array([[ONE, *[0] * 8], [0, ONE, *[0] * 7]], np.int64)
    assert Linear((ONE, -ONE, *[0] * 7), ONE).logits(rows).tolist() == [2 * LOGIT_ONE, 0]


def test_weights_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="has 354 bytes, and not 353"):
        Network.of(bytes(2 * SCORER_WEIGHTS - 1))
    assert SCORER_WEIGHTS_CHARS * 3 == 2 * SCORER_WEIGHTS * 4


def test_equal_weights_are_equal_networks_with_one_digest() -> None:
    one, other = Network.of(bytes(2 * SCORER_WEIGHTS)), Network.of(bytes(2 * SCORER_WEIGHTS))
    assert (one, one.digest) == (other, other.digest)
    assert one != Network.of(b"\x01" * 2 * SCORER_WEIGHTS)
