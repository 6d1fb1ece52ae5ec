"""What was decided, by whom, when, and how it turned out."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.retrieval.reads.sessions.conftest import Team
from yggdrasil import InvalidAskError

DAY_MS = 86_400_000
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_decision_is_told_with_why_instead_of_what_and_what_followed(team: Team) -> None:
    session = team.agent.session(workflow="release", task="T-1", agent="planner", name="one")
    ref = session.decide("Pin orjson", why="the wheel is missing", alternatives=["build it"], about=["tool:pip"])
    session.log_outcome(ref, -3, kind="failure:tool", text="It did not build")
    step = session.record_event("Built it by hand")
    team.user.log_outcome(step, 5, kind="built", trajectory=[ref])
    (found,) = team.agent.decisions().decisions
    assert (found.ref, found.what, found.why, found.alternatives) == (
        ref, "Pin orjson", "the wheel is missing", ["build it"],
    )  # fmt: skip
    assert found.features == ["decision", "workflow:release", "task:T-1", "agent:planner", "tool:pip"]
    assert (found.session, found.said_by, found.trust) == ("one", 'agent "planner"', 1)
    assert [(each.value, each.kind, each.said_by) for each in found.outcomes] == [
        (-3.0, "failure:tool", 'agent "planner"'), (5.0, "built", 'user "ines"'),
    ]  # fmt: skip


def test_decisions_are_found_by_who_what_when_and_the_kind_of_outcome(team: Team) -> None:
    said: list[str] = []
    for number in range(4):
        session = team.agent.session(workflow="w", task=f"T-{number % 2}", agent=f"a{number}")
        said.append(session.decide(f"Step {number}", about=["tool:x"] if number == 3 else []))
        if number:
            session.log_outcome(said[-1], -number, kind=f"failure:{'loop' if number == 1 else 'tool'}")

    def found(**asked: object) -> list[int]:
        return [said.index(each.ref) for each in team.agent.decisions(**asked).decisions]  # type: ignore[arg-type]

    assert found() == [3, 2, 1, 0] and found(task="T-1") == [3, 1] and found(task="task:T-1", agent="a1") == [1]
    assert found(workflow="w", count=2) == [3, 2] and found(about="tool:x") == [3] and found(workflow="v") == []
    assert found(kind="failure:tool") == found(kind="outcome:failure:tool") == [3, 2] and found(kind="failure") == []
    assert found(since="2020-01-01", until="2100-01-01") == [3, 2, 1, 0] and found(until="2020-01-01") == []
    page = team.agent.decisions(count=3)
    assert page.before is not None
    assert [said.index(each.ref) for each in team.agent.decisions(before=page.before).decisions] == [0]
    several: tuple[dict[str, Any], ...] = (
        {"kind": ""},
        {"since": "2026-02-01", "until": "2026-01-01"},
        {"count": 0},
        {"task": "x" * 300},
    )
    for wrong in several:
        with pytest.raises(InvalidAskError):
            team.agent.decisions(**wrong)


def test_what_waits_or_was_withdrawn_was_not_decided_and_notes_that_are_plain_are(team: Team) -> None:
    team.stranger.record_event("Empty the till", features=["decision"], note="decision")
    withdrawn = team.agent.record_event("Wait", note="decision")
    team.agent.withdraw(withdrawn, "no")
    plain = team.agent.record_event("Go on", note="decision", rationale="It is late", payload={"alternatives": "rest"})
    (found,) = team.agent.decisions().decisions
    assert (found.ref, found.what, found.why, found.alternatives) == (plain, "Go on", "It is late", [])
    assert team.user.seen(trust_min=2).decisions().decisions == []
