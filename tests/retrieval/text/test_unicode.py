"""The tokenizer ``unicode/1``, by examples worked out by hand in many scripts, and what must count as the same."""

# ruff: noqa: RUF001 - letters that look like others are what this is about

from random import Random
from unicodedata import normalize

import pytest

from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZERS
from yggdrasil_projections.retrieval.text.unicode import LETTERS_MAX, folded, words

UNICODE = TOKENIZERS["unicode/1"]
# A text, and the terms of its words in order.
EXAMPLES = [
    ("The children went to Ann's deployments, don't they?", "child go ann deploy"),
    ("ROUTER_7 of GTX-2450a: ticket 20261122001", "router 7 gtx 2450a ticket 20261122001"),
    ("She’s here; I’ve seen O’Brien", "see brien"),
    ("Die Schlüssel der Wohnungen", "die schlüs der wohnun"),
    ("Was ist mit dem Auto in der Straße?", "was ist mit dem auto in der strass"),
    ("Où est l'école d'Anaïs", "où est école anaïs"),
    ("İSTANBUL'daki anahtarı, 10'una kadar ISIT", "istanb anahta 10 kadar isit"),
    ("Запасные ключи; ЗАПАСНЫХ ключей", "запасн ключи запасн ключей"),
    ("Η Σίσυφος ΣΊΣΥΦΟΣ", "η σίσυφο σίσυφο"),
    ("老家大门", "老 家 大 门 老家 家大 大门"),
    ("鍵はGTXの中", "鍵 は gtx の 中"),
    ("サーバーの合鍵", "サー ーバ バー の 合 鍵 合鍵"),
    ("ｻｰﾊﾞｰ ＡＢＣ１２", "サー ーバ バー abc12"),
    ("열쇠는 떡", "열쇠 쇠는 떡"),
    ("ที่บ้าน ๑๒", "ที่บ้ บ้า าน ๑๒"),
    ("កូនសោ", "កូន នសោ"),
    ("သော့", "သော့"),
    ("ກະແຈ", "ກະ ະແ ແຈ"),
    ("हिन्दी में चाबियाँ", "हिन्दी में चाबियाँ"),
    ("مفاتيح الْبَيْتِ می\u200cخواهم", "مفاتيح البيت میخواه"),
    ("שָׁלוֹם שלום", "שלום שלום"),
    ("👩🏽\u200d💻🎉 🇩🇪🇫🇷 1\ufe0f\u20e3 ☕\ufe0f ┌──┐", "👩 🎉 🇩🇪 🇫🇷 1 ☕"),
    ("co\u00adoperate \ufb01nd", "cooper find"),
    ("", ""),
    ("\u0301 \u200d — …", ""),
]
SAME = [
    ("Café", "CAFE\u0301"),
    ("İstanbul", "istanbul"),
    ("IŞIK", "ışık"),
    ("Straße", "STRASSE"),
    ("ガス", "ｶﾞｽ"),
    ("각", normalize("NFD", "각")),
    ("❤\ufe0f", "❤"),
    ("👍🏿", "👍"),
    ("葛\U000e0100飾", "葛飾"),
    ("ΌΔΟΣ", "όδος"),
    ("Wohnung", "Wohnungen"),
]
SCRIPTS = "aZéßıİ'’9_ÅǅΐΣςйЁאָبَकि्ทํา가가漢々カｶﾞーはＡ½²🎉🏽\u200d\ufe0f🇩─ \u0301\u0327\u00ad"


@pytest.mark.parametrize(("text", "expected"), EXAMPLES)
def test_a_text_has_these_terms(text: str, expected: str) -> None:
    assert UNICODE.terms(text) == [normalize("NFC", term) for term in expected.split()]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_looks_the_same_or_differs_in_case_or_ending_is_the_same(one: str, other: str) -> None:
    assert UNICODE.terms(one) == UNICODE.terms(other) != []


def test_any_text_has_the_terms_of_its_normal_forms() -> None:
    rng = Random(14)
    for _ in range(2_000):
        text = "".join(rng.choice(SCRIPTS) for _ in range(rng.randint(1, 24)))
        terms = UNICODE.terms(text)
        assert terms == UNICODE.terms(normalize("NFC", text)) == UNICODE.terms(normalize("NFD", text)), ascii(text)
        assert words(text) == words(normalize("NFD", text)), ascii(text)
        assert "" not in terms and folded(folded(text)) == folded(text), ascii(text)
        assert not any(map(str.isspace, "".join(words(text)))), "names are joined by spaces"


def test_a_word_is_the_same_term_alone_and_in_a_text_of_any_language() -> None:
    for word in ("boilers", "Wohnungen", "llaves", "anahtarlar", "ключи", "鍵", "合鍵", "🎉", "2450a"):
        alone = UNICODE.terms(word)
        for text in (f"where is the {word} of the house", f"wo ist die {word} und das", f"dónde está la {word} de la"):
            assert set(alone) <= set(UNICODE.terms(text)), (word, text)


def test_stop_words_are_left_out_of_english_alone() -> None:
    assert UNICODE.terms("on the horse") == ["hors"]
    assert "on" in UNICODE.terms("on kişi bir evde ve bu kadar")  # ten people
    assert "was" in UNICODE.terms("was ist das und wo ist die Heizung")
    assert UNICODE.terms("what was that café on the corner") == ["café", "corner"]


def test_a_long_word_is_cut_to_letters_with_their_marks_and_one_with_digits_is_not() -> None:
    assert UNICODE.terms("Donaudampfschifffahrt") == ["donaud"]
    assert UNICODE.terms("ab12345678 a1b2c3d4e5f6") == ["ab12345678", "a1b2c3d4e5f6"]
    term = UNICODE.counted_as("प्रयोगशालाओं")  # seven letters, of which some have marks
    assert term == "प्रयोगशाला" and len(normalize("NFC", term)) > LETTERS_MAX


def test_names_have_the_characters_of_a_run_as_well() -> None:
    assert words("떡은") == ["떡", "은", "떡은"]
    assert words("その値は") == ["そ", "の", "その", "値", "は"]
    assert words("The boilers of Ann's") == ["the", "boilers", "of", "ann"]


def test_english_1_is_as_it_was() -> None:
    english = TOKENIZERS["english/1"]
    assert english.terms("The children went to Ann's deployments, don’t") == ["child", "go", "ann", "deploy", "don't"]
    assert english.terms("Die Schlüssel der Wohnungen, İstanbul 合鍵は 🎉 Cafe\u0301 ｶﾞｽ") == [
        "die", "schlüssel", "der", "wohnungen", "stanbul", "合鍵は", "cafe", "ｶﾞｽ",
    ]  # fmt: skip
