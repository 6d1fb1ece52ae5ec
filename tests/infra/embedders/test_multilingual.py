"""The model for a hundred languages: its tokeniser, its file, its graph, and what it makes of texts."""
# ruff: noqa: RUF001 - other languages have letters that look like those of English

import math
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.size import LONG
from yggdrasil_infra.embedders import EmbedderMissingError, LazyEmbedder, multilingual, open_embedder, similarity
from yggdrasil_infra.embedders.graphs import Graph
from yggdrasil_infra.embedders.multilingual import MultilingualEmbedder
from yggdrasil_infra.embedders.offline import MULTILINGUAL_FILE
from yggdrasil_infra.embedders.onnx import session
from yggdrasil_infra.embedders.pieces.unigram import Marks, Unigram
from yggdrasil_infra.embedders.weights import Weights, unpacked
from yggdrasil_schemas.commands.vectors import Vector

FETCH = Path(__file__).parents[3] / "infra" / "embedders" / "fetch-multilingual"
MODEL = FETCH.parent / "model"
SAILING = "Ana: I took sailing lessons in Split last summer."
# What the weights made of that text in numpy, in float32 throughout, with the tokeniser of the package.
EXPECTED = (
    "BwT6/wf4/wEKBQf/Bvr6Awv6+PgA//wGBgX8AwLy+v0K9AkA+vwE/f0BCQUJCPoI9/37BwYMBfr3+fMGDf8GBwYH/wX6/PgJ//0CCwP7Bfr5"
    "+AAA+QwG+gr7CAf89vT7+wcD+goBA/T/AgX3CfX7BwUE9fr2+gj8Bv34/f4AAwQI+wYF+gUGDvb6Bfv7BgEDBQcJ+g38BAEAAQb8+P0DCPz+"
    "/v/2/gIG9QH8+/gG/Qb1BgkGAvr9/fb9+QIE/QAE/Pf+B/gFBgcAAAoJBQb1BPwDBvX8CPr8AAP6BAn4Cf75Agr5+gf8//f6+fwDAAD+/vYE"
    "+v4D/f38Bgr++/UDDAcJ/AQC+QwICgT1/P779gn/9/n8BQkBAAIHBgcG//kL9fr5+wj5Cf8ECfwH+/YEBfgEAAcCBwIH9fsICv8B//b9+fv6"
    "AQj8AgYECP/1Afv99gj4/AUA9wMB8Qj/+gAF7gAC+wT3+gIJ+vwGBQYI+fwB+ggF/AX99f0G/PMIDAQH"
)
PAIRS = [
    ("Wann ist der Zahnarzttermin?", "Ich muss am Freitag um neun zum Zahnarzt."),
    ("¿Qué mascota tiene Omar?", "Nuestro gato durmió otra vez sobre el teclado."),
    ("На каком инструменте играет Ким?", "Я каждый вечер занимаюсь на скрипке."),
    ("なぜデプロイは失敗したのか", "データベースの移行が足りず、ビルドが壊れた。"),
    ("莉娜早餐吃什么？", "每天早上都是加浆果的燕麦粥。"),
    ("Yürüyüş nasıldı?", "Zirveye tırmandık, manzara buna değdi."),
]
BEGIN, PADDING, END, UNKNOWN = range(4)
VOCABULARY = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁a", "▁ab", "a", "b", "ab", "ba", "bab", "c", "▁é"]
SCORES = [0.0, 0.0, 0.0, 0.0, -2.0, -3.1, -3.3, -2.9, -3.0, -4.1, -4.4, -5.2, -7.0, -3.5]
SMALL = Unigram(VOCABULARY, SCORES, Marks(BEGIN, END, PADDING, UNKNOWN), {ord("\t"): " ", ord("ⅽ"): "c"})


def likelihoods(text: str) -> Iterator[tuple[float, list[int]]]:
    """Every way to cut ``text`` into pieces or unknown characters, with how likely it is."""
    if not text:
        yield 0.0, []
    for size in range(1, len(text) + 1):
        known = VOCABULARY.index(text[:size]) if text[:size] in VOCABULARY[4:] else None
        here = [(SCORES[known], known)] if known is not None else []
        if size == 1:
            here.append((min(SCORES) - 10.0, UNKNOWN))
        for score, number in here:
            for rest, numbers in likelihoods(text[size:]):
                yield score + rest, [number, *numbers]


def score_of(numbers: list[int]) -> float:
    return sum(min(SCORES) - 10.0 if number == UNKNOWN else SCORES[number] for number in numbers)


@given(st.lists(st.text("abcx", min_size=1, max_size=6), min_size=1, max_size=3))
def test_a_text_is_cut_in_the_likeliest_way(words: list[str]) -> None:
    begin, *pieces, end = SMALL.tokenise(" ".join(words), 100)
    assert (begin, end) == (BEGIN, END)
    assert "".join("?" if one == UNKNOWN else VOCABULARY[one] for one in pieces) == "".join(
        "▁" + "".join("?" if letter == "x" else letter for letter in word) for word in words
    )
    best = sum(max(score for score, _ in likelihoods("▁" + word)) for word in words)
    assert math.isclose(score_of(pieces), best)


