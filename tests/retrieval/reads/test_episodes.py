"""Episodes come the latest first, each with what it binds, why, how it turned out, and what is around it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownNodeError
from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode

DAY = 1_767_225_600_000  # 2026-01-01


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent", embedder="off") as opened:
        yield opened


def committed(memory: Memory[Embedded], events: Sequence[str], payload: dict[str, Any], **more: Any) -> str:
    """An episode as a thinker commits it: with a payload."""
    thinker = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": len(events)}
    body = {"events": list(events), "clear": "all", "keep": 0, "thinker": thinker}
    draft = memory._drafter.draft("commit_episode", body, {"text": "Shipped it", "payload": payload}, **more)
    assert memory.engine.submit(draft).refused is None
    return draft.id


def lived(memory: Memory[Embedded], count: int, session: str = "s") -> list[str]:
    return [
        memory.commit_episode([memory.record_event(f"{session} {number}", session=session)], text=f"{session} {number}")
        for number in range(count)
    ]


def to_the_end(memory: Memory[Embedded], count: int, session: str | None = None) -> list[Episode]:
    page = memory.episodes(count=count, session=session)
    found = page.episodes
    while page.before is not None:
        page = memory.episodes(count=count, session=session, before=page.before)
        assert len(page.episodes) <= count
        found += page.episodes
    return found


def test_an_episode_tells_what_it_binds_and_why(memory: Memory[Embedded]) -> None:
    events = [
        memory.record_event("c", features=["ship"], session="a", at=DAY + 2),
        memory.record_event("a", features=["ship", "rare"], session="b", at=DAY),
        memory.record_event("b", features=["ship"], session="a", at=DAY + 1),
    ]
    payload = {"trigger": "outcome", "why": "it was shipped", "other": 1}
    one = memory.episode(committed(memory, events, payload))
    assert (one.seq, one.events, one.memory.members, one.memory.text) == (4, 3, events, "Shipped it")
    assert (one.first_at, one.last_at, one.sessions) == (DAY, DAY + 2, ["a", "b"])
    assert (one.trigger, one.why, one.thinker) == ("outcome", "it was shipped", "chunker")
    assert one.memory.features[0] == "ship" and one.memory.payload == payload
    assert (one.before, one.after, one.ref) == ([], [], one.memory.ref)
    assert not one.memory.protected and not one.memory.archived
    assert memory.episodes().episodes == [one]


@pytest.mark.parametrize("payload", [{}, {"trigger": 1, "why": ["x"]}, {"trigger": None}])
def test_a_reason_that_was_not_said_in_words_is_none(memory: Memory[Embedded], payload: dict[str, Any]) -> None:
    one = memory.episode(committed(memory, [memory.record_event("x")], payload))
    assert (one.trigger, one.why) == (None, None)


def test_an_episode_that_a_person_committed_has_no_thinker(memory: Memory[Embedded]) -> None:
    (ref,) = lived(memory, 1)
    one = memory.episode(ref)
    assert (one.thinker, one.trigger, one.why, one.memory.payload) == (None, None, None, None)


def test_a_sealed_episode_says_no_more_than_what_it_binds(memory: Memory[Embedded]) -> None:
    event = memory.record_event("x")
    sealed = {"alg": "A256GCM", "key_id": "k1", "nonce": "n", "ciphertext": "c2VhbGVk"}
    draft = memory._drafter.draft("commit_episode", {"events": [event]}, sealed)
    memory.engine.submit(draft)
    one = memory.episode(draft.id)
    assert (one.memory.text, one.trigger, one.why, one.memory.members) == (None, None, None, [event])


def test_outcomes_are_those_of_before_its_own_and_those_that_came_late(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"{number}") for number in range(3)]
    before = memory.log_outcome(events[0], 1, kind="early")
    ref = memory.commit_episode(events)
    own = memory.log_outcome(ref, 4, kind="own")
    late = memory.log_outcome(events[1], -3, kind="late")
    one = memory.episode(ref)
    assert [(each.id, each.value, each.event) for each in one.memory.outcomes] == [
        (before, 1.0, events[0]), (own, 4.0, ref), (late, -3.0, events[1]),
    ]  # fmt: skip
    assert one.memory.impact != 0.0


def test_what_is_before_and_after_is_that_of_its_trajectory(memory: Memory[Embedded]) -> None:
    first, second, third = lived(memory, 3)
    (other,) = lived(memory, 1, "other")
    both = memory.commit_episode(
        [memory.record_event("x", session="s"), memory.record_event("y", session="other")], text="a" * 1_000
    )
    told = {each.ref: ([s.ref for s in each.before], [s.ref for s in each.after]) for each in to_the_end(memory, 2)}
    assert told == {
        first: ([], [second]), second: ([first], [third]), third: ([second], [both]), other: ([], [both]),
        both: ([third, other], []),
    }  # fmt: skip
    assert [len(step.text or "") for step in memory.episode(third).after] == [280]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 200])
def test_every_size_of_page_leads_to_the_same_end(memory: Memory[Embedded], count: int) -> None:
    mine, other = lived(memory, 4), lived(memory, 3, "other")
    assert [each.ref for each in to_the_end(memory, count)] == [*other[::-1], *mine[::-1]]
    assert [each.ref for each in to_the_end(memory, count, "s")] == mine[::-1]
    assert to_the_end(memory, count, "nobody") == []


def test_the_session_that_it_was_committed_to_counts_as_one_of_its_own(memory: Memory[Embedded]) -> None:
    event = memory.record_event("x", session="a")
    memory.record_event("y", session="b")
    ref = memory.commit_episode([event], session="b")
    assert memory.episode(ref).sessions == ["b", "a"]
    assert [[each.ref for each in memory.episodes(session=name).episodes] for name in "abc"] == [[ref], [ref], []]


def test_what_was_forgotten_is_no_member_any_more(memory: Memory[Embedded]) -> None:
    memory.set_policy(nodes_max=40, sessions_open_max=1)
    events = [memory.record_event(f"{number}", session="s") for number in range(8)]
    ref = memory.commit_episode(events)
    memory.pin(ref)
    for number in range(100):
        memory.record_event(f"more {number}", features=["more"], session="t")
    one = memory.episode(ref)
    assert one.events == 8 and len(one.memory.members) < 8 and one.memory.protected
    if not one.memory.members:
        assert (one.first_at, one.last_at, one.sessions) == (None, None, [])


def test_what_is_archived_is_among_them(memory: Memory[Embedded]) -> None:
    refs = lived(memory, 2)
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0)
    memory.sleep()
    assert [(each.ref, each.memory.archived) for each in memory.episodes().episodes] == [
        (ref, True) for ref in refs[::-1]
    ]


def test_long_contents_come_in_pages(memory: Memory[Embedded]) -> None:
    refs = [memory.commit_episode([memory.record_event("a" * 100_000)]) for _ in range(15)]
    page = memory.episodes(count=200)
    assert len(page.episodes) == 11 and page.before is not None
    assert [each.ref for each in to_the_end(memory, 200)] == refs[::-1]


def test_what_is_no_episode_is_said_to_be_none(memory: Memory[Embedded]) -> None:
    event = memory.record_event("x", features=["f"])
    ref = memory.commit_episode([event])
    outcome = memory.log_outcome(event, 1)
    for wrong, what in ((event, f"an event; it is in {ref}"), (outcome, "an outcome"), ("feature:f", "a feature")):
        with pytest.raises(InvalidAskError, match=f"{wrong} is no episode, but {what}"):
            memory.episode(wrong)
    with pytest.raises(UnknownNodeError):
        memory.episode("01890000-0000-7000-8000-000000000000")
