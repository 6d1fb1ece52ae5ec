"""Vectors on the wire: one text for the numbers, and numbers whose dot product no machine rounds."""

from base64 import b64encode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from yggdrasil_schemas import limits
from yggdrasil_schemas.commands.vectors import Piece, Vector

NUMBERS = st.lists(st.integers(-127, 127), min_size=1, max_size=limits.VECTOR_DIMENSION_MAX)


def packed(numbers: list[int]) -> bytes:
    return np.array(numbers, np.int8).tobytes()


@given(NUMBERS)
def test_what_is_read_is_what_was_written(numbers: list[int]) -> None:
    vector = Vector.of("small-1", packed(numbers))
    assert (vector.model, vector.dimension) == ("small-1", len(numbers))
    assert np.frombuffer(vector.values, np.int8).tolist() == numbers
    assert Vector(**vector.model_dump()) == vector


@given(st.binary(min_size=1, max_size=8), st.text("ABQgw/+=_-\n ", max_size=12))
def test_the_same_numbers_have_one_text(numbers: bytes, text: str) -> None:
    """Whatever else is tried is either refused, or means other numbers."""
    try:
        other = Vector(model="m", dimension=len(numbers), data=text)
    except ValidationError:
        return
    assert (other.values == numbers) == (text == b64encode(numbers).decode())


def test_minus_128_has_no_counterpart_and_is_refused() -> None:
    assert Vector.of("m", packed([-127, 127])).dimension == 2
    with pytest.raises(ValueError, match=r"must lie in \[-127, 127\]"):
        Vector.of("m", b"\x00\x80")


def test_a_dimension_is_bounded() -> None:
    assert Vector.of("m", bytes(limits.VECTOR_DIMENSION_MAX)).dimension == 1_024
    for count in (0, limits.VECTOR_DIMENSION_MAX + 1):
        with pytest.raises(ValidationError):
            Vector.of("m", bytes(count))


def test_pieces_are_of_the_same_dimension_and_in_order() -> None:
    whole = Vector.of("m", packed([1, 2]))
    pieces = [Piece.of(0, 5, packed([3, 4])), Piece.of(4, 9, packed([5, 6]))]
    vector = Vector(model="m", dimension=2, data=whole.data, pieces=pieces)
    assert [each.values for each in vector.each()] == [packed([1, 2]), packed([3, 4]), packed([5, 6])]
    assert Vector.model_validate(vector.as_sent()) == vector
    assert "pieces" not in whole.as_sent()
    wrong = (
        ([*pieces, pieces[0]], "in order"),
        ([Piece.of(0, 5, packed([3]))], "as many bytes"),
        ([Piece.of(at, at + 1, packed([3, 4])) for at in range(limits.PIECES_MAX + 1)], "at most 128"),
    )
    for said, why in wrong:
        with pytest.raises(ValidationError, match=why):
            Vector(model="m", dimension=2, data=whole.data, pieces=said)
    with pytest.raises(ValidationError, match="behind where"):
        Piece.of(5, 5, packed([1, 2]))


def test_the_greatest_dot_product_is_exact_in_single_precision() -> None:
    """In whatever order it is added up: every sum on the way is a whole number below 2^24."""
    greatest = np.full(limits.VECTOR_DIMENSION_MAX, 127, np.int8)
    exact = int(greatest.astype(np.int64) @ greatest.astype(np.int64))
    assert exact < 2**24
    assert float(greatest.astype(np.float32) @ greatest.astype(np.float32)) == exact
    mixed = np.where(np.arange(limits.VECTOR_DIMENSION_MAX) % 3, greatest, -greatest)
    assert float(mixed.astype(np.float32) @ greatest.astype(np.float32)) == int(
        mixed.astype(np.int64) @ greatest.astype(np.int64)
    )
