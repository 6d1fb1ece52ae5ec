"""The memory of which the examples of the reads are asked, and what stands for its ids there."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from yggdrasil import Event, Memory
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.limits import SCORER_WEIGHTS


class Known(NamedTuple):
    """Ids of it, by the names that examples have for them."""

    event: str
    episode: str
    claim: str

    def filled(self, example: Mapping[str, Any]) -> dict[str, Any]:
        """Return an example with the ids in place of their names."""
        named = {f"<{name}>": value for name, value in self._asdict().items()}

        def filled(value: Any) -> Any:
            return [filled(each) for each in value] if isinstance(value, list) else named.get(value, value)

        return {name: filled(value) if isinstance(value, str | list) else value for name, value in example.items()}


def lived(memory: Memory[Any], size: int = 8) -> Known:
    """Live through ``size`` of everything that a read may speak of: each example finds something.

    ``memory`` is that of somebody who is trusted more than an agent."""
    assert size >= 8
    _left_behind(memory, size)
    memory.define(role="reviewer", perspectives={"Risk": ["outage", "down"], "Cost": []})
    memory.record_event("A release that nobody watched", features=["deploy"], perspectives=["Risk"])
    deploys = memory.record_many(
        Event(
            f"Deployed release {number} on a Friday",
            ["deploy", "friday", f"f{number % 20}"],
            session="ops" if number >= size - 8 else f"s{number // 25}",  # the latest
        )
        for number in range(size)
    )
    for number in range(0, size, 4):
        memory.log_outcome(deploys[number], number % 7 - 3, kind="outage", text=f"Down for an hour after {number}")
    episode = memory.commit_episode(deploys[:3], text="Deploys that went wrong", thinker=None)
    memory.commit_episode(deploys[4:6], text="Deploys after that")
    _settle(memory, size)
    claim = memory.assert_claim("person:ana", "lives_in", "city:oslo", valid_from="2026-01-01")
    for number in range(size):
        memory.assert_claim(f"person:p{number // 2}", "lives_in", f"city:c{number}")
    said = memory.record_event("Ana eats no meat", key="ana/diet")
    memory.supersede(said, "Ana eats no meat, and no fish")
    stranger = Memory(memory.engine, Drafter(memory.id, "bo", "faces", "agent"))
    stranger.record_event("Ana eats meat", key="ana/diet")
    answer = memory.get_context("Should we deploy on Friday?")
    recall = answer.recall_id
    assert recall is not None
    memory.report_use(answer, answer.refs[:1], result="success")
    memory.propose_scorer(bytes(2 * SCORER_WEIGHTS), samples=100, metric=400, baseline=500)
    memory.snapshot("before")
    event = memory.record_event(
        "Deployed all the same", features=["deploy"], session="ops", informed_by=[recall], caused_by=deploys[:2]
    )
    memory.relate(event, deploys[0], "depends_on", "the same machine")
    _begin(memory)
    return Known(event, episode, claim)


def _settle(memory: Memory[Any], size: int) -> None:
    """Know some places, what leads from one to the next, and who trades there."""
    memory.assert_claim("place:home", "path", "place:well", qualifiers={"ticks": "20", "length": "18"})
    memory.assert_claim("place:well", "path", "place:chest", qualifiers={"ticks": "30", "lit": "no", "risk": "250"})
    memory.assert_claim("place:home", "path", "place:chest", qualifiers={"ticks": "90"})
    memory.assert_claim("place:chest", "is_a", "chest")
    memory.assert_claim("place:chest", "contains", "item:iron", qualifiers={"count": "3"})
    memory.assert_claim("npc:smith", "last_seen_at", "place:well")
    memory.assert_claim("npc:smith", "offers", "item:emerald", qualifiers={"for": "item:stick", "rate": "1:32"})
    for number in range(size):
        memory.assert_claim(f"place:p{number}", "path", f"place:p{number + 1}", qualifiers={"ticks": str(number)})


def _left_behind(memory: Memory[Any], size: int) -> None:
    """Leave what sessions leave behind: decisions, lessons and recoveries."""
    memory.record_many(
        Event(
            f"Ship {number} at night",
            ["decision", "workflow:release", "task:T-12", f"file:f{number % 20}"],
            note="decision",
            session=f"s{number // 25}",
            payload={"what": f"Ship {number} at night", "why": "fewer are awake", "alternatives": ["at noon"]},
        )
        for number in range(size)
    )
    for number in range(size):
        memory.assert_claim("workflow:release", "lesson", f"Warm the cache of shard {number} before", sort="lesson")
        memory.assert_claim("failure:loop", "recovery", f"Ask after {number} turns", sort="lesson")


def _begin(memory: Memory[Any]) -> None:
    """Leave two sessions open that touch the same, one of them at work."""
    memory.session(workflow="release", task="T-13", agent="tester", touches=["service:checkout"], name="release-2")
    session = memory.session(
        workflow="release",
        task="T-12",
        agent="planner",
        goal="Ship release 2 on a Friday",
        touches=["service:checkout", "file:pay.py"],
        holds=["resource:staging"],
        name="release-1",
    )
    session.note(goal="Ship release 2", progress="built", threat="The cache is cold")
    session.promise("Tell Ana when it is out", due="2026-12-01")
    session.log_outcome(session.decide("Ship it on Friday", why="Ana waits", alternatives=["on Monday"]), -2)
