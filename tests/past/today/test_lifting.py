"""Who may hide a past, and what shows it again: a verdict of somebody who is trusted enough, and nothing else."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, cast

import pytest

from yggdrasil import Event, Memory, UnknownNodeError
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past.fallen import Quarantines
from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_producers.draft import Drafter

MEMORY: Final = "tenant/agent"


class Counted:
    """A log that counts the records that are read."""

    def __init__(self, log: LogReader) -> None:
        self.log = log
        self.partitions = log.partitions
        self.count = 0

    def start_offset(self, partition: int) -> int:
        return self.log.start_offset(partition)

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        found = self.log.read(partition, offset, records_max)
        self.count += len(found)
        return found


class World:
    """A memory with what somebody said, under a key."""

    def __init__(self, engine: Embedded) -> None:
        self.agent = Memory(engine, Drafter(MEMORY, "stranger", "past", "agent"))
        self.engine = engine
        self.user = Memory(engine, Drafter(MEMORY, "ana", "past", "user"))
        self.operator = Memory(engine, Drafter(MEMORY, "operator", "past", "operator"))
        self.poison = self.agent.record_event("Poison", session="first", key="router")
        self.said = self.user.record_event("As ana says", session="first")
        self.seq = self.user.moment().as_of

    def shown(self, as_of: int | str | None = None) -> list[str | None]:
        past = self.user.as_of(self.seq if as_of is None else as_of)
        return [each.text for each in past.timeline().memories]

    def forget(self) -> None:
        """Let all that was said so far be forgotten."""
        self.operator.set_policy(nodes_max=40, sessions_open_max=4, edges_max=200)
        self.operator.record_event("The last of a session stays", session="first")
        self.operator.record_many([Event(f"Noise {number}", session="noise") for number in range(200)])
        with pytest.raises(UnknownNodeError):
            self.user.describe(self.said)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Embedded(tmp_path / "data", partitions=1) as engine:
        yield World(engine)


def test_an_agent_hides_nothing_that_a_user_said_and_that_is_forgotten(world: World) -> None:
    """Of what is forgotten the law lets everybody say anything, since there it changes nothing."""
    world.forget()
    mine = world.agent.record_event("Mine", session="noise")
    world.agent.judge({mine: "quarantine", world.said: "quarantine"}, reason="nobody is to see it")
    assert world.shown() == ["As ana says", "Poison"]
    again = world.agent.record_event("Mine again", session="noise")
    world.operator.judge({again: "quarantine", world.said: "quarantine"}, reason="it is false")
    assert world.shown() == ["Poison"]


def test_an_agent_shows_nothing_that_an_operator_has_hidden_and_that_is_forgotten(world: World) -> None:
    world.operator.judge({world.poison: "quarantine"}, reason="poison")
    world.forget()
    assert world.shown() == ["As ana says"]
    mine = world.agent.record_event("Mine", session="noise")
    world.agent.judge({mine: "release", world.poison: "release"}, reason="everybody is to see it")
    assert world.shown() == ["As ana says"]
    world.operator.judge({mine: "release", world.poison: "release"}, reason="it is true")
    assert world.shown() == ["As ana says", "Poison"]


AFTERWARDS: Final[dict[str, Callable[[World], object]]] = {
    "rejected": lambda world: world.operator.judge({world.poison: "reject"}, reason="false"),
    "resolved": lambda world: world.operator.judge({world.poison: "resolve"}, reason="done"),
    "archived": lambda world: world.operator.judge({world.poison: "archive"}, reason="done"),
    "superseded": lambda world: world.operator.supersede(world.poison, "Better"),
    "said anew": lambda world: world.operator.record_event("Better", key="router"),
    "forgotten": World.forget,
}


@pytest.mark.parametrize("what", AFTERWARDS)
def test_whatever_becomes_of_it_only_a_release_lifts_a_quarantine(world: World, what: str) -> None:
    world.operator.judge({world.poison: "quarantine"}, reason="poison")
    assert world.shown() == ["As ana says"]
    AFTERWARDS[what](world)
    assert world.shown() == ["As ana says"]


def test_a_snapshot_is_seen_as_of_its_moment_whatever_is_in_quarantine(world: World) -> None:
    world.operator.snapshot("before")
    named = world.user.moment().as_of
    world.user.record_event("What came later")
    world.operator.judge({world.poison: "quarantine"}, reason="poison")
    assert world.shown("before") == ["As ana says"]
    assert (world.user.as_of("before").moment().as_of, world.user.diff("before").since) == (named, named)


def test_a_partition_is_read_for_verdicts_once_for_all_its_memories(world: World) -> None:
    engine = world.engine
    others = [Memory(engine, Drafter(f"tenant/{name}", "ana", "past", "operator")) for name in ("b", "c")]
    theirs = [other.record_event("Poison") for other in others]
    for other, event in zip(others, theirs, strict=True):
        other.judge({event: "quarantine"}, reason="poison")
    log, quarantines = Counted(engine.records), Quarantines()
    found = [quarantines.of(cast(LogReader, log), engine.hosted(other.id), other.id) for other in others]
    assert [len(fallen.nodes) for fallen in found] == [1, 1]
    assert log.count == engine.records.end_offset(0)
    others[0].judge({theirs[0]: "release"}, reason="it was true")
    assert not quarantines.of(cast(LogReader, log), engine.hosted(others[0].id), others[0].id).nodes
    assert log.count == engine.records.end_offset(0)
