"""The arithmetic of the laws: near the true value, and the same bits everywhere."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_projections.graph.arithmetic import HALF_LIVES_MAX, STEPS, TABLE, decayed, decayed_array, log2

# Half a unit of the last place: of each of the half dozen operations, and of the halvings, by as many as there are.
ROUNDING = Decimal(2) ** -53

values = st.floats(1e-6, 1e6)
ticks = st.integers(0, 10**9)
half_lives = st.floats(0.1, 1e12)


def true_decay(value: float, elapsed: int, half_life: float) -> Decimal:
    """value * 2^-(elapsed / half_life) with 60 digits, from the binary fractions that the floats stand for."""
    with localcontext() as context:
        context.prec = 60
        context.Emin = -999_999
        exact = Fraction(elapsed) / Fraction(half_life)
        halvings = Decimal(exact.numerator) / Decimal(exact.denominator)
        return Decimal(value) * Decimal(2) ** -halvings


@given(values, ticks, half_lives)
def test_decay_is_true_to_some_fifteen_digits(value: float, elapsed: int, half_life: float) -> None:
    found, true = Decimal(decayed(value, elapsed, half_life)), true_decay(value, elapsed, half_life)
    if true < Decimal("1e-300"):  # below, floats have few digits left, and then none
        assert found <= Decimal("1.001e-300")
    else:
        assert abs(found / true - 1) <= ROUNDING * (8 + Decimal(elapsed) / Decimal(half_life))


@given(st.lists(st.tuples(values | st.just(0.0), ticks, half_lives), min_size=1, max_size=50))
def test_the_array_gives_the_same_bits(rows: list[tuple[float, int, float]]) -> None:
    numbers, elapsed, lives = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    found = decayed_array(numbers, elapsed, lives).tolist()
    assert [each.hex() for each in found] == [decayed(*row).hex() for row in rows]


@given(values, ticks, st.integers(0, 10**6), half_lives)
def test_what_is_older_is_never_stronger(value: float, elapsed: int, more: int, half_life: float) -> None:
    assert 0.0 <= decayed(value, elapsed + more, half_life) <= decayed(value, elapsed, half_life) <= value


@given(values, ticks, half_lives, st.floats(1.0, 4.0))
def test_what_lasts_longer_is_never_weaker(value: float, elapsed: int, half_life: float, factor: float) -> None:
    """But for the last bit, where two half-lives are as near to each other as floats can be."""
    assert decayed(value, elapsed, half_life) <= decayed(value, elapsed, half_life * factor) * (1 + 2.0**-51)


@pytest.mark.parametrize("halvings", [0, 1, 2, 10, 1_000])
def test_whole_half_lives_are_exact(halvings: int) -> None:
    assert decayed(3.0, halvings * 7, 7.0) == 3.0 / 2**halvings


def test_after_very_long_nothing_is_left() -> None:
    assert decayed(1e6, int(HALF_LIVES_MAX), 1.0) == 0.0
    assert decayed(1e6, 10**18, 0.1) == 0.0
    assert 0.0 < decayed(1e6, 1_090, 1.0) < 1e-320


def test_the_table_is_monotonic_and_true() -> None:
    assert len(TABLE) == STEPS
    assert TABLE[0] == 1.0
    assert all(earlier > later for earlier, later in pairwise(TABLE))
    for step in range(0, STEPS, 37):
        assert abs(Decimal(TABLE[step]) / true_decay(1.0, step, float(STEPS)) - 1) < Decimal("1e-14")


@given(st.floats(1e-300, 1e300))
def test_log2_is_accurate_to_forty_places(value: float) -> None:
    assert abs(log2(value) - math.log2(value)) <= 2.0**-39 + abs(math.log2(value)) * 2.0**-52


@pytest.mark.parametrize("exponent", [-1_000, -1, 0, 1, 10, 1_000])
def test_log2_of_a_power_of_two_is_exact(exponent: int) -> None:
    assert log2(2.0**exponent) == exponent


@given(st.floats(1e-300, 1e300), st.floats(1.0, 2.0))
def test_log2_is_monotonic(value: float, factor: float) -> None:
    assert log2(value) <= log2(value * factor)


GOLDEN = [
    (decayed(1.5, 1, 69.31471805599453), "0x1.7c2ddbde0b5bep+0"),
    (decayed(1.0, 100, 69.31471805599453), "0x1.78b56362cef38p-2"),
    (decayed(20.0, 12_345, 1_000.0), "0x1.f7e089f41c955p-9"),
    (decayed(0.1, 3, 0.7), "0x1.5002658949dc3p-8"),
    (decayed(10.0, 19_999, 20_000.0), "0x1.4002d6d480f88p+2"),
    (log2(3.0), "0x1.95c01a39fb000p+0"),
    (log2(10.0), "0x1.a934f0979a000p+1"),
    (log2(0.1), "-0x1.a934f0979a800p+1"),
]


@pytest.mark.parametrize(("found", "golden"), GOLDEN, ids=range(len(GOLDEN)))
def test_the_bits_are_those_that_every_machine_gives(found: float, golden: str) -> None:
    assert found.hex() == golden
