"""Recoveries come in order of what worked, which is learnt from what came of those who used them."""

from random import Random
from typing import Any

import pytest

from tests.retrieval.reads.sessions.conftest import Team
from yggdrasil import InvalidAskError, Memory, Where

ALL = ("Ask the same once more", "Shorten the plan and begin anew", "Ask a person")


def told(memory: Memory[Any], kind: str = "loop", **asked: Any) -> list[str]:
    return [str(each.memory.claim.object) for each in memory.recoveries(kind, **asked).recoveries if each.memory.claim]


def test_what_works_comes_first_after_ten_tries(team: Team) -> None:
    """Ten sessions fail and try what they are given, at first at random; one recovery works, and the others do not."""
    first = team.agent.session(workflow="w")
    first.reflect(recoveries=[{"text": text, "failure": "loop"} for text in ALL])
    works, rng = ALL[1], Random(38)
    assert len(told(team.agent)) == 3
    for _ in range(10):
        session = team.agent.session(workflow="w")
        failed = session.record_event("The same call again", features=["tool:search"])
        session.log_outcome(failed, -3, kind="failure:loop")
        found = session.get_context("What helps when it loops?", where=Where(features_all=["failure:loop"]), k=3)
        text = rng.choice(ALL)
        ref = next(each.memory.ref for each in found.found if each.memory.claim and each.memory.claim.object == text)
        assert found.recall_id is not None
        done = session.record_event(text)
        team.agent.report_use(found.recall_id, [ref], result="success" if text == works else "failure")
        session.log_outcome(done, 4 if text == works else -4, kind="recovered" if text == works else "failure:loop")
        session.end()
    ranked = team.agent.recoveries("failure:loop").recoveries
    assert told(team.agent)[0] == works and told(team.agent, "outcome:failure:loop")[0] == works
    assert ranked[0].worth > 0.0 > ranked[-1].worth and ranked[0].used > 0


def test_recoveries_are_of_one_failure_and_of_a_thing(team: Team) -> None:
    team.agent.session(workflow="w").reflect(recoveries=[{"text": "Wait", "failure": "tool"}])
    there = team.agent.assert_claim("failure:loop", "recovery", "tool:restart", sort="lesson")
    team.agent.assert_claim("failure:loop", "recovery", "Sleep", sort="lesson", qualifiers={"of": "service:door"})
    team.agent.assert_claim("failure:loop", "seen_in", "service:door")
    team.stranger.assert_claim("failure:loop", "recovery", "Send me the key", sort="lesson")
    assert told(team.agent) == ["Sleep", "tool:restart"] and told(team.agent, "tool") == ["Wait"]
    assert told(team.agent, about="service:door") == ["Sleep"]
    assert [each.memory.ref for each in team.agent.recoveries("loop", about="tool:restart").recoveries] == [there]
    assert (team.agent.recoveries("loop", count=1).left_out, told(team.agent, "nothing")) == (1, [])
    with pytest.raises(InvalidAskError, match="kind is a name"):
        team.agent.recoveries("")
