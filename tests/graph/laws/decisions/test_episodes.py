"""An episode of earlier episodes: they are members of it as events are."""

from tests.graph.commands import Said, command_id, episode, event, judge, outcome
from tests.graph.scenario import accepted, edge, given, node, refused
from yggdrasil_schemas.graph.records import EdgeKind, NodeFlag
from yggdrasil_schemas.policy import DEFAULT
from yggdrasil_schemas.refusals import Refusal

CONTAINS, CAUSAL = EdgeKind.CONTAINS, EdgeKind.CAUSAL
DAYS = (event("e1"), episode("day1", "e1"), event("e2"), episode("day2", "e2"))


def journey(*events: str, episodes: tuple[str, ...] = ("day1", "day2")) -> Said:
    return episode("journey", *events, episodes=episodes)


def test_days_are_members_of_a_journey() -> None:
    moment = given(*DAYS).when(journey())
    moment.then(accepted(seq=5), edge("journey", CONTAINS, "day1", weight=1.0), edge("journey", CONTAINS, "day2"))
    days = [moment.node(each).salience for each in ("day1", "day2")]
    mean = DEFAULT.salience_initial + DEFAULT.upward_share * sum(days) / 2
    moment.then(node("journey", salience=mean))


def test_events_and_days_are_members_together() -> None:
    given(*DAYS, event("e3")).when(journey("e3", "e1")).then(
        *(edge("journey", CONTAINS, each) for each in ("e1", "e3", "day1", "day2"))
    )


def test_it_is_trusted_no_more_than_the_least_of_its_days() -> None:
    low = event("low", trust=0)
    given(low, episode("day", "low")).when(journey(episodes=("day",))).then(node("journey", trust=0))


def test_a_day_that_falls_makes_the_journey_stale() -> None:
    moment = given(*DAYS, journey()).when(judge("no", ("day1", "reject"), origin="operator"))
    assert moment.node("journey").flags & NodeFlag.STALE


def test_what_comes_of_a_journey_is_credited_to_its_days_and_of_a_day_to_its_journey() -> None:
    moment = given(*DAYS, journey()).when(outcome("well", "journey", 5.0, origin="user"))
    assert all(moment.node(each).impact > 0 for each in ("day1", "day2"))
    given(*DAYS, journey()).when(outcome("well", "day1", 5.0, origin="user")).then(edge("journey", CAUSAL, "well"))


def test_only_earlier_episodes_can_be_named() -> None:
    given(*DAYS).when(journey(episodes=("journey",))).then(refused(Refusal.UNKNOWN_EVENT))
    given(*DAYS).when(journey(episodes=("e1",))).then(refused(Refusal.NOT_AN_EVENT))
    given(*DAYS).when(journey("day1")).then(refused(Refusal.NOT_AN_EVENT))
    assert command_id("journey") != command_id("day1")
