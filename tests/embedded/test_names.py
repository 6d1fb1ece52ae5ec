"""A name that can be written in two ways is one name, and some names are not for events."""

from unicodedata import normalize

import pytest

from yggdrasil import Memory
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.names import all_composed

CAFE = "Caf\N{LATIN SMALL LETTER E WITH ACUTE}"
TWO_POINTS = normalize("NFD", CAFE)


def test_a_feature_written_in_two_ways_is_one(memory: Memory) -> None:
    assert CAFE != TWO_POINTS
    memory.record_event("Coffee", features=[CAFE])
    event = memory.record_event("More coffee", features=[TWO_POINTS], session=f"{TWO_POINTS} at noon")
    memory.log_outcome(event, 1.0, kind=f"{TWO_POINTS} closed")
    for written in (CAFE, TWO_POINTS):
        assert memory.describe(f"feature:{written}").memory.usage == 2
        assert memory.describe(f"feature:outcome:{written} closed").memory.usage == 1
        assert [found.ref for found in memory.timeline(session=f"{written} at noon").memories] == [event]


def test_what_people_say_is_left_as_it_is(memory: Memory) -> None:
    event = memory.record_event(TWO_POINTS, payload={TWO_POINTS: TWO_POINTS})
    found = memory.describe(event).memory
    assert (found.text, found.payload) == (TWO_POINTS, {TWO_POINTS: TWO_POINTS})


def test_who_speaks_is_composed_too() -> None:
    draft = Drafter("tenant/agent", TWO_POINTS, TWO_POINTS).sleep(session=TWO_POINTS)
    assert draft.value.count(CAFE.encode()) == 3


def test_a_feature_may_not_be_called_like_the_kind_of_an_outcome(memory: Memory) -> None:
    with pytest.raises(InvalidCommandError, match="names that begin with outcome: are reserved"):
        memory.record_event("Sneaky", features=["outcome:reverted"])


def test_what_is_nested_too_deep_is_left_to_the_codec() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    assert all_composed({TWO_POINTS: deep}).keys() == {CAFE}
    with pytest.raises(InvalidCommandError):
        Drafter("tenant/agent", "test", "test").draft("sleep", {"deep": deep})


def test_a_question_may_name_what_nothing_was_ever_said_of(memory: Memory) -> None:
    event = memory.record_event("Invoices go to account 1")
    memory.alias("vendor:brook-payments", "vendor:brook")
    assert [each.memory.ref for each in memory.get_context("Where do invoices of Brook go?", k=5).found] == [event]
