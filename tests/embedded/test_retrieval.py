"""What get_context and explain_action return, and what they leave alone."""

from contextlib import AbstractContextManager
from typing import Any

import pytest

from yggdrasil import Event, Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.running.turns import Turns
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownActionError
from yggdrasil_projections.retrieval.index.view import PART_RECORDS


def test_nothing_relevant_is_an_answer_and_is_recorded(memory: Memory) -> None:
    memory.record_event("The cat sat on the mat")
    context = memory.get_context("quarterly revenue")
    assert context.found == []
    assert context.recorded
    assert memory.get_context("the of and").found == []  # words that say nothing find nothing


def test_words_are_stemmed_and_features_are_searched(memory: Memory) -> None:
    deploys = memory.record_event("Deployments failed", features=["service:checkout"])
    assert memory.get_context("deployment failing").refs == [deploys]
    assert memory.get_context("checkout").refs == [deploys]


def test_strength_decides_between_memories_that_are_equally_relevant(memory: Memory) -> None:
    ids = [memory.record_event("retry the payment", features=[f"f{i}"]) for i in range(3)]
    memory.log_outcome(ids[0], -5, kind="double charge")
    context = memory.get_context("payment retry", k=3)
    assert context.refs[0] == ids[0]
    scores = [entry.scores.priority for entry in context.found]
    assert scores == sorted(scores, reverse=True)


def test_an_outcome_leads_to_its_event_once(memory: Memory) -> None:
    event = memory.record_event("changed the router", features=["network"])
    for text in ("packets were lost", "the lost packets cost money"):
        memory.log_outcome(event, -2, kind="outage", text=text)
    context = memory.get_context("who lost packets in the network?")
    assert context.refs == [event]
    assert [outcome.text for outcome in context.found[0].memory.outcomes] == [
        "packets were lost",
        "the lost packets cost money",
    ]


def test_a_strong_memory_without_a_shared_word_is_no_candidate(memory: Memory) -> None:
    strong = memory.record_event("the server burned down")
    memory.log_outcome(strong, -10, kind="fire", catastrophic=True, origin="tool", text="all was lost")
    weak = memory.record_event("lunch was soup")
    assert memory.get_context("what was for lunch, soup?").refs == [weak]


@pytest.mark.parametrize(
    "query", ['"', "a AND b OR", "col:umn*", "NEAR(x y)", "'; DROP TABLE said; --", "", "\x00", "é" * 9000]
)
def test_a_query_is_words_and_never_syntax(memory: Memory, query: str) -> None:
    memory.record_event("a column near the drop")
    memory.get_context(query)


def test_reading_without_a_record_leaves_the_memory_as_it_was(memory: Memory) -> None:
    memory.record_event("x marks the spot")
    digest = memory.digest()
    context = memory.get_context("spot", record=False)
    assert (context.recall_id, context.recorded) == (None, False)
    assert memory.digest() == digest
    memory.get_context("spot")
    assert memory.digest() != digest


@pytest.mark.parametrize("k", [0, 51, -1, 1.5, 2.0, True, "3"])
def test_k_is_bounded(memory: Memory, k: Any) -> None:
    with pytest.raises(InvalidAskError, match="between 1 and 50"):
        memory.get_context("x", k=k)


