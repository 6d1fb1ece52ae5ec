"""What thinkers read and what they made, in a directory and over HTTP, awaited or not: the same answers and errors."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.logs import everything
from tests.contract.memories import USUAL, log_of, subject
from tests.contract.test_reading import receipt_of
from yggdrasil import Memory
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownMemoryError, UnknownNodeError
from yggdrasil_projections.retrieval.reads.experience.happened import AskHappened

NEVER = "01890000-0000-7000-8000-000000000000"  # no command has it


@pytest.fixture(params=[each for each in USUAL if each != "kafka"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def test_what_happened_is_read_to_its_end_and_leaves_no_trace(memory: Memory[Any]) -> None:
    events = [
        memory.record_event(f"step {number}", features=["step"], payload={"n": number}, session="s")
        for number in range(5)
    ]
    outcome = memory.log_outcome(events[4], -3, kind="outage", text="Down", session="s")
    thinker = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 6}
    episode = memory.commit_episode(events[:3], text="Three steps", session="s", thinker=thinker)
    digest, length = memory.digest(), len(everything(log_of(memory)))
    first = memory.happened(count=4)
    assert [one.id for one in first.happened] == events[:4]
    assert (first.position, first.as_of, first.cursors) == (4, 7, {"chunker": 6})
    rest = memory.happened(since=first.position, after=receipt_of(memory, episode))
    assert [(one.id, one.kind) for one in rest.happened] == [
        (events[4], "event"), (outcome, "outcome"), (episode, "episode"),
    ]  # fmt: skip
    assert rest.position == rest.as_of == 7
    event, judged, made = rest.happened
    assert (event.text, event.payload, event.features, event.session) == ("step 4", {"n": 4}, ["step"], "s")
    assert (judged.of, judged.value, judged.outcome, judged.text) == (events[4], -3.0, "outage", "Down")
    assert (made.members, made.thinker, made.text) == (events[:3], "chunker", "Three steps")
    assert memory.happened(since=7).happened == []
    assert memory.engine.ask(memory.id, AskHappened(since=4, count=200)) == rest
    assert memory.digest() == digest and len(everything(log_of(memory))) == length


def test_what_is_in_mind_is_told_session_by_session(memory: Memory[Any]) -> None:
    memory.record_event("We want to ship", features=["goal:ship"], session="a")
    promise = memory.record_event("I will call Ann", features=["promise:call-ann", "threat:late"], session="b")
    digest = memory.digest()
    found = memory.working_memory(after=receipt_of(memory, promise))
    assert [(one.session, one.since, one.buffered) for one in found.sessions] == [("b", 2, 1), ("a", 1, 1)]
    (mine,) = memory.working_memory(session="b", count=1).sessions
    assert [one.ref for one in mine.observations] == [promise]
    assert ([one.feature for one in mine.promises], mine.promises[0].text) == (["promise:call-ann"], "I will call Ann")
    assert [(one.feature, one.said) for one in mine.threats] == [("threat:late", True)]
    episode = memory.commit_episode([promise], text="A promise")
    (mine,) = memory.working_memory(session="b").sessions
    assert (mine.observations, mine.promises, [step.ref for step in mine.episodes]) == ([], [], [episode])
    assert memory.working_memory(session="nobody").sessions == []
    assert memory.digest() != digest and memory.working_memory().as_of == 3


def test_episodes_are_listed_read_and_asked_what_comes_next(memory: Memory[Any]) -> None:
    made: list[str] = []
    for session, second, value in (("a", "outage", -4), ("b", "calm", 2), ("c", "outage", -2)):
        event = memory.record_event("Deployed", features=["deploy"], session=session)
        made.append(memory.commit_episode([event], text=f"The deploy of {session}"))
        after = memory.commit_episode([memory.record_event("Then", features=[second], session=session)])
        memory.log_outcome(after, value, session=session)
        made.append(after)
    digest = memory.digest()
    page = memory.episodes(count=4)
    rest = memory.episodes(count=4, before=page.before)
    assert [one.memory.ref for one in page.episodes + rest.episodes] == made[::-1] and rest.before is None
    assert [one.ref for one in memory.episodes(session="b").episodes] == [made[3], made[2]]
    one = memory.episode(made[2])
    assert (one.memory.text, one.sessions, one.events) == ("The deploy of b", ["b"], 1)
    assert ([step.ref for step in one.after], one.before, one.first_at) == ([made[3]], [], one.last_at)
    found = memory.what_next("Is it wise?", features=["deploy"], count=3)
    assert (found.looked_at, found.followed, len(found.similar)) == (6, 3, 3)
    first = found.next[0]
    assert (first.feature, first.times, first.ended.value, first.ended.bad) == ("outage", 2, -3.0, 2)
    assert memory.what_next(episode=made[0]).similar[0].episode.ref == made[4]
    assert memory.what_next(session="c").features == ["outage"]
    assert memory.what_next().session == "c"
    assert memory.digest() == digest, "none of it is recorded"


def test_what_has_drifted_is_reported(memory: Memory[Any]) -> None:
    made = []
    for _ in range(5):
        steps = [memory.record_event(name, features=[name]) for name in ("deploy", "friday", "outage")]
        memory.log_outcome(steps[-1], -3, kind="outage")
        assert memory.drift().reports == []
        made.append(memory.commit_episode(steps))
    digest = memory.digest()
    found = memory.drift(after=receipt_of(memory, made[-1]))
    assert (found.events, found.episodes, found.recalls, found.as_of) == (15, 5, 0, 25)
    (report,) = found.reports
    assert (report.habit, report.value, report.bound) == ("repeated_failure", 5.0, 5.0)
    assert report.evidence == made[::-1] and "(deploy to friday)" in report.sentence
    assert memory.digest() == digest, "none of it is recorded"


def test_what_is_no_episode_is_said_to_be_none(memory: Memory[Any]) -> None:
    event = memory.record_event("x", features=["f"])
    asks: list[Callable[[str], Any]] = [memory.episode, lambda ref: memory.what_next(episode=ref)]
    for ask in asks:
        with pytest.raises(InvalidAskError, match="is no episode, but an event"):
            ask(event)
        with pytest.raises(InvalidAskError, match="is no episode, but a feature"):
            ask("feature:f")
        for ref in (NEVER, "feature:never"):
            with pytest.raises(UnknownNodeError, match=ref):
                ask(ref)
    with pytest.raises(InvalidAskError, match="one of the three"):
        memory.what_next("x", session="default")
    with pytest.raises(InvalidAskError, match="no session 'closed' is open"):
        memory.what_next(session="closed")


def test_of_an_unknown_memory_nothing_is_told(memory: Memory[Any]) -> None:
    asks: list[Callable[[], Any]] = [
        memory.happened,
        memory.working_memory,
        memory.episodes,
        memory.drift,
        lambda: memory.episode(NEVER),
        lambda: memory.what_next("anything"),
    ]
    for ask in asks:
        with pytest.raises(UnknownMemoryError, match="me/agent"):
            ask()
    with pytest.raises(UnknownMemoryError, match="me/agent"):
        memory.engine.ask(memory.id, AskHappened(since=0, count=1))
    assert everything(log_of(memory)) == [], "asking makes no memory"
