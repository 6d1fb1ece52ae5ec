"""The world of `ledger` is as honest as it says, its rules are the usual ones, and its measures measure that."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.ledger.claiming import claims
from benchmarks.ledger.keeping import notes
from benchmarks.ledger.measures import (
    Hidden,
    Sorted,
    calibration,
    current_right,
    hidden,
    quarantine,
    right_at,
    several,
)
from benchmarks.ledger.rules import RULES, Belief, latest_seen
from benchmarks.ledger.world import DAYS, LATE, Interval, Report, Slot, Source, World, sources, world

MIXES = ("graded", "misleading", "one liar", "alone")
SLOT = Slot("Bako", "owner")
CLERK = Source("clerk", "user", 2, 1.0, 0.1, 0.9)


def report(value: str, told: float, since: float, *, sure: int = 90, false: bool = False, late: bool = False) -> Report:
    return Report(SLOT, value, CLERK, told, since, None, sure, false, late)


def lived(*reports: Report) -> World:
    truth = {SLOT: [Interval("Ann", 0.0, 100.0), Interval("Ben", 100.0, DAYS)]}
    return World("one", truth, list(reports), [CLERK])


@pytest.mark.parametrize("mix", MIXES)
def test_as_much_is_late_and_false_as_the_world_says_and_each_source_is_as_reliable(mix: str) -> None:
    drawn = world(mix, 0.1, 60, seed=3)
    assert drawn == world(mix, 0.1, 60, seed=3) != world(mix, 0.1, 60, seed=4)
    count = len(drawn.reports)
    assert sum(each.late for each in drawn.reports) == pytest.approx(LATE * count, abs=1)
    assert sum(each.false for each in drawn.reports) / count == pytest.approx(0.1, abs=0.02)
    assert sum(each.share for each in drawn.sources) == pytest.approx(1.0)
    assert sum(each.share * each.false for each in drawn.sources) == pytest.approx(0.1, abs=0.002)
    for source in drawn.sources:
        told = [each for each in drawn.reports if each.source == source]
        assert sum(each.false for each in told) / len(told) == pytest.approx(source.false, abs=0.06)
    assert all(source.false == 0.0 for source in sources(mix, 0.0))


def test_reports_are_of_what_was_true_unless_they_say_otherwise() -> None:
    drawn = world("graded", 0.2, 20, seed=1)
    assert [each.told for each in drawn.reports] == sorted(each.told for each in drawn.reports)
    for each in drawn.reports:
        interval = next(one for one in drawn.truth[each.slot] if one.begin <= each.since < one.end)
        assert (each.value != interval.value) == each.false
        assert each.since <= each.told <= DAYS
        assert each.late or each.told <= interval.end
        assert not each.late or each.told >= interval.end
        assert each.until in ((None, interval.end) if each.late else (None,))
    for slot, history in drawn.truth.items():
        assert history[0].begin == 0.0 and history[-1].end == DAYS
        assert all(one.end == two.begin and one.value != two.value for one, two in pairwise(history))
        told = [each.since for each in drawn.reports if each.slot == slot]
        assert all(any(one.begin <= since < one.end for since in told) for one in history), "an interval nobody saw"


def test_the_rules_are_the_usual_ones() -> None:
    reports = [
        report("Ann", 2.0, 1.0, sure=95),
        report("Ann", 50.0, 50.0),
        report("Ben", 102.0, 101.0, sure=80),
        report("Ann", 300.0, 60.0, sure=70, late=True),
    ]
    then = {name: rule(reports, 150.0) for name, rule in RULES.items()}
    end = {name: rule(reports, DAYS) for name, rule in RULES.items()}
    assert [then[name].value for name in RULES] == ["Ben", "Ann", "Ann", "Ben"]
    assert [end[name].value for name in RULES] == ["Ann", "Ann", "Ann", "Ben"]
    assert end["majority"] == Belief("Ann", 0.75) and end["last write"].confidence == 0.7
    assert latest_seen(reports, 80.0).value == "Ann", "what was told later is known now to have been seen then"
    assert all(rule(reports, 0.5) == Belief(None) for rule in RULES.values())


def test_right_is_what_was_true_on_that_day() -> None:
    drawn = lived(report("Ben", 102.0, 101.0))
    assert current_right(drawn, {SLOT: Belief("Ben")}) == 1.0
    assert current_right(drawn, {SLOT: Belief("Ann")}) == 0.0
    assert right_at(drawn, {(SLOT, 99.0): Belief("Ann"), (SLOT, 100.0): Belief("Ann")}) == 0.5


def test_a_true_value_is_hidden_wrongly_where_it_would_be_shown_without_what_is_false_or_late() -> None:
    late = report("Ann", 200.0, 50.0, late=True)
    drawn = lived(report("Ann", 2.0, 1.0), report("Ben", 102.0, 101.0), late, report("Cora", 300.0, 299.0, false=True))
    assert [drawn.tells_now(each) for each in drawn.reports] == [False, True, False, False]
    assert [each.value for each in drawn.honest().reports] == ["Ann", "Ben"] and drawn.honest().truth == drawn.truth
    assert hidden(drawn, {SLOT: {"Cora"}}, {SLOT: {"Ben"}}) == Hidden(1.0, 1.0, 0.0), "the clerk took it back"
    assert hidden(drawn, {SLOT: {"Ann"}}, {SLOT: {"Ann"}}) == Hidden(0.0, 0.0, 1.0), "it waits, whatever was told"
    assert hidden(drawn, {SLOT: {"Ben", "Cora"}}, {SLOT: {"Ann"}}) == Hidden(0.0, 0.0, 0.0), "it is contested"
    stood_by = lived(*drawn.reports, replace(report("Ben", 310.0, 309.0), source=replace(CLERK, name="other")))
    assert hidden(stood_by, {SLOT: {"Cora"}}, {SLOT: {"Ben"}}) == Hidden(1.0, 0.0, 0.0), "another has told it since"
    never = lived(report("Ann", 2.0, 1.0), late)
    assert hidden(never, {SLOT: {"Ann"}}, {SLOT: {"Ann"}}) == Hidden(0.0, 0.0, 0.0), "nobody has told the true value"


def test_several_values_are_shown_where_they_are_contested() -> None:
    assert several({SLOT: {"Ann", "Ben"}, Slot("Bako", "city"): {"Ann"}}) == 0.5
    assert several({}) == 0.0


def test_quarantine_is_precise_where_what_waits_is_false() -> None:
    things = [
        Sorted(True, True, True),
        Sorted(True, False, True),
        Sorted(True, False, False),
        Sorted(False, True, True),
    ]
    figures = quarantine([*things, Sorted(False, False, False)])
    assert list(figures.values()) == pytest.approx([50.0, 100 / 3, 100 / 3])
    assert set(quarantine([]).values()) == {0.0}


def test_confidence_is_calibrated_where_it_is_the_share_that_is_right() -> None:
    assert list(calibration([(0.75, True)] * 3 + [(0.75, False)])) == pytest.approx([0.0, 0.1875])
    assert calibration([(1.0, False)] * 3) == (1.0, 1.0)
    half_wrong = [(0.95, True), (0.95, False), (0.25, False), (0.25, False)]
    assert calibration(half_wrong)[0] == pytest.approx(0.5 * 0.45 + 0.5 * 0.25)
    assert calibration([]) == (0.0, 0.0)


def test_a_memory_believes_what_it_was_told(tmp_path: Path) -> None:
    drawn = lived(report("Ann", 2.0, 1.0), report("Ben", 102.0, 101.0), report("Ann", 300.0, 60.0, late=True))
    as_claims = claims(drawn, tmp_path / "claims", "confidence", {SLOT: [50.0, 150.0]})
    assert as_claims.current[SLOT].value == "Ben" and as_claims.shown == {SLOT: {"Ben"}}
    assert [belief.value for belief in as_claims.at.values()] == ["Ann", "Ben"]
    assert right_at(drawn, as_claims.at) == 1.0
    as_notes = notes(drawn, tmp_path / "notes")
    assert as_notes.current[SLOT].value == "Ann", "a note knows of no time but the order in which it was told"
    assert all(not thing.false for thing in [*as_claims.things, *as_notes.things])
