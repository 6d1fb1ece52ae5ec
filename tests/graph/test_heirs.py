"""A late outcome of what was forgotten lands on what contained it."""

from yggdrasil_schemas.graph import EdgeKind, NodeKind
from yggdrasil_schemas.refusals import Refusal

from tests.graph.by_hand import TEN, faded
from tests.graph.commands import MEMORY, Said, concept, dissolve, episode, event, outcome, pin, recall
from tests.graph.scenario import Given, accepted, edge, given, gone, no_edge, node, refused, unchanged

CAUSAL, CONTAINS = EdgeKind.CAUSAL, EdgeKind.CONTAINS


def crowded(*said: Said, until: int) -> Given:
    """These, and then events x0, x1, ... until that many nodes were made; above ten the oldest go, one for one."""
    before = given(TEN, *said)
    made = before.world.graph(MEMORY).header.nodes
    for n in range(until - made):
        assert before.world.say(event(f"x{n}")).refused is None
    return before


def test_an_episode_inherits_the_outcomes_of_its_events() -> None:
    """As if it had been the episode's own: m is 3, and a and b, which it was associated with, carry it."""
    known = [event("old", "a", "b"), episode("day", "old"), pin("core", "day"), pin("more", "feature:a")]
    before = crowded(*known, until=11)
    before.when(outcome("late", "old", 2.0)).then(
        gone("old"),
        node("day", impact=3, good=1, salience=faded(1.75, 7, 1e6) + 0.5 * 3),
        edge("day", CAUSAL, "late", weight=1 + 3, permanence=0.3),
        node("late", kind=NodeKind.OUTCOME, degree=2),
        node("feature:a", impact=1.5, valence=0.3),
    )


def test_a_concept_inherits_where_there_is_no_episode() -> None:
    known = [event("old", "a"), concept("idea", "old", "feature:a"), pin("core", "idea"), pin("more", "feature:a")]
    before = crowded(*known, until=11)
    before.when(outcome("late", "old", 2.0)).then(
        gone("old"),
        node("idea", impact=3, good=1, valence=0),
        edge("idea", CAUSAL, "late", weight=1 + 3),
        edge("idea", CONTAINS, "feature:a"),
        node("feature:a", impact=3, valence=0.6),
    )


def test_an_episode_comes_before_a_concept() -> None:
    """The concept is only half of what carries it, beside a: it contained the event when the episode was made."""
    known = [event("old", "a"), concept("idea", "old", "feature:a"), episode("day", "old")]
    before = crowded(*known, pin("core", "day"), pin("more", "idea"), until=11)
    before.when(outcome("late", "old", 2.0)).then(
        gone("old"),
        node("day", impact=3),
        edge("day", CAUSAL, "late", weight=1 + 3),
        node("idea", impact=1.5),
        no_edge("idea", CAUSAL, "late"),
    )


def test_of_several_episodes_the_oldest_inherits() -> None:
    known = [event("old"), episode("first", "old"), episode("second", "old")]
    before = crowded(*known, pin("core", "first"), pin("more", "second"), until=11)
    before.when(outcome("late", "old", 2.0)).then(
        gone("old"), node("first", impact=3), edge("first", CAUSAL, "late"), no_edge("second", CAUSAL, "late")
    )


def test_an_heir_may_have_an_heir() -> None:
    """old was in day, and day in idea. By the thirteenth node old, a and day are gone; b is pinned."""
    known = [event("old", "b"), episode("day", "old"), concept("idea", "day", "feature:b")]
    before = crowded(*known, pin("core", "idea"), pin("more", "feature:b"), until=12)
    before.when(outcome("late", "old", 2.0)).then(
        gone("old", "day"),
        node("idea", impact=3),
        edge("idea", CAUSAL, "late", weight=1 + 3),
        node("feature:b", impact=3),
    )
    before.when(outcome("of the day", "day", 1.0)).then(edge("idea", CAUSAL, "of the day"), node("idea", impact=4))


def test_an_heir_that_is_gone_without_one_leaves_nothing() -> None:
    known = [event("old", "a"), concept("idea", "old", "feature:a"), pin("core", "idea")]
    before = crowded(*known, until=11)
    before.when(dissolve("no more", "idea")).then(gone("old", "idea"))
    before.when(outcome("late", "old", 2.0)).then(refused(Refusal.EVENT_FORGOTTEN))


def test_what_was_not_contained_any_more_when_it_was_forgotten_has_no_heir() -> None:
    known = [event("old", "a"), concept("idea", "old", "feature:a"), dissolve("no more", "idea")]
    before = crowded(*known, until=11)
    before.when(outcome("late", "old", 2.0)).then(gone("old"), refused(Refusal.EVENT_FORGOTTEN))


def test_a_trajectory_leads_over_heirs_each_once() -> None:
    """o1 and o2 are in one episode now: it is the first step, and x8 the second. m is 3."""
    known = [event("o1"), event("o2"), episode("day", "o1", "o2"), pin("core", "day")]
    before = crowded(*known, until=12)
    before.when(outcome("late", "x8", 2.0, trajectory=("o1", "o2", "x7", "day"))).then(
        accepted(seq=15),
        gone("o1", "o2"),
        node("day", impact=0.3),
        node("x7", impact=0.24),
        edge("day", CAUSAL, "late", weight=0.3),
        edge("x7", CAUSAL, "late", weight=0.24),
    )


def test_an_heir_is_no_step_to_itself() -> None:
    known = [event("o1"), event("o2"), episode("day", "o1", "o2"), pin("core", "day")]
    before = crowded(*known, until=12)
    before.when(outcome("late", "o1", 2.0, trajectory=("o2", "x8"))).then(
        gone("o1", "o2"), node("day", impact=3), edge("day", CAUSAL, "late", weight=1 + 3), node("x8", impact=0.3)
    )


def test_nothing_else_is_inherited() -> None:
    before = crowded(event("old"), episode("day", "old"), pin("core", "day"), until=11)
    before.when(recall("asked", "old")).then(gone("old"), unchanged("day"), node("day", candidates=0))
    before.when(event("new", caused_by=("old",))).then(no_edge("day", CAUSAL, "new"))
    before.when(episode("again", "old")).then(refused(Refusal.EVENT_FORGOTTEN))
