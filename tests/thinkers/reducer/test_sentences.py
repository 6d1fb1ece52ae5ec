"""What plain sentences say, and what traps do not: a sentence is an event of its own, said by Ana."""

from dataclasses import replace

from tests.thinkers.reducer.sentences import (
    ANA,
    FALLEN,
    SAYS,
    SAYS_LAST,
    SAYS_UNSEEN,
    TOLD,
    TRAPS,
    TRAPS_LAST,
    TRAPS_UNSEEN,
    Expected,
)
from tests.thinkers.told import event
from yggdrasil_processors.thinkers.reducer import Reducer
from yggdrasil_processors.thinkers.reducer.grammar.doubts import is_statement
from yggdrasil_processors.thinkers.reducer.sentences import SENTENCE_CHARS_MAX, sentences, spelt
from yggdrasil_processors.thinkers.reducer.state import ReducerState

PEOPLE = [f"person:{name}" for name in ("ben", "tom", "mia", "jean-luc", "weber")]


def taken(text: str, *features: str, met: bool = True) -> list[Expected]:
    """What is taken from a text said with these features, by one who has met some people."""
    reducer, state = Reducer(), ReducerState()
    if met:
        reducer.observe(state, replace(event(1, *PEOPLE), text="Hello"))
    assert reducer.observe(state, replace(event(2, *features), text=text)) == []
    decisions = reducer.rest(state)
    assert all(each.body["evidence"] == ["e2"] and each.payload["sentence"] in text for each in decisions)
    return [(each.body["subject"], each.body["predicate"], each.object) for each in decisions]  # type: ignore[misc]


def test_a_plain_sentence_is_a_claim() -> None:
    said = {sentence: taken(sentence, *ANA) for sentence, _ in SAYS + SAYS_UNSEEN + SAYS_LAST + TOLD}
    assert said == {sentence: [expected] for sentence, expected in SAYS + SAYS_UNSEEN + SAYS_LAST + TOLD}


def test_what_is_not_said_plainly_is_none() -> None:
    traps = TRAPS + TRAPS_UNSEEN + TRAPS_LAST
    assert {sentence: taken(sentence, *ANA) for sentence in traps} == {sentence: [] for sentence in traps}


def test_what_it_falls_for_is_known() -> None:
    assert [sentence for sentence in FALLEN if taken(sentence, *ANA)] == FALLEN


def test_a_word_before_or_behind_takes_the_plainness_away() -> None:
    """Whatever a sentence says, it is not said in a question, a denial, a supposition or a report of it."""
    for sentence, expected in SAYS + SAYS_UNSEEN + SAYS_LAST + TOLD:
        body = sentence.rstrip(".!")
        if ". " in body or "! " in body:  # what is before the last sentence does not speak of it
            continue
        around = (
            f"{body}?",
            f"It is not true that {body}.",
            f"If {body}, so be it.",
            f"Ben says {body}.",
            f'"{body}."',
        )
        assert [taken(each, *ANA) for each in around] == [[]] * len(around), (sentence, expected)


def test_who_speaks_is_told_by_one_feature() -> None:
    assert taken("I live in Rome.") == []
    assert taken("I live in Rome.", "speaker:Ana", "speaker:Ben") == []
    assert taken("I live in Rome.", "role:user", "person:ana") == [], "of whom an event speaks is not who speaks"
    assert taken("I live in Rome.", "author:Ana") == [("person:ana", "lives_in", "Rome")]
    assert taken("I live in Rome.", "speaker:Ana", "customer:ana") == [("customer:ana", "lives_in", "Rome")]


def test_what_a_feature_names_is_that() -> None:
    features = ("city:oslo", "person:ana", "service:payments", "team:core")
    assert taken("Ana lives in Oslo.", *features) == [("person:ana", "lives_in", "city:oslo")]
    assert taken("Payments listens on port 8443.", *features) == [("service:payments", "port", 8443)]
    assert taken("Payments is owned by the core team.", *features) == [("service:payments", "owner", "core team")]
    assert taken("Payments listens on port 8443.") == [], "what is no name by itself takes a feature"
    assert taken("Ana lives in Oslo.", "city:oslo", "ship:oslo") == [("person:ana", "lives_in", "Oslo")]


def test_who_moved_must_have_been_met() -> None:
    """Much moves that is no person, and a word at the beginning of a sentence always has a capital letter."""
    assert taken("Ben moved to Oslo.", met=False) == []
    assert taken("Ben lives in Rome. Ben moved to Oslo.", met=False) == [("person:ben", "lives_in", "Oslo")]


def test_sentences_end_where_they_do() -> None:
    text = "Dr. A. Weber came.  He stayed!\nv1.2 is out (e.g. Here). " + "x" * (SENTENCE_CHARS_MAX + 1) + ". End"
    assert list(sentences(text)) == ["Dr. A. Weber came.", "He stayed!", "v1.2 is out (e.g. Here).", "End"]
    assert not is_statement(spelt("It\u2019s 5 o'clock? "))
