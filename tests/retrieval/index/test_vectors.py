"""The vectors of a memory: what they take, whatever models they are of."""

import tracemalloc
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pytest

from yggdrasil_projections.retrieval.index.columns.vectors import Matrix, Vectors

COUNT = 1_000
DIMENSION = 384
VALUES: npt.NDArray[np.int8] = np.random.default_rng(3).integers(-127, 128, (COUNT, DIMENSION)).astype(np.int8)


def each_of_its_own_model() -> Vectors:
    vectors = Vectors()
    for row, one in enumerate(VALUES):
        vectors.put(row, {f"model-{row}": one})
    return vectors


def test_a_model_for_each_vector_takes_hardly_more_than_one_for_all_and_what_it_says() -> None:
    tracemalloc.start()
    try:
        many = each_of_its_own_model()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    one = Vectors()
    one.extend(("model", DIMENSION), np.arange(COUNT, dtype=np.int32), VALUES)
    assert taken < many.nbytes < 2 * taken
    assert many.nbytes < one.nbytes + 2_000 * COUNT  # an empty matrix, and which document has what
    assert len(many) == len(one) == COUNT


def test_what_concerns_two_documents_looks_at_their_own_vectors_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = each_of_its_own_model()
    vectors.put(0, {"both": VALUES[0], "model-0": VALUES[0]})
    vectors.put(1, {"both": VALUES[1]})
    looked: list[int] = []
    cosines = Matrix.cosines_with

    def counting(matrix: Matrix, row: int, others: Iterable[int]) -> Iterator[float]:
        looked.append(row)
        return cosines(matrix, row, others)

    monkeypatch.setattr(Matrix, "cosines_with", counting)
    first, second = VALUES[:2].astype(np.float64)
    expected = float(first @ second / np.sqrt((first @ first) * (second @ second)))
    assert vectors.near(0, [2, 1], expected - 1e-9) and not vectors.near(0, [2, 1], expected + 1e-9)
    assert not vectors.near(1, [2], -1.0)
    assert len(looked) <= 6
    vectors.forget(0)
    assert not vectors.near(0, [1], -1.0)
    assert len(looked) <= 6


def test_the_sums_are_those_of_what_is_left() -> None:
    vectors = each_of_its_own_model()
    before = vectors.nbytes
    for row in range(0, COUNT, 2):
        vectors.forget(row)
    assert (len(vectors), vectors.slots) == (COUNT // 2, COUNT)
    assert vectors.nbytes < before
    anew = Vectors(vectors.kept())
    assert (len(anew), anew.slots) == (COUNT // 2, COUNT // 2)
    for row in range(COUNT):
        kept = anew.matrix(f"model-{row}", DIMENSION)
        assert (kept is not None) == (row % 2 == 1)
    anew.put(1, {"other": VALUES[1]})
    assert (len(anew), anew.slots) == (COUNT // 2, COUNT // 2 + 1)
