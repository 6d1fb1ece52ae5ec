"""A late outcome of what was forgotten lands on what contained it."""

from tests.graph.by_hand import HALVING, TEN, faded
from tests.graph.commands import MEMORY, Said, concept, dissolve, episode, event, outcome, pin, policy, recall, sleep
from tests.graph.scenario import Given, accepted, edge, given, gone, no_edge, node, refused, unchanged
from yggdrasil_schemas.graph.records import EdgeKind, NodeKind
from yggdrasil_schemas.refusals import Refusal

CAUSAL, CONTAINS = EdgeKind.CAUSAL, EdgeKind.CONTAINS
B = "feature:b"


def crowded(*said: Said) -> Given:
    """These, and then events x0, x1, ... until the eleventh node costs the two oldest that may go."""
    before = given(TEN, *said)
    header = before.world.graph(MEMORY).header
    for n in range(11 - header.nodes):
        assert before.world.say(event(f"x{n}")).refused is None
    assert header.nodes == 9
    return before


def test_an_episode_inherits_the_outcomes_of_its_events() -> None:
    """As if it had been the episode's own: m is 3, and a, with which it is associated, carries all of it. x7 is of
    tick 9, and day was pinned at tick 1."""
    before = crowded(event("old", "a"), episode("day", "old"), pin("core", "day"), pin("more", "feature:a"))
    before.when(outcome("late", "old", 2.0)).then(
        gone("old", "x0"),
        node("day", impact=3, good=1, salience=faded(1.75, 8, 1e6) + 0.5 * 3),
        edge("day", CAUSAL, "late", weight=1 + 3, permanence=0.3),
        node("late", kind=NodeKind.OUTCOME, degree=2),
        node("feature:a", impact=3, valence=0.6),
    )


def test_a_concept_inherits_where_there_is_no_episode() -> None:
    known = [event("old", "a"), concept("idea", "old", "feature:a"), pin("core", "idea"), pin("more", "feature:a")]
    crowded(*known).when(outcome("late", "old", 2.0)).then(
        gone("old"),
        node("idea", impact=3, good=1, valence=0),
        edge("idea", CAUSAL, "late", weight=1 + 3),
        edge("idea", CONTAINS, "feature:a", weight=faded(1, 8) + 0.1 * 3, permanence=0.3),
        node("feature:a", impact=3, valence=0.6),
    )


def test_a_kind_does_not_point_at_itself() -> None:
    """And takes the place of nobody who does: the first, by number, that foretells and may is b. Only a concept can
    contain the kind of an outcome, so the outcome is of one, as the heir of an event."""
    one = policy("one", features_paired_max=1, foretell_valence=0.1)
    kind = "feature:outcome:x"
    known = [event("old"), outcome("known", "old", 0.0, kind="x"), event("e", "b"), concept("idea", "old", kind, B)]
    crowded(one, *known, pin("core", "idea")).when(outcome("late", "old", 3.0, kind="x")).then(
        gone("old", "known"),
        node(kind, valence=0.45, impact=1.5, good=1),
        node(B, valence=0.45, impact=1.5),
        no_edge(kind, CAUSAL, kind),
        edge(B, CAUSAL, kind, weight=1.5),
    )


def test_an_episode_comes_before_a_concept() -> None:
    """The concept only carries it: it contained the event when the episode was made, and a is forgotten as well."""
    known = [event("old", "a"), concept("idea", "old", "feature:a"), episode("day", "old")]
    crowded(*known, pin("core", "day"), pin("more", "idea")).when(outcome("late", "old", 2.0)).then(
        gone("old", "feature:a"),
        node("day", impact=3),
        edge("day", CAUSAL, "late", weight=1 + 3),
        node("idea", impact=3, valence=0.6),
        no_edge("idea", CAUSAL, "late"),
    )


def test_of_several_episodes_the_oldest_inherits() -> None:
    known = [event("old"), episode("first", "old"), episode("second", "old")]
    crowded(*known, pin("core", "first"), pin("more", "second")).when(outcome("late", "old", 2.0)).then(
        gone("old"), node("first", impact=3), edge("first", CAUSAL, "late"), no_edge("second", CAUSAL, "late")
    )


def test_an_heir_may_have_an_heir() -> None:
    """old was in day, and day in idea; both are forgotten."""
    known = [event("old", "b"), episode("day", "old"), concept("idea", "day", "feature:b")]
    before = crowded(*known, pin("core", "idea"), pin("more", "feature:b"))
    before.when(outcome("late", "old", 2.0)).then(
        gone("old", "day"),
        node("idea", impact=3),
        edge("idea", CAUSAL, "late", weight=1 + 3),
        node("feature:b", impact=3),
    )
    before.when(outcome("of the day", "day", 1.0)).then(
        edge("idea", CAUSAL, "of the day"), node("idea", impact=3 * 0.9 + 1)
    )


def test_a_concept_leaves_what_contained_it() -> None:
    """Whether it was pruned, with old, or dissolved later."""
    known = [event("old", "a"), concept("one", "old", "feature:a"), concept("two", "one", "feature:a")]
    pruned = crowded(*known, pin("core", "two"), pin("more", "feature:a"))
    pruned.when(outcome("late", "old", 2.0)).then(gone("old", "one"), node("two", impact=3))
    dissolved = crowded(*known, pin("core", "two"), pin("more", "one"))
    dissolved.when(pin("freed", "one", pinned=False)).then(gone("old"))
    dissolved.when(dissolve("no more", "one"))
    dissolved.when(outcome("late", "old", 2.0)).then(gone("one"), node("two", impact=3), edge("two", CAUSAL, "late"))


