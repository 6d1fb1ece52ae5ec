"""A decision in parts: the cursor moves when all are in, each is taken once, and a name can be freed."""

import pytest

from tests.graph.commands import adjust, concept, event, retire, sleep, thinker
from tests.graph.scenario import Moment, accepted, given, node, refused, repeated, unchanged
from yggdrasil_schemas.graph.records import Window
from yggdrasil_schemas.refusals import Refusal

KNOWN = [event("e1", "a", "b"), event("e2"), event("e3")]


def part(number: int, of: int = 3, start: int = 0, end: int = 3) -> dict[str, object]:
    return thinker("muse", start, end, part=number, parts=of)


def standing(moment: Moment) -> tuple[dict[str, int], dict[str, Window]]:
    header = moment.graph.header
    return header.cursors, header.windows


def test_the_cursor_moves_when_all_parts_are_in_whatever_their_order() -> None:
    before = given(*KNOWN)
    opened = before.when(adjust("two", "e1", evidence=("e1",), salience=0.1, by=part(2))).then(accepted(seq=4))
    assert standing(opened) == ({"muse": 0}, {"muse": Window(3, 3, 0b100)})
    more = before.when(concept("zero", "feature:a", "feature:b", by=part(0))).then(accepted(seq=5))
    assert standing(more) == ({"muse": 0}, {"muse": Window(3, 3, 0b101)})
    whole = before.when(sleep("one", by=part(1))).then(accepted(seq=6))
    assert standing(whole) == ({"muse": 3}, {})
    assert standing(before.when(sleep("next", by=thinker("muse", 3, 6))).then(accepted(seq=7))) == ({"muse": 6}, {})


def test_each_part_is_taken_once() -> None:
    before = given(*KNOWN, adjust("zero", "e1", evidence=("e1",), salience=0.1, by=part(0)))
    before.when(adjust("zero too", "e1", evidence=("e1",), salience=0.1, by=part(0))).then(
        refused(Refusal.PART_STALE), unchanged("e1")
    )
    before.when(sleep("one", by=part(1))).then(accepted(seq=5))
    before.when(sleep("two", by=part(2))).then(accepted(seq=6))
    before.when(sleep("two too", by=part(2))).then(refused(Refusal.CURSOR_STALE))


def test_what_is_delivered_again_after_a_crash_between_parts_takes_effect_once() -> None:
    """The thinker has sent the first of two, and sends both again."""
    first = adjust("first", "e1", evidence=("e1",), salience=0.1, by=part(0, of=2))
    second = adjust("second", "e2", evidence=("e2",), salience=0.1, by=part(1, of=2))
    before = given(*KNOWN, first)
    before.when(first).then(repeated(seq=4))
    done = before.when(second).then(accepted(seq=5), node("e1", tick=3), node("e2", tick=3))
    assert standing(done) == ({"muse": 3}, {})
    before.when(first).then(repeated(seq=4))
    before.when(second).then(repeated(seq=5))


def test_two_instances_that_interleave_complete_one_decision() -> None:
    """Under ids of their own: of each part that comes first is taken, and both go on from the same cursor."""
    before = given(*KNOWN)
    before.when(sleep("a0", by=part(0, of=2))).then(accepted(seq=4))
    before.when(sleep("b0", by=part(0, of=2))).then(refused(Refusal.PART_STALE))
    before.when(sleep("b1", by=part(1, of=2))).then(accepted(seq=5))
    before.when(sleep("a1", by=part(1, of=2))).then(refused(Refusal.CURSOR_STALE))
    assert standing(before.when(sleep("a2", by=thinker("muse", 3, 5))).then(accepted(seq=6))) == ({"muse": 5}, {})


