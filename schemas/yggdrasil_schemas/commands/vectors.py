"""Vectors: what a model made of a text, quantised, and sealed together with the name of the model and the dimension."""

from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Final, Self

from pydantic import Field, StringConstraints, field_validator

from .. import limits
from .wire import EMPTY, Name, Strict

BASE64: Final = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
_BASE64_CHARS_MAX: Final = (limits.VECTOR_DIMENSION_MAX + 2) // 3 * 4
_NOT_SYMMETRIC: Final = b"\x80"  # -128 as an int8


_Numbers = Annotated[str, StringConstraints(pattern=BASE64, min_length=4, max_length=_BASE64_CHARS_MAX)]


class Piece(Strict):
    """A part of a long text with a vector of its own, of the model and the dimension of the whole one."""

    begin: Annotated[int, Field(ge=0, lt=limits.TEXT_CHARS_MAX)]
    """Where it begins in the text, in characters (Unicode code points)."""
    end: Annotated[int, Field(gt=0, le=limits.TEXT_CHARS_MAX)]
    """Where it ends: the place of the first character behind it."""
    data: _Numbers
    """Its numbers, as those of a vector."""

    @field_validator("end")
    @classmethod
    def _behind(cls, end: int, info: Any) -> int:
        if end <= info.data.get("begin", -1):
            raise ValueError("must lie behind where the piece begins")
        return end

    @classmethod
    def of(cls, begin: int, end: int, values: bytes) -> Self:
        """Return the piece from ``begin`` to ``end`` with its ``values``. Raises pydantic's ValidationError."""
        return cls(begin=begin, end=end, data=b2a_base64(values, newline=False).decode())

    @property
    def values(self) -> bytes:
        """The numbers, one signed byte for each dimension."""
        return a2b_base64(self.data)


class Vector(Strict):
    """A vector of int8 in [-127, 127]. The dot product of two stays below 2^24, so it is exact in float32 as well."""

    model: Name
    """Name and version of the model that made it; only vectors of the same model can be compared."""
    dimension: Annotated[int, Field(ge=1, le=limits.VECTOR_DIMENSION_MAX)]
    """How many numbers it has."""
    data: _Numbers
    """Its numbers, one signed byte each, in base64: the standard alphabet, padded, no bit set that says nothing."""
    pieces: Annotated[list[Piece], Field(max_length=limits.PIECES_MAX, json_schema_extra=EMPTY)] = Field(
        default_factory=list[Piece]
    )
    """Of a text that is longer than a model reads closely: its pieces, by where they begin."""

    @field_validator("data")
    @classmethod
    def _fits(cls, data: str, info: Any) -> str:
        return _fitting(data, info.data.get("dimension"))

    @field_validator("pieces")
    @classmethod
    def _in_order(cls, pieces: list[Piece], info: Any) -> list[Piece]:
        for one, other in pairwise(pieces):
            if one.begin >= other.begin:
                raise ValueError("must be in order of where they begin, and each must begin at another place")
        for each in pieces:
            _fitting(each.data, info.data.get("dimension"))
        return pieces

    @classmethod
    def of(cls, model: str, values: bytes) -> Self:
        """Return the vector of ``values``, one signed byte for each dimension.

        Raises pydantic's ValidationError, which is a ValueError, for a -128 and for more than 1,024 dimensions.
        """
        return cls(model=model, dimension=len(values), data=b2a_base64(values, newline=False).decode())

    def as_sent(self) -> dict[str, Any]:
        """Return it as a command's content has it: pieces only where there are some."""
        return self.model_dump(exclude_defaults=True)

    def each(self) -> list[Self]:
        """Return the vector of the whole and those of its pieces, each as one without pieces."""
        pieces = (each.data for each in self.pieces)
        return [self.model_copy(update={"data": data, "pieces": []}) for data in (self.data, *pieces)]

    @property
    def values(self) -> bytes:
        """The numbers, one signed byte for each dimension: ``numpy.frombuffer(vector.values, numpy.int8)``."""
        return a2b_base64(self.data)


def narrowing(sent: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a vector, as it is sent, and then without its pieces, if it has some: for a record without room for all."""
    yield sent
    if "pieces" in sent:
        yield {name: value for name, value in sent.items() if name != "pieces"}


def _fitting(data: str, dimension: int | None) -> str:
    """Return the numbers of a vector in base64. Raises ValueError for too many, too few, or -128 among them."""
    values = a2b_base64(data)  # the pattern leaves nothing on which two releases of Python could differ
    if dimension is not None and len(values) != dimension:
        raise ValueError("must hold as many bytes as the dimension says")
    if _NOT_SYMMETRIC in values:
        raise ValueError("must lie in [-127, 127]")
    return data
