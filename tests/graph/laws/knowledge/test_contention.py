"""What contradicts each other: words that are weighed, what is newer, what held when, and the bounds of a slot."""

from typing import Any

import pytest

from tests.graph.commands import Said, alias, claim, define, event, judge, pin, policy
from tests.graph.laws.knowledge.standing import held, in_order, lines, ruling, slot, slot_of, stands
from tests.graph.scenario import accepted, given, refused
from tests.graph.world import live_nodes
from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.refusals import Refusal


def said(value: str, source: str = "one", origin: str | None = None, *, name: str = "", **more: Any) -> Said:
    """That Ana lives somewhere; the command is called as the place, unless it has a ``name``."""
    return claim(name or value, "ana", "lives_in", value, source=source, origin=origin, **more)


def test_one_word_against_another_decides_nothing_and_two_do() -> None:
    moment = given(said("rome")).when(said("oslo", "two")).then(stands(rome="active", oslo="contested"))
    moment.then(ruling("oslo", slot=slot_of(moment, "rome"), by="oslo", instead="rome"))
    moment = moment.when(said("oslo", "three", name="third")).then(stands(rome="active", oslo="contested"))
    moment.when(said("oslo", "four", name="fourth")).then(
        stands(rome="superseded", oslo="active"), in_order("rome", "oslo")
    )


def test_as_much_as_the_margin_is_not_more_than_it() -> None:
    before = given(said("rome"), said("oslo", "two"))
    before.when(said("oslo", "three", name="third")).then(stands(oslo="contested"), lines("oslo", (1, 140), (1, 140)))
    given(said("rome"), said("oslo", "two")).when(said("oslo", "three", name="third", confidence=71)).then(
        stands(oslo="active")
    )


def test_the_newer_word_of_the_same_source_counts() -> None:
    given(said("rome")).when(said("oslo")).then(stands(rome="superseded", oslo="active"))
    given(said("rome", key="ana")).when(said("oslo", "another host", key="ana")).then(stands(oslo="active"))


def test_an_old_word_does_not_outweigh_a_new_one() -> None:
    told = [said("rome", f"s{n}", name="rome" if n == 0 else f"rome {n}") for n in range(5)]
    given(*told).when(said("oslo", "user", "user", confidence=80)).then(stands(rome="contested", oslo="active"))


def sure(value: str, source: str, origin: str = "user", *, name: str = "", **more: Any) -> Said:
    """What somebody says who is as sure as can be."""
    return said(value, source, origin, name=name, **{"confidence": 100, **more})


def test_one_word_hides_nothing_and_two_do() -> None:
    told = [sure("rome", "one", valid_from=10), sure("oslo", "two", valid_from=20)]
    moment = given(told[0]).when(told[1]).then(stands(rome="contested", oslo="active"), in_order("rome", "oslo"))
    moment.then(ruling("rome", slot=slot_of(moment, "rome"), by="oslo", instead="oslo"), held("rome", begins=10))
    moment = moment.when(said("oslo", "three", name="third", valid_from=25))
    moment.then(stands(rome="superseded", oslo="active"), held("rome", begins=10, closed=20), in_order("rome", "oslo"))


def test_what_one_word_has_beaten_gives_way_to_another() -> None:
    moment = given(said("rome"), sure("oslo", "two")).when(sure("lima", "three"))
    moment.then(stands(rome="superseded", oslo="contested", lima="active"), in_order("rome", "oslo", "lima"))
    given(said("rome"), sure("oslo", "two")).when(sure("oslo", "two", name="once more")).then(
        stands(rome="superseded", oslo="active")
    )


def test_what_is_contested_anyway_is_so_in_favour_of_what_beats_it() -> None:
    told = [said("rome", origin="tool"), said("oslo", "two", "user"), said("bern", "three", "tool")]
    moment = given(told[0]).when(told[1]).then(stands(rome="active", oslo="contested")).when(told[2])
    moment.then(stands(rome="contested", oslo="contested", bern="active"), in_order("rome", "bern"))
    moment.then(ruling("oslo", slot=slot_of(moment, "rome"), by="bern", instead="bern"))
    moment.when(sure("lima", "four", "tool")).then(
        stands(rome="superseded", oslo="superseded", bern="contested", lima="active")
    )


