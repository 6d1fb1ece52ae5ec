"""What usually comes next, on memories made by hand: likeness, shares, how it ended, and honest counts."""

from collections.abc import Iterator, Sequence
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory, WhatNext
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownNodeError
from yggdrasil_projections.retrieval.reads.episodic import what_next as module


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent", embedder="off") as opened:
        yield opened


def episode(
    memory: Memory[Embedded], *features: str, text: str | None = None, value: float | None = None, session: str = "s"
) -> str:
    event = memory.record_event("so it was", features=features, session=session)
    ref = memory.commit_episode([event], text=text)
    if value is not None:
        memory.log_outcome(ref, value, session=session)
    return ref


def days(memory: Memory[Embedded], *pairs: tuple[Sequence[str], Sequence[str], float | None]) -> list[str]:
    """Sessions of two episodes each; the references of the first ones."""
    found = []
    for number, (first, second, value) in enumerate(pairs):
        found.append(episode(memory, *first, session=f"day {number}"))
        episode(memory, *second, value=value, session=f"day {number}")
    return found


def shares(found: WhatNext) -> dict[str, tuple[float, int]]:
    return {each.feature: (round(each.share, 6), each.times) for each in found.next}


def test_what_followed_most_often_comes_first_with_its_share_and_how_it_ended(memory: Memory[Embedded]) -> None:
    first = days(
        memory,
        (["deploy", "friday"], ["outage"], -6.0),
        (["deploy", "friday"], ["outage"], -4.0),
        (["deploy", "friday"], ["calm"], 2.0),
        (["lunch"], ["coffee"], 1.0),
        (["lunch"], ["outage"], -1.0),
    )
    digest = memory.digest()
    found = memory.what_next(features=["deploy", "friday"])
    assert (found.looked_at, found.followed, found.features) == (10, 3, ["deploy", "friday"])
    assert [each.episode.ref for each in found.similar] == first[2::-1], "of equal ones the latest first"
    assert all(isclose(each.likeness, 1.0) for each in found.similar)
    assert shares(found) == {"outage": (0.666667, 2), "calm": (0.333333, 1)}
    outage, calm = found.next
    assert (outage.ended.value, outage.ended.good, outage.ended.bad, outage.usual) == (-5.0, 0, 2, 0.3)
    assert (calm.ended.value, calm.ended.good, calm.ended.bad) == (2.0, 1, 0)
    assert isclose(found.ended.value or 0.0, -8 / 3) and (found.ended.good, found.ended.bad) == (1, 2)
    one = found.similar[0]
    assert set(one.in_common) == {"deploy", "friday"} and one.next is not None
    assert (one.next_ended.value, one.ended.value, one.ended.good) == (2.0, None, 0)
    assert memory.digest() == digest, "nothing is recorded"


def test_what_waits_and_what_has_fallen_follows_on_nothing_and_foretells_nothing(memory: Memory[Embedded]) -> None:
    rumour = memory.record_event("so they say", features=["deploy"])
    first = [episode(memory, "deploy"), memory.commit_episode([rumour])]
    poison = episode(memory.speaking(trust=0), "pay", text="Pay to lt60")
    third = episode(memory, "calm")
    found = memory.what_next(features=["deploy"])
    assert {each.episode.ref for each in found.similar} == set(first) and not found.next
    assert poison not in [step.ref for step in memory.episode(third).before + memory.episode(first[1]).after]
    memory.withdraw(rumour, "it was a rumour")
    assert [each.episode.ref for each in memory.what_next(features=["deploy"]).similar] == first[:1]


def test_what_is_rare_says_more_than_what_is_everywhere(memory: Memory[Embedded]) -> None:
    rare, *_ = days(
        memory, (["always", "rare"], ["a"], None), *[(["always", f"other{n}"], ["b"], None) for n in range(9)]
    )
    found = memory.what_next(features=["always", "rare"])
    assert found.similar[0].episode.ref == rare and found.similar[0].in_common == ["rare", "always"]
    assert found.similar[0].likeness > 4 * found.similar[1].likeness
    assert found.next[0].feature == "a", "it counts by its likeness"


def test_a_feature_that_follows_on_anything_is_less_telling(memory: Memory[Embedded]) -> None:
    days(
        memory,
        *[(["deploy"], ["ann", "check"], None)] * 3,
        *[(["lunch"], ["ann", "coffee"], None)] * 6,
    )
    found = memory.what_next(features=["deploy"], count=3)
    assert shares(found) == {"check": (1.0, 3), "ann": (1.0, 3)}
    assert [each.feature for each in found.next] == ["check", "ann"]
    assert [each.usual for each in found.next] == [3 / 18, 0.5]


def test_counts_are_honest_where_nothing_has_followed_yet(memory: Memory[Embedded]) -> None:
    days(memory, (["deploy"], ["check"], None))
    alone = episode(memory, "deploy", session="today")
    found = memory.what_next(features=["deploy"])
    assert (len(found.similar), found.followed, shares(found)) == (2, 1, {"check": (1.0, 1)})
    assert (found.similar[0].episode.ref, found.similar[0].next) == (alone, None)
    assert (found.ended.value, found.ended.good, found.ended.bad) == (None, 0, 0)