@pytest.mark.parametrize(
    "given",
    [
        {"tokens_max": 40.5},
        {"tokens_max": "3"},
        {"min_confidence": True},
        {"min_confidence": "0.5"},
        {"min_confidence": float("nan")},
        {"features": [None]},
        {"features": 5},
        {"features": ["\ud800"]},
        {"query": None},
        {"query": b"x"},
        {"query": "caf\udce9"},
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused_as_such(memory: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidAskError):
        memory.get_context(**{"query": "x", **given})


@pytest.mark.parametrize("given", [{"sessions": 5}, {"features_all": [1]}, {"features_any": ["\udce9"]}], ids=str)
def test_a_filter_of_what_are_no_names_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidAskError):
        Where(**given)


@pytest.mark.parametrize("notes", [1, 3])
def test_of_what_asks_for_nothing_nothing_is_sure(memory: Memory, notes: int) -> None:
    for number in range(notes):
        memory.record_event(f"Note number {number} on boats")
    assert memory.get_context("  ").confidence == 0.0


def test_a_number_of_its_own_is_what_is_asked_for_however_much_else_is(memory: Memory) -> None:
    memory.record_many(Event(f"Aiko repaired the boiler in Oslo, ticket T{number:05}") for number in range(300))
    wanted = "Aiko repaired the boiler in Oslo, ticket T00150"
    fillers = [f"unheard{letter}{other}" for letter in "abcde" for other in "fghijklm"]
    around = f"please look at %s again tomorrow because {' '.join(fillers)} complain about it"
    found = memory.get_context(around % "T00150")
    assert found.nothing is None and found.confidence >= 0.25
    assert [each.memory.text for each in found.found] == [wanted]
    found = memory.get_context("What became of T00150 and of T00151 last week?", k=2)
    assert {(each.memory.text or "")[-6:] for each in found.found} == {"T00150", "T00151"}


def test_what_was_pruned_is_not_found_but_can_be_explained(memory: Memory) -> None:
    memory.set_policy(sessions_open_max=1, buffer_events_max=1, nodes_max=20, edges_max=40)
    first = memory.record_event("the very first step", features=["begin"])
    context = memory.get_context("very first step")
    action = memory.record_event("acted on it", informed_by=[context.recall_id or ""])
    for i in range(200):
        memory.record_event(f"noise {i}")
    assert memory.get_context("very first step", record=False).refs == []
    explanation = memory.explain_action(action)
    assert explanation.memory is None
    assert explanation.text == "acted on it"
    then = explanation.informed_by[0].returned[0]
    assert (then.ref, then.text) == (first, "the very first step")
    assert then.salience == context.found[0].memory.salience


def forgetful(memory: Memory) -> None:
    memory.set_policy(sessions_open_max=1, nodes_max=40, edges_max=40)


def test_what_was_pruned_does_not_stand_before_what_was_not(memory: Memory) -> None:
    forgetful(memory)
    for _ in range(30):
        memory.record_event("deploy")
    assert memory.get_context("deploy", record=False).found
    for number in range(60):
        memory.record_event(f"after many other words came the deploy number {number}")
    assert len(memory.get_context("deploy", k=5, record=False).found) == 5


def test_the_index_of_a_memory_that_forgets_stays_small(memory: Memory[Embedded]) -> None:
    forgetful(memory)
    for number in range(300):
        memory.record_event(f"step {number}")
        memory.get_context("nothing like it", record=False)
    index = memory.engine.view.index(memory.engine.graph(memory.id))
    assert len(index.documents) <= 2 * 40 + 64
    assert len(index.postings.lexicon) <= 2 * 40 + 64 + 1


def put_away(memory: Memory, events: list[str]) -> None:
    """Archive ``events``: out of the buffer, with another after them, then a sleep by which all has faded."""
    memory.commit_episode(events)
    memory.record_event()  # a session holds its last event
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0)
    memory.sleep()


def test_what_is_archived_is_not_found_but_can_be_explained_and_comes_back(memory: Memory[Embedded]) -> None:
    event = memory.record_event("the server ran hot", features=["server"])
    outcome = memory.log_outcome(event, -1, kind="outage", text="the fan was loud")
    put_away(memory, [event])
    assert memory.get_context("server ran hot", record=False).refs == []
    assert memory.get_context("loud fan outage", record=False).refs == []
    explanation = memory.explain_action(event)
    assert explanation.memory is not None and explanation.memory.archived
    assert [one.id for one in explanation.memory.outcomes] == [outcome]
    memory.log_outcome(event, -2, kind="fire", text="it burned")
    assert memory.get_context("server ran hot", record=False).refs == [event]
    assert memory.get_context("burned", record=False).refs == [event]


def test_an_outcome_of_what_is_archived_stands_for_itself(memory: Memory[Embedded]) -> None:
    event = memory.record_event("the server ran hot")
    outcome = memory.log_outcome(event, -1, text="the fan was loud")
    memory.pin(outcome)
    put_away(memory, [event])
    context = memory.get_context("loud fan", record=False)
    assert context.refs == [outcome]
    assert (context.found[0].memory.kind, context.found[0].memory.text) == ("outcome", "the fan was loud")


def test_what_is_archived_does_not_stand_before_what_is_not(memory: Memory) -> None:
    put_away(memory, [memory.record_event("deploy") for _ in range(30)])
    kept = [memory.record_event(f"after many other words came the deploy number {number}") for number in range(5)]
    assert set(memory.get_context("deploy", record=False).refs) <= set(kept)
    assert len(memory.get_context("deploy", k=3, record=False).found) == 3


def test_an_episode_is_found_by_its_text_and_by_its_outcomes(memory: Memory) -> None:
    events = [memory.record_event(f"step {number}") for number in range(3)]
    episode = memory.commit_episode(events, text="the great migration")
    memory.log_outcome(episode, -2, text="customers complained")
    assert memory.get_context("migration").refs == [episode]
    assert memory.get_context("complained customers").refs == [episode]


def test_a_concept_is_found_by_its_text_and_its_features(memory: Memory) -> None:
    event = memory.record_event("x", features=["invoice", "tax"])
    concept = memory.form_concept(["feature:invoice", "feature:tax", event], text="bookkeeping")
    found = memory.get_context("bookkeeping").found
    assert [(entry.memory.ref, entry.lineage.via) for entry in found] == [(concept, [])]
    assert set(memory.get_context("tax").refs) == {event, concept}


def test_an_outcome_leads_to_what_was_judged_and_not_to_its_steps(memory: Memory) -> None:
    step = memory.record_event("skipped the tests", session="release")
    event = memory.record_event("deployed")
    memory.commit_episode([event], text="a release")
    memory.log_outcome(event, -3, text="customers complained", trajectory=[step])
    assert memory.get_context("complaints of customers").refs == [event]


