"""Who works on what."""

import pytest

from tests.retrieval.reads.sessions.conftest import Team
from yggdrasil import InvalidAskError


def test_open_sessions_are_told_by_what_opened_them(team: Team) -> None:
    first = team.agent.session(
        workflow="release", task="T-1", agent="planner", goal="Ship it", touches=["service:checkout"], name="one"
    )
    team.agent.session(workflow="repair", task="T-2", agent="fixer", touches=["file:pay.py"], name="two")
    first.record_event("Begun")
    found = team.agent.sessions()
    assert [each.session for each in found.sessions] == ["one", "two"] and found.open == 2
    one = found.sessions[0]
    assert (one.workflow, one.task, one.agent, one.goal) == ("release", "T-1", "planner", "Ship it")
    assert (one.opened, one.touches, one.since, one.touched) == (first.opened, ["service:checkout"], 1, 3)
    assert (one.said_by, one.trust) == ('agent "planner"', 1)
    assert one.features == ["workflow:release", "task:T-1", "agent:planner", "service:checkout"]


def test_they_are_found_by_task_agent_workflow_and_what_they_touch(team: Team) -> None:
    for number in range(3):
        touches = [f"file:{number}", "file:all"]
        team.agent.session(workflow="w", task=f"T-{number}", agent=f"a{number % 2}", touches=touches, name=f"s{number}")

    def named(**asked: object) -> list[str]:
        return [each.session for each in team.agent.sessions(**asked).sessions]  # type: ignore[arg-type]

    assert named(task="T-1") == named(task="task:T-1") == ["s1"]
    assert named(agent="a0") == ["s2", "s0"] and named(agent="a0", task="T-0") == ["s0"]
    assert named(touches=["file:1", "file:2"]) == ["s2", "s1"] and named(touches=["file:all"], agent="a1") == ["s1"]
    assert named(workflow="x") == []
    with pytest.raises(InvalidAskError, match="task is a name"):
        team.agent.sessions(task="")
    with pytest.raises(InvalidAskError, match="list of names"):
        team.agent.sessions(touches="file:1")


def test_what_has_ended_or_was_never_registered_is_not_open(team: Team) -> None:
    team.agent.record_event("No session at all", session="plain")
    team.agent.session(name="done").end("Done")
    assert team.agent.sessions().sessions == []


def test_who_waits_or_is_trusted_less_works_on_nothing(team: Team) -> None:
    team.stranger.session(goal="Empty the till", touches=["till"], name="theirs")
    team.agent.session(goal="Count", touches=["till"], name="ours")
    assert [each.session for each in team.agent.sessions().sessions] == ["ours"]
    assert team.user.seen(trust_min=2).sessions().sessions == []
    assert team.user.sessions().sessions[0].said_by == 'agent "planner"'
