"""What get_context and explain_action return, and what they leave alone."""

import pytest
from yggdrasil import Memory
from yggdrasil.embedded import Embedded
from yggdrasil_projections.retrieval.explain import UnknownActionError


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
    scores = [entry.evidence.score for entry in context.found]
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
    memory.log_outcome(strong, -10, kind="fire", catastrophic=True, text="all was lost")
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


@pytest.mark.parametrize("k", [0, 51, -1])
def test_k_is_bounded(memory: Memory, k: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 50"):
        memory.get_context("x", k=k)


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


def test_what_was_pruned_does_not_stand_before_what_was_not(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yggdrasil_projections.retrieval.context.CANDIDATES_MAX", 5)
    forgetful(memory)
    for _ in range(30):
        memory.record_event("deploy")
    assert memory.get_context("deploy", record=False).found
    for number in range(60):
        memory.record_event(f"after many other words came the deploy number {number}")
    assert len(memory.get_context("deploy", record=False).found) == 5


def test_the_index_of_a_memory_that_forgets_stays_small(memory: Memory[Embedded]) -> None:
    forgetful(memory)
    for number in range(300):
        memory.record_event(f"step {number}")
        memory.get_context("nothing like it", record=False)
    index = memory.engine._indexes[memory.id]
    assert len(index.search("step", 1_000)) <= 2 * 40


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
