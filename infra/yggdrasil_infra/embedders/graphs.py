"""ONNX models put together from arrays that another format holds, so that onnxruntime runs them.

The few messages of ONNX that a model takes are written by hand: the package that has all of them is needed for nothing
else. The numbers of their fields are ONNX's own.
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_IR_VERSION: Final = 9
_OPSETS: Final = {"": 17, "com.microsoft": 1}
_FLOAT: Final = 1
_TYPES: Final = {"float32": _FLOAT, "uint8": 2, "int64": 7}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7  # what an attribute says it is


class Graph:
    """A model in the making: each step is named by what comes out of it."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._arrays: dict[str, bytes] = {}

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Keep an array, and return its name."""
        whole = np.ascontiguousarray(array)
        sizes = [_message(1, size) for size in whole.shape]
        said = [*sizes, _message(2, _TYPES[whole.dtype.name]), _message(8, name), _message(9, whole.tobytes())]
        self._arrays[name] = b"".join(said)
        return name

    def step(
        self,
        kind: str,
        inputs: Sequence[str],
        output: str,
        attributes: Mapping[str, float | Sequence[int]] | None = None,
        domain: str = "",
    ) -> str:
        """Add an operator, and return the name of its output."""
        said = [_message(1, name) for name in inputs]
        said += [_message(2, output), _message(4, kind), _message(7, domain)]
        said += [_message(5, _attribute(name, value)) for name, value in (attributes or {}).items()]
        self._nodes.append(b"".join(said))
        return output

    def model(self, given: str, result: str, columns: int) -> bytes:
        """Return the file of the model that takes float32 ``given`` (1, any, columns) and returns ``result``, alike."""
        said = [_message(1, node) for node in self._nodes]
        said += [_message(2, "graph")]
        said += [_message(5, array) for array in self._arrays.values()]
        said += [_message(11, _value(given, columns)), _message(12, _value(result, columns))]
        opsets = [_message(8, _message(1, domain) + _message(2, version)) for domain, version in _OPSETS.items()]
        return b"".join([_message(1, _IR_VERSION), _message(7, b"".join(said)), *opsets])


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _message(1, name) + _message(3, value) + _message(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return _message(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _message(20, _ATTRIBUTE_FLOAT)
    return _message(1, name) + b"".join(_message(8, each) for each in value) + _message(20, _ATTRIBUTE_INTS)


def _value(name: str, columns: int) -> bytes:
    sizes = [_message(1, 1), _message(2, "texts"), _message(1, columns)]
    shape = b"".join(_message(1, size) for size in sizes)
    return _message(1, name) + _message(2, _message(1, _message(1, _FLOAT) + _message(2, shape)))


def _message(number: int, value: int | str | bytes) -> bytes:
    """Return one field of a protocol buffer message: a whole number from -1 on, or a length and so many bytes."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
