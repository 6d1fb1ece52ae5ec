from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.reads.operations.overview import (
    lessons,
    outcomes_by_kind,
    overview,
    strongest_features,
    strongest_pairs,
    troubled_features,
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, "me/agent") as opened:
        yield opened


def graph(memory: Memory[Embedded]) -> Graph:
    return memory.engine.graph(memory.id)


def test_counts_are_those_of_the_header(memory: Memory[Embedded]) -> None:
    event = memory.record_event("One", features=["file:a", "file:b"])
    memory.log_outcome(event, 4.0)  # great enough that both features foretell it from now on
    memory.get_context("one")
    found = overview(graph(memory))
    assert found.nodes == {"event": 1, "feature": 3, "outcome": 1}
    assert found.edges == {"associative": 1, "causal": 3, "contains": 3}
    header = graph(memory).header
    assert (sum(found.nodes.values()), sum(found.edges.values())) == (header.nodes, header.edges)
    assert found.bounds["recalls_kept"].used == 1


def test_the_strongest_feature_is_what_would_be_forgotten_last(memory: Memory[Embedded]) -> None:
    bad = memory.record_event("Bad", features=["file:broken", "dir:x"])
    for _ in range(3):
        memory.record_event("Often", features=["file:often", "dir:x"])
    memory.log_outcome(bad, -5.0)
    found = strongest_features(graph(memory), "file:", 5)
    assert [feature.name for feature in found] == ["file:broken", "file:often"]
    assert [feature.occurrences for feature in found] == [1, 3]
    assert strongest_features(graph(memory), "file:", 1) == found[:1]
    assert strongest_features(graph(memory), "none:", 5) == []


def test_pairs_are_of_the_wanted_features_alone(memory: Memory[Embedded]) -> None:
    memory.record_event("Once", features=["file:a", "file:c"])
    for _ in range(2):
        memory.record_event("Twice", features=["dir:x", "file:b", "file:a"])
    pairs = strongest_pairs(graph(memory), "file:", 5)
    assert [(pair.first, pair.second, pair.together) for pair in pairs] == [
        ("file:a", "file:b", 2),
        ("file:a", "file:c", 1),
    ]
    assert len(strongest_pairs(graph(memory), "file:", 1)) == 1


def test_lessons_come_by_size_and_once_for_each_event(memory: Memory[Embedded]) -> None:
    first = memory.record_event("First", features=["file:a"], payload={"sha": "abc"})
    second = memory.record_event("Second", features=["file:a", "file:b"])
    memory.log_outcome(first, -1.0, kind="mended", text="soon")
    memory.log_outcome(second, -1.0, kind="mended")
    memory.log_outcome(first, -3.0, kind="reverted")
    memory.log_outcome(second, 2.0, kind="released")
    memory.log_outcome(second, 0.0, kind="neutral")
    found = lessons(graph(memory), 5)
    assert [(one.event, one.value, one.kind) for one in found] == [(first, -3.0, "reverted"), (second, -1.0, "mended")]
    assert (found[0].event_text, found[0].event_payload, found[0].features) == ("First", {"sha": "abc"}, ["file:a"])
    assert [one.value for one in lessons(graph(memory), 5, bad=False)] == [2.0]
    assert lessons(graph(memory), 1) == found[:1]
    assert outcomes_by_kind(graph(memory)) == {"mended": 2, "reverted": 1, "released": 1, "neutral": 1}


def test_trouble_counts_bad_outcomes_even_when_the_balance_is_good(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Event", features=["file:a", "dir:x"])
    memory.log_outcome(event, -1.0)
    for _ in range(3):
        memory.log_outcome(event, 5.0)
    (trouble,) = troubled_features(graph(memory), "file:", 5)
    assert (trouble.name, trouble.bad, trouble.occurrences) == ("file:a", 1, 1)
    assert trouble.impact > 0


def test_an_empty_memory_has_nothing_to_show(memory: Memory[Embedded]) -> None:
    memory.set_policy(feature_salience=0.1)
    empty = graph(memory)
    assert strongest_features(empty, "", 5) == []
    assert strongest_pairs(empty, "", 5) == []
    assert lessons(empty, 5) == []
    assert troubled_features(empty, "", 5) == []
    assert outcomes_by_kind(empty) == {}


def test_flags_are_counted_and_the_archive_is_a_bound(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"Event {i}", features=["idea"]) for i in range(3)]
    memory.commit_episode(events)
    memory.pin(events[0])
    memory.log_outcome(events[1], -1.0, catastrophic=True, origin="tool")
    assert overview(graph(memory)).flags == {"catastrophic": 2, "pinned": 1}  # the outcome as well
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0, archived_max=0)
    memory.sleep()
    found = overview(graph(memory))
    assert (found.flags, found.bounds["archived"].most) == ({"catastrophic": 2, "pinned": 1}, 0)
    memory.set_policy(archived_max=100)
    more = memory.record_event("One more")
    memory.commit_episode([more])
    memory.sleep()
    assert overview(graph(memory)).flags["archived"] == overview(graph(memory)).bounds["archived"].used == 2


def test_thinkers_are_shown_with_how_far_they_have_decided(memory: Memory[Embedded]) -> None:
    memory.record_event("One")
    for name in ("sleeper", "former"):
        memory.sleep(thinker={"name": name, "version": "1", "cursor_from": 0, "cursor_to": 1})
    assert list(overview(graph(memory)).thinkers.items()) == [("former", 1), ("sleeper", 1)]


def test_an_episode_teaches_a_lesson_too(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"Step {i}", features=["file:a", f"file:{i}"]) for i in range(2)]
    episode = memory.commit_episode(events, text="A bad release")
    memory.log_outcome(episode, -2.0, kind="review", text="Too fast")
    (found,) = lessons(graph(memory), 5)
    assert (found.event, found.event_text, found.kind, found.text) == (episode, "A bad release", "review", "Too fast")
    assert found.features[0] == "file:a"
    assert {trouble.name for trouble in troubled_features(graph(memory), "file:", 5)} == set(found.features)


def test_trouble_comes_by_count_then_by_balance(memory: Memory[Embedded]) -> None:
    events = {name: memory.record_event("Event", features=[f"file:{name}"]) for name in "abc"}
    for name, value in (("a", -1.0), ("b", -3.0), ("c", -1.0), ("c", -1.0)):
        memory.log_outcome(events[name], value)
    assert [trouble.name for trouble in troubled_features(graph(memory), "file:", 5)] == ["file:c", "file:b", "file:a"]
    assert len(troubled_features(graph(memory), "file:", 1)) == 1
