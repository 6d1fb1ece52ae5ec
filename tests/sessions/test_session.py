"""A session in Python: begun, noted on, ended, and safe to say again."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import AsyncMemory, CommandRefusedError, InvalidAskError, InvalidCommandError, Memory, Session, Store

WORK: dict[str, Any] = {"workflow": "release", "task": "T-12", "agent": "planner", "goal": "Ship 2.1"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path, "me/agent") as it:
        yield it


def said(memory: Memory[Any], *statuses: str, **about: Any) -> list[tuple[str, str | bool | None, str]]:
    found = memory.claims(statuses=statuses or None, **about).claims
    return sorted((each.claim.predicate, each.claim.object, each.status) for each in found if each.claim is not None)


def test_a_session_leaves_what_it_learnt_and_clears_its_desk(memory: Memory[Any]) -> None:
    with memory.session(**WORK, touches=["service:checkout"]) as session:
        session.note(progress="built", intent="deploy")
        session.note(progress="tested")
        session.promise("Tell Ana", due="2026-12-01")
        assert said(memory, subject="task:T-12") == [
            ("intent", "deploy", "active"), ("progress", "tested", "active"), ("promise", "Tell Ana", "active"),
        ]  # fmt: skip
        session.decide("Blue-green", "no downtime", alternatives=["in place"], about=["service:checkout"])
        left = session.end(
            "Shipped",
            lessons=["Warm the cache"],
            warnings=[{"text": "Staging is slow", "about": "service:checkout"}],
            recoveries=[{"failure": "tool", "text": "Install the wheel"}],
            rules=["Deploy by day", {"text": "Deploy on a Friday", "forbids": True}],
            outcome=4,
        )
    assert [part for part, _ in left.said] == ["lesson", "warning", "recovery", "must", "must_not", "end", "outcome"]
    assert not left.refused
    assert said(memory, subject="task:T-12") == [("promise", "Tell Ana", "active")]
    assert said(memory, "resolved") == [("intent", "deploy", "resolved"), ("progress", "tested", "resolved")]
    assert said(memory, subject="workflow:release") == [("lesson", "Warm the cache", "active")]
    assert said(memory, subject="service:checkout") == [("warning", "Staging is slow", "active")]
    assert said(memory, subject="failure:tool") == [("recovery", "Install the wheel", "active")]
    assert said(memory, "candidate") == [
        ("must", "Deploy by day", "candidate"), ("must_not", "Deploy on a Friday", "candidate"),
    ]  # fmt: skip
    decision = memory.get_context("What about Blue-green?").found[0].memory
    assert (decision.note, decision.rationale) == ("decision", "no downtime")
    assert decision.payload == {"what": "Blue-green", "why": "no downtime", "alternatives": ["in place"]}
    assert [each.what for each in memory.decisions(kind="session").decisions] == ["Blue-green"]
    ended = memory.describe(dict(left.said)["end"]).memory.outcomes
    assert [each.value for each in ended] == [4.0]


def test_what_is_said_again_is_taken_once_and_another_end_is_refused(memory: Memory[Any]) -> None:
    session = memory.session(**WORK)
    lessons: list[Any] = ["Warm the cache", "Warm the cache", {"text": "Ask Ana first", "confidence": 90}]
    middle = session.reflect(lessons=lessons)
    assert len(middle.said) == 2
    first = session.end("Shipped", lessons=lessons, outcome=2)
    before = memory.digest()
    assert session.end("Shipped", lessons=lessons, outcome=2) == first
    assert memory.digest() == before
    with pytest.raises(CommandRefusedError, match="id_reused"):
        session.end("Shipped otherwise")
    sources = [each.claim.sources for each in memory.claims(sort="lesson").claims if each.claim is not None]
    assert sources == [1, 1]


def test_a_session_of_the_same_name_goes_on_and_another_one_is_refused(memory: Memory[Any]) -> None:
    memory.session(**WORK, name="one").note(progress="built")
    again = memory.session(**WORK, name="one")
    again.note(progress="tested")
    assert said(memory, subject="task:T-12") == [("progress", "tested", "active")]
    with pytest.raises(CommandRefusedError, match="id_reused"):
        memory.session(task="other", name="one")


def test_events_of_a_session_name_the_recalls_that_led_to_them(memory: Memory[Any]) -> None:
    memory.record_event("The cache is cold in the morning")
    with memory.session(**WORK) as session:
        asked = session.get_context("Is the cache cold?")
        event = session.record_event("Warmed the cache")
        second = session.record_event("Switched over")
        failed = session.log_outcome(second, -3, kind="failure:tool", text="timeout")
    assert [each.id for each in memory.explain_action(event).informed_by] == [asked.recall_id]
    assert memory.explain_action(second).informed_by == []
    assert memory.describe(second).memory.outcomes[0].id == failed
    assert memory.describe(event).memory.session == session.name


def test_it_ends_by_itself_and_says_what_error_ended_it(memory: Memory[Any]) -> None:
    with pytest.raises(ZeroDivisionError), memory.session(**WORK) as session:
        session.note(progress="built")
        raise ZeroDivisionError
    assert session.ended
    assert said(memory, subject="task:T-12") == []
    assert memory.timeline(session=session.name).memories[0].text == "It ended with an error: ZeroDivisionError"
    with pytest.raises(CommandRefusedError, match="session_not_open"):
        session.note(progress="late")


def test_two_that_hold_the_same_contradict_each_other_until_one_lets_go(memory: Memory[Any]) -> None:
    first = memory.session(task="a", holds=["resource:staging"])
    second = memory.session(task="b")
    lease = second.hold("resource:staging")
    (conflict,) = memory.contradictions().conflicts
    assert conflict.stands is not None and [each.ref for each in conflict.rivals] == [lease]
    first.end()
    assert memory.contradictions().conflicts == []
    assert said(memory, predicate="held_by") == [("held_by", f"session:{second.name}", "active")]
    second.let_go(lease)
    assert said(memory, predicate="held_by") == []
    second.end()


@pytest.mark.parametrize(("used", "expected"), [(0, "none"), (399, "none"), (400, "reflect"), (600, "compact")])
def test_pressure_asks_for_a_reflection_before_the_window_is_full(
    memory: Memory[Any], used: int, expected: str
) -> None:
    assert memory.session().pressure(used, 1_000) == expected


def test_what_cannot_be_meant_is_refused_before_anything_is_said(memory: Memory[Any]) -> None:
    session = memory.session(name="one")
    before = memory.overview().seq
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"lessons": "one text"}, "lessons is a list"),
        ({"lessons": [{"txt": "x"}]}, "reflection.lessons.0.text"),
        ({"lessons": [{"text": "x", "confidence": 101}]}, "reflection.lessons.0.confidence"),
        ({"lessons": ["x"] * 17}, "reflection.lessons"),
        ({"outcome": 11}, "reflection.outcome.value"),
        (
            {"connections": [{"source": "no id", "target": "feature:x", "reason": "y"}]},
            "reflection.connections.0.source",
        ),
    ]
    for given, said_of_it in wrong:
        with pytest.raises(InvalidCommandError, match=said_of_it):
            session.end(**given)
    with pytest.raises(InvalidAskError):
        session.pressure(1, 0)
    with pytest.raises(InvalidCommandError):
        memory.session(touches=["a"] * 30)
    assert memory.overview().seq == before


def test_connections_say_why(memory: Memory[Any]) -> None:
    a, b = memory.record_event("The cache is cold"), memory.record_event("The first page is slow")
    with memory.session(**WORK) as session:
        left = session.end(
            connections=[{"source": a, "target": b, "relation": "leads_to", "reason": "it is filled by the first page"}]
        )
    assert [part for part, _ in left.said] == ["connection", "end"]
    assert [each.ref for each in memory.neighbourhood(a).neighbours if each.edge_kind == "leads_to"] == [b]
    with memory.session(goal="Why is the cache cold?") as session:
        given = session.context()
    assert [(each.ref, each.via) for each in given.memories] == [(a, []), (b, [a])]
    assert [(each.since, each.reason, each.therefore) for each in given.links] == [
        (a, "it is filled by the first page", b)
    ]


def test_awaited(tmp_path: Path) -> None:
    async def work() -> list[str]:
        async with await AsyncMemory.open(tmp_path, "me/agent") as memory:
            async with memory.session(task="T-1", goal="Ship") as session:
                await session.note(progress="built")
                await session.record_event("Built it")
                await session.end("done", lessons=["Test first"])
            return [str(each.text) for each in (await memory.claims()).claims]

    assert asyncio.run(work()) == ["Test first"]


def test_a_session_is_what_memory_session_returns(memory: Memory[Any]) -> None:
    assert isinstance(memory.session(), Session)


def test_what_somebody_less_trusted_relates_takes_no_place_of_what_others_related(tmp_path: Path) -> None:
    with Store.open(tmp_path / "here", embedder="none") as store:
        ana, bot = (store.memory("me/agent", source=name, origin=name) for name in ("user", "agent"))
        cause, effect = ana.record_event("The cache is cold"), ana.record_event("The first page is slow")
        ana.relate(cause, effect, "leads_to", "it is filled by the first page")
        for number in range(20):
            bot.relate(cause, ana.record_event(f"Bananas cost {number} cents"), "leads_to", "so it is")
        given = ana.session(goal="Why is the cache cold?").context()
        assert effect in [each.ref for each in given.memories]
        assert (given.links[0].therefore, given.links[0].reason) == (effect, "it is filled by the first page")