def test_what_is_contested_displaces_nothing_by_one_word() -> None:
    told = [said("rome", origin="user"), judge("so it is", ("rome", "promote"), origin="user"), sure("oslo", "two")]
    moment = given(*told).when(sure("bern", "three"))
    moment.then(stands(rome="prior", oslo="contested", bern="contested"))
    moment.then(ruling("oslo", slot=slot_of(moment, "rome"), by="oslo", instead="rome"))


def test_an_operators_word_is_enough() -> None:
    given(said("rome", origin="user")).when(said("oslo", "two", "operator")).then(
        stands(rome="superseded", oslo="active")
    )


def test_what_one_word_has_beaten_is_in_nobodys_way() -> None:
    moment = given(said("rome", origin="user")).when(sure("oslo", "two")).then(stands(rome="contested", oslo="active"))
    moment = moment.when(said("bern", "three"))
    moment.then(stands(bern="contested"), ruling("bern", slot=slot_of(moment, "rome"), by="bern", instead="oslo"))


def test_what_is_pinned_stays_in_everybodys_way() -> None:
    told = [said("rome", origin="user"), sure("oslo", "two"), pin("p", "rome")]
    given(*told).when(sure("bern", "three")).then(stands(rome="contested", oslo="active", bern="quarantined"))


def test_what_one_word_has_beaten_stands_again_when_more_is_said_for_it() -> None:
    told = [said("rome", origin="user"), sure("oslo", "two"), said("rome", "three", "user", name="third")]
    moment = given(*told[:2]).when(told[2]).then(stands(rome="contested", oslo="active"))  # 280 against 400
    moment.when(said("rome", "four", "user", name="fourth")).then(stands(rome="active", oslo="superseded"))
    given(*told[:2]).when(sure("rome", "one", "tool", name="surer")).then(stands(rome="active", oslo="contested"))


def test_a_late_word_for_what_is_contested_makes_no_history_of_it() -> None:
    told = [sure("rome", "one", valid_from=10), sure("oslo", "two", valid_from=20)]
    given(*told).when(sure("rome", "three", name="late", valid_from=15)).then(
        stands(rome="contested", oslo="active"), held("rome", begins=10), lines("rome", (2, 400), (2, 400))
    )


def test_a_value_that_came_again_is_a_new_claim() -> None:
    told = [sure("rome", "one", valid_from=10), sure("oslo", "two", valid_from=20)]
    moment = given(*told).when(sure("rome", "three", name="again", valid_from=30))
    moment.then(stands(rome="superseded", oslo="contested", again="active"), in_order("rome", "oslo", "again"))
    moment.then(held("rome", begins=10, closed=20), held("oslo", begins=20), held("again", begins=30))
    given(*told).when(sure("rome", "three", name="then", valid_from=20)).then(
        stands(rome="contested", oslo="active"), lines("rome", (2, 400), (2, 400))
    )


WAITING: list[dict[str, Any]] = [{}, {"candidate": True}]


@pytest.mark.parametrize("more", WAITING)
def test_a_word_that_waits_is_said_of_the_value_that_was(more: dict[str, Any]) -> None:
    told = [sure("rome", "one", "tool", valid_from=10), sure("oslo", "two", "tool", valid_from=20)]
    given(*told).when(sure("rome", "three", "agent", name="again", valid_from=30, **more)).then(
        stands(rome="contested", oslo="active"), lines("rome", (3, 800), (1, 200))
    )


