"""What somebody who is trusted less may try: nothing that they do takes away what others have said."""

import pytest

from yggdrasil import Event, Memory, Store
from yggdrasil.engines.embedded import Embedded

PAYS = "Customers pay their invoices to the account {} at the branch of the bank in Oslo within thirty days of delivery"


@pytest.fixture
def boss(house: Store) -> Memory[Embedded]:
    """An operator."""
    return house.memory("me/agent", source="boss", origin="operator")


@pytest.fixture
def other(house: Store) -> Memory[Embedded]:
    """An agent that shares the memory."""
    return house.memory("me/agent", source="bot", origin="agent")


def asked(memory: Memory[Embedded], question: str, k: int | None = None) -> list[str | None]:
    return [each.memory.text for each in memory.get_context(question, k=k).found]


@pytest.mark.parametrize("way", ["withdrawn", "superseded"])
def test_an_event_stays_when_whoever_is_below_takes_back_what_they_concluded_from_it(
    boss: Memory[Embedded], other: Memory[Embedded], way: str
) -> None:
    event = boss.record_event("The vault opens with the brass key", features=["vault"])
    claim = other.assert_claim("vault:main", "opened_by", "key:iron", evidence=[event])
    if way == "withdrawn":
        other.withdraw(claim, "never mind")
    else:
        other.supersede(claim, "The iron key is lost")
    assert asked(boss, "How does the vault open?") == ["The vault opens with the brass key"]
    own = boss.assert_claim("vault:main", "opened_by", "key:brass", evidence=[event])
    boss.withdraw(own, "the lock is new")
    assert asked(boss, "How does the vault open?") != ["The vault opens with the brass key"]


def test_a_claim_stays_when_what_whoever_is_below_has_confirmed_it_with_is_withdrawn(
    boss: Memory[Embedded], other: Memory[Embedded]
) -> None:
    boss.assert_claim("cellar:main", "opened_by", "key:steel")
    noise = other.record_event("noise")
    other.assert_claim("cellar:main", "opened_by", "key:steel", evidence=[noise])
    other.withdraw(noise, "never mind")
    assert len(boss.claims("cellar:main").claims) == 1


def test_what_was_rejected_is_not_forgotten_for_what_is_rejected_below(
    boss: Memory[Embedded], other: Memory[Embedded]
) -> None:
    boss.withdraw(boss.assert_claim("person:x", "lives_in", "city:rome"), "it was never so")
    for number in range(12):
        other.withdraw(other.assert_claim("person:x", "lives_in", f"city:z{number}"), "never mind")
    other.assert_claim("person:x", "lives_in", "city:rome")
    assert boss.claims("person:x").claims == []


def test_a_claim_from_below_is_shown_beside_what_it_was_made_from(
    boss: Memory[Embedded], other: Memory[Embedded]
) -> None:
    event = boss.record_event("Invoices go to the office in Oslo")
    text = "Invoices go to the office in Rome, no longer Oslo"
    other.assert_claim("thing:invoices", "go_to", "city:rome", text=text, evidence=[event])
    assert asked(boss, "Where do invoices go?", k=5) == ["Invoices go to the office in Oslo", text]


def test_what_differs_in_a_number_takes_no_place_of_what_is_trusted_more(
    boss: Memory[Embedded], other: Memory[Embedded]
) -> None:
    boss.record_event(PAYS.format(4711))
    for number in (9999, 9998):
        other.record_event(PAYS.format(number))
    found = asked(boss, "Where do customers pay their invoices?", k=5)
    assert len(found) == 3 and set(found) == set(map(PAYS.format, (4711, 9999, 9998)))


def test_what_says_the_same_takes_no_place_of_what_is_trusted_more(
    boss: Memory[Embedded], other: Memory[Embedded]
) -> None:
    first = boss.record_event(PAYS.format(4711))
    for _ in range(3):
        other.record_event(PAYS.format(4711).upper())
    found = boss.get_context("Where do customers pay their invoices?", k=5, record=False)
    assert found.refs == [first] and found.left_out == 3


def test_a_history_has_what_is_asked_for_and_what_stands_however_much_was_said_since(
    boss: Memory[Embedded], other: Memory[Embedded]
) -> None:
    first = boss.record_event("The safe code is 1", key="safe")
    stands = boss.record_event("The safe code is 2", key="safe")
    for _ in other.record_many(Event(f"The safe code is {number}", key="safe") for number in range(3, 253)):
        pass
    for given in (boss.history(first), boss.history(stands), boss.history(key="safe")):
        assert stands in [each.ref for each in given.memories]
        assert len(given.memories) == 200 and given.left_out == 52
    told = [each.ref for each in boss.history(first).memories]
    assert told[:2] == [first, stands]
