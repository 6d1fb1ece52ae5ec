"""Words that an accent alone tells apart find each other, unless the memory has both."""

import random
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.size import turns
from yggdrasil import Event, Memory, Where
from yggdrasil_projections.retrieval.text.accents import unmarked
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER
from yggdrasil_projections.retrieval.text.unicode import LETTERS_MAX, folded

PAIRS = {  # as people write them who have no other keyboard; Latin letters, Greek and Cyrillic ones
    "Köln": "koln", "Zürich": "zurich", "résumé": "resume", "naïve": "naive", "Łódź": "lodz", "Ærø": "aero",
    "Plzeň": "plzen", "Århus": "arhus", "Şişli": "sisli", "Đà": "da", "Phở": "pho", "œuvre": "oeuvre",
    "Reykjavík": "reykjavik", "Guðrún": "gudrun", "Þór": "thor", "Αθήνα": "αθηνα", "Ϊσως": "ισωσ", "ёлка": "елка",
    "за́мок": "замок", "São": "sao", "Kraków": "krakow", "œdème": "oedeme", "čaj": "caj", "Ħamrun": "hamrun",
}  # fmt: skip
APART = {"が": "か", "パ": "ハ", "की": "क", "мой": "мои", "กา": "ก", "한": "하", "צּ": "ר", "إن": "ان"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path, "accents/one", partitions=1) as opened:
        for number in range(12):
            opened.record_event(f"Boat {number} lay at anchor in the bay")
        yield opened


def texts(memory: Memory[Any], query: str, **given: Any) -> list[str | None]:
    return [each.memory.text for each in memory.get_context(query, record=False, **given).found]


@pytest.mark.parametrize(("marked", "plain"), PAIRS.items())
def test_a_word_without_its_accents_is_the_word_that_people_type(marked: str, plain: str) -> None:
    assert unmarked(folded(marked)) == plain == unmarked(plain)
    assert unmarked(folded(unicodedata.normalize("NFD", marked))) == plain


@pytest.mark.parametrize(("one", "other"), APART.items())
def test_what_is_a_letter_or_a_sound_of_its_own_is_no_accent(one: str, other: str) -> None:
    assert unmarked(folded(one)) != unmarked(folded(other))


@pytest.mark.parametrize(("said", "asked"), [*PAIRS.items(), *((plain, marked) for marked, plain in PAIRS.items())])
def test_each_finds_the_other(memory: Memory[Any], said: str, asked: str) -> None:
    found = f"{said} 17 kilometres"
    memory.record_event(found)
    assert texts(memory, f"{asked}?") == [found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("schon", "schön"),
        ("pêche", "péché"),
        ("ou", "où"),
        ("zamek", "zámek"),
        ("замок", "за́мок"),
        ("creations", "créations"),
    ],
)
def test_where_the_memory_has_both_each_finds_its_own(memory: Memory[Any], one: str, other: str) -> None:
    memory.record_event(f"{one} kilometres")
    memory.record_event(f"{other} kilometres")
    assert texts(memory, f"{one}?") == [f"{one} kilometres"]
    assert texts(memory, f"{other}?") == [f"{other} kilometres"]


def test_what_has_the_accents_of_neither_finds_both(memory: Memory[Any]) -> None:
    memory.record_event("pêche et mer")
    memory.record_event("péché et mer")
    assert set(texts(memory, "peche?")) == {"pêche et mer", "péché et mer"}


def test_what_a_filter_hides_does_not_tell_two_apart(memory: Memory[Any]) -> None:
    memory.record_event("schon fertig", session="hidden")
    memory.record_event("schön fertig", session="shown")
    assert texts(memory, "schon?", where=Where(sessions=["shown"])) == ["schön fertig"]
    assert texts(memory, "schon?") == ["schon fertig"]