BY_RESOLUTION = [
    ("recency", "agent", "agent", "active"),
    ("recency", "user", "agent", "contested"),
    ("recency", "tool", "agent", "quarantined"),
    ("human", "agent", "agent", "contested"),
    ("human", "tool", "tool", "contested"),
    ("human", "agent", "user", "active"),
    ("human", "operator", "user", "quarantined"),
    ("confidence", "agent", "user", "active"),
    ("confidence", "user", "agent", "contested"),
    ("confidence", "tool", "agent", "quarantined"),
]


@pytest.mark.parametrize(("resolution", "first", "second", "expected"), BY_RESOLUTION)
def test_a_predicate_says_who_wins(resolution: str, first: str, second: str, expected: str) -> None:
    means = define("d", "lives_in", resolution=resolution)
    beaten = "contested" if resolution == "confidence" else "superseded"
    given(means, said("rome", origin=first)).when(said("oslo", "two", second, confidence=100)).then(
        stands(rome=beaten if expected == "active" else "active", oslo=expected)
    )


def test_what_is_pinned_gives_way_to_an_operator_alone() -> None:
    pinned = given(said("rome"), pin("p", "rome")).when(said("oslo", "two", "tool", confidence=100))
    pinned.then(stands(rome="active", oslo="quarantined"))
    pinned.when(said("lima", "three", "operator")).then(stands(rome="superseded", lima="active", oslo="superseded"))


def test_what_is_established_gives_way_to_who_is_trusted_more() -> None:
    before = given(said("rome", origin="user"), judge("so it is", ("rome", "promote"), origin="user"))
    moment = before.when(said("oslo", "two", "user", confidence=100)).then(stands(rome="prior", oslo="contested"))
    moment = moment.when(said("bern", "three")).then(stands(rome="prior", bern="quarantined"))
    moment = moment.when(said("lima", "four", "tool")).then(stands(rome="contested", oslo="contested", lima="active"))
    moment.when(said("lima", "five", name="fifth")).then(stands(rome="superseded", oslo="superseded", lima="active"))


def test_what_is_established_is_in_no_operators_way() -> None:
    before = given(said("rome", origin="user"), judge("so it is", ("rome", "promote"), origin="user"))
    before.when(said("oslo", "two", "operator", trust=2, confidence=100)).then(stands(rome="superseded", oslo="active"))


def test_of_what_is_contested_the_last_word_stays_whenever_it_began() -> None:
    told = [define("d", "lives_in", resolution="recency"), said("rome", origin="user", valid_from=10)]
    contested = given(*told, said("oslo", "two", valid_from=50))
    contested.when(said("lima", "three", valid_from=20)).then(
        stands(rome="active", oslo="superseded", lima="contested")
    )


def test_what_is_pinned_makes_no_room() -> None:
    waiting = [said(f"city{n}", candidate=True, confidence=90 - n) for n in range(SLOT_MAX)]
    before = given(*waiting, pin("p", "city7"))
    before.when(said("rome", candidate=True)).then(refused(Refusal.SLOT_FULL))
    before.when(said("bern", origin="operator", candidate=True)).then(stands(city7="superseded", bern="candidate"))


def test_any_number_of_values_contradict_nothing() -> None:
    given(claim("tea", "ana", "likes", "tea")).when(claim("milk", "ana", "likes", "milk", source="two")).then(
        stands(tea="active", milk="active")
    )


def test_one_value_for_each_object() -> None:
    apple = claim("apple", "shop", "offers", "apple", qualifiers={"price": "10"})
    pear = claim("pear", "shop", "offers", "pear", qualifiers={"price": "12"})
    dearer = claim("dearer", "shop", "offers", "apple", qualifiers={"price": "12"})
    given(apple, pear).when(dearer).then(stands(apple="superseded", pear="active", dearer="active"))


def test_an_unknown_predicate_has_one_number_and_many_texts() -> None:
    one = [claim("one", "box", "mass", 1), claim("red", "box", "colour", {"digest": "0" * 32})]
    given(*one).when(claim("two", "box", "mass", 2)).then(stands(one="superseded", two="active"))
    given(*one).when(claim("blue", "box", "colour", {"digest": "1" * 32})).then(stands(red="active", blue="active"))


