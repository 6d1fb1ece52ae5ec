"""A moment that has a name is asked for by that, however a memory is reached."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.memories import USUAL, subject
from yggdrasil import CommandRefusedError, InvalidCommandError, Memory, NoSuchMomentError
from yggdrasil_projections.retrieval.past.moment import AsOf, no_snapshot


@pytest.fixture(params=[each for each in USUAL if each not in ("kafka", "directory awaited")])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def test_a_name_stands_for_its_moment_in_every_question_of_the_past(memory: Memory[Any]) -> None:
    first = memory.record_event("The router is in the cellar", features=["router"])
    memory.snapshot("before")
    second = memory.record_event("The router was moved to the attic", features=["router"])
    memory.snapshot("after")
    assert [(each.name, each.seq) for each in memory.snapshots().snapshots] == [("before", 2), ("after", 4)]
    past = memory.as_of("before")
    assert [each.ref for each in past.timeline().memories] == [first]
    assert past.moment().as_of == 2 and past.digest() == memory.as_of(2).digest()
    assert [each.name for each in past.snapshots().snapshots] == ["before"], "as it was then"
    changed = memory.diff("before", "after")
    assert ([each.ref for each in changed.learnt], changed.since, changed.as_of) == ([second], 2, 4)
    with pytest.raises(NoSuchMomentError, match=r"no snapshot called befor; it has before, after\. A moment is a seq"):
        memory.as_of("befor")


def test_a_name_stands_for_its_moment_also_where_something_has_been_taken_into_quarantine_since(
    memory: Memory[Any],
) -> None:
    first = memory.record_event("The router is in the cellar", features=["router"])
    second = memory.record_event("The deploy key is 1234", features=["key"])
    memory.snapshot("before")
    memory.judge({second: "quarantine"}, reason="A secret")
    memory.record_event("The router was moved to the attic", features=["router"])
    for past in (memory.as_of("before"), memory.as_of(3)):
        moment = past.moment()
        assert (moment.as_of, moment.withheld) == (3, 1)
        assert [each.ref for each in past.timeline().memories] == [first]
    changed = memory.diff("before")
    assert changed.since == 3 and len(changed.learnt) == 1


def test_a_name_is_refused_where_it_would_move_and_free_once_it_is_dropped(memory: Memory[Any]) -> None:
    memory.record_event("One")
    memory.snapshot("before")
    with pytest.raises(CommandRefusedError, match="snapshot_exists"):
        memory.snapshot("before")
    memory.snapshot("before", drop=True)
    with pytest.raises(NoSuchMomentError, match="it has none"):
        memory.as_of("before")
    with pytest.raises(CommandRefusedError, match="unknown_snapshot"):
        memory.snapshot("before", drop=True)
    memory.snapshot("before")
    assert memory.as_of("before").moment().as_of == 4, "what was refused has no seq"
    for name in ("", "7", "2026-01-31", "3-1250", "a/b", "x" * 65, "früh"):
        with pytest.raises(InvalidCommandError):
            memory.snapshot(name)


def test_what_would_have_been_ends_at_a_name_and_loses_those_that_never_were(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", embedder="off") as memory:
        memory.record_event("One", features=["a"])
        memory.snapshot("before")
        named = memory.snapshot("after")
        memory.snapshot("after", drop=True)
        memory.record_event("Two", features=["a"])
        assert memory.what_if(as_of="before").moment().as_of == 2
        other = memory.what_if(without=[named])
        assert other.voids is not None
        assert [each.reason for each in other.voids.refusals] == ["unknown_snapshot"]


def test_a_name_is_no_other_moment() -> None:
    assert AsOf.of("before-the-move") == AsOf(snapshot="before-the-move")
    assert AsOf.of("_1") == AsOf(snapshot="_1")
    assert AsOf.of("before").written == "before"
    assert (AsOf.of("1200").seq, AsOf.of("2026-01-31").snapshot) == (1200, None)


def test_of_many_names_those_that_look_most_alike_are_told() -> None:
    told = no_snapshot("befor", [f"n{each}" for each in range(40)] + ["before"])
    assert "it has before, " in told and "and 36 more" in told


def test_a_past_that_somebody_holds_stays_where_it_was_whatever_becomes_of_the_name(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "held", "me/agent", embedder="off") as memory:
        memory.record_event("One")
        memory.snapshot("here")
        past = memory.as_of("here")
        memory.snapshot("here", drop=True)
        assert past.moment().as_of == 2
        memory.snapshot("here")
        assert past.moment().as_of == 2 and memory.as_of("here").moment().as_of == 4
