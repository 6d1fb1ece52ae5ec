"""multilingual-e5-small, out of a file with weights in four bits: put together as an ONNX model, run by onnxruntime."""

import math
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .embedder import EmbedderMissingError
from .graphs import Graph
from .onnx import RESULT, OneByOne, Recipe, check_content, session
from .weights import BLOCK, Weights, unpacked

MULTILINGUAL: Final = Recipe(
    model="multilingual-e5-small.q4.1",
    sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    dimension=384,
    tokens_max=512,  # all that it has positions for
    query_prefix="query: ",
    document_prefix="passage: ",
)
"""intfloat/multilingual-e5-small (MIT licence; Wang and others, 2024), weights in four bits, activations in int8."""

_BY_ROW: Final = 4  # onnxruntime's level of accuracy: activations in int8, each row of them scaled by itself
_GIVEN: Final = "pieces"


class MultilingualEmbedder(OneByOne):
    """Runs the model.

    The table of the 250,000 pieces stays in the file, which is mapped; the rows of a text are unpacked for it.
    """

    def __init__(self, file: Path, threads: int = 1) -> None:
        """Load ``file``; each call uses ``threads`` threads. Raises EmbedderMissingError: missing, or another file."""
        weights = Weights(_content(MULTILINGUAL, file))
        super().__init__(MULTILINGUAL, session(MULTILINGUAL.model, _graph(weights), threads))
        hidden = weights.shape.hidden
        self._unigram = weights.unigram
        self._pieces = weights.packed("emb.word", hidden)
        self._positions = weights.floats("emb.pos").reshape(-1, hidden) + weights.floats("emb.type")[:hidden]

    def _inputs(self, text: str) -> tuple[dict[str, NDArray[Any]], int]:
        numbers = self._unigram.tokenise(text, self.recipe.tokens_max)
        given = unpacked(self._pieces[np.asarray(numbers)]) + self._positions[: len(numbers)]
        return {_GIVEN: given[None]}, len(numbers)


def _graph(weights: Weights) -> bytes:
    """Return the model from the sum of the pieces' and positions' rows on."""
    graph = Graph()
    states = _normed(graph, weights, _GIVEN, "emb.ln")
    shape = weights.shape
    width = shape.hidden // shape.heads
    graph.constant("apart", np.array([0, 0, shape.heads, width], np.int64))
    graph.constant("together", np.array([0, 0, shape.hidden], np.int64))
    graph.constant("scale", np.array(1 / math.sqrt(width), np.float32))
    for name, value in (("half", 0.5), ("one", 1.0), ("root", math.sqrt(0.5))):
        graph.constant(name, np.array(value, np.float32))
    for number in range(shape.layers):
        layer = f"l{number}."
        mixed = _attended(graph, weights, states, layer)
        out = _linear(graph, weights, mixed, f"{layer}ao", shape.hidden)
        states = _normed(graph, weights, graph.step("Add", [states, out], f"{layer}r1"), f"{layer}aln")
        wide = _gelu(graph, _linear(graph, weights, states, f"{layer}fi", shape.hidden), layer)
        narrow = _linear(graph, weights, wide, f"{layer}fo", shape.inner)
        last = number == shape.layers - 1
        added = graph.step("Add", [states, narrow], f"{layer}r2")
        states = _normed(graph, weights, added, f"{layer}oln", RESULT if last else None)
    return graph.model(_GIVEN, RESULT, shape.hidden)


def _attended(graph: Graph, weights: Weights, states: str, layer: str) -> str:
    hidden = weights.shape.hidden

    def heads(name: str, order: list[int]) -> str:
        apart = graph.step(
            "Reshape", [_linear(graph, weights, states, layer + name, hidden), "apart"], f"{layer}{name}1"
        )
        return graph.step("Transpose", [apart], f"{layer}{name}2", {"perm": order})

    queries, keys, values = heads("q", [0, 2, 1, 3]), heads("k", [0, 2, 3, 1]), heads("v", [0, 2, 1, 3])
    scores = graph.step("Mul", [graph.step("MatMul", [queries, keys], f"{layer}qk"), "scale"], f"{layer}scores")
    shares = graph.step("Softmax", [scores], f"{layer}shares", {"axis": -1})
    mixed = graph.step("MatMul", [shares, values], f"{layer}mixed")
    back = graph.step("Transpose", [mixed], f"{layer}back", {"perm": [0, 2, 1, 3]})
    return graph.step("Reshape", [back, "together"], f"{layer}whole")


def _linear(graph: Graph, weights: Weights, given: str, name: str, columns: int) -> str:
    """Add a product with a matrix that stays in four bits: of two neighbours the first has the lower half of a byte."""
    blocks = weights.packed(f"{name}.w", columns)
    halves = np.concatenate([blocks["halves"] & 15, blocks["halves"] >> 4], axis=-1)
    matrix = graph.constant(f"{name}.w", halves[..., 0::2] | halves[..., 1::2] << 4)
    scales = graph.constant(f"{name}.s", blocks["scale"].astype(np.float32).reshape(-1))
    how = {"K": columns, "N": len(blocks), "bits": 4, "block_size": BLOCK, "accuracy_level": _BY_ROW}
    product = graph.step("MatMulNBits", [given, matrix, scales], f"{name}.m", how, "com.microsoft")
    return graph.step("Add", [product, graph.constant(f"{name}.b", weights.floats(f"{name}.b"))], f"{name}.o")


def _normed(graph: Graph, weights: Weights, given: str, name: str, output: str | None = None) -> str:
    by = [graph.constant(f"{name}.{part}", weights.floats(f"{name}.{part}")) for part in ("w", "b")]
    how = {"axis": -1, "epsilon": weights.shape.epsilon}
    return graph.step("LayerNormalization", [given, *by], output or f"{name}.o", how)


def _gelu(graph: Graph, given: str, layer: str) -> str:
    """Add ``x * P(X <= x)`` of the normal distribution."""
    error = graph.step("Erf", [graph.step("Mul", [given, "root"], f"{layer}g1")], f"{layer}g2")
    share = graph.step("Add", [error, "one"], f"{layer}g3")
    return graph.step("Mul", [graph.step("Mul", [given, "half"], f"{layer}g4"), share], f"{layer}g5")


def _content(recipe: Recipe, file: Path) -> np.memmap[tuple[int], np.dtype[np.uint8]]:
    try:
        content: np.memmap[tuple[int], np.dtype[np.uint8]] = np.memmap(file, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise EmbedderMissingError(f"no model {recipe.model} at {file}: {error}") from error
    check_content(recipe, file, content.data)
    return content
