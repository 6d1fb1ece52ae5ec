"""Which claims make room in a full slot, and which do not."""

from typing import Any

from tests.graph.commands import Said, claim
from tests.graph.laws.knowledge.standing import stands
from tests.graph.scenario import given


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


def test_many_words_from_below_never_crowd_out_one_from_above() -> None:
    told = [said("rome", origin="user"), *(said("rome", f"s{n}", name=f"rome{n}") for n in range(9))]
    moment = given(*told[:-1]).when(told[-1]).then(stands(rome="active"))
    found = moment.graph.claim(moment.node("rome"))
    assert found is not None
    assert sorted(line.trust for line in found.lines) == [1] * 7 + [2]
