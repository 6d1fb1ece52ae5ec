"""Of what is said several times in the same words the latest stands for all; what differs by one word is all there."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.size import turns
from yggdrasil import Event, InvalidAskError, Memory, Where
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.asks import Ask

BOATS = [f"Boat {number} lay at anchor in the bay" for number in range(20)]


@pytest.fixture
def memory(tmp_path: Path, embedder: Any) -> Iterator[Memory[Any]]:
    with Memory.open(tmp_path / "memory", "said/once", partitions=1, embedder=embedder) as opened:
        opened.record_many([Event(text, session="bay") for text in BOATS])
        yield opened


def texts(memory: Memory[Any], query: str, **given: Any) -> list[str | None]:
    return [each.memory.text for each in memory.get_context(query, record=False, **given).found]


PAIRS = [
    (["Deployments on Friday are allowed", "Deployments on Friday are not allowed"], "Are Friday deployments allowed?"),
    (["The API answers in 300 ms under load", "The API answers in 250 ms under load"], "How fast is the API?"),
    (["Order 17 was shipped to Oslo", "Order 18 was shipped to Oslo", "Order 19 was shipped to Oslo",
      "Order 20 was shipped to Oslo"], "Which orders were shipped to Oslo?"),
    (["Ana owes Bo fifty crowns", "Bo owes Ana fifty crowns"], "Who owes fifty crowns to whom?"),
    (["The gate may be opened at night", "The gate must be opened at night"], "May the gate be opened at night?"),
    (["The backup runs on Monday", "The backup runs on Sunday"], "When does the backup run?"),
    (["Room A is taken by the auditors", "Room B is taken by the auditors"], "Which room is taken by the auditors?"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "query"), PAIRS)
@pytest.mark.parametrize("given", [{}, {"k": 10}])
def test_notes_that_differ_in_a_word_are_all_there(
    memory: Memory[Any], said: list[str], query: str, given: dict[str, Any]
) -> None:
    features = ["plan", "shared", "topic"]
    memory.record_many([Event(text, session="work", features=features) for text in said])
    assert set(said) <= set(texts(memory, query, **given))
    assert memory.get_context(query, record=False, **given).left_out == 0


TOLD = [
    "Ana likes green tea",
    "ana likes green tea!",
    "Um, Ana likes green tea.",
]


def test_the_latest_stands_for_all_that_say_the_same(memory: Memory[Any]) -> None:
    """In other sessions, with other features, in another case: the text alone is compared."""
    *_, ref = [
        memory.record_event(text, session=f"s{at}", features=[f"namespace-{at}"], at=1_000 + at)
        for at, text in enumerate(TOLD)
    ]
    found = memory.get_context("What does Ana like?", record=False)
    assert [(each.memory.ref, each.repeats, each.since) for each in found.found] == [(ref, 2, 1_000)]
    assert found.left_out == 2
    assert "said 3 times since 1970-01-01" in found.text()
    each = memory.get_context("What does Ana like?", record=False, similar=True)
    assert {one.memory.text for one in each.found} >= set(TOLD)
    assert each.left_out == 0
    assert all(one.repeats == 0 and one.since is None for one in each.found)


def test_what_was_said_later_counts_as_later_though_it_was_recorded_first(memory: Memory[Any]) -> None:
    later = memory.record_event("Ana likes green tea", at=2_000)
    memory.record_event("Ana likes green tea", at=1_000)
    found = memory.get_context("What does Ana like?", record=False).found
    assert [(each.memory.ref, each.since) for each in found] == [(later, 1_000)]


def test_a_filter_sees_only_what_it_admits(memory: Memory[Any]) -> None:
    for session in ("a", "b"):
        memory.record_event("Ana likes green tea", session=session)
    within = memory.get_context("What does Ana like?", where=Where(sessions=["a"]), record=False)
    assert [(each.memory.session, each.repeats) for each in within.found] == [("a", 0)]
    assert within.left_out == 0


def test_what_was_withdrawn_is_no_repetition(memory: Memory[Any]) -> None:
    first = memory.record_event("Ana likes green tea")
    second = memory.record_event("Ana likes green tea")
    memory.withdraw(second, reason="said by mistake")
    found = memory.get_context("What does Ana like?", record=False).found
    assert [(each.memory.ref, each.repeats) for each in found] == [(first, 0)]


def test_what_ended_otherwise_is_there_by_itself(memory: Memory[Any]) -> None:
    well, badly, again, never = (memory.record_event("Deployed on a Friday") for _ in range(4))
    memory.log_outcome(well, 3)
    memory.log_outcome(badly, -3)
    memory.log_outcome(again, -4)
    found = memory.get_context("Deployed on a Friday", k=10, record=False)
    shown = {each.memory.ref: each.repeats for each in found.found if each.memory.text == "Deployed on a Friday"}
    assert shown == {well: 0, again: 2}  # what has not ended joins the latest that has
    assert found.left_out == 2 and never not in shown
    cases = memory.get_similar_cases("Deployed on a Friday", record=False)
    assert [case.found.memory.ref for case in cases.good] == [well]
    assert [case.found.memory.ref for case in cases.bad] == [again]
    both = memory.get_similar_cases("Deployed on a Friday", similar=True, record=False)
    assert {case.found.memory.ref for case in both.bad} == {badly, again}


def test_who_is_trusted_less_never_takes_a_place(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    with Memory.open(path, "said/once", partitions=1, source="person", origin="user") as people:
        ref = people.record_event("The safe is in the cellar")
    with Memory.open(path, "said/once", source="bot") as agent:
        agent.record_event("the safe is in the cellar", at=1)
        agent.record_event("the safe is in the cellar")
        found = agent.get_context("Where is the safe?", record=False)
        assert [(each.memory.ref, each.repeats) for each in found.found] == [(ref, 2)]
        assert found.found[0].since == found.found[0].memory.at  # a time that who is trusted less has made up is none


def test_claims_of_other_times_are_not_the_same(memory: Memory[Any]) -> None:
    for begins, ends in ((2_000, 3_000), (5_000, 6_000)):
        memory.assert_claim("ana", "lives_in", "Oslo", text="Ana lives in Oslo", valid_from=begins, valid_to=ends)
    found = memory.get_context("Where does Ana live?", history=True, record=False)
    assert len([each for each in found.found if each.memory.text == "Ana lives in Oslo"]) == 2


def test_a_line_that_is_said_a_thousand_times_hides_nothing(memory: Memory[Any]) -> None:
    memory.record_many([Event("Deploy of the checkout failed", session=f"n{n}") for n in range(1_000)])
    other = memory.record_event("Deploy of the checkout failed since the disk was full")
    found = memory.get_context("Why did the deploy of the checkout fail?", k=10, record=False)
    assert other in found.refs
    assert {each.repeats for each in found.found} >= {999}
    assert found.left_out >= 999


def test_pages_tell_each_thing_once(memory: Memory[Any]) -> None:
    names = "ada ben cleo dan eva finn gus hana ivo jana kai lia".split()  # noqa: SIM905
    for _ in range(3):
        memory.record_many([Event(f"{name.title()} is on the enterprise plan") for name in names])
    told: list[str | None] = []
    more: Any = None
    while True:
        found = memory.get_context("Who is on the enterprise plan?", k=5, more=more)
        page = [each for each in found.found if each.memory.text not in BOATS]  # k is served to its end
        told += [each.memory.text for each in page]
        assert all(each.repeats >= 2 for each in page)
        memory.record_event("Ada is on the enterprise plan")  # said once more between two pages
        more = found.more
        if more is None or more.cursor is None:
            break
    assert sorted(map(str, told)) == sorted(f"{name.title()} is on the enterprise plan" for name in names)


def test_a_claim_hides_only_an_event_whose_words_it_says_in_order(memory: Memory[Any]) -> None:
    said = memory.record_event("Bo owes Ana fifty crowns")
    memory.assert_claim("ana", "owes", "bo", text="Ana owes Bo fifty crowns", evidence=[said])
    assert said in memory.get_context("Who owes fifty crowns?", k=10, record=False).refs


def test_what_a_claim_leaves_out_is_counted(memory: Memory[Any]) -> None:
    said = memory.record_event("Ana lives in Oslo")
    claim = memory.assert_claim("ana", "lives_in", "Oslo", text="Ana lives in Oslo", evidence=[said])
    found = memory.get_context("Where does Ana live?", k=10, record=False)
    assert claim in found.refs and said not in found.refs
    assert found.left_out == 1
    assert {claim, said} <= set(memory.get_context("Where does Ana live?", k=10, similar=True, record=False).refs)


def test_an_event_that_a_concept_absorbed_is_searched_and_shown(memory: Memory[Any]) -> None:
    features = ["tea", "ana", "morning"]
    memory.record_event("Tea in the morning", features=features)
    memory.form_concept([f"feature:{each}" for each in features], text="Mornings with tea")
    absorbed = memory.record_event("Ana had her tea on the balcony", features=features)
    assert absorbed in memory.get_context("Where did Ana have her tea?", record=False).refs


def test_a_recall_of_all_that_says_the_same_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    with Memory.open(path, "said/once", partitions=1, embedder="none") as memory:
        for text in TOLD:
            memory.record_event(text)
        for similar in (True, False):
            memory.get_context("What does Ana like?", similar=similar)
            memory.get_similar_cases("What does Ana like?", similar=similar)
    with closing(LocalLog.open_read_only(path / "log")) as log:
        proofs = list(prove(log, tmp_path / "again", list(recalls_in(log, "said/once"))))
    assert len(proofs) == 4
    assert all(proof.holds for proof in proofs)
    assert {len(proof.returned_again or ()) for proof in proofs} >= {1, 3}


def test_a_cursor_of_each_is_none_of_one(memory: Memory[Any]) -> None:
    memory.record_many([Event(f"Note {n} about tea") for n in range(30)])
    found = memory.get_context("Which notes are about tea?", k=3, record=False)
    with pytest.raises(InvalidAskError, match="of another question"):
        memory.get_context("Which notes are about tea?", k=3, similar=True, more=found.more, record=False)


def test_similar_is_true_or_false() -> None:
    with pytest.raises(InvalidAskError, match="similar is true or false"):
        Ask("said/once", "tea", similar="yes")  # type: ignore[arg-type]  # as whoever has no types might


WORDS = ["the", "crew", "moved", "cargo", "crates", "from", "dock", "barge", "before", "noon", "with", "rope", "lamp"]
KINDS = [
    ("may", "must"), ("is", "is not"), ("17", "18"), ("ms", "s"), ("monday", "friday"), ("a", "b"), ("May", "June"),
    ("never", "always"), ("kg", "g"), ("+5", "-5"), ("1.5", "15"), ("3%", "3"), ("nicht", "nun"), ("Ana", "Bo"),
]  # fmt: skip


def test_of_random_notes_that_differ_in_one_word_both_are_found(tmp_path: Path) -> None:
    drawn = random.Random(34)
    with Memory.open(tmp_path / "memory", "said/once", partitions=1, embedder="none") as memory:
        for turn in range(turns(short=30, long=300)):
            words = drawn.sample(WORDS, 6)
            at, (one, other) = drawn.randrange(len(words) + 1), drawn.choice(KINDS)
            said = [" ".join([f"case{turn}", *words[:at], word, *words[at:]]) for word in (one, other)]
            memory.record_many([Event(text, session=f"s{turn}") for text in said])
            assert set(said) <= set(texts(memory, f"case{turn} {' '.join(words)}", k=10)), said


def test_asked_for_each_of_what_says_the_same_all_of_it_comes_however_near_it_is(memory: Memory[Any]) -> None:
    said = {memory.record_event(f"Set the offset to five degrees{mark}") for mark in ("", ".")}
    found = memory.get_context("What is the offset?", record=False)
    assert (len(found.found), found.left_out) == (1, 1)
    each = memory.get_context("What is the offset?", similar=True, record=False)
    assert (set(each.refs), each.left_out, each.more) == (said, 0, None)


@pytest.mark.parametrize("order", ["eeec", "coe", "ceo", "coo", "eco"])
def test_what_a_claim_stands_for_is_counted_with_what_says_the_same(memory: Memory[Any], order: str) -> None:
    said = "The depot gate opens at six"
    for each in order:
        if each == "c":
            evidence = [memory.record_event(said)]
            memory.assert_claim("gate", "opens_at", "six", text=said, evidence=evidence)
        elif each == "o":
            memory.observe(said, [("gate", "opens_at", "six")])
        else:
            memory.record_event(said)
    found = memory.get_context("When does the depot gate open?", record=False)
    every = memory.get_context("When does the depot gate open?", similar=True, record=False)
    assert len(found.found) + found.left_out == len(every.found) and every.left_out == 0
    assert len({one.memory.text for one in found.found}) == len(found.found)