def test_an_outcome_takes_eight_steps_to_an_heir_and_not_nine() -> None:
    """old was in c1, c1 in c2, and so on; the first two are pruned and the others dissolve."""
    nested = [concept(f"c{n}", f"c{n - 1}", "feature:a") for n in range(2, 9)]
    known = [event("old", "a"), pin("core", "feature:a"), concept("c1", "old", "feature:a"), *nested]
    before = crowded(*known, pin("last", "c8"))
    for n in range(2, 8):
        before.when(dissolve(f"no c{n}", f"c{n}")).then(gone(f"c{n}"))
    before.when(outcome("eight", "old", 2.0)).then(gone("old", "c1"), node("c8", impact=3))
    before.when(concept("c9", "c8", "feature:a"))
    before.when(pin("freed", "c8", pinned=False))
    before.when(dissolve("no c8", "c8")).then(gone("c8"), node("c9", impact=0))
    before.when(outcome("nine", "old", 2.0)).then(refused(Refusal.EVENT_FORGOTTEN))


def test_an_heir_that_is_gone_without_one_leaves_nothing() -> None:
    known = [event("old", "a"), concept("idea", "old", "feature:a"), pin("core", "idea")]
    before = crowded(*known)
    before.when(pin("freed", "idea", pinned=False))
    before.when(dissolve("no more", "idea")).then(gone("old", "idea"))
    before.when(outcome("late", "old", 2.0)).then(refused(Refusal.EVENT_FORGOTTEN))


def test_what_was_not_contained_any_more_when_it_was_forgotten_has_no_heir() -> None:
    known = [event("old", "a"), concept("idea", "old", "feature:a"), dissolve("no more", "idea")]
    crowded(*known).when(outcome("late", "old", 2.0)).then(gone("old"), refused(Refusal.EVENT_FORGOTTEN))


def test_a_trajectory_leads_over_heirs_each_once() -> None:
    """o1 and o2 are in one episode now: it is the first step, and x6 the second. m is 3."""
    before = crowded(event("o1"), event("o2"), episode("day", "o1", "o2"), pin("core", "day"))
    before.when(outcome("late", "x7", 2.0, trajectory=("o1", "o2", "x6", "day"))).then(
        accepted(seq=14),
        gone("o1", "o2"),
        node("day", impact=0.3),
        node("x6", impact=0.24),
        edge("day", CAUSAL, "late", weight=0.3),
        edge("x6", CAUSAL, "late", weight=0.24),
    )


def test_an_heir_is_no_step_to_itself() -> None:
    before = crowded(event("o1"), event("o2"), episode("day", "o1", "o2"), pin("core", "day"))
    before.when(outcome("late", "o2", 2.0, trajectory=("o1",))).then(
        gone("o1", "o2"), node("day", impact=3), edge("day", CAUSAL, "late", weight=1 + 3)
    )


def test_what_stays_inherits_before_what_goes_in_the_same_sweep() -> None:
    """day would come first, but it goes with old; so does one, whose heir is two, for whatever only one contained."""
    known = [event("old", "a"), episode("day", "old"), concept("idea", "old", "feature:a"), pin("core", "idea")]
    crowded(*known, pin("more", "feature:a")).when(outcome("late", "old", 2.0)).then(
        gone("old", "day"), node("idea", impact=3), edge("idea", CAUSAL, "late", weight=1 + 3)
    )


def test_of_those_that_go_one_that_passes_on_inherits_first() -> None:
    """old, day and one go in one sweep. Nothing contains day, but two contains one, and stays."""
    three = policy("three", nodes_kept_share=0.8)
    known = [event("old", "a"), pin("more", "feature:a"), episode("day", "old"), concept("one", "old", "feature:a")]
    known += [concept("two", "one", "feature:a"), pin("core", "two")]
    before = given(TEN, three, *known, *(event(f"x{n}") for n in range(6)))
    before.when(outcome("late", "old", 2.0)).then(gone("old", "day", "one"), node("two", impact=3))


def test_what_dissolves_in_one_night_leaves_what_stays_to_each_other() -> None:
    """big contains small, and both have faded; huge contains small as well, and is pinned."""
    known = [event("e"), concept("small", "e", "feature:a"), concept("big", "small", "feature:a")]
    known = [event("first", "a"), *known, concept("huge", "small", "feature:a"), pin("core", "huge")]
    night = [event(f"t{n}") for n in range(9)]
    slept = given(HALVING, *known, *night).when(sleep("night"))
    slept.then(gone("small", "big"))
    assert slept.graph.heir(slept.number("small") or 0) == slept.number("huge")


def test_nothing_else_is_inherited() -> None:
    before = crowded(event("old"), episode("day", "old"), pin("core", "day"))
    before.when(recall("asked", "old")).then(gone("old"), unchanged("day"), node("day", candidates=0))
    before.when(event("new", caused_by=("old",))).then(no_edge("day", CAUSAL, "new"))
    before.when(episode("again", "old")).then(refused(Refusal.EVENT_FORGOTTEN))
