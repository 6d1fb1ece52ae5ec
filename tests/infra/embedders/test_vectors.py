"""How numbers become a vector, and which vectors of agents are let through."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_infra.embedders import EmbedderMissingError, SuppliedVectors, WrongVectorError, quantise, similarity
from yggdrasil_schemas.commands.vectors import Vector

NUMBERS = st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=40).filter(any)


def integers(vector: Vector) -> list[int]:
    return list(map(int, np.frombuffer(vector.values, np.int8)))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([2.0], [127]),
        ([-0.001], [-127]),
        ([3, 4], [76, 102]),
        ([1, 0, 0, 0], [127, 0, 0, 0]),
        ([1, 1, 67, 245], [0, 0, 34, 122]),  # halves, since the length is 254: 0.5 0.5 33.5 122.5, each to the even one
        ([-3, 7, 147, -207], [-2, 4, 74, -104]),  # 1.5 3.5 73.5 103.5
        ([9, 3, 155, 201], [4, 2, 78, 100]),
    ],
)
def test_by_hand(numbers: list[float], expected: list[int]) -> None:
    vector = quantise(numbers, "m.1", len(numbers))
    assert integers(vector) == expected
    assert (vector.model, vector.dimension) == ("m.1", len(numbers))


@given(NUMBERS)
def test_every_integer_is_the_nearest(numbers: list[float]) -> None:
    """Against exact fractions: |q - 127 v / |v|| <= 1/2, with the length of v bounded from both sides."""
    made = integers(quantise(numbers, "m", len(numbers)))
    length = math.sqrt(math.fsum(Fraction(x) ** 2 for x in numbers))
    for q, x in zip(made, numbers, strict=True):
        assert abs(q) <= 127
        assert abs(q - 127 * x / length) <= 0.5 + 1e-9


@given(NUMBERS, st.integers(-900, 900))
def test_length_is_nothing(numbers: list[float], power: int) -> None:
    """Where no square of a number would fit into a float, the direction is still the same."""
    scaled = [math.ldexp(x, power) for x in numbers]
    if [math.ldexp(x, -power) for x in scaled] == numbers:
        assert quantise(scaled, "m", len(numbers)) == quantise(numbers, "m", len(numbers))


@given(st.integers(1, 1_024), st.integers(0, 2**32 - 1))
def test_similarity_is_the_cosine_but_for_the_rounding(dimension: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    one, other = generator.normal(size=(2, dimension))
    cosine = one @ other / math.sqrt((one @ one) * (other @ other))
    a, b = quantise(one, "m", dimension), quantise(other, "m", dimension)
    bound = math.sqrt(dimension) / 2 / 127  # how far either is from where it was
    assert abs(similarity(a, b) / 127**2 - cosine) <= 2 * bound + bound**2 + 1e-9
    SuppliedVectors("m", dimension).admit(a)


def test_the_same_text_is_more_similar_than_any_other() -> None:
    one = quantise([1.0, 0.5, -0.25], "m", 3)
    assert similarity(one, one) == sum(q * q for q in integers(one))
    with pytest.raises(WrongVectorError, match=r"vectors of m \(3\) and n \(3\) cannot be compared"):
        similarity(one, Vector.of("n", one.values))
    with pytest.raises(WrongVectorError, match=r"cannot be compared: embed both"):
        similarity(one, Vector.of("m", one.values[:2]))


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ([0.0, 0.0], "no direction"),
        ([math.nan, 1.0], "no direction"),
        ([math.inf, 1.0], "no direction"),
        ([1.0], r"2 numbers and made one of shape \(1,\)"),
        ([1.0, 2.0, 3.0], r"shape \(3,\)"),
        ([], r"shape \(0,\)"),
    ],
)
def test_what_is_no_vector_is_an_error(numbers: list[float], said: str) -> None:
    with pytest.raises(WrongVectorError, match=said):
        quantise(numbers, "m", 2)


@pytest.mark.parametrize(("model", "dimension"), [("m", 1_025), ("a\nb", 3), ("", 3), ("m" * 129, 3)])
def test_what_no_vector_of_the_log_can_be_is_an_error(model: str, dimension: int) -> None:
    with pytest.raises(WrongVectorError, match=f"with {dimension} numbers"):
        quantise([1.0] * dimension, model, dimension)
    with pytest.raises(WrongVectorError):
        SuppliedVectors(model, dimension)


@pytest.mark.parametrize("dimension", [0, 1_025])
def test_a_dimension_that_no_vector_has_is_said_at_once(dimension: int) -> None:
    with pytest.raises(WrongVectorError):
        SuppliedVectors("m", dimension)


def test_a_supplied_vector_must_be_what_was_agreed() -> None:
    port = SuppliedVectors("m.1", 4)
    good = quantise([1, -2, 3, -4], "m.1", 4)
    assert port.admit(good) is good
    for other in (Vector.of("m.2", good.values), Vector.of("m.1", good.values[:3])):
        with pytest.raises(WrongVectorError, match=r"expected a vector of m\.1 with 4 numbers, got"):
            port.admit(other)


@pytest.mark.parametrize(
    ("values", "admitted"),
    [
        ([127, 0, 0, 0], True),
        ([128 - 2, 0, 0, 0], True),  # a length of 126: four roundings may take away 1
        ([125, 0, 0, 0], False),
        ([127, 1, 0, 0], True),
        ([127, 16, 0, 0], False),  # 128.004
        ([127, 15, 9, 4], False),
        ([64, 64, 64, 64], True),  # 128: what (1, 1, 1, 1) is quantised to
        ([127, 127, 127, 127], False),  # nearer to everything than anything
        ([1, 0, 0, 0], False),
        ([0, 0, 0, 0], False),
    ],
)
def test_a_supplied_vector_is_as_long_as_a_quantised_one(values: list[int], admitted: bool) -> None:
    vector = Vector.of("m", bytes(values))
    if admitted:
        assert SuppliedVectors("m", 4).admit(vector) is vector
    else:
        with pytest.raises(WrongVectorError, match=r"the vector has a length of [0-9.]+ instead of 127: divide it"):
            SuppliedVectors("m", 4).admit(vector)


def test_without_a_model_nobody_embeds() -> None:
    port = SuppliedVectors("m.1", 4)
    with pytest.raises(EmbedderMissingError, match=r"vectors of m\.1 are supplied by agents: send one along"):
        port.embed_query("text")
    with pytest.raises(EmbedderMissingError, match="or set up an embedder"):
        port.embed_documents(["text"])
    assert port.embed_documents([]) == []
    port.close()