@pytest.mark.parametrize(
    "other",
    [part(1, end=2), part(1, of=2), part(1, start=3, end=4), thinker("muse", 0, 3)],
    ids=["another end", "another number", "the next one", "a whole one"],
)
def test_another_decision_waits_until_the_open_one_is_whole(other: dict[str, object]) -> None:
    before = given(*KNOWN, sleep("zero", by=part(0)))
    turned_down = before.when(sleep("other", by=other)).then(refused(Refusal.CURSOR_STALE))
    assert turned_down.answer.refused is not None
    assert turned_down.answer.refused.detail == "of the decision up to 3 parts 1, 2 of 3 still to come"
    before.when(sleep("one", by=part(1))).then(accepted(seq=5))
    last = before.when(sleep("other too", by=other)).then(refused(Refusal.CURSOR_STALE))
    assert last.answer.refused is not None
    if other["part" if "part" in other else "name"] != 1 or other.get("cursor_to") != 3:
        assert last.answer.refused.detail == "of the decision up to 3 part 2 of 3 still to come"


def test_thinkers_do_not_wait_for_each_other() -> None:
    before = given(*KNOWN, sleep("zero", by=part(0)))
    after = before.when(sleep("sage's", by=thinker("sage", 0, 4))).then(accepted(seq=5))
    assert standing(after) == ({"muse": 0, "sage": 4}, {"muse": Window(3, 3, 1)})


def test_sixty_four_parts_are_the_most() -> None:
    before = given(*KNOWN, *(sleep(f"s{number}", by=part(number, of=64)) for number in range(63)))
    assert standing(before.when(sleep("s63", by=part(63, of=64))).then(accepted(seq=67))) == ({"muse": 3}, {})
    before.when(sleep("wide", by=thinker("wide", 0, 3, part=0, parts=65))).then(refused(Refusal.INVALID_BODY))


@pytest.mark.parametrize(("number", "of"), [(1, 1), (2, 2), (-1, 2), (64, 64), (0, 0)])
def test_a_part_is_one_of_as_many_as_there_are(number: int, of: int) -> None:
    given(*KNOWN).when(sleep("odd", by=part(number, of))).then(refused(Refusal.INVALID_BODY))


def test_the_first_part_takes_a_place_among_the_thinkers() -> None:
    full = given(*KNOWN, *(sleep(f"s{n}", by=thinker(f"t{n}", 0, 3, part=0, parts=2)) for n in range(32)))
    full.when(sleep("more", by=part(0))).then(refused(Refusal.THINKERS_FULL))
    full.when(sleep("known", by=thinker("t31", 0, 3, part=1, parts=2))).then(accepted(seq=36))


def test_a_retired_thinker_gives_its_name_back() -> None:
    full = given(*KNOWN, *(sleep(f"s{n}", by=thinker(f"t{n}", 0, 3)) for n in range(32)))
    full.when(sleep("more", by=part(0))).then(refused(Refusal.THINKERS_FULL))
    full.when(retire("r1", "t7")).then(accepted(seq=36), unchanged("e1", "e2", "e3"))
    begun = full.when(sleep("more too", by=part(0))).then(accepted(seq=37))
    assert "t7" not in standing(begun)[0]
    full.when(sleep("old", by=thinker("t7", 3, 4))).then(refused(Refusal.CURSOR_STALE))
    full.when(sleep("anew", by=thinker("t7", 0, 3))).then(refused(Refusal.THINKERS_FULL))


def test_to_retire_a_thinker_drops_the_parts_that_were_in() -> None:
    before = given(*KNOWN, sleep("zero", by=part(0)))
    assert standing(before.when(retire("r", "muse")).then(accepted(seq=5))) == ({}, {})
    again = before.when(sleep("zero too", by=part(0))).then(accepted(seq=6))
    assert standing(again) == ({"muse": 0}, {"muse": Window(3, 3, 1)})


def test_only_an_operator_retires_and_only_what_there_is() -> None:
    before = given(*KNOWN, sleep("zero", by=part(0)))
    before.when(retire("r1", "muse", origin="thinker")).then(refused(Refusal.NOT_ALLOWED))
    before.when(retire("r2", "nobody", origin="agent")).then(refused(Refusal.NOT_ALLOWED))
    before.when(retire("r3", "nobody")).then(refused(Refusal.UNKNOWN_THINKER))
    before.when(retire("r3", "nobody")).then(repeated(seq=0, reason=Refusal.UNKNOWN_THINKER))
    before.when(retire("r4", "")).then(refused(Refusal.INVALID_BODY))