def test_where_a_place_is_is_one_value_by_its_spelling() -> None:
    one = claim("one", "place:chest", "located_in", {"anchor": "overworld/120/64/-33"})
    again = claim("again", "place:chest", "located_in", {"anchor": "overworld/120/64/-33"}, source="two")
    chunk = claim("chunk", "place:chest", "located_in", {"anchor": "overworld/7/-3"}, source="three")
    text = claim("text", "place:chest", "located_in", "overworld/120/64/-33", source="four")
    given(one).when(again).then(stands(one="active"), lines("one", (1, 140), (1, 140)))
    given(one, again).when(chunk).then(stands(one="active", chunk="contested"))
    given(one, again).when(text).then(stands(one="active", text="contested"))


def test_what_begins_later_closes_what_stood() -> None:
    given(said("rome", valid_from=10)).when(said("oslo", valid_from=20)).then(
        stands(rome="superseded", oslo="active"), held("rome", begins=10, closed=20), held("oslo", begins=20)
    )


def test_a_late_report_becomes_history_and_finds_its_place() -> None:
    before = [said("rome", valid_from=10), said("bern", valid_from=30), said("lima", valid_from=40)]
    moment = given(*before).when(said("oslo", valid_from=20))
    moment.then(stands(rome="superseded", oslo="superseded", bern="superseded", lima="active"))
    moment.then(in_order("rome", "oslo", "bern", "lima"), held("rome", begins=10, closed=20))
    moment.then(held("oslo", begins=20, closed=30), held("bern", begins=30, closed=40))
    earliest = moment.when(said("kiel", "two", valid_from=5)).then(in_order("kiel", "rome", "oslo", "bern", "lima"))
    earliest.then(held("kiel", begins=5, closed=10))


def test_a_late_report_of_what_is_known_confirms_it() -> None:
    before = given(said("rome", valid_from=10), said("oslo", valid_from=20))
    before.when(said("rome", "two", name="again", valid_from=15)).then(
        accepted(seq=3), lines("rome", (1, 140), (1, 140)), stands(rome="superseded"), in_order("rome", "oslo")
    )


def test_a_late_report_is_contested_by_what_held_then() -> None:
    before = given(said("rome", origin="user", valid_from=10), said("oslo", origin="user", valid_from=20))
    before.when(said("lima", "two", valid_from=15)).then(stands(rome="superseded", lima="contested", oslo="active"))


def test_what_was_rejected_does_not_stand_against_history() -> None:
    told = [said("rome", valid_from=10), said("oslo", valid_from=20), judge("never", ("rome", "reject"), origin="user")]
    given(*told).when(said("lima", "two", valid_from=15)).then(
        stands(rome="rejected", lima="superseded", oslo="active"), in_order("rome", "lima", "oslo")
    )


def test_what_is_over_does_not_contradict_what_holds() -> None:
    given(said("rome", origin="user")).when(said("oslo", "two", valid_to=10)).then(stands(rome="active", oslo="active"))
    given(said("rome", valid_to=10)).when(said("oslo", "two", valid_from=10)).then(stands(rome="active", oslo="active"))
    given(said("rome", valid_to=11)).when(said("oslo", "two", valid_from=10)).then(stands(oslo="contested"))


def test_what_is_trusted_as_much_says_since_when_and_until_when_it_holds() -> None:
    before = given(said("rome", valid_from=10), said("oslo", valid_from=30))
    moment = before.when(said("oslo", "two", name="sooner", valid_from=20, valid_to=90))
    moment.then(held("rome", begins=10, closed=20), held("oslo", begins=20, ends=90))
    moment.when(said("oslo", "three", name="too soon", valid_from=5)).then(held("oslo", begins=20, ends=90))
    moment.when(said("oslo", name="rumour", trust=0, valid_from=15)).then(held("oslo", begins=20, ends=90))