def test_texts_are_composed_normalised_and_cut_off() -> None:
    assert SMALL.tokenise("e\u0301", 9) == SMALL.tokenise("é", 9) == [BEGIN, VOCABULARY.index("▁é"), END]
    assert SMALL.tokenise("  a \t ⅽ ", 9) == SMALL.tokenise("a c", 9)
    assert SMALL.tokenise("", 9) == [BEGIN, VOCABULARY.index("▁"), END]
    assert SMALL.tokenise("ab " * 50, 12) == [BEGIN, *[VOCABULARY.index("▁ab")] * 10, END]
    long = SMALL.tokenise("c" * 100_000, 12)
    assert len(long) == 12 and long[-1] == END


def test_a_graph_computes_what_it_says() -> None:
    graph = Graph()
    weights = np.arange(8, dtype=np.float32).reshape(4, 2)
    product = graph.step("MatMul", ["x", graph.constant("w", weights)], "product")
    shares = graph.step("Softmax", [product], "shares", {"axis": -1})
    graph.step("Transpose", [shares], "y", {"perm": [0, 2, 1]})
    given = np.random.default_rng(3).normal(size=(1, 5, 4)).astype(np.float32)
    [made] = session("test", graph.model("x", "y", 4), 1).run(["y"], {"x": given})
    powers = np.exp(given @ weights)
    assert np.allclose(made, (powers / powers.sum(axis=-1, keepdims=True)).transpose(0, 2, 1), atol=1e-6)


def test_numbers_are_unpacked_from_four_bits() -> None:
    blocks = np.zeros((2, 1), np.dtype([("scale", "<f2"), ("halves", "u1", 16)]))
    blocks["scale"] = [[0.5], [2.0]]
    blocks["halves"][0, 0] = np.arange(16) | 15 << 4
    assert unpacked(blocks)[0].tolist() == [(number - 8) / 2 for number in range(16)] + [3.5] * 16
    assert unpacked(blocks)[1].tolist() == [-16.0] * 32
    with pytest.raises(ValueError, match="no such file of weights"):
        Weights(np.frombuffer(b"GGUF" + bytes(100), np.uint8))


def test_another_file_is_not_the_model(tmp_path: Path) -> None:
    with pytest.raises(EmbedderMissingError, match=r"no e5-small-q4\.bin in .*: fetch it with infra/embedders/"):
        open_embedder(f"multilingual:{tmp_path}", lazily=True)
    (tmp_path / MULTILINGUAL_FILE).write_bytes(b"other")
    with pytest.raises(EmbedderMissingError, match=r"is not multilingual-e5-small\.q4\.1: its SHA-256 is .* fetch it"):
        multilingual(tmp_path)
    (tmp_path / MULTILINGUAL_FILE).write_bytes(b"")
    with pytest.raises(EmbedderMissingError, match="no model multilingual-e5-small"):
        multilingual(tmp_path)


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    """The model, where it was fetched; at length it is fetched."""
    if LONG:
        fetched = subprocess.run(
            [FETCH, MODEL], env=os.environ | {"PYTHON": sys.executable}, capture_output=True, text=True, check=False
        )
        assert fetched.returncode == 0, fetched.stderr
    if not (MODEL / MULTILINGUAL_FILE).is_file():
        pytest.skip(f"infra/embedders/fetch-multilingual {MODEL} fetches 91 MB, and make test-faults runs it")
    return multilingual(MODEL)


def test_a_text_gives_what_the_weights_make_of_it_in_float32(embedder: MultilingualEmbedder) -> None:
    [made] = embedder.embed_documents([SAILING])
    assert similarity(made, Vector.of(embedder.model, b64decode(EXPECTED))) > 0.99 * 127**2
    assert made != embedder.embed_query(SAILING), "it is told what is a question"


def test_a_question_finds_what_answers_it_in_its_language(embedder: MultilingualEmbedder) -> None:
    answers = embedder.embed_documents([answer for _, answer in PAIRS])
    for number, (question, _) in enumerate(PAIRS):
        asked = embedder.embed_query(question)
        scores = [similarity(asked, answer) for answer in answers]
        assert max(range(len(scores)), key=scores.__getitem__) == number, question


def test_a_vector_depends_on_its_text_alone_and_threads_may_share_the_model(embedder: MultilingualEmbedder) -> None:
    texts = [SAILING, "", "Léa : 東京 😀 …", "a long story " * 400]
    expected = embedder.embed_documents(texts)
    assert embedder.embed_documents(texts[::-1]) == expected[::-1]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: embedder.embed_documents([text])[0], texts * 3))
    assert found == expected * 3
    assert embedder.embed_query("sail " * 600) == embedder.embed_query("sail " * 600 + "but nobody reads on")


def test_one_setting_names_it(embedder: MultilingualEmbedder) -> None:
    named = open_embedder(f"multilingual:{MODEL}", lazily=True)
    assert isinstance(named, LazyEmbedder)
    assert (named.model, named.dimension) == (embedder.model, 384)
    assert named.embed_query(SAILING) == embedder.embed_query(SAILING)
