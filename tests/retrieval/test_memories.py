"""Memories as agents see them: what each kind of node shows of itself."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.graph.laws.density import density
from yggdrasil_projections.graph.laws.reference import resolve
from yggdrasil_projections.retrieval.memories import MEMBERS_MAX, MemoryObject, describe, permanence_now, salience_now
from yggdrasil_projections.retrieval.ranking.priority import priorities
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.reads.operations.overview import lessons, strongest_features, troubled_features
from yggdrasil_schemas.graph.records import Node, NodeFlag, seq_of

FADED = {"archive_salience": 1e6, "archive_permanence": 1e6, "archive_rest_ticks": 0}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent") as opened:
        yield opened


def node(memory: Memory[Embedded], ref: str) -> Node:
    graph = memory.engine.graph(memory.id)
    number = resolve(graph, ref)
    assert isinstance(number, int)
    return graph.expect(number)


def seen(memory: Memory[Embedded], ref: str) -> MemoryObject:
    return describe(memory.engine.graph(memory.id), node(memory, ref))


def test_an_event_shows_its_strength_and_no_members(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Deployed", features=["deploy", "friday"])
    memory.log_outcome(event, -3, kind="outage")
    memory.log_outcome(event, 2, kind="praise")
    found, stored = seen(memory, event), node(memory, event)
    assert (found.kind, found.ref, found.features, found.members) == ("event", event, ["deploy", "friday"], [])
    assert (found.good, found.bad) == (stored.good, stored.bad) == (1, 1)
    assert found.density == density(stored) > 0
    assert (found.level, found.protected, found.archived, found.conceptual) == (0, False, False, False)


def test_a_feature_shows_what_it_predicts(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Deployed", features=["friday"])
    memory.log_outcome(event, -3)
    found = seen(memory, "feature:friday")
    assert (found.kind, found.text, found.conceptual) == ("feature", "friday", False)
    assert found.valence == pytest.approx(-0.9)  # surprise_rate * -3
    assert (found.good, found.bad) == (0, 1)


def test_a_conceptual_feature_is_a_feature_and_says_so(memory: Memory[Embedded]) -> None:
    memory.set_policy(concept_density=0.0, dissolve_density=0.0, concept_beyond_chance=0)
    for _ in range(8):
        memory.record_event("Deployed", features=["deploy"])
    found = seen(memory, "feature:deploy")
    assert (found.kind, found.conceptual) == ("feature", True)
    memory.dissolve_concept("feature:deploy")
    assert not seen(memory, "feature:deploy").conceptual


def test_an_episode_shows_its_events_what_they_share_and_their_outcomes(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"Step {i}", features=["deploy", f"step:{i}"]) for i in range(3)]
    down = memory.log_outcome(events[1], -3, kind="outage", text="Down")
    episode = memory.commit_episode(events, text="A bad release", session="monday")
    slow = memory.log_outcome(episode, -1, kind="review")
    found = seen(memory, episode)
    assert (found.kind, found.text, found.session, found.members) == ("episode", "A bad release", "monday", events)
    assert found.features[0] == "deploy" and set(found.features) == {"deploy", "step:0", "step:1", "step:2"}
    assert [(one.id, one.event, one.kind) for one in found.outcomes] == [
        (down, events[1], "outage"),
        (slow, episode, "review"),
    ]


def test_a_concept_shows_its_members_by_reference(memory: Memory[Embedded]) -> None:
    first = memory.record_event("Deployed", features=["deploy", "friday"])
    episode = memory.commit_episode([first])
    concept = memory.form_concept([episode, "feature:friday", first, "feature:deploy"], text="Releases")
    found = seen(memory, concept)
    assert (found.kind, found.text, found.features) == ("concept", "Releases", ["deploy", "friday"])
    assert found.members == [first, "feature:deploy", "feature:friday", episode]  # the oldest first
    absorbed = memory.record_event("Deployed again", features=["deploy", "friday"])
    assert seen(memory, concept).members[-1] == absorbed
    assert seen(memory, absorbed).features == ["deploy", "friday"]


def test_members_are_bounded(memory: Memory[Embedded]) -> None:
    memory.record_event("Deployed", features=["deploy", "friday"])
    concept = memory.form_concept(["feature:deploy", "feature:friday"])
    for _ in range(MEMBERS_MAX):
        memory.record_event("Deployed", features=["deploy", "friday"])
    assert node(memory, concept).degree > MEMBERS_MAX
    assert len(seen(memory, concept).members) == MEMBERS_MAX


def test_an_outcome_with_a_trajectory_shows_at_its_steps_whose_it_is(memory: Memory[Embedded]) -> None:
    step = memory.record_event("Skipped the tests", session="release")
    event = memory.record_event("Deployed")
    outcome = memory.log_outcome(event, -3, trajectory=[step])
    for one in (step, event):
        assert [(out.id, out.event) for out in seen(memory, one).outcomes] == [(outcome, event)]


def test_a_cause_is_no_outcome(memory: Memory[Embedded]) -> None:
    cause = memory.record_event("The disk is full")
    memory.record_event("Deleted the logs", caused_by=[cause])
    assert seen(memory, cause).outcomes == []


def test_pins_and_levels_are_shown(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Never deploy without a backup", features=["backup"])
    memory.pin(event, permanence=4.0)
    assert (seen(memory, event).protected, seen(memory, event).permanence) == (True, 4.0)
    memory.pin(event, pinned=False)
    assert not seen(memory, event).protected
    for _ in range(4):
        memory.record_event("Made one", features=["backup"])
    memory.sleep()
    assert seen(memory, "feature:backup").level == 1


def test_a_priority_is_the_same_in_any_company_and_as_plain_floats_give_it(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"Step {step}", features=[f"part {step % 3}"]) for step in range(30)]
    memory.log_outcome(events[3], -10, kind="loss")
    memory.log_outcome(events[5], 4, kind="gain")
    memory.pin(events[4])
    graph, weights = memory.engine.graph(memory.id), RANKERS[RANKER]
    nodes = [node(memory, event) for event in events]
    relevance = [step / 31 for step in range(len(nodes))]
    expected: list[float] = []
    for each, own in zip(nodes, relevance, strict=True):
        salience, permanence, worth = salience_now(graph, each), permanence_now(graph, each), abs(each.impact)
        total = own + weights.salience * (salience / (salience + 1.0))
        total += weights.permanence * (permanence / (permanence + 1.0))
        total += weights.impact * (worth / (worth + 1.0))
        recent = weights.recent_commands
        expected.append(total + weights.recency * (recent / (recent + graph.header.seq - seq_of(each.number))))
    assert priorities(graph, nodes, relevance, weights) == expected
    assert [
        priorities(graph, [each], [own], weights)[0] for each, own in zip(nodes, relevance, strict=True)
    ] == expected
    assert len({each.salience for each in nodes}) > 3 and {each.permanence > 0 for each in nodes} == {True, False}


def test_permanence_is_shown_and_ranked_as_of_now_and_protects_while_it_lasts(memory: Memory[Embedded]) -> None:
    memory.set_policy(permanence_half_life_ticks=10, protect_permanence=5.0, first_outcome=1.0)
    event = memory.record_event("Deleted the wrong table", features=["table"])
    memory.log_outcome(event, -10, kind="loss")
    assert (seen(memory, event).permanence, seen(memory, event).protected) == (5.0, True)  # 0.5 * 10
    graph = memory.engine.graph(memory.id)
    weights = replace(RANKERS[RANKER], salience=0.0)
    (before,) = priorities(graph, [node(memory, event)], [0.0], weights)
    for step in range(20):  # two half-lives, in which nothing touches it
        memory.record_event(f"Something else {step}", session="elsewhere")
    stored = node(memory, event)
    assert (stored.permanence, graph.header.tick - stored.tick) == (5.0, 20)
    assert (seen(memory, event).permanence, seen(memory, event).protected) == (1.25, False)
    fallen = before - priorities(graph, [node(memory, event)], [0.0], weights)[0]
    aged = [weights.recency * 1_000 / (1_000 + age) for age in (1, 21)]
    assert fallen == pytest.approx(weights.permanence * (5 / 6 - 1.25 / 2.25) + aged[0] - aged[1])
    assert [one.permanence for one in lessons(graph, 1)] == [1.25]
    assert [one.permanence for one in troubled_features(graph, "table", 1)] == [1.25]
    assert [one.permanence for one in strongest_features(graph, "table", 1)] == [1.25]
    assert [found.memory.permanence for found in memory.get_context("wrong table", record=False).found] == [1.25]
    assert [case.found.memory.permanence for case in memory.get_similar_cases("the wrong table").bad] == [1.25]


def test_what_is_catastrophic_or_pinned_is_protected_without_permanence(memory: Memory[Embedded]) -> None:
    plain, pinned, fatal = (memory.record_event(f"Event {number}") for number in range(3))
    memory.pin(pinned)
    memory.set_policy(bad_permanence=0.0)
    memory.log_outcome(fatal, -1, catastrophic=True, origin="tool")
    assert [seen(memory, ref).protected for ref in (plain, pinned, fatal)] == [False, True, True]


def test_what_is_archived_is_described_as_such(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Lunch was soup")
    memory.commit_episode([event])  # out of the buffer
    memory.record_event("Then coffee")  # nor is it the last of its session
    memory.set_policy(**FADED)
    memory.sleep()
    assert seen(memory, event).archived
    assert node(memory, event).flags & NodeFlag.ARCHIVED
    memory.log_outcome(event, 1)
    assert not seen(memory, event).archived