def test_what_stands_does_not_come_to_contradict_what_stands() -> None:
    told = [said("rome", valid_from=10, valid_to=20), said("oslo", "two", valid_from=30)]
    given(*told).when(said("rome", "two", name="longer", valid_from=10, valid_to=40)).then(
        held("rome", begins=10, ends=20), stands(rome="active", oslo="active")
    )
    given(*told).when(said("oslo", name="sooner", valid_from=15)).then(held("oslo", begins=30))
    given(*told).when(said("oslo", name="from then", valid_from=20)).then(held("oslo", begins=20))


def test_what_contradicts_something_anyway_may_hold_longer() -> None:
    """Two that stand under different names, until something new is said of what both are names of."""
    told = [
        said("rome", valid_from=10),
        claim("oslo", "anna", "lives_in", "oslo", origin="user", valid_from=10),
        alias("a", "anna", "ana", origin="user"),
    ]
    given(*told).when(said("rome", "two", name="until", valid_from=10, valid_to=50)).then(
        held("rome", begins=10, ends=50)
    )


def test_a_contested_one_that_is_closed_stays_closed() -> None:
    told = [said("rome", origin="user", valid_to=30), said("oslo", origin="user", valid_from=40)]
    moment = (
        given(*told)
        .when(said("lima", "two", valid_from=20))
        .then(stands(lima="contested"), held("lima", begins=20, closed=40))
    )
    moment = moment.when(sure("lima", "three", name="again", valid_from=20))
    moment.then(stands(lima="active"), held("lima", begins=20, closed=40))
    corrected = claim("tea", "ana", "likes", "tea", origin="user", supersedes="lima", valid_from=90)
    moment.when(corrected).then(stands(lima="superseded"), held("lima", begins=20, closed=40))


def test_a_claim_takes_the_place_of_what_it_supersedes_by_name() -> None:
    moment = given(event("a")).when(said("rome", supersedes="a"))
    moment.then(
        stands(a="superseded", rome="active"),
        ruling("a", slot=slot_of(moment, "rome"), by="rome", trust=1, instead="rome"),
    )
    moment = moment.when(claim("tea", "ana", "likes", "tea", supersedes="rome")).then(
        stands(rome="superseded"), in_order("rome", "tea")
    )
    moment.when(event("b", supersedes="tea")).then(stands(tea="superseded", b="active"))


def test_an_event_that_takes_a_claims_place_heeds_neither_candidates_nor_what_was_rejected() -> None:
    waiting = said("oslo", "two", "user", candidate=True)
    rejected = said("bern", "three", "user", candidate=True), judge("no", ("bern", "reject"), origin="operator")
    moment = given(said("rome"), waiting, *rejected).when(event("a", supersedes="rome"))
    moment.then(stands(rome="superseded", oslo="candidate", bern="rejected", a="active"))
    moment.then(slot(slot_of(moment, "rome"), "oslo", "bern", "a", out=("rome",)))


def test_what_waits_makes_room_and_what_stands_does_not() -> None:
    waiting = [said(f"city{n}", candidate=True, confidence=90 - n) for n in range(SLOT_MAX)]
    moment = given(*waiting).when(said("rome", candidate=True)).then(stands(city7="superseded", city6="candidate"))
    moment.then(slot(slot_of(moment, "rome"), *(f"city{n}" for n in range(7)), "rome", out=("city7",)))
    more: list[dict[str, Any]] = [{}, {"valid_from": 100}]
    for holding in more:
        established = [said(f"city{n}", f"s{n}", valid_from=n, valid_to=n + 1) for n in range(SLOT_MAX)]
        established += [judge(f"yes{n}", (f"city{n}", "promote"), origin="user") for n in range(SLOT_MAX)]
        given(*established).when(said("rome", **holding)).then(refused(Refusal.SLOT_FULL))


