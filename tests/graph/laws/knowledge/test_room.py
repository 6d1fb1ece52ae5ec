"""Which claims make room in a full slot, and which do not."""

from typing import Any

from tests.graph.commands import Said, claim, judge
from tests.graph.laws.knowledge.standing import held, stands
from tests.graph.scenario import given, refused
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.refusals import Refusal


def said(value: str, source: str = "one", origin: str | None = None, *, name: str = "", **more: Any) -> Said:
    """That Ana lives somewhere; the command is called as the place, unless it has a ``name``."""
    return claim(name or value, "ana", "lives_in", value, source=source, origin=origin, **more)


def test_what_is_over_makes_room_for_what_comes_and_what_holds_does_not() -> None:
    """As of somebody who has had many employers, one after another."""
    past = [
        claim(f"job{year}", "ana", "lives_in", f"town{year}", valid_from=year, valid_to=year + 1) for year in range(8)
    ]
    moment = given(*past).when(claim("now", "ana", "lives_in", "here", valid_from=8))
    moment.then(stands(now="active", job0="superseded", job1="active"))


def test_what_is_established_makes_no_room_even_when_it_is_over() -> None:
    """For nobody: they are a user's, as what comes is."""
    told = [said(f"city{n}", f"s{n}", "user", valid_from=n, valid_to=n + 1) for n in range(SLOT_MAX)]
    told += [judge(f"yes{n}", (f"city{n}", "promote"), origin="operator", trust=2) for n in range(SLOT_MAX)]
    given(*told).when(said("rome", origin="user", valid_from=100)).then(refused(Refusal.SLOT_FULL))


def test_history_ends_where_the_next_begins() -> None:
    """Of two that came later the earlier is next; and what that took the place of began when it held no more."""
    two = [said("rome", valid_from=20, valid_to=30), said("oslo", "two", valid_from=40)]
    given(*two).when(said("lima", "three", valid_from=10)).then(
        stands(lima="superseded"), held("lima", begins=10, closed=20)
    )
    wrong = [said("bern", valid_from=50), said("rome", supersedes="bern", valid_from=40)]
    given(*wrong).when(said("lima", "three", valid_from=30)).then(
        stands(lima="superseded"), held("lima", begins=30, closed=40)
    )


def test_what_was_contested_for_something_that_is_resolved_is_in_the_way_again() -> None:
    """Oslo beat it by one word, and does not stand any more; one word for Bern is not enough against it."""
    told = [said("rome", origin="user"), said("oslo", "two", "user", confidence=100)]
    moment = given(told[0]).when(told[1]).then(stands(rome="contested", oslo="active"))
    moment = moment.when(judge("over", ("oslo", "resolve"), origin="user"))
    moment.when(said("bern", "three", "user")).then(stands(rome="contested", bern="contested"))


def test_many_words_from_below_never_crowd_out_one_from_above() -> None:
    told = [said("rome", origin="user"), *(said("rome", f"s{n}", name=f"rome{n}") for n in range(9))]
    moment = given(*told[:-1]).when(told[-1]).then(stands(rome="active"))
    found = moment.graph.claim(moment.node("rome"))
    assert found is not None
    assert sorted(line.trust for line in found.lines) == [1] * 7 + [2]
