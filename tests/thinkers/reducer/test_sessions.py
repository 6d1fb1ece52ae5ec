"""When a session has ended, and what becomes of what it said by then."""

from collections.abc import Sequence
from dataclasses import replace

from tests.thinkers.told import decided, event, outcome
from yggdrasil_processors.thinkers.reducer import Reducer
from yggdrasil_processors.thinkers.reducer.reducer import SILENT_TICKS
from yggdrasil_processors.thinkers.reducer.state import FOUND_MAX, ReducerState
from yggdrasil_processors.thinkers.thinker import Decision, Heard
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

ANA = "speaker:Ana"


def said(seq: int, text: str, *features: str, session: str = "s", boundary: str | None = None) -> Happening:
    return replace(event(seq, *features, session=session), text=text, boundary=boundary)


def objects(decisions: Sequence[Decision]) -> list[object]:
    return [each.object for each in decisions]


def test_a_session_is_reduced_when_it_is_closed() -> None:
    told = [
        said(1, "I live in Rome.", ANA),
        said(2, "I speak Dutch.", ANA, session="other"),
        said(3, "We are done.", ANA, boundary="close"),
    ]
    ((after, claim),) = decided(Reducer(), told)
    assert (after, claim.object, claim.session, claim.body["evidence"]) == ("e3", "Rome", "s", ["e1"])
    assert claim.body["candidate"] and claim.text == 'ana lives in Rome: "I live in Rome."'


def test_one_that_nobody_closes_is_reduced_when_it_is_silent() -> None:
    told = [said(1, "I live in Rome.", ANA)]
    told += [said(seq, "Hello there.", session="other") for seq in range(2, SILENT_TICKS + 20)]
    ((after, claim),) = decided(Reducer(), told)
    assert claim.object == "Rome" and SILENT_TICKS < int(after.removeprefix("e")) <= SILENT_TICKS + 9


def test_the_last_word_of_a_session_counts_and_what_is_said_twice_is_one_claim() -> None:
    told = [
        said(1, "The demo is on Tuesday."),
        said(2, "I speak Dutch.", ANA),
        said(3, "The demo moved to Thursday."),
        said(4, "Once more, I speak Dutch.", ANA),
        said(5, "I speak Korean.", ANA),
    ]
    reducer, state = Reducer(), ReducerState()
    assert decided(reducer, told, state=state) == []
    found = reducer.rest(state)
    assert [(each.object, each.body["evidence"]) for each in found] == [
        ("Dutch", ["e2", "e4"]),
        ("Thursday", ["e3"]),
        ("Korean", ["e5"]),
    ]
    assert state.sessions == {} and reducer.rest(state) == []


def test_a_recovery_is_about_the_failure_before_it() -> None:
    told = [
        said(1, "Ran the tests.", "task:T-1"),
        replace(outcome(2, "e1", -3, "failure:tool"), session="s"),
        said(3, "The fix was to clear the package cache."),
        said(4, "Never pin two versions of one package.", boundary="close"),
    ]
    found = [decision for _, decision in decided(Reducer(), told)]
    assert [(each.body["subject"], each.body["predicate"], each.body["claim_class"]) for each in found] == [
        ("failure:tool", "recovery", "lesson"),
        ("task:T-1", "warning", "lesson"),
    ]
    assert found[0].text == "The fix was to clear the package cache."


def test_where_more_waits_than_is_held_a_session_is_not_waited_for() -> None:
    names = [f"X{chr(97 + at // 26)}{chr(97 + at % 26)}" for at in range(FOUND_MAX + 1)]
    told = [said(seq, f"{name} lives in Oslo.") for seq, name in enumerate(names, 1)]
    found = decided(Reducer(), told)
    assert len(found) == FOUND_MAX + 1 and {after for after, _ in found} == {told[-1].id}


def test_what_a_model_finds_waits_for_the_end_too() -> None:
    reducer, state = Reducer(), ReducerState()
    spoken = said(1, "Mia took a job as a nurse. Check the dose twice, we learnt.", "person:mia", "task:T-1")
    reducer.observe(state, spoken)
    heard = [
        Heard("person:Mia", "works_as", "nurse", "Mia took a job as a nurse.", "m"),
        Heard("person:Mia", "works_as", "head surgeon", "Mia took a job as a nurse.", "m"),
        Heard("speaker", "lesson", "check the dose twice", "Check the dose twice, we learnt.", "m"),
    ]
    assert reducer.hear(state, spoken, heard) == ()
    assert objects(reducer.rest(state)) == ["nurse", "check the dose twice"]
