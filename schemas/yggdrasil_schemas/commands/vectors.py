"""Vectors: what a model made of a text, quantised, and sealed together with the name of the model and the dimension."""

from binascii import a2b_base64, b2a_base64
from typing import Annotated, Any, Final, Self

from pydantic import Field, StringConstraints, field_validator

from .. import limits
from .wire import Name, Strict

_BASE64: Final = r"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"
_BASE64_CHARS_MAX: Final = (limits.VECTOR_DIMENSION_MAX + 2) // 3 * 4
_NOT_SYMMETRIC: Final = b"\x80"  # -128 as an int8


class Vector(Strict):
    """A vector of int8 in [-127, 127]. The dot product of two stays below 2^24, so it is exact in float32 as well."""

    model: Name
    """Name and version of the model that made it; only vectors of the same model can be compared."""
    dimension: Annotated[int, Field(ge=1, le=limits.VECTOR_DIMENSION_MAX)]
    """How many numbers it has."""
    data: Annotated[str, StringConstraints(pattern=_BASE64, min_length=4, max_length=_BASE64_CHARS_MAX)]
    """Its numbers, one signed byte each, in base64: the standard alphabet, padded, no bit set that says nothing."""

    @field_validator("data")
    @classmethod
    def _fits(cls, data: str, info: Any) -> str:
        values = a2b_base64(data)  # the pattern leaves nothing on which two releases of Python could differ
        dimension = info.data.get("dimension")
        if dimension is not None and len(values) != dimension:
            raise ValueError("must hold as many bytes as the dimension says")
        if _NOT_SYMMETRIC in values:
            raise ValueError("must lie in [-127, 127]")
        return data

    @classmethod
    def of(cls, model: str, values: bytes) -> Self:
        """Return the vector of ``values``, one signed byte for each dimension.

        Raises pydantic's ValidationError, which is a ValueError, for a -128 and for more than 1,024 dimensions.
        """
        return cls(model=model, dimension=len(values), data=b2a_base64(values, newline=False).decode())

    @property
    def values(self) -> bytes:
        """The numbers, one signed byte for each dimension: ``numpy.frombuffer(vector.values, numpy.int8)``."""
        return a2b_base64(self.data)
