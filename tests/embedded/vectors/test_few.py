"""A memory of a few notes: meaning counts from the first one on, and an answer has what earns its place in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory, Store, Where
from yggdrasil_infra.embedders import Embedder, pair

TEAM = {
    "Ana has been a vegan since May": ["person:ana"],
    "Ana's desk is the one beside the window": ["person:ana"],
    "Ana plays the cello in a quartet": ["person:ana"],
    "Ben wears shoe size 43": ["person:ben"],
    "Ben's mother lives in Porto": ["person:ben"],
    "Cara wears shoe size 38": ["person:cara"],
    "The printer on the second floor takes A3 paper": [],
    "Invoices go out on the last Friday of the month": [],
}
OTHERS = [
    "The cat likes tuna",
    "Rent is due on Mondays",
    "Jo plays chess",
    "The bicycle pump is behind the door",
    "My passport expires in 2031",
    "The bakery closes at two on Saturdays",
]


@pytest.fixture(scope="module")
def model() -> Iterator[Embedder]:
    opened = pair()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def team(model: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Store.open(tmp_path_factory.mktemp("team"), embedder=model) as store:
        memory = store.memory("me/team")
        for text, features in TEAM.items():
            memory.record_event(text, features=features)
        yield memory


def texts(memory: Memory, question: str, where: Where | None = None) -> list[str | None]:
    return [each.memory.text for each in memory.get_context(question, where=where, record=False).found]


@pytest.mark.parametrize("others", [0, 1, 2, 6])
def test_a_question_in_other_words_is_answered_however_few_notes_there_are(
    model: Embedder, tmp_path: Path, others: int
) -> None:
    with Store.open(tmp_path, embedder=model) as store:
        memory = store.memory("me/few")
        memory.record_event("The heating engineer comes every other November")
        for number in range(others):
            memory.record_event(OTHERS[number])
        assert texts(memory, "When is the boiler serviced?")[:1] == ["The heating engineer comes every other November"]


def test_a_filter_that_leaves_two_notes_leaves_what_they_mean(team: Memory) -> None:
    ben = Where(features_all=["person:ben"])
    assert texts(team, "Where does his mum have her home?", ben)[:1] == ["Ben's mother lives in Porto"]


def test_of_what_is_named_only_what_answers_has_a_place(team: Memory) -> None:
    assert texts(team, "What may Ana eat, as a vegan?") == ["Ana has been a vegan since May"]
    assert texts(team, "Which shoe size does Ben wear?") == ["Ben wears shoe size 43"]


def test_each_of_several_things_that_are_named_has_its_place(team: Memory) -> None:
    found = texts(team, "Which shoe sizes do Ben and Cara wear?")
    assert sorted(map(str, found)) == ["Ben wears shoe size 43", "Cara wears shoe size 38"]


def test_what_was_asked_and_is_said_by_none_before_has_its_place(team: Memory) -> None:
    found = texts(team, "On which paper does the printer print, and when do invoices go out?")
    assert sorted(map(str, found)) == [
        "Invoices go out on the last Friday of the month",
        "The printer on the second floor takes A3 paper",
    ]


def test_what_is_said_of_others_alone_is_no_answer(team: Memory) -> None:
    context = team.get_context("Which shoe size does Ana wear?", record=False)
    assert context.nothing is not None and context.nothing.acted == "gap"
    assert team.get_context("Which shoe size does Ana wear?", min_confidence=0.0, record=False).found


def test_whoever_says_how_much_is_given_it(team: Memory) -> None:
    assert len(team.get_context("Which shoe sizes do Ben and Cara wear?", k=6, record=False).found) > 2
