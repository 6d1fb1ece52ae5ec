"""The cases of `exact` are sound, our memory takes their steps as they are meant, and sets are measured rightly."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.recall.exact.asking import tell
from benchmarks.recall.exact.case import DATA, SHAPES, Case, Judged, Note, Told, all_told, told
from benchmarks.recall.exact.measures import Answered, best_cut
from yggdrasil import Store, Where

STANDS = ("active", "contested")


def test_there_are_forty_cases_of_each_shape_and_none_is_asked_twice() -> None:
    cases = [case for memory in all_told() for case in memory.cases]
    assert Counter(case.shape for case in cases) == dict.fromkeys(SHAPES, 40)
    assert len(set(cases)) == len(cases)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_answers_a_case_stands_and_is_in_its_scope(path: Path) -> None:
    memory = told(path)
    assert len(memory.notes) == sum(isinstance(step, Note) for step in memory.steps), "an id is there twice"
    for case in memory.cases:
        assert case.answers <= memory.standing().keys() & memory.admitted(case.where), case.question
        assert bool(case.answers) or case.shape in ("nothing", "superseded"), case.question
        assert (case.where is not None) == (case.shape == "scopes"), case.question


def test_our_memory_keeps_standing_what_the_cases_say(tmp_path: Path) -> None:
    with Store.open(tmp_path, embedder="none") as store:
        for name in ("engineer", "spanish"):
            written = told(DATA / f"{name}.jsonl")
            memory = store.memory(f"exact/{name}")
            refs = tell(memory, written)
            stand = {note for note, ref in refs.items() if memory.describe(ref).memory.status in STANDS}
            assert stand == written.standing().keys()
            scoped = [case for case in written.cases if case.where is not None]
            for case in scoped:
                found = memory.get_context(case.question, k=50, min_confidence=0.0, where=case.where, record=False)
                assert set(found.refs) <= {refs[note] for note in written.admitted(case.where)}


def test_a_slot_has_one_note_and_is_empty_when_that_is_judged_out() -> None:
    steps = (
        Note("a", "Rome", key="home"),
        Note("b", "a cat"),
        Note("c", "Oslo", key="home"),
        Note("d", "two cats", supersedes="b"),
        Judged("withdraw", "c", "a holiday"),
        Judged("reinstate", "a", "she is back"),
        Judged("resolve", "d", "they left"),
    )
    assert Told("one", steps, ()).standing().keys() == {"a"}
    assert Told("one", steps[:5], ()).standing().keys() == {"d"}
    assert Told("one", steps[:4], ()).kept().keys() == {"home", "b"}


def test_sets_are_compared_by_what_is_missing_and_what_is_too_much() -> None:
    case = Case("several", "Which?", frozenset("ab"))
    exact, half, more = (Answered(case, frozenset(found)) for found in ("ab", "a", "abcd"))
    assert (exact.exact, exact.precision, exact.recall, exact.f1) == (True, 1.0, 1.0, 1.0)
    assert (half.exact, half.precision, half.recall) == (False, 1.0, 0.5)
    assert (more.precision, more.recall) == (0.5, 1.0)
    assert more.f1 == pytest.approx(2 / 3)
    silent = Answered(case, frozenset())
    assert (silent.exact, silent.precision, silent.recall, silent.f1) == (False, 0.0, 0.0, 0.0)
    nothing = replace(case, answers=frozenset[str]())
    assert Answered(nothing, frozenset()).f1 == 1.0
    assert Answered(nothing, frozenset("a")).f1 == 0.0


def test_the_best_cut_of_hindsight() -> None:
    one = Case("superseded", "One?", frozenset("a"))
    two = Case("several", "Two?", frozenset("ab"))
    none = Case("nothing", "None?", frozenset())
    order = [("a", 0.9), ("b", 0.8), ("c", 0.1)]
    ranked = [(one, order), (two, order), (two, order), (none, [("c", 0.1)])]
    for_all = [set("ab"), set("ab"), set("ab"), set("c")]
    assert best_cut(ranked, by_shape=False, scores=False) == for_all
    assert best_cut(ranked, by_shape=True, scores=False) == [set("a"), *for_all[1:]]
    assert best_cut(ranked, by_shape=True, scores=True) == [set("a"), set("ab"), set("ab"), set()]


def test_a_filter_by_features_admits_what_has_all_and_any() -> None:
    notes = (Note("a", "", ("x", "y")), Note("b", "", ("x",)), Note("c", ""))
    memory = Told("one", notes, ())
    assert memory.admitted(None) == set("abc")
    assert memory.admitted(Where(features_any=["x", "z"])) == set("ab")
    assert memory.admitted(Where(features_all=["x", "y"])) == set("a")
