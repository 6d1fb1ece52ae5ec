"""A memory finds what an output used of a recall, and reports it: once, with its method, and no success by silence."""

from pathlib import Path

import pytest

from yggdrasil import CommandRefusedError, InvalidAskError, Memory, Store

WHERE = "Where does Ana live?"
LIVES = "Ana moved to Kyoto in 2019"


def told(memory: Memory) -> dict[str, str]:
    return {text: memory.record_event(text) for text in (LIVES, "The deploy on Friday broke the site", "Ana bakes")}


def test_it_finds_reports_and_says_how(memory: Memory) -> None:
    refs = told(memory)
    asked = memory.get_context(WHERE, k=3, min_confidence=0.0)
    found = memory.used(asked, "She moved to Kyoto, in 2019.", result="success")
    assert (found.used, found.method, found.recall_id) == ([refs[LIVES]], "words", asked.recall_id)
    assert [each.ref for each in found.scores] == asked.refs and found.left_out == 0
    now = memory.describe(refs[LIVES]).memory
    assert (now.usage, now.served, now.last_used, now.mentions) == (1, 1, 3, 1)
    assert (now.candidates, now.last_recalled) == (1, 3)
    later = memory.record_event("The lights went out")
    assert memory.describe(later).memory.last_recalled is None
    assert memory.describe(refs[LIVES]).memory.last_recalled == 3  # the tick goes on, and nothing was asked
    assert {memory.describe(ref).memory.usage for ref in asked.refs if ref != refs[LIVES]} <= {0}
    (said,) = [each for each in memory.said().said if each.id == found.report]
    assert said.words == f"success with 1 of {asked.recall_id}, by words"
    with pytest.raises(CommandRefusedError, match="reported"):
        memory.used(asked, "She moved to Kyoto, in 2019.")


def test_an_answer_that_used_nothing_is_reported_with_nothing_and_as_no_success(memory: Memory) -> None:
    refs = told(memory)
    asked = memory.get_context(WHERE, k=3, min_confidence=0.0)
    with pytest.raises(InvalidAskError, match="nothing is reported"):
        memory.used(asked, "  ")
    found = memory.used(asked, "I do not know.")
    assert found.used == [] and found.report is not None
    seen = memory.describe(refs[LIVES]).memory
    assert (seen.usage, seen.served, seen.last_used, seen.impact) == (0, 0, None, 0.0)


def test_by_the_id_of_a_recall_alone(memory: Memory) -> None:
    refs = told(memory)
    asked = memory.get_context(WHERE, k=3, min_confidence=0.0)
    label = f"m{asked.refs.index(refs['Ana bakes']) + 1}"
    found = memory.used(asked.recall_id or "", f"She bakes [{label}].")
    assert (found.used, found.method) == ([refs["Ana bakes"]], "labels")
    for wrong in (refs[LIVES], found.report or "", "no-id"):
        with pytest.raises(InvalidAskError, match="the id of no recall"):
            memory.used(wrong, "She bakes.")
    unrecorded = memory.get_context(WHERE, min_confidence=0.0, record=False)
    with pytest.raises(InvalidAskError, match="not recorded"):
        memory.used(unrecorded, "She bakes.")


def test_a_model_is_asked_where_one_is_given(memory: Memory) -> None:
    told(memory)
    asked = memory.get_context(WHERE, k=3, min_confidence=0.0)
    found = memory.used(asked, "Far away.", model=lambda _output, texts: [texts.index(LIVES) + 1], helpful=True)
    assert (found.method, [memory.describe(ref).memory.text for ref in found.used]) == ("model", [LIVES])
    assert memory.describe(found.used[0]).memory.served == 1
    again = memory.get_context(WHERE, k=3, min_confidence=0.0)
    with pytest.raises(InvalidAskError, match="takes an embedder"):
        memory.used(again, "Far away.", method="vectors")
    assert memory.used(again, "Far away.").used == [], "what was refused has reported nothing"


def test_cases_too(memory: Memory) -> None:
    refs = told(memory)
    memory.log_outcome(refs["The deploy on Friday broke the site"], -3.0)
    cases = memory.get_similar_cases("a deploy on friday")
    found = memory.used(cases, "The deploy on Friday broke the site, so wait.")
    assert found.used == [refs["The deploy on Friday broke the site"]]


def test_a_recall_that_a_lens_hides_is_not_taken_for_the_next_one(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        agent, user = store.memory("me/agent"), store.memory("me/agent", source="ann", origin="user")
        told(user)
        hidden = agent.get_context(WHERE, k=3, min_confidence=0.0).recall_id or ""
        lens = user.seen(trust_min=2)
        with pytest.raises(InvalidAskError, match="leave out a lens"):
            lens.used(hidden, "She moved to Kyoto, in 2019.")
        shown = user.get_context("Who bakes?", k=1, min_confidence=0.0)
        with pytest.raises(InvalidAskError, match="leave out a lens"):
            lens.used(hidden, "Ana bakes [m1].")
        assert agent.used(hidden, "She moved to Kyoto, in 2019.").recall_id == hidden
        assert user.used(shown, "Ana bakes.").report is not None, "nothing was reported of it before"


def test_the_answer_and_its_id_say_the_same_of_a_long_question(memory: Memory) -> None:
    told(memory)
    memory.record_event("The billing service retries failed invoices")
    long = "I have looked at a great many things today, and come back to one of them.\n" * 3
    question = f"{long}What does the billing service do with failed invoices?"
    reply = "You ask about the billing service and failed invoices: I do not know."
    by_answer = memory.used(memory.get_context(question, k=3, min_confidence=0.0), reply)
    by_id = memory.used(memory.get_context(question, k=3, min_confidence=0.0).recall_id or "", reply)
    assert {each.ref: each.score for each in by_id.scores} == {each.ref: each.score for each in by_answer.scores}
    assert memory.said(count=1000).said[-1].question == "" and question in {
        each.question for each in memory.said(count=1000).said
    }
