"""The arithmetic of the laws: the few operations whose bits are the same on every machine.

IEEE 754 fixes the result of ``+ - * /``, of ``sqrt`` and of ``ldexp`` to the last bit; it does not fix ``exp``,
``pow`` or ``log``. So powers of two come from a table that is built with ``sqrt`` and ``*`` alone, and a short series.
"""

from math import frexp, ldexp, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

_STEPS_LOG2: Final = 12  # 4,096 steps per half-life
STEPS: Final = 1 << _STEPS_LOG2
HALF_LIVES_MAX: Final = 2_000.0  # after so many, every value within the caps has underflowed to zero
# 2^-(r / 4,096) for r in [0, 1): the series of exp up to the third power; the fourth is below half a unit of the last
# place. These are (ln 2 / 4,096)^n / n!, as decimals, so that no platform computes them.
_FIRST: Final = 1.692253858788929e-04
_SECOND: Final = 1.4318615612930102e-08
_THIRD: Final = 8.076910841165457e-13


def _table() -> list[float]:
    roots = [sqrt(0.5)]  # 2^-(1/2), 2^-(1/4), ... 2^-(1/4096)
    while len(roots) < _STEPS_LOG2:
        roots.append(sqrt(roots[-1]))
    table: list[float] = []
    for step in range(STEPS):
        value = 1.0
        for bit, root in enumerate(roots):
            if step >> (_STEPS_LOG2 - 1 - bit) & 1:
                value *= root
        table.append(value)
    return table


TABLE: Final = _table()
_TABLE_ARRAY: Final = np.array(TABLE)


def decayed(value: float, ticks: int, half_life: float) -> float:
    """Return ``value * 2^-(ticks / half_life)`` (design, section 5), to some 15 digits."""
    halvings = ticks / half_life
    if halvings < 1.0:  # most of what is touched was touched lately
        steps = halvings * STEPS
        step = int(steps)
        rest = steps - step
        return value * TABLE[step] * (1.0 - rest * (_FIRST - rest * (_SECOND - rest * _THIRD)))
    if halvings >= HALF_LIVES_MAX:
        return 0.0
    whole = int(halvings)
    steps = (halvings - whole) * STEPS
    step = int(steps)
    rest = steps - step
    return ldexp(value * TABLE[step] * (1.0 - rest * (_FIRST - rest * (_SECOND - rest * _THIRD))), -whole)


def decayed_array(
    values: npt.NDArray[np.float64], ticks: npt.NDArray[np.float64], half_lives: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return ``decayed`` for arrays of one length, with the same bits."""
    halvings = np.minimum(ticks / half_lives, HALF_LIVES_MAX)
    whole = halvings.astype(np.int64)
    steps = (halvings - whole) * STEPS
    step = steps.astype(np.int64)
    rest = steps - step
    series = 1.0 - rest * (_FIRST - rest * (_SECOND - rest * _THIRD))
    faded: npt.NDArray[np.float64] = np.ldexp(values * _TABLE_ARRAY[step] * series, -whole)
    faded[halvings >= HALF_LIVES_MAX] = 0.0
    return faded


def log2(value: float) -> float:
    """Return the base-2 logarithm of a positive ``value`` to 40 binary places, with the same bits everywhere.

    The classic digit-by-digit method: square the mantissa; whenever it reaches 2, the next binary place is 1.
    """
    mantissa, exponent = frexp(value)
    mantissa *= 2.0
    places = 0
    for _ in range(40):
        mantissa *= mantissa
        places <<= 1
        if mantissa >= 2.0:
            mantissa *= 0.5
            places |= 1
    return (exponent - 1) + ldexp(float(places), -40)