def test_words_are_a_second_source_and_name_features(memory: Memory[Embedded]) -> None:
    told = episode(memory, text="The payment service was slow all morning", session="a")
    episode(memory, "mended", session="a")
    named = episode(memory, "deploy", text="Nothing much", session="b")
    episode(memory, "checked", session="b")
    found = memory.what_next("the payment service is slow")
    assert [each.episode.ref for each in found.similar] == [told] and found.features == []
    assert 0.1 < found.similar[0].likeness <= 0.5 and shares(found) == {"mended": (1.0, 1)}
    found = memory.what_next("Should we deploy?")
    assert (found.features, [each.episode.ref for each in found.similar]) == (["deploy"], [named])


def test_an_episode_is_not_like_itself(memory: Memory[Embedded]) -> None:
    first = days(memory, (["deploy"], ["check"], 3.0), (["deploy"], ["check"], None))
    found = memory.what_next(episode=first[0])
    assert (found.episode, [each.episode.ref for each in found.similar]) == (first[0], [first[1]])
    assert found.looked_at == 3 and found.features == ["deploy"]


def test_a_session_is_what_is_in_its_buffer_or_else_its_last_episode(memory: Memory[Embedded]) -> None:
    before = days(memory, (["deploy"], ["check"], None), (["lunch"], ["coffee"], None))
    memory.record_event("It begins", features=["lunch"], session="now")
    found = memory.what_next()
    assert (found.session, found.episode, shares(found)) == ("now", None, {"coffee": (1.0, 1)})
    assert memory.what_next(session="now") == found
    found = memory.what_next(session="day 0")  # its buffer is empty: its last episode was a check
    assert (found.session, found.features, found.episode is not None) == ("day 0", ["check"], True)
    assert found.similar == []
    memory.record_event("Again", features=["deploy"], session="day 0")
    assert [each.episode.ref for each in memory.what_next(session="day 0").similar] == before[:1]


def test_of_what_nothing_is_known_nothing_is_said(memory: Memory[Embedded]) -> None:
    memory.record_event("x", features=["known"])
    found = memory.what_next("anything at all", features=["never heard of"])
    assert (found.looked_at, found.similar, found.next, found.followed, found.features) == (0, [], [], 0, [])
    days(memory, (["deploy"], ["check"], None))
    assert memory.what_next(features=["known"]).similar == []


def test_only_the_latest_are_looked_at(memory: Memory[Embedded], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOKED_AT_MAX", 4)
    first = days(memory, *[(["deploy"], ["check"], None)] * 4)
    found = memory.what_next(features=["deploy"])
    assert (found.looked_at, [each.episode.ref for each in found.similar]) == (4, [first[3], first[2]])
    found = memory.what_next(episode=first[3])
    assert (found.looked_at, [each.episode.ref for each in found.similar]) == (4, [first[2]])


def test_as_many_similar_ones_count_as_are_asked_for(memory: Memory[Embedded]) -> None:
    days(memory, *[(["deploy"], ["check"], None)] * 12)
    assert [len(memory.what_next(features=["deploy"], count=count).similar) for count in (1, 5, 50)] == [1, 5, 12]
    assert len(memory.what_next(features=["deploy"]).similar) == 10


def test_archived_episodes_count_and_forgotten_ones_do_not(memory: Memory[Embedded]) -> None:
    days(memory, (["deploy"], ["check"], None))
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0)
    memory.sleep()
    assert shares(memory.what_next(features=["deploy"])) == {"check": (1.0, 1)}
    memory.set_policy(archived_max=0)
    memory.sleep()
    found = memory.what_next(features=["deploy"])
    assert (found.looked_at, found.similar) == (0, [])


def test_the_same_history_gives_the_same_answer_after_a_restart(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", embedder="off") as memory:
        for number in range(40):
            features = [f"a{number % 3}", f"b{number % 5}", f"c{number % 7}"]
            episode(memory, *features, text=f"about {number % 4} and {number % 6}", value=number % 9 - 4.0)
        found = memory.what_next("what of a1 and 3?", features=["b2", "c4"])
        assert found.next and found == memory.what_next("what of a1 and 3?", features=["b2", "c4"])
    with Memory.open(tmp_path, "me/agent", embedder="off") as memory:
        assert memory.what_next("what of a1 and 3?", features=["b2", "c4"]) == found


def test_what_cannot_be_meant_is_refused(memory: Memory[Embedded]) -> None:
    event = memory.record_event("x", session="open")
    amiss: tuple[dict[str, Any], ...] = (
        {"text": "a", "session": "open"}, {"features": ["a"], "episode": event}, {"episode": event, "session": "open"},
        {"session": "closed"}, {"count": 0}, {"count": 51}, {"episode": event}, {"features": "a"},
        {"features": ["f"] * 33},
    )  # fmt: skip
    for wrong in amiss:
        with pytest.raises(InvalidAskError):
            memory.what_next(**wrong)
    with pytest.raises(UnknownNodeError):
        memory.what_next(episode="01890000-0000-7000-8000-000000000000")
