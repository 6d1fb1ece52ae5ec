"""Who knows what."""

from tests.retrieval.reads.sessions.conftest import Team
from yggdrasil import Memory
from yggdrasil_producers.draft import Drafter

DOOR = "service:door"


def test_who_said_most_comes_first_with_how_it_turned_out(team: Team) -> None:
    events = [team.agent.record_event(f"The door {number}", features=[DOOR]) for number in range(3)]
    team.agent.log_outcome(events[0], 4)
    team.agent.log_outcome(events[2], -2)
    claim = team.user.assert_claim(DOOR, "owner", "person:ana")
    team.user.record_event("Elsewhere", features=["service:window"])
    team.stranger.record_event("The door is open", features=[DOOR])
    found = team.agent.sayers(DOOR)
    assert [(each.name, each.origin, each.said) for each in found.sayers] == [
        ("planner", "agent", 3),
        ("ines", "user", 1),
    ]
    first, second = found.sayers
    assert (first.latest, first.trust, first.good, first.bad) == (events[2], 1, 1, 1)
    assert (second.latest, second.trust, second.good, second.bad) == (claim, 2, 0, 0)
    assert [each.name for each in team.agent.seen(trust_min=2).sayers(DOOR).sayers] == ["ines"]
    assert team.agent.sayers("service:nobody").sayers == []


def test_agents_that_are_features_of_what_was_said_are_told_beside_sources(team: Team) -> None:
    for name, times in (("ann", 2), ("bo", 1)):
        for number in range(times):
            team.agent.record_event(f"{name} {number}", features=[DOOR, f"agent:{name}"])
    found = team.agent.sayers(DOOR, count=2)
    assert [(each.name, each.origin, each.said) for each in found.sayers] == [
        ("planner", "agent", 3),
        ("agent:ann", None, 2),
    ]
    assert found.left_out == 1


def test_a_thing_is_meant_by_any_of_its_names_and_one_source_by_its_origin(team: Team) -> None:
    team.agent.record_event("The gate", features=["service:gate"])
    team.operator.alias("service:gate", DOOR)
    tool = Memory(team.agent.engine, Drafter("me/team", "planner", "test", "tool"))
    tool.record_event("Measured", features=[DOOR])
    assert [(each.name, each.origin) for each in team.agent.sayers(DOOR).sayers] == [
        ("planner", "tool"),
        ("planner", "agent"),
    ]
