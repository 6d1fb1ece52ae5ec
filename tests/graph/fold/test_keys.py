"""What the fold remembers of keys saves it time, and lets nothing through that stands where it may not."""

import pytest

from tests.graph.commands import MEMORY, enable_version, event
from tests.graph.world import World
from yggdrasil_projections.graph import fold
from yggdrasil_schemas.commands import system_memory
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import Refusal, Refused

HOME = partition_for(MEMORY.encode(), 2)


def settled() -> World:
    """A world of two partitions that has met the memory in its place."""
    world = World(2)
    world.fold = fold.Fold(HOME, 2, world)
    assert world.fold_record(event("first").record(partition=HOME)).seq == 1
    return world


def test_a_memory_that_was_here_before_is_still_refused_elsewhere() -> None:
    world = settled()
    again = event("second").record(partition=HOME)
    another = event("second").record(memory="other/agent", partition=HOME)
    wrong = [
        (again._replace(key=b"other/agent"), Refusal.WRONG_KEY),
        (again._replace(key=None), Refusal.WRONG_KEY),
        (another._replace(key=MEMORY.encode()), Refusal.WRONG_KEY),
        (again._replace(partition=1 - HOME), Refusal.WRONG_PARTITION),
        (enable_version("mine").record(memory=MEMORY, partition=HOME), Refusal.RESERVED_MEMORY),
        (event("system").record(memory=system_memory(HOME), partition=HOME), Refusal.RESERVED_MEMORY),
    ]
    for record, reason in wrong * 2:  # what was refused is not remembered as right
        assert world.fold_record(record).refused == Refused(reason), record
    assert world.fold_record(again).seq == 2


def test_a_record_of_another_partition_is_not_remembered_as_of_this_one() -> None:
    """No host gives a fold such a record; if one did, it would be judged by where it stands, each time."""
    world = World(2)
    world.fold = fold.Fold(1 - HOME, 2, world)
    elsewhere = event("first").record(partition=HOME)
    assert world.fold_record(elsewhere).seq == 1
    here = event("second").record(partition=1 - HOME)
    assert world.fold_record(here).refused == Refused(Refusal.WRONG_PARTITION)


def test_what_is_remembered_is_bounded_and_forgetting_it_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "_PLACED_MAX", 3)
    world = World()
    for turn in range(2):
        for number in range(10):
            answer = world.say(event(f"{turn}"), f"tenant/{number}")
            assert (answer.refused, answer.seq) == (None, turn + 1)
            assert len(world.fold._placed) <= 3
