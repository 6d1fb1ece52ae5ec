"""A thinker's decision takes effect once: it says from where to where it has read, and the memory keeps the latter."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.graph.commands import Said, adjust, concept, dissolve, episode, event, sleep, thinker
from tests.graph.scenario import Moment, accepted, given, node, refused, repeated, unchanged
from yggdrasil_schemas.refusals import Refusal

KNOWN = [event("e1", "a", "b"), event("e2"), concept("old", "feature:a", "feature:b")]
DECISIONS: dict[str, Callable[[dict[str, Any] | None], Said]] = {
    "commit_episode": lambda by: episode("decided", "e1", by=by),
    "form_concept": lambda by: concept("decided", "e1", "feature:a", by=by),
    "dissolve_concept": lambda by: dissolve("decided", "old", by=by),
    "adjust": lambda by: adjust("decided", "e1", evidence=("e2",), salience=0.1, by=by),
    "sleep": lambda by: sleep("decided", by=by),
}


def cursors(moment: Moment) -> dict[str, int]:
    return moment.graph.header.cursors


@pytest.mark.parametrize("kind", DECISIONS)
def test_an_accepted_decision_moves_the_cursor(kind: str) -> None:
    decided = given(*KNOWN).when(DECISIONS[kind](thinker("muse", 0, 3))).then(accepted(seq=4))
    assert cursors(decided) == {"muse": 3}
    assert decided.before["header"][-2] == {}


@pytest.mark.parametrize("kind", DECISIONS)
@pytest.mark.parametrize(
    ("by", "reason"),
    [
        (thinker("muse", 2, 3), Refusal.CURSOR_STALE),
        (thinker("muse", 0, 4), Refusal.CURSOR_AHEAD),
        (thinker("muse", 0, 0), Refusal.CURSOR_AHEAD),
    ],
    ids=["stale", "ahead", "standing still"],
)
def test_every_decision_is_held_to_its_cursor(kind: str, by: dict[str, Any], reason: Refusal) -> None:
    """The memory stands at 3 when the decision comes, which would be its fourth command; to have read on is a must."""
    turned_down = given(*KNOWN).when(DECISIONS[kind](by)).then(refused(reason))
    assert cursors(turned_down) == {}


@pytest.mark.parametrize("kind", DECISIONS)
def test_what_nobody_thought_moves_no_cursor(kind: str) -> None:
    assert cursors(given(*KNOWN).when(DECISIONS[kind](None)).then(accepted(seq=4))) == {}


def test_a_thinker_goes_on_where_it_left_off() -> None:
    before = given(*KNOWN)
    before.when(sleep("s1", by=thinker("muse", 0, 2))).then(accepted(seq=4))
    before.when(sleep("s2", by=thinker("muse", 0, 3))).then(refused(Refusal.CURSOR_STALE))
    before.when(sleep("s3", by=thinker("muse", 3, 4))).then(refused(Refusal.CURSOR_STALE))
    before.when(sleep("s4", by=thinker("muse", 2, 2))).then(refused(Refusal.CURSOR_AHEAD))
    before.when(sleep("s5", by=thinker("muse", 2, 5))).then(refused(Refusal.CURSOR_AHEAD))
    before.when(sleep("s6", by=thinker("muse", 2, 3))).then(accepted(seq=5))
    assert cursors(before.when(sleep("s7", by=thinker("muse", 3, 5))).then(accepted(seq=6))) == {"muse": 5}


def test_two_instances_that_decide_the_same_take_effect_once() -> None:
    """Under ids of their own; the second finds the cursor moved."""
    before = given(*KNOWN)
    before.when(adjust("one", "e1", evidence=("e2",), salience=0.1, by=thinker("muse", 0, 3))).then(accepted(seq=4))
    before.when(adjust("two", "e1", evidence=("e2",), salience=0.1, by=thinker("muse", 0, 3))).then(
        refused(Refusal.CURSOR_STALE), unchanged("e1")
    )


def test_a_decision_that_is_delivered_again_is_answered_as_before() -> None:
    before = given(*KNOWN)
    said = episode("day", "e1", by=thinker("muse", 0, 3))
    before.when(said).then(accepted(seq=4))
    before.when(said).then(repeated(seq=4))
    before.when(sleep("s", by=thinker("muse", 3, 4))).then(accepted(seq=5))
    assert cursors(before.when(said).then(repeated(seq=4))) == {"muse": 4}


def test_a_refused_decision_stays_refused_when_it_is_delivered_again() -> None:
    before = given(*KNOWN)
    early = sleep("early", by=thinker("muse", 0, 4))
    before.when(early).then(refused(Refusal.CURSOR_AHEAD))
    before.when(event("e3"))
    before.when(early).then(repeated(seq=0, reason=Refusal.CURSOR_AHEAD))


def test_each_thinker_has_a_cursor_of_its_own_whatever_its_version() -> None:
    before = given(*KNOWN, sleep("s1", by=thinker("muse", 0, 3)))
    before.when(sleep("s2", by=thinker("sage", 0, 1))).then(accepted(seq=5))
    later = before.when(sleep("s3", by=thinker("muse", 3, 5, version="2"))).then(accepted(seq=6))
    assert cursors(later) == {"muse": 5, "sage": 1}


def test_thirty_two_thinkers_are_enough() -> None:
    full = given(*KNOWN, *(sleep(f"s{n}", by=thinker(f"muse {n}", 0, 1)) for n in range(32)))
    full.when(sleep("one more", by=thinker("muse 32", 0, 3))).then(refused(Refusal.THINKERS_FULL))
    full.when(sleep("a known one", by=thinker("muse 31", 1, 3))).then(accepted(seq=36))
    full.when(sleep("nobody")).then(accepted(seq=37))


def test_a_refused_decision_changes_nothing_of_what_it_decided() -> None:
    """The cursor is checked last, and before anything is done."""
    stale: list[Said] = [decide(thinker("muse", 9, 9)) for decide in DECISIONS.values()]
    for said in stale:
        given(*KNOWN).when(said).then(
            refused(Refusal.CURSOR_STALE), unchanged("e1", "e2", "old", "feature:a"), node("old", degree=2)
        )
