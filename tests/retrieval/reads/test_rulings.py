"""What people decided between claims, which rule would have too, and what goes to and fro."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory, PredicateRulings, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.retrieval.reads.knowledge.rulings import FLAPS_TICKS, SWITCHES

MEMORY = "me/agent"


class House:
    """A memory with several agents and a user, a tool and an operator."""

    def __init__(self, store: Store) -> None:
        self.user = store.memory(MEMORY, source="ana", origin="user")
        self.tool = store.memory(MEMORY, source="probe", origin="tool")
        self.operator = store.memory(MEMORY, source="root", origin="operator")
        self._agents = {name: store.memory(MEMORY, source=name) for name in ("one", "two", "three")}

    def __getitem__(self, name: str) -> Memory[Embedded]:
        return self._agents[name]

    def contested(self, subject: str) -> tuple[str, str]:
        """What two agents said, and then a third otherwise: what stands, and what is contested."""
        first = self["one"].assert_claim(subject, "lives_in", "Rome")
        self["two"].assert_claim(subject, "lives_in", "Rome")
        return first, self["three"].assert_claim(subject, "lives_in", "Oslo")

    def of(self, predicate: str) -> PredicateRulings:
        (found,) = (each for each in self.user.rulings().predicates if each.predicate == predicate)
        return found

    def counted(self) -> tuple[int, tuple[int, int], tuple[int, int]]:
        found = self.of("lives_in")
        recency, weight = found.recency, found.weight
        return found.decisions, (recency.agreed, recency.of), (weight.agreed, weight.of)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with Store.open(tmp_path / "memories", embedder="off") as store:
        yield House(store)


def test_for_whom_a_person_decides_recency_or_weight_may_have_been(house: House) -> None:
    """Each verdict is for the later, lighter claim (Oslo) or for the earlier, heavier one (Rome)."""
    _, oslo = house.contested("person:a")
    house.user.judge({oslo: "release"}, reason="she moved")
    assert house.counted() == (1, (1, 1), (0, 1))
    _, oslo = house.contested("person:b")
    house.operator.judge({oslo: "reject"}, reason="a slip")
    assert house.counted() == (2, (1, 2), (1, 2))
    rome, _ = house.contested("person:c")
    house.user.judge({rome: "reject"}, reason="long ago")
    assert house.counted() == (3, (2, 3), (1, 3))
    rome, _ = house.contested("person:d")
    house.operator.judge({rome: "promote"}, reason="a registry says so")
    assert house.counted() == (4, (2, 4), (2, 4))
    _, oslo = house.contested("person:e")
    house.operator.verify(oslo, "she told me")
    assert house.counted() == (5, (3, 5), (2, 5)), "what a person verified, as it was before that"
    rome, _ = house.contested("person:f")
    house.user.assert_claim("person:f", "lives_in", "Bern", supersedes=rome)
    assert house.counted() == (6, (4, 6), (2, 5)), "a user's word weighs as much as two agents': no decision"


def test_whose_decision_it_is_counts(house: House) -> None:
    for subject, who in (("person:a", house["two"]), ("person:b", house.tool)):
        _, oslo = house.contested(subject)
        who.judge({oslo: "reject"}, reason="nobody asked")
    house.contested("person:c")
    assert house.user.rulings().predicates == []


def test_what_was_said_after_a_decision_does_not_count(house: House) -> None:
    _, oslo = house.contested("person:a")
    house.user.judge({oslo: "release"}, reason="she moved")
    for name in ("one", "two"):
        house[name].assert_claim("person:a", "lives_in", "Oslo")
    assert house.counted() == (1, (1, 1), (0, 1))


def test_a_rule_with_which_people_agree_more_often_is_suggested_and_never_taken(house: House) -> None:
    for number in range(7):
        _, oslo = house.contested(f"person:p{number}")
        house.user.judge({oslo: "release"}, reason="moved")
    digest = house.user.digest()
    found = house.of("lives_in")
    assert (found.resolution, found.suggests) == ("confidence", "recency")
    assert found.weight.high < 0.4 and found.recency.low > 0.6
    assert found.sentence == (
        "People decided 7 times about lives_in: recency would have agreed 7 of 7 times (65% to 100%), "
        "the weight of words 0 of 7 times (0% to 35%); in force is confidence"
    )
    assert len(found.evidence) == 7 and house.user.digest() == digest
    house.operator.define("lives_in", "one", resolution="recency")
    assert (house.of("lives_in").resolution, house.of("lives_in").suggests) == ("recency", None)


def test_few_decisions_suggest_nothing(house: House) -> None:
    for number in range(2):
        _, oslo = house.contested(f"person:p{number}")
        house.user.judge({oslo: "release"}, reason="moved")
    assert house.of("lives_in").suggests is None


@pytest.mark.parametrize(
    ("values", "apart", "expected"),
    [
        ("ABAB", 1, SWITCHES),
        ("ABABAC", 1, 4),
        ("ABA", 1, None),
        ("ABCD", 1, None),
        ("ABCABC", 1, None),
        ("ABAB", FLAPS_TICKS // 2, SWITCHES),
        ("ABAB", FLAPS_TICKS // 2 + 1, None),
    ],
)
def test_what_goes_to_and_fro_is_reported(house: House, values: str, apart: int, expected: int | None) -> None:
    one = house["one"]
    for value in values:
        for _ in range(apart):
            one.record_event("tick")
        one.assert_claim("service:a", "status", value)
    found = house.user.rulings().flapping
    assert [each.switches for each in found] == ([] if expected is None else [expected])
    if expected is not None:
        (report,) = found
        assert (report.subject, report.predicate, len(report.evidence)) == ("service:a", "status", expected + 1)
        assert report.ticks == (expected - 1) * apart


def test_what_was_said_late_of_an_earlier_time_is_no_turn(house: House) -> None:
    one, day = house["one"], 86_400_000
    one.assert_claim("person:a", "lives_in", "Rome", valid_from=10 * day)
    for at, city in ((8, "Oslo"), (6, "Rome"), (4, "Oslo"), (2, "Rome")):
        one.assert_claim("person:a", "lives_in", city, valid_from=at * day)
    assert house.user.rulings().flapping == []