def test_words_of_any_length_and_in_any_form_meet(memory: Memory[Any]) -> None:
    """Of a word with accents the index knows no more than six letters, of one in ASCII letters those of its stem."""
    for said, asked in [("la création", "creation"), ("great creations", "créations"), ("cafés ouverts", "cafe")]:
        ref = memory.record_event(said)
        assert memory.get_context(asked, record=False).refs == [ref], said
        memory.withdraw(ref, "the next one")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("person:José", "jose"),
        ("person:Jose", "josé"),
        ("person:José García", "Jose Garcia"),
        ("city:Łódź", "lodz"),
        ("person:Ελένη", "ελενη"),
    ],
)
def test_a_name_is_named_without_its_accents(memory: Memory[Any], name: str, asked: str) -> None:
    ref = memory.record_event("The appointment is on Monday", features=[name])
    found = memory.get_context(f"When does {asked} come?", record=False).found
    assert [each.memory.ref for each in found] == [ref]
    assert found[0].scores.named == [name]
    memory.log_outcome(ref, -3, kind="missed")
    assert name in memory.foretell(f"{asked} comes").features


def test_of_two_names_that_accents_tell_apart_each_is_itself(memory: Memory[Any]) -> None:
    for name in ("person:Jose", "person:José"):
        memory.record_event(f"The appointment of {name} is on Monday", features=[name])
    for asked, name in [("jose", "person:Jose"), ("josé", "person:José")]:
        found = memory.get_context(f"When does {asked} come?", record=False).found
        assert [each.scores.named for each in found] == [[name]]
        assert memory.foretell(f"{asked} comes").features == [name]


def test_the_name_of_a_note_and_an_alias_are_named_without_their_accents(memory: Memory[Any]) -> None:
    note = memory.record_event("It is rung on Sundays", note="reference", name="Königsglocke", aliases=["Großer Óscar"])
    assert memory.get_context("konigsglocke", record=False).refs == [note]
    assert memory.get_context("grosser oscar", record=False).refs == [note]


def test_a_filter_takes_names_as_they_are(memory: Memory[Any]) -> None:
    memory.record_event("The appointment is on Monday", features=["person:José"])
    assert texts(memory, "appointment", where=Where(features_any=["person:Jose"])) == []
    assert texts(memory, "appointment", where=Where(features_any=["person:José"])) != []


# Any words of these scripts

LETTERS = {"LATIN": "abcdefghiklmnoprstuvz", "GREEK": "αβγδεηικλνορστυω", "CYRILLIC": "бвгдежзклмнопрст"}
MARKS = {
    "LATIN": "\u0300\u0301\u0302\u0303\u0308\u030a\u030c\u0327\u0328",
    "GREEK": "\u0301\u0308\u0313",
    "CYRILLIC": "\u0301",
}


def word(rng: random.Random, script: str) -> str:
    return "".join(rng.choices(LETTERS[script], k=rng.randint(3, 11)))


def with_marks(rng: random.Random, plain: str, script: str) -> str:
    at = rng.sample(range(min(len(plain), LETTERS_MAX)), rng.randint(1, 2))  # the rest does not count
    marked = [letter + rng.choice(MARKS[script]) if place in at else letter for place, letter in enumerate(plain)]
    return unicodedata.normalize("NFC", "".join(marked))


def apart(words: Sequence[str]) -> bool:
    """Whether no two words count as the same, so that each has its own answer."""
    counted = [each for one in words for each in {*TOKENIZER.unaccented(one), TOKENIZER.counted_as(one)}]
    return len(counted) == len(set(counted))


@pytest.mark.parametrize("seed", range(turns(3, 30)))
def test_random_words_with_marks_meet_those_without(tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"accents{seed}")
    chosen: dict[str, tuple[str, str]] = {}
    while len(chosen) < 24:
        script = rng.choice(list(LETTERS))
        plain = word(rng, script)
        if apart([*chosen, plain]):
            chosen[plain] = (with_marks(rng, plain, script), script)
    with Memory.open(tmp_path, "accents/random", partitions=1) as memory:
        refs = {plain: memory.record_event(rng.choice((plain, marked))) for plain, (marked, _) in chosen.items()}
        for plain, (marked, script) in chosen.items():
            for asked in (plain, marked, with_marks(rng, plain, script)):
                assert memory.get_context(asked, k=1, record=False).refs == [refs[plain]], (plain, marked, asked)
        own = [one for plain, (marked, _) in chosen.items() for one in (plain, marked)]
        memory.record_many([Event(one) for one in own])
        for asked in own:  # now the memory has both, and each finds what says it so
            found = memory.get_context(asked, k=50, record=False).found
            assert {each.memory.text for each in found} == {asked}