def test_an_outcome_of_what_was_pruned_leads_to_the_episode_that_contained_it(memory: Memory[Embedded]) -> None:
    memory.set_policy(sessions_open_max=1, buffer_events_max=1, nodes_max=20, edges_max=40, archived_max=0)
    event = memory.record_event("deployed")
    episode = memory.commit_episode([event], text="a release")
    memory.pin(episode)
    outcome = memory.log_outcome(event, -3, text="customers complained")
    memory.pin(outcome)
    memory.record_event("the next one")
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0)
    memory.sleep()  # archives the event, and forgets it at once
    assert memory.explain_action(event).memory is None
    assert memory.get_context("complaints of customers", record=False).refs == [episode]


def test_causes_are_explained_even_when_they_are_forgotten(memory: Memory[Embedded]) -> None:
    memory.set_policy(sessions_open_max=2, nodes_max=20, edges_max=40)
    forgotten = memory.record_event("the disk was full", session="alarms")
    action = memory.record_event("deleted the logs", caused_by=[forgotten, forgotten])
    memory.pin(action)
    (cause,) = memory.explain_action(action).caused_by
    assert cause.memory is not None and (cause.id, cause.memory.ref) == (forgotten, forgotten)
    for number in range(200):
        memory.record_event(f"noise {number}", session="alarms")
    (cause,) = memory.explain_action(action).caused_by
    assert (cause.text, cause.memory, cause.place.seq) == ("the disk was full", None, 2)


def test_a_recall_of_an_episode_and_a_concept_is_explained(memory: Memory) -> None:
    event = memory.record_event("step", features=["invoice", "tax"])
    episode = memory.commit_episode([event], text="the audit of taxes")
    concept = memory.form_concept(["feature:invoice", "feature:tax"], text="bookkeeping of taxes")
    context = memory.get_context("taxes")
    action = memory.record_event("filed them", informed_by=[context.recall_id or ""])
    memory.dissolve_concept(concept)
    returned = {then.ref: then for then in memory.explain_action(action).informed_by[0].returned}
    assert {ref: then.text for ref, then in returned.items()} == {
        event: "step",
        episode: "the audit of taxes",
        concept: "bookkeeping of taxes",
    }
    assert all(then.salience is not None for then in returned.values())


def test_explaining_an_episode_leads_to_its_events(memory: Memory) -> None:
    event = memory.record_event("x")
    episode = memory.commit_episode([event])
    with pytest.raises(UnknownActionError, match=rf"not an event \(commit_episode\); explain {event}"):
        memory.explain_action(episode)


def test_the_chain_begins_with_its_session(memory: Memory) -> None:
    memory.record_event("yesterday", session="yesterday")
    first = memory.record_event("first", session="today")
    second = memory.record_event("second", session="today")
    assert [step.ref for step in memory.explain_action(second).chain] == [first]
    assert memory.explain_action(first).chain == []


def test_explaining_what_is_no_event_says_so(memory: Memory) -> None:
    event = memory.record_event("x")
    outcome = memory.log_outcome(event, 1)
    for wrong in (outcome, "01890000-0000-7000-8000-000000000000", "abc", "zz"):
        with pytest.raises(UnknownActionError, match=wrong):
            memory.explain_action(wrong)


def test_the_chain_is_the_session_s_own_oldest_first_and_bounded(memory: Memory) -> None:
    mine: list[str] = []
    for i in range(15):
        mine.append(memory.record_event(f"mine {i}", session="mine"))
        memory.record_event(f"other {i}", session="other")
    assert [step.ref for step in memory.explain_action(mine[-1]).chain] == mine[-11:-1]


def test_sealed_content_is_kept_and_not_searched(memory: Memory[Embedded]) -> None:
    sealed = {"alg": "A256GCM", "key_id": "k1", "nonce": "n", "ciphertext": "secretword"}
    draft = memory._drafter.draft("record_event", {"features": ["open"]}, sealed)
    assert memory.engine.submit(draft).seq == 1
    assert memory.get_context("secretword").refs == []
    found = memory.get_context("open").found[0].memory
    assert (found.ref, found.text) == (draft.id, None)


def test_a_question_to_a_cold_memory_leaves_turns_to_others(
    memory: Memory[Embedded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or whoever asks a large one would keep all others of the process from reading and folding meanwhile."""
    count, taken, reading = 4 * PART_RECORDS, list[Turns](), Turns.reading

    def counted(turns: Turns) -> AbstractContextManager[None]:
        taken.append(turns)
        return reading(turns)

    drafts = Drafter(memory.id, "test", "test")
    for _ in memory.engine.submit_many(drafts.record_event(f"number {number}") for number in range(count)):
        pass
    monkeypatch.setattr(Turns, "reading", counted)
    cold = memory.get_context("number 7", record=False)
    assert len(taken) >= 4
    taken.clear()
    assert memory.get_context("number 7", record=False) == cold
    assert len(taken) == 1
    assert (cold.as_of, memory.engine.view.counts.built) == (count, 1)