def test_names_that_join_full_slots_let_as_many_go_as_it_takes() -> None:
    def full(who: str) -> list[Said]:
        return [claim(f"{who}{n}", who, "lives_in", f"city{n}{who}", candidate=True) for n in range(SLOT_MAX)]

    before = [*full("ana"), *full("anna"), *full("ann"), alias("a", "anna", "ana"), alias("b", "ann", "ana")]
    confirmed = claim("again", "anna", "lives_in", "city3ana", source="two", candidate=True)
    moment = given(*before).when(said("rome", origin="user", confidence=100))
    moment.then(stands(rome="active"))
    assert len(moment.graph.slot(slot_of(moment, "rome"))) == SLOT_MAX
    moment = given(*before).when(confirmed).then(stands(ana3="active"))
    assert {len(held) for held in moment.graph.changed_slots.values()} == {SLOT_MAX}


def test_a_slot_remembers_the_last_eight_that_were_rejected() -> None:
    def rejected(who: str, count: int) -> list[Said]:
        told = [claim(f"{who}{n}", who, "lives_in", f"city{n}{who}", candidate=True) for n in range(count)]
        return [each for one in told for each in (one, judge(f"no {one.name}", (one.name, "reject")))]

    moment = given(*rejected("ana", 11)).when(said("city2ana", name="let go")).then(stands(ana2="rejected"))
    assert moment.node("let go").status == Status.ACTIVE
    joined = given(*rejected("ana", 6), *rejected("anna", 6), alias("a", "anna", "ana")).when(said("rome"))
    remembered = joined.graph.slot(slot_of(joined, "rome"))
    assert len(remembered) == SLOT_MAX + 1
    assert joined.node("ana3").number not in remembered
    assert joined.node("ana4").number in remembered


def test_ten_thousand_contradictions_from_below_displace_nothing() -> None:
    """Not what is pinned, nor what is established; and a key is one line, however often it speaks."""
    told = [policy("roomy", nodes_max=1_000), said("rome", origin="user", key="ana"), pin("p", "rome")]
    told += [claim("diet", "ana", "diet", "fish", origin="user"), judge("so", ("diet", "promote"), origin="operator")]
    moment = given(*told).when(event("first"))
    for n in range(5_000):
        world = moment.world
        world.say(claim(f"c{n}", "ana", "lives_in", f"city{n % 40}", key=f"k{n % 3}", confidence=100))
        world.say(claim(f"d{n}", "ana", "diet", f"dish{n % 7}", source=f"s{n % 50}", confidence=100))
    moment = moment.when(event("last"))
    moment.then(stands(rome="active", diet="prior"), lines("rome", (2, 280)))
    graph = moment.graph
    assert max(len(each) for each in graph.changed_slots.values()) <= SLOT_MAX
    standing = [each for each in live_nodes(graph).values() if each.kind == 6 and each.status == Status.ACTIVE]
    assert [each.number for each in standing] == [moment.node("rome").number]


def test_a_source_that_is_trusted_less_now_does_not_take_back_what_it_said() -> None:
    """As whoever shares its name, and is let in with less."""
    said = claim("rome", "ana", "lives_in", "rome", origin="user")
    later = claim("oslo", "ana", "lives_in", "oslo", origin="agent")
    given(said).when(later).then(stands(rome="active", oslo="contested"))
    given(said).when(claim("oslo", "ana", "lives_in", "oslo", origin="user")).then(
        stands(rome="superseded", oslo="active")
    )


def test_what_was_seen_again_later_does_not_end_before() -> None:
    told = [
        claim("rome", "ana", "lives_in", "rome", valid_from=100),
        claim("again", "ana", "lives_in", "rome", valid_from=400),
    ]
    given(*told).when(claim("late", "ana", "lives_in", "rome", valid_from=150, valid_to=300)).then(
        stands(rome="active")
    )
    given(*told).when(claim("oslo", "ana", "lives_in", "oslo", valid_from=200, valid_to=350)).then(
        stands(rome="active", oslo="contested")
    )
