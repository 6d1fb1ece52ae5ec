"""Dot products of int8 vectors, beside those of NumPy in 64 bits."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_projections.retrieval.index.columns import vectors as module
from yggdrasil_projections.retrieval.index.columns.dots import dot, dots
from yggdrasil_projections.retrieval.index.columns.vectors import Matrix
from yggdrasil_schemas.limits import VECTOR_DIMENSION_MAX

EXTREMES = (-127, -1, 0, 1, 127)
TASKS = Path("/proc/self/task")


def literally(some: npt.NDArray[np.int8], others: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    products: npt.NDArray[np.int64] = some.astype(np.int64) @ others.astype(np.int64).T
    return products


@st.composite
def matrices(draw: st.DrawFn, rows_max: int = 9) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Some vectors and others: of any dimension, at any address, of all numbers or of the greatest alone."""
    dimension = draw(st.integers(1, 70) | st.integers(1, VECTOR_DIMENSION_MAX))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    found: list[npt.NDArray[np.int8]] = []
    for _ in range(2):
        rows, begin = draw(st.integers(0, rows_max)), draw(st.integers(0, 65))
        size = begin + rows * dimension
        extreme = draw(st.booleans())
        values = rng.choice(EXTREMES, size) if extreme else rng.integers(-127, 128, size)
        found.append(values.astype(np.int8)[begin:].reshape(rows, dimension))
    return found[0], found[1]


@given(matrices())
def test_they_are_those_of_64_bits(both: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]) -> None:
    some, others = both
    expected = literally(some, others)
    assert np.array_equal(dots(some, others), expected)
    assert np.array_equal(dots(some, some), literally(some, some))
    room = np.full((len(some), len(others) + 2), 0.5)
    dots(some, others, room[:, 1:-1])
    assert np.array_equal(room[:, 1:-1], expected)
    assert (room[:, [0, -1]] == 0.5).all()
    for one, row in zip(some, expected.tolist(), strict=True):
        assert [dot(one, other) for other in others] == row


@pytest.mark.parametrize("dimension", [1, 15, 16, 17, 31, 33, 63, 65, 127, 384, 511, 512, 513, 768, 1023, 1024])
@pytest.mark.parametrize("signs", [(1, 1), (1, -1), (-1, -1)])
def test_the_greatest_are_exact(dimension: int, signs: tuple[int, int]) -> None:
    one, other = (np.full((3, dimension), 127 * sign, np.int8) for sign in signs)
    assert (dots(one, other) == signs[0] * signs[1] * 127 * 127 * dimension).all()
    assert dot(one[0], other[0]) == signs[0] * signs[1] * 127 * 127 * dimension


@given(matrices(rows_max=40), st.lists(st.integers(0, 12), max_size=6), st.integers(1, 11))
def test_a_scan_of_blocks_is_one_of_the_whole(
    both: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]], parts: list[int], block_rows: int
) -> None:
    asked, values = both
    values = values[values.any(axis=1)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_BLOCK_ROWS", block_rows)
        matrix = Matrix(("model", values.shape[1]))
        rows = np.arange(len(values), dtype=np.int32)
        for part in np.split(rows, np.minimum(np.cumsum(parts), len(values)).astype(int)):
            matrix.extend(part, values[part])
        lengths = np.sqrt((values.astype(np.int64) ** 2).sum(axis=1).astype(np.float64))
        for query in asked[asked.any(axis=1)]:
            length = np.sqrt(np.float64(dot(query, query)))
            assert np.array_equal(matrix.cosines(query), literally(query[None], values)[0] / (lengths * length))
        kept = matrix.kept()
        assert np.array_equal(kept.values, values)
        for row in rows[:3].tolist():
            expected = literally(values[row : row + 1], values)[0] / (lengths[row] * lengths)
            assert list(matrix.cosines_with(row, rows.tolist())) == expected.tolist()


def test_it_starts_no_thread_and_several_may_ask_at_once() -> None:
    rng = np.random.default_rng(7)
    some, others = (rng.integers(-127, 128, (count, 512)).astype(np.int8) for count in (2, 20_000))
    expected = literally(some, others)
    before = len(list(TASKS.iterdir())) if TASKS.exists() else 0
    assert np.array_equal(dots(some, others), expected)
    assert (len(list(TASKS.iterdir())) if TASKS.exists() else 0) <= before  # others may end meanwhile
    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(found, expected) for found in pool.map(lambda _: dots(some, others), range(40)))
